/** A limit in time joined with the caller's wish to stop, and which of the two it was. */

export interface Deadline {
  /** Aborts when the time is over or the caller cancels. */
  readonly signal: AbortSignal;
  readonly ms: number;
  /** The time is over. */
  isOver(): boolean;
  /** The caller cancelled. */
  isCancelled(): boolean;
  /** Stops the clock until the returned function is called; while several wait, until the last of them is done. */
  pause(): () => void;
  /** Lets go of the timer; the signal then follows nothing any more. */
  clear(): void;
}

/** Starts counting at once. */
export function createDeadline(caller: AbortSignal, ms: number): Deadline {
  const controller = new AbortController();
  let over = false;
  let cancelled = caller.aborted;
  const cancel = (): void => {
    cancelled = !over;
    controller.abort(caller.reason);
  };
  if (cancelled) controller.abort(caller.reason);
  else caller.addEventListener('abort', cancel, { once: true });
  const end = (): void => {
    over = !cancelled;
    controller.abort(new Error('The time is over.'));
  };
  let left = ms;
  let since = performance.now();
  let pauses = 0;
  let isCleared = false;
  let timer = setTimeout(end, ms);
  return {
    signal: controller.signal,
    ms,
    isOver: () => over,
    isCancelled: () => cancelled,
    pause() {
      if (pauses === 0) {
        clearTimeout(timer);
        left -= performance.now() - since;
      }
      pauses += 1;
      let isDone = false;
      return () => {
        if (isDone) return;
        isDone = true;
        pauses -= 1;
        if (pauses > 0 || isCleared || over || cancelled) return;
        since = performance.now();
        timer = setTimeout(end, Math.max(0, left));
      };
    },
    clear() {
      isCleared = true;
      clearTimeout(timer);
      caller.removeEventListener('abort', cancel);
    },
  };
}

/** `work`, or a rejection with the signal's reason as soon as it aborts; the work's own late failure is swallowed. */
export async function raceAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => {});
  if (signal.aborted) throw signal.reason;
  let stop: () => void = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
