/**
 * What the open file alone says about a candidate: whether and where it stands already, in what company, and how its name
 * relates to the names just written. It reads the file up to the cursor and nothing else.
 */
import { kinds } from '../learn/vocabulary.ts';
import { plainName } from './named-strings.ts';
import { partsOf } from './names.ts';
import type { OpenFile } from './open-file.ts';

/** How many numbers describe the use of a candidate. */
export const useWidth = 45;
const looked = 6;

export class Uses {
  #file: OpenFile | undefined;
  #lineStart = 0;
  #previousStart = 0;
  #bracket = 0;
  /** The word before the comma the cursor stands behind, or -1. */
  #listed = -1;
  /** The last string within reach, or -1. */
  #lastString = -1;
  readonly #recent: number[] = [];
  readonly #recentNames: string[] = [];
  /** The name of the file, as names are compared. */
  #suggested = '';
  /** The last parts of the names that calls of the same had here. */
  readonly #expected: string[] = [];
  /** Brackets that hold the parameters of the code at the cursor. */
  #headers: ReadonlySet<number> = new Set();
  #vocabulary: object | undefined;
  readonly #names = new Map<number, string>();
  /** The first and the last part of names, by token. */
  readonly #ends = new Map<number, readonly [string, string]>();

  /** Notes what is the same for all candidates at the end of `file`. */
  begin(file: OpenFile, expected: readonly number[]): void {
    const n = file.length;
    this.#headers = file.headers();
    this.#file = file;
    this.#lineStart = file.lineStarts[n - 1] ?? 0;
    this.#previousStart = this.#lineStart > 0 ? (file.lineStarts[this.#lineStart - 1] ?? 0) : 0;
    this.#bracket = file.bracketAt;
    if (this.#vocabulary !== file.vocabulary || this.#names.size > 20_000) {
      this.#names.clear();
      this.#ends.clear();
    }
    this.#vocabulary = file.vocabulary;
    this.#recent.length = 0;
    this.#recentNames.length = 0;
    for (let at = n - 1; at > 0 && at > n - 12 && this.#recent.length < 4; at -= 1) {
      const id = file.ids[at] ?? 0;
      if (file.kinds[at] !== kinds.word || this.#recent.includes(id)) continue;
      const name = this.#nameOf(id);
      if (name.length < 3) continue;
      this.#recent.push(id);
      this.#recentNames.push(name);
    }
    this.#lastString = -1;
    for (let at = n - 1; at > 0 && at > n - 40 && this.#lastString < 0; at -= 1)
      if (file.kinds[at] === kinds.string) this.#lastString = file.ids[at] ?? -1;
    const [suggested] = file.suggested;
    this.#suggested = suggested === undefined ? '' : this.#nameOf(suggested);
    this.#expected.length = 0;
    for (const id of expected) this.#expected.push(this.#endsOf(id)[1]);
    const isListed = n > 2 && file.kinds[n - 2] === kinds.word && file.vocabulary.textOf(file.ids[n - 1] ?? 0) === ',';
    this.#listed = isListed ? (file.ids[n - 2] ?? -1) : -1;
  }

  /** A word in lower case, without what may precede it. */
  #nameOf(id: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const text = this.#file?.vocabulary.textOf(id) ?? '';
    const isString = this.#file?.vocabulary.kind(id) === kinds.string;
    const name = isString ? plainName(text) : text.toLowerCase().replace(/^[_#$]+/, '');
    this.#names.set(id, name);
    return name;
  }

  #endsOf(id: number): readonly [string, string] {
    const known = this.#ends.get(id);
    if (known !== undefined) return known;
    const parts = partsOf((this.#file?.vocabulary.textOf(id) ?? '').replace(/^[_#$]+/, ''));
    const ends = [(parts[0] ?? '').toLowerCase(), (parts.at(-1) ?? '').toLowerCase()] as const;
    this.#ends.set(id, ends);
    return ends;
  }

  /** Writes `useWidth` numbers, which must be zero before. */
  describe(rows: Float32Array, cell: number, symbol: number): void {
    const file = this.#file;
    if (file === undefined) return;
    const id = symbol >> 1;
    const kind = file.vocabulary.kind(id);
    const isWord = kind === kinds.word;
    rows[cell + kind] = 1;
    rows[cell + 6] = symbol & 1;
    const n = file.length;
    const last = file.last.get(id);
    if (last !== undefined) {
      const distance = Math.log(n - last) / 8;
      const count = file.counts.get(id) ?? 0;
      rows[cell + 7] = 1;
      rows[cell + 8] = distance;
      rows[cell + 9] = Math.log1p(count) / 5;
      rows[cell + 18] = isWord ? distance : 0;
      rows[cell + 19] = isWord ? 1 : 0;
      rows[cell + 29] = isWord && count === 1 ? 1 : 0;
      this.#places(file, rows, cell, id, last);
      if (isWord) this.#scope(file, rows, cell, last, file.first.get(id) ?? last);
    }
    for (let back = 1; back <= 6; back += 1) if (file.ids[n - back] === id) rows[cell + 9 + back] = 1;
    if (kind === kinds.mark) {
      const closes = file.closes(id);
      if (closes > 0) rows[cell + 16] = 1;
      if (closes < 0) rows[cell + 17] = 1;
    }
    if (isWord) this.#name(rows, cell, id);
    else if (kind === kinds.string) this.#string(rows, cell, id);
  }

  /** Whether what is around its last and its first place is around the cursor too. */
  #scope(file: OpenFile, rows: Float32Array, cell: number, last: number, first: number): void {
    const around = file.enclosing[last] ?? 0;
    if (around === this.#bracket) rows[cell + 39] = 1;
    else if (this.#isAround(file, around)) rows[cell + 40] = 1;
    else rows[cell + 41] = 1;
    if (this.#isAround(file, file.enclosing[first] ?? 0)) rows[cell + 42] = 1;
  }

  #isAround(file: OpenFile, bracket: number): boolean {
    return bracket === 0 || file.isOpen[bracket] === 1 || this.#headers.has(bracket);
  }

  /** How its last places in the file resemble this one. */
  #places(file: OpenFile, rows: Float32Array, cell: number, id: number, last: number): void {
    const { classes, ids, length: n } = file;
    let at = last;
    let best = 0;
    let one = 0;
    let two = 0;
    let exact = 0;
    let seen = 0;
    for (; at >= 0 && seen < looked; seen += 1) {
      let match = 0;
      while (match < 8 && match < at && classes[at - 1 - match] === classes[n - 1 - match]) match += 1;
      if (match > best) best = match;
      if (match >= 1) one += 1;
      if (match >= 2) two += 1;
      if (ids[at - 1] === ids[n - 1]) exact += 1;
      at = file.previous[at] ?? -1;
    }
    rows[cell + 20] = best / 8;
    rows[cell + 21] = one / seen;
    rows[cell + 22] = two / seen;
    rows[cell + 32] = exact / seen;
    if (last >= this.#lineStart) rows[cell + 23] = 1;
    else if (last >= this.#previousStart) rows[cell + 24] = 1;
    if (ids[this.#previousStart + n - this.#lineStart] === id) rows[cell + 25] = 1;
    if (last > this.#bracket) rows[cell + 26] = 1;
    if ((file.first.get(id) ?? 0) > this.#bracket) rows[cell + 33] = 1;
  }

  /** How a string relates to names just written, and to the last string, as in lists of paths. */
  #string(rows: Float32Array, cell: number, id: number): void {
    const name = this.#nameOf(id);
    if (name.length < 3) return;
    for (const other of this.#recentNames) {
      if (other === name) rows[cell + 27] = 1;
      else if (other.includes(name) || name.includes(other)) rows[cell + 28] = 1;
    }
    if (this.#lastString >= 0 && this.#lastString !== id)
      rows[cell + (this.#nameOf(this.#lastString) < name ? 30 : 31)] = 1;
  }

  /** How its name relates to those just written: `order: Order`, `const user = loadUser`, lists in the order of the alphabet. */
  #name(rows: Float32Array, cell: number, id: number): void {
    const name = this.#nameOf(id);
    for (const part of this.#expected) {
      const own = this.#endsOf(id)[1];
      if (own === part) rows[cell + 43] = 1;
      else if (part.length >= 3 && name.includes(part)) rows[cell + 44] = 1;
    }
    if (this.#suggested !== '' && name.includes(this.#suggested)) rows[cell + (name === this.#suggested ? 34 : 35)] = 1;
    if (name.length >= 3) {
      for (let it = 0; it < this.#recent.length; it += 1) {
        if (this.#recent[it] === id) continue;
        const other = this.#recentNames[it] ?? '';
        if (other === name) rows[cell + 27] = 1;
        else if (other.includes(name) || name.includes(other)) rows[cell + 28] = 1;
        const [first, last] = this.#endsOf(id);
        const [otherFirst, otherLast] = this.#endsOf(this.#recent[it] ?? 0);
        if (last.length >= 3 && last === otherLast) rows[cell + 36] = 1;
        if (first.length >= 3 && first === otherFirst) rows[cell + 37] = 1;
        if (first.length >= 3 && it === 0 && (first === otherLast || last === otherFirst)) rows[cell + 38] = 1;
      }
    }
    if (this.#listed < 0 || this.#listed === id) return;
    const isAfter = this.#nameOf(this.#listed) < name;
    rows[cell + (isAfter ? 30 : 31)] = 1;
  }
}
