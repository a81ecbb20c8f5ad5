/**
 * Whether one server has given its tools, for listings that must not wait for it twice: who was slow or failed is asked
 * again in the background only, and announced when it comes. Says why it is missing in a line that a model may read.
 */
import type { Catalog } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { lineOf, textOf } from './error-text.ts';
import type { Upstream } from './upstream.ts';

export interface Attendance {
  readonly upstream: Upstream;
  /** The tools, or undefined for a server that is missing: at once where it was missing before. Never rejects. */
  list(): Promise<Catalog | undefined>;
  /** As {@link list}, but waits for a server that is only slow. */
  meet(): Promise<Catalog | undefined>;
  /** Nobody waits any more for what {@link list} has not given yet. */
  giveUpWaiting(): void;
  /** Why it is missing, in one line; undefined where it is not, or nobody has asked for it yet. */
  excuse(): string | undefined;
}

export interface AttendanceParts {
  readonly logger: Logger;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Called when the server has come after it was missing. */
  readonly onDidArrive: () => void;
}

/** Milliseconds for which a server that has failed is not asked again by a listing. */
const REST = 30_000;

export function createAttendance(upstream: Upstream, parts: AttendanceParts): Attendance {
  const { logger, signal, now, onDidArrive } = parts;
  const { name } = upstream.server;
  let asking: Promise<Catalog | undefined> | undefined;
  let excuse: string | undefined;
  let said: string | undefined;
  /** It was missing in a listing, so that its coming is news. */
  let isMissed = false;
  let restsUntil = 0;

  const leaveOut = (why: string, line: string): void => {
    excuse = line;
    if (said !== why) logger.warn(`Left out "${name}": ${why}`);
    said = why;
  };

  const ask = (): Promise<Catalog | undefined> => {
    asking ??= upstream.catalog(signal).then(
      (catalog) => {
        const isNews = isMissed;
        asking = undefined;
        excuse = undefined;
        said = undefined;
        isMissed = false;
        if (isNews) onDidArrive();
        return catalog;
      },
      (error: unknown) => {
        asking = undefined;
        if (signal.aborted) return undefined;
        // To ask whether somebody has agreed by now costs nothing.
        isMissed = !OperationError.is(error, 'consent-needed');
        if (isMissed) restsUntil = now() + REST;
        leaveOut(textOf(error), lineOf(error));
        return undefined;
      },
    );
    return asking;
  };

  /** It may have come up for something else meanwhile. */
  const recorded = async (): Promise<Catalog | undefined> => {
    const catalog = await upstream.recorded();
    if (asking === undefined && (catalog !== undefined || now() >= restsUntil)) void ask();
    return catalog;
  };

  return {
    upstream,
    list: () => (isMissed ? recorded() : ask()),
    meet: () => (isMissed && asking === undefined ? recorded() : ask()),
    giveUpWaiting() {
      if (asking === undefined || isMissed) return;
      isMissed = true;
      leaveOut('is slow to start; its tools follow', 'It is slow to start; its tools follow.');
    },
    excuse: () => excuse,
  };
}
