/**
 * Gathers what may come next from all sources, and what each source knows about it, as one row of numbers a candidate.
 * It weighs nothing for good: the ranker turns rows into probabilities. Longer than most files, because all sources write
 * into the same arrays, which are made once.
 */
import { kinds } from '../learn/vocabulary.ts';
import { type ContextIndex, deepest } from './context-index.ts';
import type { OpenFile } from './open-file.ts';

/** Where a token may come from: the folder of the file, the project around it, everything learned, and its syntax. */
export interface Sources {
  readonly folder?: ContextIndex | undefined;
  readonly near?: ContextIndex | undefined;
  readonly base?: ContextIndex | undefined;
  /** The same sequence as `base`, with classes for tokens. */
  readonly syntax?: ContextIndex | undefined;
  /** The tokens behind `syntax`. */
  readonly syntaxTokens?: Int32Array | undefined;
}

const limit = 512;
const kept = 40;
const perSource = 7;
const sourceCount = 4;
const fromPointer = perSource * sourceCount;
const fromShared = fromPointer + 9;
const fromOwn = fromShared + sourceCount * 3 + 8;
/** How many numbers describe a candidate. */
export const width = fromOwn + 22;
const bias = width - 1;
/** How many hashed traits a candidate has, and the size of the table they are looked up in. */
export const traitCount = 6;
export const traits = 16_384;
const floor = 1e-5;
const scaled = (probability: number): number => Math.log(probability + floor) / 6 + 1;

/** One prediction's candidates: `symbols[i]` is described by `rows[i * width …]`. The first is "none of these". */
export class Candidates {
  count = 0;
  readonly symbols = new Int32Array(kept + 1);
  readonly rows = new Float32Array((kept + 1) * width);
  /** `traitCount` places in the table of traits for each candidate. */
  readonly traits = new Int32Array((kept + 1) * traitCount);
  #all = 0;
  readonly #symbols = new Int32Array(limit);
  readonly #chain = new Float64Array(limit * sourceCount);
  readonly #longest = new Uint8Array(limit * sourceCount);
  readonly #support = new Float32Array(limit * sourceCount);
  readonly #atLongest = new Float32Array(limit * sourceCount);
  /** The chain as it stood after two and after four tokens. */
  readonly #early = new Float64Array(limit * sourceCount * 2);
  readonly #like = new Float32Array(limit);
  readonly #likeCopy = new Float32Array(limit);
  readonly #class = new Float32Array(limit);
  readonly #syntaxToken = new Float32Array(limit);
  readonly #pointer = new Float32Array(limit);
  readonly #mixed = new Float64Array(limit);
  readonly #now = new Float64Array(limit);
  readonly #reach = new Float32Array(sourceCount * 3);
  readonly #intervals = new Int32Array(2 * deepest + 4);
  #slots = new Int32Array(1 << 16);
  #stamps = new Int32Array(1 << 16);
  #stamp = 0;
  #classTotal = 0;
  #syntaxReach = 0;
  readonly #hashes = new Int32Array(traitCount);
  readonly #classes = new Float64Array(4096);

  /** Fills in the candidates for the token after the last of `file`. */
  gather(file: OpenFile, sources: Sources): void {
    this.#all = 0;
    this.#stamp += 1;
    this.#reach.fill(0);
    this.#fromFile(file);
    this.#fromIndex(1, sources.folder, file);
    this.#fromIndex(2, sources.near, file);
    this.#fromIndex(3, sources.base, file);
    this.#fromSyntax(file, sources);
    this.#fromLikeness(file);
    this.#recent(file);
    this.#choose(file);
  }

