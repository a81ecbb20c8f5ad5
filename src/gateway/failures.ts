/** Counts the failures of one server in a row, and says when it must rest before it is started again. */
import { OperationError } from '#core/problem.ts';

export interface Failures {
  add(): void;
  /** It works again. */
  forget(): void;
  /** Throws OperationError `crashed` while the server rests. */
  assertRested(): void;
}

/** This many failures in {@link SPAN} milliseconds, and a server rests for {@link REST} of them. */
const MOST = 3;
const SPAN = 300_000;
const REST = 30_000;

/** `now` gives milliseconds since some moment. */
export function createFailures(server: string, now: () => number): Failures {
  let failures: readonly number[] = [];
  return {
    add() {
      failures = [...failures.filter((at) => now() - at < SPAN), now()];
    },
    forget() {
      failures = [];
    },
    assertRested() {
      const last = failures.at(-1);
      const left = last === undefined || failures.length < MOST ? 0 : last + REST - now();
      if (left <= 0) return;
      throw new OperationError('crashed', `Server "${server}" has failed ${failures.length} times in a row.`, {
        remedy: `It is tried again in ${Math.ceil(left / 1_000)} s; its messages are in the gateway's log.`,
      });
    },
  };
}
