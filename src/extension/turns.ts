/** Work that is cut into turns of the event loop, so that others who share the thread are served in between. */

export interface Turns {
  /** Runs one piece in a turn of its own. Throws as the piece does. */
  take<T>(piece: () => T | Promise<T>): Promise<T>;
  /** Milliseconds that the pieces took, without what came in between. */
  readonly spent: number;
}

/** Milliseconds between two pieces: what the last one set going is served before the next. */
const APART_MS = 3;

/** A piece may wait only for what needs no time, as requiring a file does. */
export function createTurns(): Turns {
  let spent = 0;
  return {
    get spent() {
      return spent;
    },
    async take(piece) {
      await new Promise((resolve) => void setTimeout(resolve, APART_MS));
      const start = performance.now();
      try {
        return await piece();
      } finally {
        spent += performance.now() - start;
      }
    },
  };
}
