/**
 * Gathers what may come next from all sources, and what each source knows about it, as one row of numbers a candidate.
 * It weighs nothing for good: the ranker turns rows into probabilities. Longer than most files: the sources are many.
 */
import { kinds } from '../learn/vocabulary.ts';
import { type ContextIndex, deepest, type Sequence } from './context-index.ts';
import { MadeNames } from './names.ts';
import type { OpenFile } from './open-file.ts';
import { limit, Slots, sourceCount } from './slots.ts';
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

const kept = 62;
/** How many tokens back names are taken from. */
const reach = 600;
const perSource = 7;
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
  readonly #slots = new Slots();
  readonly #reach = new Float32Array(sourceCount * 3);
  readonly #intervals = new Int32Array(2 * deepest + 4);
  #classTotal = 0;
  #nearTotal = 0;
  #syntaxReach = 0;
  #nearReach = 0;
  readonly #hashed = new Traits();
  readonly #uses = new Uses();
  readonly #names = new MadeNames();
  readonly #classes = new Float64Array(4096);
  readonly #nearClasses = new Float64Array(4096);

  /** Fills in the candidates for the token after the last of `file`. */
  gather(file: OpenFile, sources: Sources): void {
    this.#slots.clear();
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
      this.#slots.now.fill(0, 0, Math.min(limit, this.#slots.count + symbols.length));
      for (let at = 0; at < symbols.length; at += 1) {
        const slot = this.#slots.of(symbols[at] ?? 0);
        if (slot >= 0) this.#slots.now[slot] = counts[at] ?? 0;
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
      this.#slots.of(file.symbolAt(at + 1));
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

  #fromSyntax(file: OpenFile, { syntax, syntaxTokens, near, nearSyntax }: Sources): void {
    this.#classTotal = 0;
    this.#nearTotal = 0;
    this.#nearReach = this.#alike(
      file,
      nearSyntax,
      near?.tokens,
      this.#slots.nearPointer,
      this.#slots.nearToken,
      this.#nearClasses,
    );
    if (this.#nearReach > 0) this.#nearTotal = this.#classTotal;
    this.#syntaxReach = this.#alike(
      file,
      syntax,
      syntaxTokens,
      this.#slots.pointer,
      this.#slots.syntaxToken,
      this.#classes,
    );
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
        const copied = this.#slots.of((file.ids[file.length - back] ?? 0) * 2 + bit);
        if (copied >= 0) pointers[copied] = (pointers[copied] ?? 0) + 1;
      }
      const own = this.#slots.of(token * 2 + bit);
      if (own >= 0) same[own] = (same[own] ?? 0) + 1;
    }
    for (let slot = 0; seen > 0 && slot < this.#slots.count; slot += 1) {
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
      const own = this.#slots.of(symbol);
      if (own >= 0) this.#slots.like[own] = (this.#slots.like[own] ?? 0) + weight;
      const token = ids[at + 1] ?? 0;
      if (match >= 4 && made < 5 && file.kinds[at + 1] === kinds.word) {
        made += 1;
        this.#make(file, at, match, weight);
      }
      let back = 0;
      while (back < 30 && back < at && ids[at - back] !== token) back += 1;
      if (back >= 30 || back >= at) continue;
      const copied = this.#slots.of((ids[length - 1 - back] ?? 0) * 2 + (symbol & 1));
      if (copied >= 0) this.#slots.likeCopy[copied] = (this.#slots.likeCopy[copied] ?? 0) + weight;
    }
    for (let slot = 0; total > 0 && slot < this.#slots.count; slot += 1) {
      this.#slots.like[slot] = (this.#slots.like[slot] ?? 0) / total;
      this.#slots.likeCopy[slot] = (this.#slots.likeCopy[slot] ?? 0) / total;
      this.#slots.made[slot] = (this.#slots.made[slot] ?? 0) / total;
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
      const slot = name < 0 ? -1 : this.#slots.of(name * 2 + (file.symbolAt(at + 1) & 1));
      if (slot >= 0) this.#slots.made[slot] = (this.#slots.made[slot] ?? 0) + weight;
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
    for (const id of file.suggested) this.#slots.of(id * 2);
    for (let at = file.length - 1; at > 0 && at > file.length - reach; at -= 1) {
      const kind = file.kinds[at] ?? 0;
      if (kind === kinds.word || kind === kinds.string || kind === kinds.number)
        this.#slots.of((file.ids[at] ?? 0) * 2);
    }
  }

  #choose(file: OpenFile): void {
    const weights = [0, 1, 2, 3].map((source) => 1.6 ** (this.#reach[source * 3] ?? 0));
    const of = weights.reduce((sum, it) => sum + it);
    const { vocabulary, length } = file;
    for (let slot = 0; slot < this.#slots.count; slot += 1) {
      let mixed = 0;
      for (let source = 0; source < sourceCount; source += 1) {
        mixed += (weights[source] ?? 0) * (this.#slots.chain[slot * sourceCount + source] ?? 0);
      }
      const symbol = this.#slots.symbols[slot] ?? 0;
      const like = this.#classes[vocabulary.classOfToken(symbol >> 1) * 2 + (symbol & 1)] ?? 0;
      this.#slots.class[slot] = like;
      const nearLike = this.#nearClasses[vocabulary.classOfToken(symbol >> 1) * 2 + (symbol & 1)] ?? 0;
      this.#slots.nearClass[slot] = nearLike;
      const last = file.last.get(symbol >> 1);
      const recency = last === undefined ? 0 : 0.06 / (8 + length - last);
      this.#slots.mixed[slot] =
        mixed / of +
        0.3 * (this.#slots.pointer[slot] ?? 0) * like +
        0.05 * (this.#slots.syntaxToken[slot] ?? 0) +
        0.2 * (this.#slots.nearPointer[slot] ?? 0) * nearLike +
        0.05 * (this.#slots.nearToken[slot] ?? 0) +
        0.2 * (this.#slots.made[slot] ?? 0) +
        0.1 * (this.#slots.like[slot] ?? 0) +
        0.2 * (this.#slots.likeCopy[slot] ?? 0) +
        recency * (0.02 + like);
    }
    const bar = this.#slots.bar(kept);
    this.#share(file);
    this.#hashed.begin(file);
    this.#uses.begin(file);
    this.symbols[0] = -1;
    this.rows.fill(0, 0, (kept + 1) * width);
    this.rows[none] = 1;
    this.traits.fill(0, 0, traitCount);
    this.count = 1;
    for (let slot = 0; slot < this.#slots.count && this.count <= kept; slot += 1) {
      if ((this.#slots.mixed[slot] ?? 0) < bar) continue;
      const symbol = this.#slots.symbols[slot] ?? 0;
      this.symbols[this.count] = symbol;
      this.#describe(this.count * width, slot);
      this.#uses.describe(this.rows, this.count * width + fromUse, symbol);
      this.#hashed.write(this.traits, this.count * traitCount, symbol, file);
      this.count += 1;
    }
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
      const chain = this.#slots.chain[cell] ?? 0;
      if (chain <= 0) continue;
      const into = row + source * perSource;
      const longest = this.#slots.longest[cell] ?? 0;
      rows[into] = scaled(chain);
      rows[into + 1] = longest / 8;
      rows[into + 2] = longest > 0 && longest === this.#reach[source * 3] ? 1 : 0;
      rows[into + 3] = Math.log1p(this.#slots.support[cell] ?? 0) / 4;
      rows[into + 4] = this.#slots.atLongest[cell] ?? 0;
      rows[into + 5] = scaled(this.#slots.early[cell * 2] ?? 0);
      rows[into + 6] = scaled(this.#slots.early[cell * 2 + 1] ?? 0);
    }
    const pointed = row + fromPointer;
    rows[pointed] = this.#slots.pointer[slot] ?? 0;
    rows[pointed + 1] = scaled(this.#slots.pointer[slot] ?? 0);
    rows[pointed + 2] = scaled(this.#slots.class[slot] ?? 0);
    rows[pointed + 3] = scaled(this.#slots.syntaxToken[slot] ?? 0);
    rows[pointed + 4] = scaled(this.#slots.mixed[slot] ?? 0);
    rows[pointed + 5] = this.#slots.like[slot] ?? 0;
    rows[pointed + 6] = scaled(this.#slots.like[slot] ?? 0);
    rows[pointed + 7] = this.#slots.likeCopy[slot] ?? 0;
    rows[pointed + 8] = scaled(this.#slots.likeCopy[slot] ?? 0);
    const near = row + fromNear;
    rows[near] = this.#slots.nearPointer[slot] ?? 0;
    rows[near + 1] = scaled(this.#slots.nearPointer[slot] ?? 0);
    rows[near + 2] = scaled(this.#slots.nearClass[slot] ?? 0);
    rows[near + 3] = this.#slots.nearToken[slot] ?? 0;
    rows[near + 4] = scaled(this.#slots.nearToken[slot] ?? 0);
    rows[near + 5] = this.#slots.made[slot] ?? 0;
    rows[near + 6] = scaled(this.#slots.made[slot] ?? 0);
  }
}
