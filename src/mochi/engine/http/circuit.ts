/**
 * Keeps a server that does not answer from being asked again and again: after several failures in a row nobody is let
 * through for a while, then one to see whether it is back. Knows nothing about requests.
 */
export interface Circuit {
  /** Milliseconds until somebody is let through again; 0 where one may go now. A going one must tell how it ended. */
  enter(): number;
  succeeded(): void;
  failed(): void;
  /** It was given up for a reason that says nothing about the server. */
  left(): void;
}

export interface CircuitOptions {
  readonly now: () => number;
  /** Failures in a row that open it. */
  readonly failures?: number;
  /** Milliseconds of the first pause; each further one is twice as long, up to `longestMs`. */
  readonly pauseMs?: number;
  readonly longestMs?: number;
}

export function createCircuit({ now, failures = 4, pauseMs = 2_000, longestMs = 60_000 }: CircuitOptions): Circuit {
  let inARow = 0;
  let pause = pauseMs;
  let openUntil: number | undefined;
  let isTrying = false;
  return {
    enter() {
      if (openUntil === undefined) return 0;
      const left = openUntil - now();
      if (left > 0) return left;
      // One goes to see; the others wait for what it finds.
      if (isTrying) return Math.max(1, pause / 4);
      isTrying = true;
      return 0;
    },
    succeeded() {
      inARow = 0;
      pause = pauseMs;
      openUntil = undefined;
      isTrying = false;
    },
    failed() {
      inARow += 1;
      if (isTrying) pause = Math.min(longestMs, pause * 2);
      if (isTrying || inARow >= failures) openUntil = now() + pause;
      isTrying = false;
    },
    left() {
      isTrying = false;
    },
  };
}