  #slot(symbol: number): number {
    if (symbol >= this.#slots.length) this.#grow(symbol);
    if (this.#stamps[symbol] === this.#stamp) return this.#slots[symbol] ?? -1;
    if (this.#all >= limit) return -1;
    const slot = this.#all;
    this.#all += 1;
    this.#stamps[symbol] = this.#stamp;
    this.#slots[symbol] = slot;
    this.#symbols[slot] = symbol;
    const from = slot * sourceCount;
    this.#chain.fill(0, from, from + sourceCount);
    this.#longest.fill(0, from, from + sourceCount);
    this.#support.fill(0, from, from + sourceCount);
    this.#atLongest.fill(0, from, from + sourceCount);
    this.#early.fill(0, from * 2, (from + sourceCount) * 2);
    this.#like[slot] = 0;
    this.#likeCopy[slot] = 0;
    this.#class[slot] = 0;
    this.#syntaxToken[slot] = 0;
    this.#pointer[slot] = 0;
    return slot;
  }

  #grow(symbol: number): void {
    const stamps = new Int32Array(symbol * 2);
    stamps.set(this.#stamps);
    this.#stamps = stamps;
    const slots = new Int32Array(symbol * 2);
    slots.set(this.#slots);
    this.#slots = slots;
  }

  /** Takes the counts in `#now` as what followed a context of `order` tokens, and folds them into the chain. */
  #fold(source: number, order: number, total: number, distinct: number): void {
    const held = 0.6 * distinct + 0.2;
    const sum = total + held;
    for (let slot = 0; slot < this.#all; slot += 1) {
      const count = this.#now[slot] ?? 0;
      const cell = slot * sourceCount + source;
      const chained = (count + held * (this.#chain[cell] ?? 0)) / sum;
      this.#chain[cell] = chained;
      if (order <= 2) this.#early[cell * 2] = chained;
      if (order <= 4) this.#early[cell * 2 + 1] = chained;
      if (count <= 0) continue;
      this.#longest[cell] = order;
      this.#support[cell] = count;
      this.#atLongest[cell] = count / total;
    }
    this.#reach[source * 3] = order;
    this.#reach[source * 3 + 1] = total;
    this.#reach[source * 3 + 2] = distinct / total;
  }

  #fromIndex(source: number, index: ContextIndex | undefined, file: OpenFile): void {
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
      this.#now.fill(0, 0, Math.min(limit, this.#all + symbols.length));
      for (let at = 0; at < symbols.length; at += 1) {
        const slot = this.#slot(symbols[at] ?? 0);
        if (slot >= 0) this.#now[slot] = counts[at] ?? 0;
      }
      this.#fold(source, order, total, symbols.length);
    }
  }

  #fromFile(file: OpenFile): void {
    const end = file.length;
    const matches: number[][] = [];
    let at = file.previous[end - 1] ?? -1;
    for (let steps = 0; at >= 0 && steps < 160; steps += 1) {
      let length = 1;
      while (length < deepest && length <= at && file.ids[at - length] === file.ids[end - 1 - length]) length += 1;
      const list = matches[length];
      if (list === undefined) matches[length] = [at + 1];
      else list.push(at + 1);
      this.#slot(file.symbolAt(at + 1));
      at = file.previous[at] ?? -1;
    }
    const longest = matches.length - 1;
    for (let order = 1; order <= longest; order += 1) {
      if (order < longest && matches[order] === undefined) continue;
      this.#now.fill(0, 0, this.#all);
      let total = 0;
      let distinct = 0;
      for (let length = order; length <= longest; length += 1) {
        for (const place of matches[length] ?? []) {
          const slot = this.#slot(file.symbolAt(place));
          if (slot < 0) continue;
          if (this.#now[slot] === 0) distinct += 1;
          this.#now[slot] = (this.#now[slot] ?? 0) + 1;
          total += 1;
        }
      }
      if (total > 0) this.#fold(0, order, total, distinct);
    }
  }

  /** Where the same syntax stood before: which classes followed, which tokens, and which were copies of earlier ones. */
  #fromSyntax(file: OpenFile, sources: Sources): void {
    this.#classes.fill(0);
    this.#classTotal = 0;
    this.#syntaxReach = 0;
    const { syntax, syntaxTokens: tokens } = sources;
    if (syntax === undefined || tokens === undefined) return;
    const found = syntax.intervals(file.classes, file.length, deepest, this.#intervals);
    // The longest context that is common enough to mean something.
    let order = found;
    const sizeAt = (it: number): number => (this.#intervals[it * 2 - 1] ?? 0) - (this.#intervals[it * 2 - 2] ?? 0);
    while (order > 1 && sizeAt(order) < 12) order -= 1;
    if (order < 1) return;
    this.#syntaxReach = order;
    const low = this.#intervals[order * 2 - 2] ?? 0;
    this.#classChain(syntax, order);
    const size = sizeAt(order);
    const step = Math.max(1, size / 48);
    let seen = 0;
    for (let place = low; place < low + size; place += step) {
      const at = syntax.order[Math.trunc(place)] ?? 0;
      const token = tokens[at] ?? 0;
      const isLine = (syntax.gaps[at] ?? 0) & 7;
      const bit = isLine >= 2 ? 1 : 0;
      seen += 1;
      let back = 1;
      while (back <= 30 && back <= at && back < file.length && tokens[at - back] !== token) back += 1;
      if (back <= 30 && back <= at && back < file.length) {
        const copied = this.#slot((file.ids[file.length - back] ?? 0) * 2 + bit);
        if (copied >= 0) this.#pointer[copied] = (this.#pointer[copied] ?? 0) + 1;
      }
      const own = this.#slot(token * 2 + bit);
      if (own >= 0) this.#syntaxToken[own] = (this.#syntaxToken[own] ?? 0) + 1;
    }
    for (let slot = 0; slot < this.#all; slot += 1) {
      this.#pointer[slot] = (this.#pointer[slot] ?? 0) / seen;
      this.#syntaxToken[slot] = (this.#syntaxToken[slot] ?? 0) / seen;
    }
  }

  /** Where this file had the same syntax before: what followed, and of what it was a copy. */
  #fromLikeness(file: OpenFile): void {
    const { classes, ids, length } = file;
    let at = file.previousLike[length - 1] ?? -1;
    let total = 0;
    for (let steps = 0; at >= 0 && steps < 96; steps += 1, at = file.previousLike[at] ?? -1) {
      let match = 1;
      while (match < 24 && match <= at && classes[at - match] === classes[length - 1 - match]) match += 1;
      if (match < 3) continue;
      const weight = 1.6 ** Math.min(match, 16);
      total += weight;
      const symbol = file.symbolAt(at + 1);
      const own = this.#slot(symbol);
      if (own >= 0) this.#like[own] = (this.#like[own] ?? 0) + weight;
      const token = ids[at + 1] ?? 0;
      let back = 0;
      while (back < 30 && back < at && ids[at - back] !== token) back += 1;
      if (back >= 30 || back >= at) continue;
      const copied = this.#slot((ids[length - 1 - back] ?? 0) * 2 + (symbol & 1));
      if (copied >= 0) this.#likeCopy[copied] = (this.#likeCopy[copied] ?? 0) + weight;
    }
    for (let slot = 0; total > 0 && slot < this.#all; slot += 1) {
      this.#like[slot] = (this.#like[slot] ?? 0) / total;
      this.#likeCopy[slot] = (this.#likeCopy[slot] ?? 0) / total;
    }
  }

  /** The chance of each class by the counts behind longer and longer contexts. */
  #classChain(syntax: ContextIndex, longest: number): void {
    let known = 0;
    for (let order = 1; order <= longest; order += 1) {
      const low = this.#intervals[order * 2 - 2] ?? 0;
      const { symbols, counts, total } = syntax.followers(low, this.#intervals[order * 2 - 1] ?? 0);
      if (total === 0) break;
      const held = 0.6 * symbols.length + 0.2;
      for (let at = 0; at < known; at += 1) this.#classes[at] = ((this.#classes[at] ?? 0) * held) / (total + held);
      for (let at = 0; at < symbols.length; at += 1) {
        const symbol = symbols[at] ?? 0;
        if (symbol >= 4096) continue;
        this.#classes[symbol] = (this.#classes[symbol] ?? 0) + (counts[at] ?? 0) / (total + held);
        if (symbol >= known) known = symbol + 1;
      }
      this.#classTotal = total;
    }
  }

  /** Words of the last tokens may always be said again. */
  #recent(file: OpenFile): void {
    for (let at = file.length - 1; at > 0 && at > file.length - 160; at -= 1) {
      const id = file.ids[at] ?? 0;
      if (file.vocabulary.kind(id) === kinds.word) this.#slot(id * 2);
    }
  }

  #choose(file: OpenFile): void {
    const weights = [0, 1, 2, 3].map((source) => 1.6 ** (this.#reach[source * 3] ?? 0));
    for (let slot = 0; slot < this.#all; slot += 1) {
      let mixed = 0;
      for (let source = 0; source < sourceCount; source += 1) {
        mixed += (weights[source] ?? 0) * (this.#chain[slot * sourceCount + source] ?? 0);
      }
      const symbol = this.#symbols[slot] ?? 0;
      this.#class[slot] = this.#classes[file.vocabulary.classOfToken(symbol >> 1) * 2 + (symbol & 1)] ?? 0;
      const last = file.last.get(symbol >> 1);
      const recency = last === undefined ? 0 : 0.06 / (8 + file.length - last);
      this.#mixed[slot] =
        mixed / weights.reduce((sum, it) => sum + it) +
        0.3 * (this.#pointer[slot] ?? 0) * (this.#class[slot] ?? 0) +
        0.05 * (this.#syntaxToken[slot] ?? 0) +
        0.1 * (this.#like[slot] ?? 0) +
        0.2 * (this.#likeCopy[slot] ?? 0) +
        recency * (0.02 + (this.#class[slot] ?? 0));
    }
    const chosen = Array.from({ length: this.#all }, (_, slot) => slot)
      .sort((one, two) => (this.#mixed[two] ?? 0) - (this.#mixed[one] ?? 0))
      .slice(0, kept);
    this.count = chosen.length + 1;
    this.rows.fill(0, 0, this.count * width);
    this.symbols[0] = -1;
    this.#shared(0, file);
    this.#beginTraits(file);
    this.traits.fill(0, 0, traitCount);
    chosen.forEach((slot, at) => {
      this.symbols[at + 1] = this.#symbols[slot] ?? 0;
      this.rows.copyWithin((at + 1) * width + fromShared, fromShared, fromOwn);
      this.#describe((at + 1) * width, slot, file);
      this.#trait((at + 1) * traitCount, this.#symbols[slot] ?? 0, file);
    });
    this.rows[fromOwn + 20] = 1;
  }

  /** What is the same for all candidates of one prediction. */
  #shared(row: number, file: OpenFile): void {
    for (let source = 0; source < sourceCount; source += 1) {
      const cell = row + fromShared + source * 3;
      this.rows[cell] = (this.#reach[source * 3] ?? 0) / 8;
      this.rows[cell + 1] = Math.log1p(this.#reach[source * 3 + 1] ?? 0) / 6;
      this.rows[cell + 2] = this.#reach[source * 3 + 2] ?? 0;
    }
    const rest = row + fromShared + sourceCount * 3;
    const lastKind = file.vocabulary.kind(file.ids[file.length - 1] ?? 0);
    this.rows[rest + lastKind] = 1;
    this.rows[rest + 6] = this.#syntaxReach / 12;
    this.rows[rest + 7] = Math.log1p(this.#classTotal) / 6;
    this.rows[row + bias] = 1;
  }

  #describe(row: number, slot: number, file: OpenFile): void {
    const { rows } = this;
    for (let source = 0; source < sourceCount; source += 1) {
      const cell = slot * sourceCount + source;
      const into = row + source * perSource;
      const longest = this.#longest[cell] ?? 0;
      rows[into] = scaled(this.#chain[cell] ?? 0);
      rows[into + 1] = longest / 8;
      rows[into + 2] = longest > 0 && longest === this.#reach[source * 3] ? 1 : 0;
      rows[into + 3] = Math.log1p(this.#support[cell] ?? 0) / 4;
      rows[into + 4] = this.#atLongest[cell] ?? 0;
      rows[into + 5] = scaled(this.#early[cell * 2] ?? 0);
      rows[into + 6] = scaled(this.#early[cell * 2 + 1] ?? 0);
    }
    rows[row + fromPointer] = this.#pointer[slot] ?? 0;
    rows[row + fromPointer + 1] = scaled(this.#pointer[slot] ?? 0);
    rows[row + fromPointer + 2] = scaled(this.#class[slot] ?? 0);
    rows[row + fromPointer + 3] = scaled(this.#syntaxToken[slot] ?? 0);
    rows[row + fromPointer + 4] = scaled(this.#mixed[slot] ?? 0);
    rows[row + fromPointer + 5] = this.#like[slot] ?? 0;
    rows[row + fromPointer + 6] = scaled(this.#like[slot] ?? 0);
    rows[row + fromPointer + 7] = this.#likeCopy[slot] ?? 0;
    rows[row + fromPointer + 8] = scaled(this.#likeCopy[slot] ?? 0);
    this.#own(row + fromOwn, this.#symbols[slot] ?? 0, file);
    rows[row + bias] = 1;
  }

  /** Hashes of the syntax before the cursor, to which each candidate adds itself. */
  #beginTraits(file: OpenFile): void {
    const { vocabulary, ids, gaps, length } = file;
    const key = (back: number): number => vocabulary.key(ids[length - back] ?? 0) + 1;
    const one = Math.imul(key(1), 0x9e3779b1);
    const two = Math.imul(one ^ key(2), 0x85ebca6b);
    const three = Math.imul(two ^ key(3), 0xc2b2ae35);
    let first = length - 1;
    while (first > 0 && length - first < 12 && (gaps[first] ?? 0) % 8 < 2) first -= 1;
    const line = Math.imul(vocabulary.key(ids[first] ?? 0) + (length - first) * 7919, 0x27d4eb2f);
    this.#hashes.set([
      one,
      two,
      three,
      Math.imul(three ^ key(4), 0x9e3779b1),
      line,
      Math.imul(one ^ vocabulary.key(file.bracket), 0x165667b1),
    ]);
  }

  #trait(cell: number, symbol: number, file: OpenFile): void {
    const own = Math.imul(file.vocabulary.key(symbol >> 1) * 2 + (symbol & 1) + 17, 0x2c1b3c6d);
    for (let at = 0; at < traitCount; at += 1) {
      const mixed = Math.imul((this.#hashes[at] ?? 0) ^ own ^ (at << 9), 0x297a2d39);
      this.traits[cell + at] = ((mixed ^ (mixed >>> 15)) >>> 0) % traits;
    }
  }

  #own(cell: number, symbol: number, file: OpenFile): void {
    const { rows } = this;
    const id = symbol >> 1;
    const kind = file.vocabulary.kind(id);
    rows[cell + kind] = 1;
    rows[cell + 6] = symbol & 1;
    const last = file.last.get(id);
    if (last !== undefined) {
      rows[cell + 7] = 1;
      rows[cell + 8] = Math.log(file.length - last) / 8;
      rows[cell + 9] = Math.log1p(file.counts.get(id) ?? 0) / 5;
    }
    const n = file.length;
    for (let back = 1; back <= 6; back += 1) if (file.ids[n - back] === id) rows[cell + 9 + back] = 1;
    const closes = file.closes(id);
    if (closes > 0) rows[cell + 16] = 1;
    if (closes < 0) rows[cell + 17] = 1;
    rows[cell + 18] = kind === kinds.word ? (rows[cell + 8] ?? 0) : 0;
    rows[cell + 19] = kind === kinds.word && last !== undefined ? 1 : 0;
  }
}
