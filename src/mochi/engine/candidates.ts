/**
 * Gathers what may come next from all sources, and what each source knows about it, as one row of numbers a candidate.
 * It weighs nothing for good: the ranker turns rows into probabilities. Longer than most files, because all sources write
 * into the same arrays, which are made once.
 */
import { kinds } from '../learn/vocabulary.ts';
import { type ContextIndex, deepest, type Sequence } from './context-index.ts';
import { MadeNames } from './names.ts';
import type { OpenFile } from './open-file.ts';
import { Traits, traitCount } from './traits.ts';
import { Uses, useWidth } from './uses.ts';

/** Where a token may come from: the folder of the file, the project around it, everything learned, and its syntax. */
export interface Sources {
  readonly folder?: ContextIndex | undefined;
  readonly near?: ContextIndex | undefined;
  readonly base?: ContextIndex | undefined;
  /** The same sequence as `base`, with classes for tokens. */
  readonly syntax?: ContextIndex | undefined;
  /** The tokens behind `syntax`. */
  readonly syntaxTokens?: Sequence | undefined;
  /** The same sequence as `near`, with classes for tokens. */
  readonly nearSyntax?: ContextIndex | undefined;
}

const limit = 512;
const kept = 62;
/** How many tokens back names are taken from. */
const reach = 600;
const perSource = 7;
const sourceCount = 4;
const fromPointer = perSource * sourceCount;
const fromNear = fromPointer + 9;
const fromUse = fromNear + 7;
/** How many numbers describe a candidate, and how many all candidates of a prediction share. */
export const width: number = fromUse + useWidth + 1;
export const sharedWidth: number = sourceCount * 3 + 11;
/** The number that tells "none of these" from candidates. */
const none = width - 1;
const floor = 1e-5;
/** From 0 without evidence to about 1.9 for what is certain. */
const scaled = (probability: number): number => (probability <= 0 ? 0 : Math.log(probability / floor + 1) / 6);

/** One prediction's candidates: `symbols[i]` is described by `rows[i * width …]`. The first is "none of these". */
export class Candidates {
  count = 0;
  readonly symbols = new Int32Array(kept + 1);
  readonly rows = new Float32Array((kept + 1) * width);
  readonly shared = new Float32Array(sharedWidth);
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
  /** What the syntax of the files near by says: the same three, and names made by what differs from like places. */
  readonly #nearClass = new Float32Array(limit);
  readonly #nearToken = new Float32Array(limit);
  readonly #nearPointer = new Float32Array(limit);
  readonly #made = new Float32Array(limit);
  readonly #mixed = new Float64Array(limit);
  readonly #now = new Float64Array(limit);
  readonly #reach = new Float32Array(sourceCount * 3);
  readonly #intervals = new Int32Array(2 * deepest + 4);
  #slots = new Int32Array(1 << 16);
  #stamps = new Int32Array(1 << 16);
  #stamp = 0;
  #classTotal = 0;
  #nearTotal = 0;
  #syntaxReach = 0;
  #nearReach = 0;
  readonly #hashed = new Traits();
  readonly #uses = new Uses();
  readonly #names = new MadeNames();
  readonly #ordered = new Float64Array(limit);
  readonly #classes = new Float64Array(4096);
  readonly #nearClasses = new Float64Array(4096);

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
    this.#nearClass[slot] = 0;
    this.#nearToken[slot] = 0;
    this.#nearPointer[slot] = 0;
    this.#made[slot] = 0;
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

