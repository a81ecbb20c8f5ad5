/** A pause for others: whoever shares a thread, as extensions do, cuts long work at it. */

/**
 * Resolves in a later turn of the event loop, after what has come in meanwhile was served. A timer and not an immediate,
 * which would come before that.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve));
}
