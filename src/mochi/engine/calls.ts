/**
 * How what the cursor stands in went on elsewhere: in brackets after the same name it finds what the same argument began
 * with, or what stood behind it; and in this file what followed the same outline, in which a pair of brackets counts as
 * one. It weighs nothing.
 */
import { startsLine } from '../learn/lexer.ts';
import { kinds } from '../learn/vocabulary.ts';
import { type ContextIndex, deepest, type Sequence } from './context-index.ts';
import type { OpenFile } from './open-file.ts';
import type { Slots } from './slots.ts';

/** How many other places are read, and how far each. */
const mostPlaces = 24;
const longestCall = 80;
const mostRead = 200;
const mostOutlines = 64;
const longestOutline = 12;

const openers = new Set(['(', '[', '{']);

export class Calls {
  readonly #slots: Slots;
  readonly #intervals = new Int32Array(2 * deepest + 4);
  /** How many brackets were read to the same place, in this file and in others, and the weight of all like outlines. */
  here = 0;
  near = 0;
  outlines = 0;
  /** The chance of each class behind like outlines, by twice its number, plus one where it begins a line. */
  readonly classes = new Float64Array(4096);
  /** The commas before the cursor in its bracket, and whether the cursor stands right behind one or the opener. */
  argument = 0;
  isFresh = false;
  /** Names that the argument at the cursor began with in other calls, and in the declaration. */
  readonly expected: number[] = [];
  /** 1 opens, 2 closes, 3 is a comma, by token. */
  #roles = new Uint8Array(1 << 12);
  #vocabulary: object | undefined;

  constructor(slots: Slots) {
    this.#slots = slots;
  }

  find(file: OpenFile, near: ContextIndex | undefined, base: ContextIndex | undefined): void {
    this.here = 0;
    this.near = 0;
    this.argument = 0;
    this.isFresh = false;
    this.expected.length = 0;
    if (this.#vocabulary !== file.vocabulary) this.#roles = new Uint8Array(1 << 12);
    this.#vocabulary = file.vocabulary;
    this.#outlined(file);
    const opener = file.bracketAt;
    if (opener < 2) return;
    let commas = 0;
    let read = 0;
    for (let at = file.length - 1; at > opener && read < mostRead; at = file.outer[at] ?? -1) {
      read += 1;
      if (this.#role(file, file.ids[at] ?? 0) === 3) commas += 1;
    }
    this.argument = commas;
    this.isFresh = this.#role(file, file.ids[file.length - 1] ?? 0) === 3 || file.length - 1 === opener;
    this.here = this.#here(file, opener);
    this.near = this.#elsewhere(file, opener, near);
    if (this.near === 0) this.near = this.#elsewhere(file, opener, base);
    const { called, nearCalled, count } = this.#slots;
    for (let slot = 0; slot < count; slot += 1) {
      if (this.here > 0) called[slot] = (called[slot] ?? 0) / this.here;
      if (this.near > 0) nearCalled[slot] = (nearCalled[slot] ?? 0) / this.near;
    }
  }

  #role(file: OpenFile, token: number): number {
    if (token >= this.#roles.length) {
      const grown = new Uint8Array(token * 2);
      grown.set(this.#roles);
      this.#roles = grown;
    }
    const known = this.#roles[token] ?? 0;
    if (known > 0) return known - 1;
    const text = file.vocabulary.textOf(token);
    const role = openers.has(text) ? 1 : text === ')' || text === ']' || text === '}' ? 2 : text === ',' ? 3 : 0;
    this.#roles[token] = role + 1;
    return role;
  }

  #expect(file: OpenFile, token: number): void {
    if (this.expected.length >= 4 || file.vocabulary.kind(token) !== kinds.word) return;
    if (!this.expected.includes(token)) this.expected.push(token);
  }

  /** Where in the bracket that begins before `from` the wanted argument begins, or ends; -1 where it has none. */
  #place(file: OpenFile, tokens: Sequence, from: number, end: number): number {
    let depth = 0;
    let commas = 0;
    if (this.isFresh && this.argument === 0) return from < end ? from : -1;
    for (let at = from; at < Math.min(end, from + longestCall); at += 1) {
      const role = this.#role(file, tokens[at] ?? 0);
      if (role === 1) depth += 1;
      else if (role === 2) {
        if (depth === 0) return !this.isFresh && commas === this.argument ? at : -1;
        depth -= 1;
      } else if (role === 3 && depth === 0) {
        if (!this.isFresh && commas === this.argument) return at;
        commas += 1;
        if (this.isFresh && commas === this.argument) return at + 1 < end ? at + 1 : -1;
      }
    }
    return -1;
  }