  #fromSyntax(file: OpenFile, { syntax, syntaxTokens, near, nearSyntax }: Sources): void {
    this.#classTotal = 0;
    this.#nearTotal = 0;
    this.#nearReach = this.#alike(
      file,
      nearSyntax,
      near?.tokens,
      this.#nearPointer,
      this.#nearToken,
      this.#nearClasses,
    );
    if (this.#nearReach > 0) this.#nearTotal = this.#classTotal;
    this.#syntaxReach = this.#alike(file, syntax, syntaxTokens, this.#pointer, this.#syntaxToken, this.#classes);
  }

  /** Where the same syntax stood before: which classes followed, which tokens, and which were copies of earlier ones. */
  #alike(
    file: OpenFile,
    syntax: ContextIndex | undefined,
    tokens: Sequence | undefined,
    pointers: Float32Array,
    same: Float32Array,
    classes: Float64Array,
  ): number {
    classes.fill(0);
    if (syntax === undefined || tokens === undefined) return 0;
    const found = syntax.intervals(file.classes, file.length, deepest, this.#intervals);
    // The longest context that is common enough to mean something.
    let order = found;
    const sizeAt = (it: number): number => (this.#intervals[it * 2 - 1] ?? 0) - (this.#intervals[it * 2 - 2] ?? 0);
    while (order > 1 && sizeAt(order) < 12) order -= 1;
    if (order < 1) return 0;
    const low = this.#intervals[order * 2 - 2] ?? 0;
    this.#classChain(syntax, order, classes);
    const size = sizeAt(order);
    const step = Math.max(1, size / 48);
    let seen = 0;
    for (let place = low; place < low + size; place += step) {
      const at = syntax.order[Math.trunc(place)] ?? 0;
      if (syntax.isLeftOut(at)) continue;
      const token = tokens[at] ?? 0;
      const bit = ((syntax.gaps[at] ?? 0) & 7) >= 2 ? 1 : 0;
      seen += 1;
      let back = 1;
      while (back <= 30 && back <= at && back < file.length && tokens[at - back] !== token) back += 1;
      if (back <= 30 && back <= at && back < file.length) {
        const copied = this.#slot((file.ids[file.length - back] ?? 0) * 2 + bit);
        if (copied >= 0) pointers[copied] = (pointers[copied] ?? 0) + 1;
      }
      const own = this.#slot(token * 2 + bit);
      if (own >= 0) same[own] = (same[own] ?? 0) + 1;
    }
    for (let slot = 0; seen > 0 && slot < this.#all; slot += 1) {
      pointers[slot] = (pointers[slot] ?? 0) / seen;
      same[slot] = (same[slot] ?? 0) / seen;
    }
    return order;
  }

  /** Where this file had the same syntax before: what followed, and of what it was a copy. */
  #fromLikeness(file: OpenFile): void {
    const { classes, ids, length } = file;
    let at = file.previousLike[length - 1] ?? -1;
    let total = 0;
    let made = 0;
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
      if (match >= 4 && made < 5 && file.kinds[at + 1] === kinds.word) {
        made += 1;
        this.#make(file, at, match, weight);
      }
      let back = 0;
      while (back < 30 && back < at && ids[at - back] !== token) back += 1;
      if (back >= 30 || back >= at) continue;
      const copied = this.#slot((ids[length - 1 - back] ?? 0) * 2 + (symbol & 1));
      if (copied >= 0) this.#likeCopy[copied] = (this.#likeCopy[copied] ?? 0) + weight;
    }
    for (let slot = 0; total > 0 && slot < this.#all; slot += 1) {
      this.#like[slot] = (this.#like[slot] ?? 0) / total;
      this.#likeCopy[slot] = (this.#likeCopy[slot] ?? 0) / total;
      this.#made[slot] = (this.#made[slot] ?? 0) / total;
    }
  }

  /** Carries over to what followed `at` how the names before it differ from those before the cursor. */
  #make(file: OpenFile, at: number, match: number, weight: number): void {
    const { ids, length, vocabulary } = file;
    const word = ids[at + 1] ?? 0;
    let tried = 0;
    for (let back = 0; back < match && tried < 2; back += 1) {
      const old = ids[at - back] ?? 0;
      const fresh = ids[length - 1 - back] ?? 0;
      if (old === fresh || file.kinds[at - back] !== kinds.word || file.kinds[length - 1 - back] !== kinds.word)
        continue;
      tried += 1;
      const name = this.#names.carry(vocabulary, word, old, fresh);
      const slot = name < 0 ? -1 : this.#slot(name * 2 + (file.symbolAt(at + 1) & 1));
      if (slot >= 0) this.#made[slot] = (this.#made[slot] ?? 0) + weight;
    }
  }

  /** The chance of each class by the counts behind longer and longer contexts. */
  #classChain(syntax: ContextIndex, longest: number, classes: Float64Array): void {
    let known = 0;
    for (let order = 1; order <= longest; order += 1) {
      const low = this.#intervals[order * 2 - 2] ?? 0;
      const { symbols, counts, total } = syntax.followers(low, this.#intervals[order * 2 - 1] ?? 0);
      if (total === 0) break;
      const held = 0.6 * symbols.length + 0.2;
      for (let at = 0; at < known; at += 1) classes[at] = ((classes[at] ?? 0) * held) / (total + held);
      for (let at = 0; at < symbols.length; at += 1) {
        const symbol = symbols[at] ?? 0;
        if (symbol >= 4096) continue;
        classes[symbol] = (classes[symbol] ?? 0) + (counts[at] ?? 0) / (total + held);
        if (symbol >= known) known = symbol + 1;
      }
      this.#classTotal = total;
    }
  }

  /** Names and values of the last tokens may always be said again. */
  #recent(file: OpenFile): void {
    for (const id of file.suggested) this.#slot(id * 2);
    for (let at = file.length - 1; at > 0 && at > file.length - reach; at -= 1) {
      const kind = file.kinds[at] ?? 0;
      if (kind === kinds.word || kind === kinds.string || kind === kinds.number) this.#slot((file.ids[at] ?? 0) * 2);
    }
  }

  #choose(file: OpenFile): void {
    const weights = [0, 1, 2, 3].map((source) => 1.6 ** (this.#reach[source * 3] ?? 0));
    const of = weights.reduce((sum, it) => sum + it);
    const { vocabulary, length } = file;
    for (let slot = 0; slot < this.#all; slot += 1) {
      let mixed = 0;
      for (let source = 0; source < sourceCount; source += 1) {
        mixed += (weights[source] ?? 0) * (this.#chain[slot * sourceCount + source] ?? 0);
      }
      const symbol = this.#symbols[slot] ?? 0;
      const like = this.#classes[vocabulary.classOfToken(symbol >> 1) * 2 + (symbol & 1)] ?? 0;
      this.#class[slot] = like;
      const nearLike = this.#nearClasses[vocabulary.classOfToken(symbol >> 1) * 2 + (symbol & 1)] ?? 0;
      this.#nearClass[slot] = nearLike;
      const last = file.last.get(symbol >> 1);
      const recency = last === undefined ? 0 : 0.06 / (8 + length - last);
      this.#mixed[slot] =
        mixed / of +
        0.3 * (this.#pointer[slot] ?? 0) * like +
        0.05 * (this.#syntaxToken[slot] ?? 0) +
        0.2 * (this.#nearPointer[slot] ?? 0) * nearLike +
        0.05 * (this.#nearToken[slot] ?? 0) +
        0.2 * (this.#made[slot] ?? 0) +
        0.1 * (this.#like[slot] ?? 0) +
        0.2 * (this.#likeCopy[slot] ?? 0) +
        recency * (0.02 + like);
    }
    const bar = this.#bar();
    this.#share(file);
    this.#hashed.begin(file);
    this.#uses.begin(file);
    this.symbols[0] = -1;
    this.rows.fill(0, 0, (kept + 1) * width);
    this.rows[none] = 1;
    this.traits.fill(0, 0, traitCount);
    this.count = 1;
    for (let slot = 0; slot < this.#all && this.count <= kept; slot += 1) {
      if ((this.#mixed[slot] ?? 0) < bar) continue;
      const symbol = this.#symbols[slot] ?? 0;
      this.symbols[this.count] = symbol;
      this.#describe(this.count * width, slot);
      this.#uses.describe(this.rows, this.count * width + fromUse, symbol);
      this.#hashed.write(this.traits, this.count * traitCount, symbol, file);
      this.count += 1;
    }
  }

  /** What a slot must reach to be among those kept. */
  #bar(): number {
    if (this.#all <= kept) return -1;
    const ordered = this.#ordered.subarray(0, this.#all);
    ordered.set(this.#mixed.subarray(0, this.#all));
    let low = 0;
    let high = this.#all - 1;
    const wanted = this.#all - kept;
    while (low < high) {
      const pivot = ordered[(low + high) >> 1] ?? 0;
      let from = low;
      let to = high;
      while (from <= to) {
        while ((ordered[from] ?? 0) < pivot) from += 1;
        while ((ordered[to] ?? 0) > pivot) to -= 1;
        if (from > to) break;
        const swapped = ordered[from] ?? 0;
        ordered[from] = ordered[to] ?? 0;
        ordered[to] = swapped;
        from += 1;
        to -= 1;
      }
      if (wanted <= to) high = to;
      else if (wanted >= from) low = from;
      else break;
    }
    return ordered[wanted] ?? 0;
  }

  /** What is the same for all candidates of one prediction. */
  #share(file: OpenFile): void {
    const { shared } = this;
    shared.fill(0);
    for (let source = 0; source < sourceCount; source += 1) {
      shared[source * 3] = (this.#reach[source * 3] ?? 0) / 8;
      shared[source * 3 + 1] = Math.log1p(this.#reach[source * 3 + 1] ?? 0) / 6;
      shared[source * 3 + 2] = this.#reach[source * 3 + 2] ?? 0;
    }
    const rest = sourceCount * 3;
    shared[rest + (file.kinds[file.length - 1] ?? 0)] = 1;
    shared[rest + 6] = this.#syntaxReach / 12;
    shared[rest + 7] = Math.log1p(this.#classTotal) / 6;
    shared[rest + 8] = 1;
    shared[rest + 9] = this.#nearReach / 12;
    shared[rest + 10] = Math.log1p(this.#nearTotal) / 6;
  }

  #describe(row: number, slot: number): void {
    const { rows } = this;
    for (let source = 0; source < sourceCount; source += 1) {
      const cell = slot * sourceCount + source;
      const chain = this.#chain[cell] ?? 0;
      if (chain <= 0) continue;
      const into = row + source * perSource;
      const longest = this.#longest[cell] ?? 0;
      rows[into] = scaled(chain);
      rows[into + 1] = longest / 8;
      rows[into + 2] = longest > 0 && longest === this.#reach[source * 3] ? 1 : 0;
      rows[into + 3] = Math.log1p(this.#support[cell] ?? 0) / 4;
      rows[into + 4] = this.#atLongest[cell] ?? 0;
      rows[into + 5] = scaled(this.#early[cell * 2] ?? 0);
      rows[into + 6] = scaled(this.#early[cell * 2 + 1] ?? 0);
    }
    const pointed = row + fromPointer;
    rows[pointed] = this.#pointer[slot] ?? 0;
    rows[pointed + 1] = scaled(this.#pointer[slot] ?? 0);
    rows[pointed + 2] = scaled(this.#class[slot] ?? 0);
    rows[pointed + 3] = scaled(this.#syntaxToken[slot] ?? 0);
    rows[pointed + 4] = scaled(this.#mixed[slot] ?? 0);
    rows[pointed + 5] = this.#like[slot] ?? 0;
    rows[pointed + 6] = scaled(this.#like[slot] ?? 0);
    rows[pointed + 7] = this.#likeCopy[slot] ?? 0;
    rows[pointed + 8] = scaled(this.#likeCopy[slot] ?? 0);
    const near = row + fromNear;
    rows[near] = this.#nearPointer[slot] ?? 0;
    rows[near + 1] = scaled(this.#nearPointer[slot] ?? 0);
    rows[near + 2] = scaled(this.#nearClass[slot] ?? 0);
    rows[near + 3] = this.#nearToken[slot] ?? 0;
    rows[near + 4] = scaled(this.#nearToken[slot] ?? 0);
    rows[near + 5] = this.#made[slot] ?? 0;
    rows[near + 6] = scaled(this.#made[slot] ?? 0);
  }
}
