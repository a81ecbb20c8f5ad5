/**
 * The order in which a server is greeted, so that it is started once and every era and transport is found. What
 * each step does is a parameter: this file knows neither the SDK nor the network (mcp-world.md, section 5).
 */
import { createEraProbe, type Discovery, diedOfProbe, type Era, type EraProbe } from './connect-era.ts';
import type { HttpFailure } from './connect-errors.ts';
import type { StdioLink } from './connect-stdio.ts';

/** What is known of a server when the client takes over. */
export type Verdict = { readonly kind: 'legacy' } | { readonly kind: 'modern'; readonly discovery: Discovery };

export interface ProcessSteps {
  /** Starts the process. */
  start(): Promise<StdioLink>;
  /** Lets a client take over; `again` where another client has already spoken on this link. */
  attach(link: StdioLink, probe: EraProbe, verdict: Verdict, again: boolean): Promise<void>;
  /** The process died of the question and is started once more. */
  onRestart(): void;
  readonly known: Era | undefined;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Milliseconds of silence after which `initialize` is sent as well. */
  readonly patience: number;
}

/** Milliseconds for a second look at a server that refused `initialize`. */
const LATE_ANSWER = 1_000;

/** Starts and greets a process; a second start happens only where the first one died of being asked its era. */
export async function openProcess(steps: ProcessSteps): Promise<void> {
  const link = await steps.start();
  try {
    await greet(steps, link, steps.known);
  } catch (error) {
    if (steps.known === 'legacy' || link.end()?.kind !== 'exit' || !diedOfProbe(link.stderr())) throw error;
    steps.onRestart();
    await link.close();
    await greet(steps, await steps.start(), 'legacy');
  }
}

/** Asks for the era on the very process that then serves, unless it is known to be legacy. */
async function greet(steps: ProcessSteps, link: StdioLink, known: Era | undefined): Promise<void> {
  const probe = createEraProbe(link.send, steps.clientInfo);
  link.listen(probe.accept);
  const died = link.ended.then(() => Promise.reject(new Error('The process ended.')));
  died.catch(() => {});
  const answer = known === 'legacy' ? undefined : await Promise.race([probe.ask(steps.patience), died]);
  if (answer?.kind === 'modern') return steps.attach(link, probe, answer, false);
  // A server that was slow to start may answer the first question while the second one waits.
  const modern = probe.answered.then((late) => (late.kind === 'modern' ? Promise.reject(new Error('modern')) : died));
  modern.catch(() => {});
  try {
    await Promise.race([steps.attach(link, probe, { kind: 'legacy' }, false), died, modern]);
  } catch (error) {
    if (link.end() !== undefined) throw error;
    // A server that was upgraded since its era was remembered has not been asked yet.
    const late = await Promise.race([probe.ask(LATE_ANSWER), died]);
    if (late.kind !== 'modern') throw error;
    await steps.attach(link, probe, late, true);
  }
}

export interface AddressSteps {
  /** Connects by streamable HTTP; without a verdict the era is asked first. */
  streamable(verdict: Verdict | undefined): Promise<void>;
  /** Connects by the legacy SSE transport. */
  sse(): Promise<void>;
  /** Lets go of a connection that failed. */
  leave(): Promise<void>;
  /** The connection is no longer wanted. */
  isClosed(): boolean;
  /** The last answer that was no success. */
  failure(): HttpFailure | undefined;
  /** Forgets it. */
  reset(): void;
  /** The error to throw for an answer with this status. */
  explain(failure: HttpFailure, cause: unknown): unknown;
  readonly known: Era | undefined;
  readonly sseFallback: boolean;
}

/** Modern first, then `initialize`; 400, 404 or 405 to that may mean the legacy SSE transport. */
export async function openAddress(steps: AddressSteps): Promise<void> {
  try {
    await steps.streamable(steps.known === 'legacy' ? { kind: 'legacy' } : undefined);
  } catch (first) {
    await steps.leave();
    if (steps.isClosed()) throw first;
    const failure = steps.failure();
    const isOther = failure?.status === 400 || failure?.status === 404 || failure?.status === 405;
    if (steps.sseFallback && failure !== undefined && isOther) return trySse(steps, failure, first);
    // Some servers break at a question they do not know, or never answer it.
    const maybeLegacy = failure?.status === 500 || failure?.status === 501 || isTimeout(first);
    if (!maybeLegacy || steps.known === 'legacy') throw first;
    steps.reset();
    await steps.streamable({ kind: 'legacy' });
  }
}

async function trySse(steps: AddressSteps, failure: HttpFailure, first: unknown): Promise<void> {
  try {
    await steps.sse();
  } catch (second) {
    // What the newer transport met tells more than that there is no older one, unless that one got further.
    const status = steps.failure()?.status;
    throw status === 401 || status === 403 ? second : steps.explain(failure, first);
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'REQUEST_TIMEOUT';
}
