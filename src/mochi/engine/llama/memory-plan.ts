/**
 * Whether a model fits, decided before it is loaded: the library's own caps stop contexts but not weights. Sizes come
 * from the file and from the library's estimates; what those leave out is added here, with figures that were measured.
 */
import { MochiFault } from '../../limits.ts';

export interface MemoryNeed {
  /** Bytes of the weights as the library estimates them. */
  readonly weights: number;
  /** Bytes that it takes besides and the library does not count. */
  readonly unseen: number;
  /** Bytes of all contexts. */
  readonly contexts: number;
  /** Bytes of the adapters. */
  readonly adapters: number;
  /** Bytes that the process uses already. */
  readonly process: number;
}

/** What the library itself touches when it loads and first evaluates. */
const RUNTIME_BYTES = 14 * 2 ** 20;
/** Part of what is free that is left to others. */
const LEFT_FREE = 0.05;

/** Bytes that the process will use once all is loaded. */
export function estimated({ weights, unseen, contexts, adapters, process }: MemoryNeed): number {
  return process + RUNTIME_BYTES + weights + unseen + contexts + adapters;
}

/** Throws a MochiFault `memory` where it needs more than `limit`, or more than is `free` on the machine. */
export function checkFits(need: MemoryNeed, limit: number, free: number): void {
  const total = estimated(need);
  const added = total - need.process;
  if (total > limit)
    throw new MochiFault('memory', `The model needs ${shown(total)} of memory; it may use ${shown(limit)}.`, {
      remedy: 'Raise --memory-limit, or take a smaller model.',
    });
  if (added > free * (1 - LEFT_FREE))
    throw new MochiFault('memory', `The model needs ${shown(added)} more of memory; ${shown(free)} are free.`, {
      remedy: 'Close other programs, or take a smaller model.',
    });
}

function shown(bytes: number): string {
  return `${(Math.max(0, bytes) / 2 ** 30).toFixed(2)} GiB`;
}
