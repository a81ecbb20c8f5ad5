/**
 * A sorted array of all contexts of a token sequence: positions ordered by the tokens that stand before them, nearest
 * first. The positions that share a context of any length lie together, so what followed it can be counted. It knows
 * nothing of files, classes or probabilities.
 */
import { startsLine } from '../learn/lexer.ts';

/** Contexts are ordered by this many tokens; longer ones are not told apart. */
export const deepest = 16;
/** Intervals with more positions are sampled evenly. */
const sampled = 512;
/** Summaries of intervals larger than this are kept. */
const keptFrom = 128;
const keptAtMost = 20_000;

/** What followed a context: symbols (token * 2 + whether it began a line) with their counts, scaled if sampled. */
export interface Followers {
  readonly symbols: Int32Array;
  readonly counts: Float32Array;
  readonly total: number;
}

const nothing: Followers = { symbols: new Int32Array(0), counts: new Float32Array(0), total: 0 };

/** Token numbers, or classes, which are fewer. */
export type Sequence = Int32Array | Uint16Array;

export class ContextIndex {
  readonly tokens: Sequence;
  readonly gaps: Uint8Array;
  /** Positions in the order of their contexts. */
  readonly order: Int32Array;
  /** The first place in `order` of each last token. */
  readonly buckets: Int32Array;
  #maskFrom = 0;
  #maskTo = 0;
  #hidden: Uint8Array | undefined;
  readonly #kept = new Map<number, Followers>();

  constructor(tokens: Sequence, gapBytes: Uint8Array, order: Int32Array, buckets: Int32Array) {
    this.tokens = tokens;
    this.gaps = gapBytes;
    this.order = order;
    this.buckets = buckets;
  }

  /** Sorts the contexts; `symbols` is one more than the largest token. Sorts of the same length may share their room. */
  static build(tokens: Sequence, gapBytes: Uint8Array, symbols: number, room: SortRoom = {}): ContextIndex {
    const { order, buckets } = sortContexts(tokens, symbols, room);
    return new ContextIndex(tokens, gapBytes, order, buckets);
  }

