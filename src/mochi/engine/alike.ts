/**
 * What stood where the syntax was alike: in the indexes by classes instead of tokens, and in the open file. There it finds
 * what followed, which of the tokens before were copied, and names made of others by what differs here. It weighs nothing.
 */
import { kinds } from '../learn/vocabulary.ts';
import { type ContextIndex, deepest, type Sequence } from './context-index.ts';
import { MadeNames } from './names.ts';
import type { OpenFile } from './open-file.ts';
import type { Slots } from './slots.ts';
import type { Sources } from './sources.ts';

/** How many places with the same syntax in files near by may each make a name. */
const mostMade = 12;
const isNamed = (kind: number): boolean => kind === kinds.word || kind === kinds.string;

export class Alike {
  readonly #slots: Slots;
  readonly #names = new MadeNames();
  readonly #intervals = new Int32Array(2 * deepest + 4);
  /** The chance of each class by twice its number, plus one where it begins a line: everywhere, and in files near by. */
  readonly classes = new Float64Array(4096);
  readonly nearClasses = new Float64Array(4096);
  /** How long a context was common enough to mean something, and how often the longest was seen. */
  reach = 0;
  total = 0;
  nearReach = 0;
  nearTotal = 0;

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  fromIndexes(file: OpenFile, { syntax, syntaxTokens, near, nearSyntax }: Sources): void {
    this.total = 0;
    this.nearTotal = 0;
    this.nearReach = this.#alike(
      file,
      nearSyntax,
      near?.tokens,
      this.#slots.nearPointer,
      this.#slots.nearToken,
      this.nearClasses,
      this.#slots.nearMade,
    );
    if (this.nearReach > 0) this.nearTotal = this.total;
    this.reach = this.#alike(file, syntax, syntaxTokens, this.#slots.pointer, this.#slots.syntaxToken, this.classes);
  }

  /** Where this file had the same syntax before: what followed, and of what it was a copy. */
  fromFile(file: OpenFile): void {
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
      if (match >= 4 && made < 5 && isNamed(file.kinds[at + 1] ?? 0)) {
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

  /** Where the same syntax stood before: which classes followed, which tokens, and which were copies of earlier ones. */
  #alike(
    file: OpenFile,
    syntax: ContextIndex | undefined,
    tokens: Sequence | undefined,
    pointers: Float32Array,
    same: Float32Array,
    classes: Float64Array,
    made?: Float32Array,
  ): number {
    classes.fill(0);
    let tried = 0;
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
      if (made !== undefined && tried < mostMade && isNamed(file.vocabulary.kind(token))) {
        tried += 1;
        const name = this.#carried(file, tokens, at, token);
        const slot = name < 0 ? -1 : this.#slots.of(name * 2 + bit);
        if (slot >= 0) made[slot] = (made[slot] ?? 0) + 1;
      }
    }
    tried = Math.max(1, tried);
    for (let slot = 0; seen > 0 && slot < this.#slots.count; slot += 1) {
      pointers[slot] = (pointers[slot] ?? 0) / seen;
      same[slot] = (same[slot] ?? 0) / seen;
      if (made !== undefined) made[slot] = (made[slot] ?? 0) / tried;
    }
    return order;
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
      this.total = total;
    }
  }

  /** What stood at `at`, with the first difference between the names before it and those before the cursor; or -1. */
  #carried(file: OpenFile, tokens: Sequence, at: number, token: number): number {
    const { ids, length, vocabulary } = file;
    let tried = 0;
    for (let back = 1; tried < 2 && back <= 12 && back <= at && back < length; back += 1) {
      const old = tokens[at - back] ?? 0;
      const fresh = ids[length - back] ?? 0;
      if (old === fresh) continue;
      const kind = file.kinds[length - back] ?? 0;
      if (vocabulary.kind(old) !== kind || !isNamed(kind)) continue;
      if (kind === kinds.string && vocabulary.kind(token) !== kinds.string) continue;
      tried += 1;
      const name =
        kind === kinds.string
          ? this.#names.carryString(vocabulary, token, old, fresh)
          : this.#names.carry(vocabulary, token, old, fresh);
      if (name >= 0) return name;
    }
    return -1;
  }

  /** Carries over to what followed `at` how the names before it differ from those before the cursor. */
  #make(file: OpenFile, at: number, match: number, weight: number): void {
    const { ids, length, vocabulary } = file;
    const word = ids[at + 1] ?? 0;
    const bit = file.symbolAt(at + 1) & 1;
    let tried = 0;
    for (let back = 0; back < match && tried < 2; back += 1) {
      const old = ids[at - back] ?? 0;
      const fresh = ids[length - 1 - back] ?? 0;
      const kind = file.kinds[at - back] ?? 0;
      if (old === fresh || !isNamed(kind) || file.kinds[length - 1 - back] !== kind) continue;
      if (kind === kinds.string && vocabulary.kind(word) !== kinds.string) continue;
      tried += 1;
      const name =
        kind === kinds.string
          ? this.#names.carryString(vocabulary, word, old, fresh)
          : this.#names.carry(vocabulary, word, old, fresh);
      const slot = name < 0 ? -1 : this.#slots.of(name * 2 + bit);
      if (slot >= 0) this.#slots.made[slot] = (this.#slots.made[slot] ?? 0) + weight;
    }
  }
}