  #here(file: OpenFile, opener: number): number {
    const { ids } = file;
    let found = 0;
    let at = file.previous[opener - 1] ?? -1;
    for (let tried = 0; at >= 0 && tried < mostPlaces; at = file.previous[at] ?? -1) {
      if (ids[at + 1] !== ids[opener]) continue;
      tried += 1;
      const place = this.#place(file, ids, at + 2, opener - 1);
      if (place < 0) continue;
      this.#expect(file, ids[place] ?? 0);
      const slot = this.#slots.of(file.symbolAt(place));
      if (slot < 0) continue;
      found += 1;
      this.#slots.called[slot] = (this.#slots.called[slot] ?? 0) + 1;
    }
    return found;
  }

  #elsewhere(file: OpenFile, opener: number, index: ContextIndex | undefined): number {
    if (index === undefined) return 0;
    const orders = index.intervals(file.ids, opener + 1, 4, this.#intervals);
    let order = orders;
    const sizeAt = (it: number): number => (this.#intervals[it * 2 - 1] ?? 0) - (this.#intervals[it * 2 - 2] ?? 0);
    while (order > 2 && sizeAt(order) < 3) order -= 1;
    if (order < 2) return 0;
    const low = this.#intervals[order * 2 - 2] ?? 0;
    const size = sizeAt(order);
    const step = Math.max(1, size / mostPlaces);
    let found = 0;
    for (let it = low; it < low + size; it += step) {
      const from = index.order[Math.trunc(it)] ?? 0;
      if (index.isLeftOut(from)) continue;
      const place = this.#place(file, index.tokens, from, index.tokens.length);
      if (place < 0) continue;
      this.#expect(file, index.tokens[place] ?? 0);
      const slot = this.#slots.of((index.tokens[place] ?? 0) * 2 + (startsLine(index.gaps[place] ?? 0) ? 1 : 0));
      if (slot < 0) continue;
      found += 1;
      this.#slots.nearCalled[slot] = (this.#slots.nearCalled[slot] ?? 0) + 1;
    }
    return found;
  }

  #outlined(file: OpenFile): void {
    const { classes, outer, length } = file;
    this.classes.fill(0);
    this.outlines = 0;
    let at = file.previousOutline[length - 1] ?? -1;
    for (let steps = 0; at >= 0 && steps < mostOutlines; steps += 1, at = file.previousOutline[at] ?? -1) {
      let match = 0;
      for (let one = at, two = length - 1; match < longestOutline; match += 1) {
        if (one < 0 || two < 0 || classes[one] !== classes[two]) break;
        one = outer[one] ?? -1;
        two = outer[two] ?? -1;
      }
      if (match < 3) continue;
      const weight = 1.6 ** match;
      const symbol = file.symbolAt(at + 1);
      const slot = this.#slots.of(symbol);
      this.outlines += weight;
      if (slot >= 0) this.#slots.outlined[slot] = (this.#slots.outlined[slot] ?? 0) + weight;
      const place = (classes[at + 1] ?? 0) * 2 + (symbol & 1);
      if (place < 4096) this.classes[place] = (this.classes[place] ?? 0) + weight;
    }
    if (this.outlines === 0) return;
    for (let slot = 0; slot < this.#slots.count; slot += 1)
      this.#slots.outlined[slot] = (this.#slots.outlined[slot] ?? 0) / this.outlines;
  }
}