  /** Leaves out the positions from `from` to `to`: a file that is being edited must not predict itself. */
  mask(from: number, to: number): void {
    if (from === this.#maskFrom && to === this.#maskTo) return;
    this.#maskFrom = from;
    this.#maskTo = to;
    this.#kept.clear();
  }

  /** Leaves positions out for good: their file changed or is gone. */
  hide(from: number, to: number): void {
    this.#hidden ??= new Uint8Array(this.tokens.length);
    this.#hidden.fill(1, from, to);
    this.#kept.clear();
  }

  /** Whether a position is masked or hidden. */
  isLeftOut(at: number): boolean {
    return (at >= this.#maskFrom && at < this.#maskTo) || (this.#hidden !== undefined && this.#hidden[at] === 1);
  }

  /**
   * Intervals of `order` for the contexts of 1, 2, 3… tokens that end before `end`: pairs of start and end into `into`.
   * Returns how many contexts were found.
   */
  intervals(context: Int32Array, end: number, longest: number, into: Int32Array): number {
    const last = context[end - 1] ?? 0;
    if (end < 1 || last + 1 >= this.buckets.length) return 0;
    let low = this.buckets[last] ?? 0;
    let high = this.buckets[last + 1] ?? 0;
    let found = 0;
    while (low < high) {
      into[found * 2] = low;
      into[found * 2 + 1] = high;
      found += 1;
      if (found >= longest || found >= end) break;
      const wanted = context[end - 1 - found] ?? 0;
      const next = this.#bound(low, high, found, wanted);
      high = this.#bound(next, high, found, wanted + 1);
      low = next;
    }
    return found;
  }

  /** The first place from `low` whose token `back + 1` positions before is not below `wanted`. */
  #bound(low: number, high: number, back: number, wanted: number): number {
    const { tokens, order } = this;
    let from = low;
    let to = high;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const at = (order[middle] ?? 0) - 1 - back;
      if (at >= 0 && (tokens[at] ?? 0) >= wanted) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  /** Counts what followed the contexts of an interval. The result is read at once: the next call may reuse it. */
  followers(low: number, high: number): Followers {
    const size = high - low;
    if (size <= 0) return nothing;
    if (size < keptFrom) return this.#count(low, high);
    const key = low * 67_108_864 + (size & 67_108_863);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    if (this.#kept.size > keptAtMost) this.#kept.clear();
    const made = this.#count(low, high);
    const own = { symbols: made.symbols.slice(), counts: made.counts.slice(), total: made.total };
    this.#kept.set(key, own);
    return own;
  }

  #count(low: number, high: number): Followers {
    const size = high - low;
    const step = size > sampled ? size / sampled : 1;
    const { tokens, order } = this;
    let distinct = 0;
    let total = 0;
    const stamp = ++tally.stamp;
    for (let place = low; place < high; place += step) {
      const at = order[Math.trunc(place)] ?? 0;
      if (this.isLeftOut(at)) continue;
      const token = tokens[at] ?? 0;
      if (token === 0) continue;
      const symbol = token * 2 + (startsLine(this.gaps[at] ?? 0) ? 1 : 0);
      tally.reserve(symbol);
      if (tally.stamps[symbol] !== stamp) {
        tally.stamps[symbol] = stamp;
        tally.places[symbol] = distinct;
        tally.symbols[distinct] = symbol;
        tally.counts[distinct] = 0;
        distinct += 1;
      }
      const slot = tally.places[symbol] ?? 0;
      tally.counts[slot] = (tally.counts[slot] ?? 0) + step;
      total += step;
    }
    return { symbols: tally.symbols.subarray(0, distinct), counts: tally.counts.subarray(0, distinct), total };
  }
}

/** Room for counting, shared by all indexes of the process. */
const tally = {
  stamp: 0,
  stamps: new Int32Array(1 << 16),
  places: new Int32Array(1 << 16),
  symbols: new Int32Array(sampled + 8),
  counts: new Float32Array(sampled + 8),
  reserve(symbol: number): void {
    if (symbol < this.stamps.length) return;
    const size = symbol * 2 + 16;
    const stamps = new Int32Array(size);
    stamps.set(this.stamps);
    this.stamps = stamps;
    const places = new Int32Array(size);
    places.set(this.places);
    this.places = places;
  },
};

/** Arrays a sort needs beside its result, kept for the next sort of as many tokens. */
export interface SortRoom {
  spare?: Int32Array;
  rank?: Int32Array;
  next?: Int32Array;
}

const fitting = (array: Int32Array | undefined, length: number): Int32Array =>
  array !== undefined && array.length === length ? array : new Int32Array(length);

/** Prefix doubling over the reversed sequence: each round doubles how many tokens the order looks at. */
function sortContexts(tokens: Sequence, symbols: number, room: SortRoom): { order: Int32Array; buckets: Int32Array } {
  const n = tokens.length;
  const buckets = new Int32Array(symbols + 1);
  for (let at = 1; at < n; at += 1) {
    const slot = (tokens[at - 1] ?? 0) + 1;
    buckets[slot] = (buckets[slot] ?? 0) + 1;
  }
  // Position 0 has no context and stays out: orders cover positions 1 to n - 1.
  for (let symbol = 0; symbol < symbols; symbol += 1) {
    buckets[symbol + 1] = (buckets[symbol + 1] ?? 0) + (buckets[symbol] ?? 0);
  }
  const count = Math.max(0, n - 1);
  let order: Int32Array = new Int32Array(count);
  const rank = fitting(room.rank, n);
  rank.fill(0);
  const heads = buckets.slice();
  for (let at = 1; at < n; at += 1) {
    const token = tokens[at - 1] ?? 0;
    rank[at] = buckets[token] ?? 0;
    const head = heads[token] ?? 0;
    order[head] = at;
    heads[token] = head + 1;
  }
  let sorted: Int32Array = fitting(room.spare, count);
  const next = fitting(room.next, count);
  for (let width = 1; width < deepest; width *= 2) {
    double(order, sorted, rank, next, width, n);
    [order, sorted] = [sorted, order];
    if (width * 2 < deepest) renumber(order, rank, next, width);
  }
  room.spare = sorted;
  room.rank = rank;
  room.next = next;
  return { order, buckets };
}

/** One stable pass: positions that share `width` tokens are put in the order of the `width` tokens before those. */
function double(
  order: Int32Array,
  into: Int32Array,
  rank: Int32Array,
  next: Int32Array,
  width: number,
  n: number,
): void {
  const count = order.length;
  for (let place = 0; place < count; place += 1) next[place] = place;
  for (let at = 1; at <= Math.min(width, n - 1); at += 1) {
    const own = rank[at] ?? 0;
    const head = next[own] ?? 0;
    into[head] = at;
    next[own] = head + 1;
  }
  for (let place = 0; place < count; place += 1) {
    const at = (order[place] ?? 0) + width;
    if (at >= n) continue;
    const own = rank[at] ?? 0;
    const head = next[own] ?? 0;
    into[head] = at;
    next[own] = head + 1;
  }
}

/** Ranks are the first place of those that are still alike; `fresh` is room for them. */
function renumber(order: Int32Array, rank: Int32Array, fresh: Int32Array, width: number): void {
  let first = 0;
  let lastOwn = -1;
  let lastBefore = -2;
  for (let place = 0; place < order.length; place += 1) {
    const at = order[place] ?? 0;
    const own = rank[at] ?? 0;
    const before = at > width ? (rank[at - width] ?? 0) : -1;
    if (own !== lastOwn || before !== lastBefore) first = place;
    fresh[place] = first;
    lastOwn = own;
    lastBefore = before;
  }
  for (let place = 0; place < order.length; place += 1) rank[order[place] ?? 0] = fresh[place] ?? 0;
}
