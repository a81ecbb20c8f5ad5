/**
 * What followed the same tokens before: by source and by how many tokens are the same, folded into one share a symbol
 * that trusts longer contexts more. It knows no names and no syntax.
 */
import { type ContextIndex, deepest } from './context-index.ts';
import type { OpenFile } from './open-file.ts';
import { limit, type Slots, sourceCount } from './slots.ts';

/** The contexts for which it is noted what followed them last. */
const lengths = [1, 2, 3, 5] as const;
export const latestCount: number = lengths.length;

export class Chains {
  readonly #slots: Slots;
  readonly #intervals = new Int32Array(2 * deepest + 4);
  /** By source: the length of the longest context, how often it was seen, and the share of distinct followers. */
  readonly reach = new Float32Array(sourceCount * 3);
  /** The slots of what followed the last place in the file with the same one, two, three or five tokens before it, or -1. */
  readonly latest = new Int32Array(lengths.length);

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  clear(): void {
    this.reach.fill(0);
    this.latest.fill(-1);
  }

  /** Takes the counts in `#now` as what followed a context of `order` tokens, and folds them into the chain. */
  #fold(source: number, order: number, total: number, distinct: number): void {
    const held = 0.6 * distinct + 0.2;
    const sum = total + held;
    for (let slot = 0; slot < this.#slots.count; slot += 1) {
      const count = this.#slots.now[slot] ?? 0;
      const cell = slot * sourceCount + source;
      const chained = (count + held * (this.#slots.chain[cell] ?? 0)) / sum;
      this.#slots.chain[cell] = chained;
      if (order <= 2) this.#slots.early[cell * 2] = chained;
      if (order <= 4) this.#slots.early[cell * 2 + 1] = chained;
      if (count <= 0) continue;
      this.#slots.longest[cell] = order;
      this.#slots.support[cell] = count;
      this.#slots.atLongest[cell] = count / total;
    }
    this.reach[source * 3] = order;
    this.reach[source * 3 + 1] = total;
    this.reach[source * 3 + 2] = distinct / total;
  }

  /** What followed the same tokens in an index, as far back as they are the same. */
  fromIndex(source: number, index: ContextIndex | undefined, file: OpenFile): void {
    if (index === undefined) return;
    const found = index.intervals(file.ids, file.length, deepest, this.#intervals);
    for (let order = 1; order <= found; order += 1) {
      const low = this.#intervals[order * 2 - 2] ?? 0;
      const high = this.#intervals[order * 2 - 1] ?? 0;
      // The same places again: only the length of the match is news, so only the longest is counted.
      const isSame =
        order < found && high - low === (this.#intervals[order * 2 + 1] ?? 0) - (this.#intervals[order * 2] ?? 0);
      if (isSame) continue;
      const { symbols, counts, total } = index.followers(low, high);
      if (total === 0) break;
      this.#slots.now.fill(0, 0, Math.min(limit, this.#slots.count + symbols.length));
      for (let at = 0; at < symbols.length; at += 1) {
        const slot = this.#slots.of(symbols[at] ?? 0);
        if (slot >= 0) this.#slots.now[slot] = counts[at] ?? 0;
      }
      this.#fold(source, order, total, symbols.length);
    }
  }

  /** The same for the tokens of the file itself, as source 0. */
  fromFile(file: OpenFile): void {
    const end = file.length;
    const matches: number[][] = [];
    this.latest.fill(-1);
    let at = file.previous[end - 1] ?? -1;
    for (let steps = 0; at >= 0 && steps < 160; steps += 1) {
      let length = 1;
      while (length < deepest && length <= at && file.ids[at - length] === file.ids[end - 1 - length]) length += 1;
      const list = matches[length];
      if (list === undefined) matches[length] = [at + 1];
      else list.push(at + 1);
      const slot = this.#slots.of(file.symbolAt(at + 1));
      for (let it = 0; it < lengths.length; it += 1)
        if (this.latest[it] === -1 && length >= (lengths[it] ?? 0)) this.latest[it] = slot;
      at = file.previous[at] ?? -1;
    }
    const longest = matches.length - 1;
    for (let order = 1; order <= longest; order += 1) {
      if (order < longest && matches[order] === undefined) continue;
      this.#slots.now.fill(0, 0, this.#slots.count);
      let total = 0;
      let distinct = 0;
      for (let length = order; length <= longest; length += 1) {
        for (const place of matches[length] ?? []) {
          const slot = this.#slots.of(file.symbolAt(place));
          if (slot < 0) continue;
          if (this.#slots.now[slot] === 0) distinct += 1;
          this.#slots.now[slot] = (this.#slots.now[slot] ?? 0) + 1;
          total += 1;
        }
      }
      if (total > 0) this.#fold(0, order, total, distinct);
    }
  }
}
