/** Gives memory back that is no longer used, before work that needs much of it at once. It changes nothing else. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: ((options: object) => void) | undefined;

/**
 * Collects garbage now and returns the room to the system. Reading thousands of files leaves more garbage than what is
 * kept of them, and left to itself the engine would hold on to that room while the sort asks for as much again.
 */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    const found: unknown = runInNewContext('typeof gc === "function" ? gc : undefined');
    collect = typeof found === 'function' ? (options): void => void found(options) : (): void => {};
  }
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
