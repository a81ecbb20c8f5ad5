/**
 * Mochi's contract for those who use it over standard streams: its three tools, its counts, and what it tells unasked.
 * What it answers is parsed with the schemas of the contract. Starting and ending the process is not done here.
 */
import * as z from 'zod/mini';
import { isRecord, own } from '#core/catalog/read-json.ts';
import type { Disposable } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { type Learning, learningIn } from '#protocol/learning-words.ts';
import {
  CHANGED_NOTIFICATION,
  type CompleteCodeResult,
  completeCodeOutput,
  type DomainQueryResult,
  domainQueryOutput,
  FAULT_KEY,
  type Fault,
  faultSchema,
  LIMITS,
  type MochiStats,
  STATS_URI,
  type SuggestPatternResult,
  statsSchema,
  suggestPatternOutput,
} from '#protocol/mochi.ts';
import type { StdioLink } from './connect-stdio.ts';
import { createWire, type Wire, type WireResult } from './mochi-wire.ts';

/** A tool's answer, or why it refused. */
export type MochiAnswer<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'refused'; readonly fault: Fault };

export interface CompleteCodeRequest {
  readonly prefix: string;
  readonly suffix?: string;
  readonly language?: string;
  /** Relative to the learned folder, with forward slashes. */
  readonly path?: string;
  readonly facts?: readonly string[];
}

/** Every call throws OperationError where Mochi ends, is late or breaks the contract, and else the signal's reason. */
export interface MochiClient {
  readonly version: string;
  complete(request: CompleteCodeRequest, signal: AbortSignal): Promise<MochiAnswer<CompleteCodeResult>>;
  ask(
    question: { readonly instruction: string; readonly input?: string; readonly maxTokens?: number },
    signal: AbortSignal,
  ): Promise<MochiAnswer<DomainQueryResult>>;
  suggest(
    request: { readonly goal: string; readonly context?: string },
    signal: AbortSignal,
  ): Promise<MochiAnswer<SuggestPatternResult>>;
  /** Any tool, by name, for those who only pass on: the result as it was sent. */
  call(tool: string, args: object, signal: AbortSignal): Promise<WireResult>;
  readStats(signal: AbortSignal): Promise<MochiStats>;
  /** Tells which files of the folder changed, by path as in `complete`; without paths, that some did. */
  filesChanged(paths?: readonly string[]): void;
  /** What was learned is another. */
  onDidChangeResources(listener: () => void): Disposable;
  onDidProgress(listener: (learning: Learning | undefined) => void): Disposable;
}

export interface GreetOptions {
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Milliseconds for the handshake. */
  readonly greetMs?: number;
  /** Milliseconds that a call may take; longer than Mochi's own deadline, so that it can say itself that it is late. */
  readonly callMs?: number;
}

/** The revision that has messages about progress and changed lists on a lasting connection. */
const REVISION = '2025-11-25';

/** The handshake. Throws OperationError, or the signal's reason. */
export async function greetMochi(
  link: Pick<StdioLink, 'send' | 'listen' | 'ended'>,
  options: GreetOptions,
  signal: AbortSignal,
): Promise<MochiClient> {
  const changed = new Set<() => void>();
  const progressed = new Set<(learning: Learning | undefined) => void>();
  const wire = createWire({
    link,
    onNotification(method, params) {
      if (method === 'notifications/resources/list_changed') for (const tell of changed) tell();
      if (method !== 'notifications/message' || !isRecord(params)) return;
      const said = learningIn(own(params, 'data'));
      if (said !== undefined) for (const tell of progressed) tell(said.learning);
    },
  });
  const greeting = await wire.request(
    'initialize',
    { protocolVersion: REVISION, capabilities: {}, clientInfo: options.clientInfo },
    signal,
    options.greetMs ?? 15_000,
  );
  const info = greeting['serverInfo'];
  if (!isRecord(info) || own(info, 'name') !== 'mochi')
    throw new OperationError('protocol', 'What was started is not Mochi.');
  wire.notify('notifications/initialized', {});
  return clientOver(wire, String(own(info, 'version')), options.callMs ?? LIMITS.deadlineMs + 2_000, {
    changed,
    progressed,
  });
}

interface Listeners {
  readonly changed: Set<() => void>;
  readonly progressed: Set<(learning: Learning | undefined) => void>;
}

function clientOver(wire: Wire, version: string, ms: number, { changed, progressed }: Listeners): MochiClient {
  const call = (name: string, args: object, signal: AbortSignal): Promise<WireResult> =>
    wire.request('tools/call', { name, arguments: args }, signal, ms);
  return {
    version,
    call,
    complete: async (request, signal) => answerOf(await call('complete_code', request, signal), completeCodeOutput()),
    async ask({ instruction, input, maxTokens }, signal) {
      const args = { instruction, ...(input !== undefined && { input }), ...(maxTokens && { max_tokens: maxTokens }) };
      return answerOf(await call('domain_query', args, signal), domainQueryOutput());
    },
    suggest: async (request, signal) =>
      answerOf(await call('suggest_pattern', request, signal), suggestPatternOutput()),
    async readStats(signal) {
      const { contents } = await wire.request('resources/read', { uri: STATS_URI }, signal, ms);
      const [first]: readonly unknown[] = Array.isArray(contents) ? contents : [];
      const text = isRecord(first) ? own(first, 'text') : undefined;
      return parsed(jsonOf(typeof text === 'string' ? text : ''), statsSchema());
    },
    filesChanged: (paths) => wire.notify(CHANGED_NOTIFICATION, paths === undefined ? {} : { paths }),
    onDidChangeResources: (listener) => listening(changed, listener),
    onDidProgress: (listener) => listening(progressed, listener),
  };
}

function listening<T>(all: Set<T>, listener: T): Disposable {
  all.add(listener);
  return { dispose: () => void all.delete(listener) };
}

/** Code made for a schema would take longer to make, in a host that others wait for, than it ever saves. */
const AS_IT_IS = { jitless: true } as const;

function answerOf<S extends z.core.$ZodType>(result: WireResult, schema: S): MochiAnswer<z.infer<S>> {
  if (result['isError'] !== true) return { kind: 'answered', value: parsed(result['structuredContent'], schema) };
  const meta = result['_meta'];
  const fault = z.safeParse(faultSchema(), isRecord(meta) ? own(meta, FAULT_KEY) : undefined, AS_IT_IS);
  if (!fault.success) throw new OperationError('protocol', 'Mochi refused and did not say why.');
  return { kind: 'refused', fault: fault.data };
}

function parsed<S extends z.core.$ZodType>(value: unknown, schema: S): z.infer<S> {
  const result = z.safeParse(schema, value, AS_IT_IS);
  if (result.success) return result.data;
  // What a schema misses is told by its place only: the values may be source text.
  const places = result.error.issues.map(({ path }) => path.join('.') || 'the whole').slice(0, 3);
  throw new OperationError('protocol', `An answer of Mochi does not keep to the contract: ${places.join(', ')}.`);
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
