/**
 * Hashed pairs of the syntax before the cursor and of what a candidate is: its own syntax, how its name came into the
 * file, what stood around it last. Each pair has a weight in the ranker's table of that trait, as far as hashes are apart.
 */
import { kinds } from '../learn/vocabulary.ts';
import type { OpenFile } from './open-file.ts';

/** How many hashed traits a candidate has. */
export const traitCount = 30;
/** The size of each trait's table as a power of two, and of all tables together. */
export const traitBits = 14;
export const traits: number = traitCount << traitBits;
/** The traits from here on pair the syntax with the role of a name that is in the file already. */
const general = 24;
/** How many tokens of a line or a bracket count, at most. */
const longest = 48;

/** The syntax of the tokens from `start` to `end`, as far as they count. */
function hashOf({ keys }: OpenFile, start: number, end: number): number {
  let hash = 0x3c6ef372;
  for (let at = Math.max(start, end - longest); at < end; at += 1)
    hash = Math.imul(hash ^ ((keys[at] ?? 0) + 1), 0x85ebca6b) ^ (hash >>> 13);
  return hash;
}

/** The syntax of the last tokens where what stands in brackets counts as one, as long as they stand behind `before`. */
function outlineOf({ keys, outer }: OpenFile, from: number, before: number, most: number): number {
  let hash = 0x5bd1e995;
  for (let at = from, read = 0; at > before && read < most; at = outer[at] ?? -1, read += 1)
    hash = Math.imul(hash ^ ((keys[at] ?? 0) + 1), 0x85ebca6b) ^ (hash >>> 13);
  return hash;
}

export class Traits {
  readonly #before = new Int32Array(traitCount);
  readonly #texts = new Map<number, number>();
  #vocabulary: object | undefined;

  /** Hashes of the syntax before the cursor, to which each candidate adds itself. */
  begin(file: OpenFile, argument: number): void {
    const { keys, length: n } = file;
    const key = (back: number): number => (keys[n - back] ?? 0) + 1;
    const one = Math.imul(key(1), 0x9e3779b1);
    const two = Math.imul(one ^ key(2), 0x85ebca6b);
    const three = Math.imul(two ^ key(3), 0xc2b2ae35);
    const four = Math.imul(three ^ key(4), 0x9e3779b1);
    const six = Math.imul(Math.imul(four ^ key(5), 0x85ebca6b) ^ key(6), 0xc2b2ae35);
    const start = file.lineStarts[n - 1] ?? 0;
    const head = Math.imul((keys[start] ?? 0) + 1, 0x27d4eb2f);
    const above = Math.imul(((start > 0 ? keys[file.lineStarts[start - 1] ?? 0] : 0) ?? 0) + 3, 0x165667b1);
    const bracket = Math.imul((keys[file.bracketAt] ?? 0) + 1, 0x165667b1);
    const opened = file.bracketAt > 0 ? Math.imul((keys[file.bracketAt - 1] ?? 0) + 1, 0x2545f491) : 0;
    const line = hashOf(file, start, n);
    const before = start > 0 ? hashOf(file, file.lineStarts[start - 1] ?? 0, start) : 0;
    this.#before.set([
      one,
      two,
      three,
      four,
      Math.imul(head + Math.min(12, n - start) * 7919, 0x27d4eb2f),
      one ^ bracket,
      six,
      two ^ Math.imul(head ^ bracket, 0x5bd1e995),
      one ^ Math.imul(head ^ Math.imul(above, 31), 0x5bd1e995) ^ Math.imul(bracket ^ opened, 0x1b873593),
      line,
      hashOf(file, file.bracketAt, n) ^ opened,
      Math.imul(before, 31) ^ Math.imul(n - start + 1, 0x27d4eb2f) ^ one,
      Math.imul(Math.imul(six ^ key(7), 0x9e3779b1) ^ key(8), 0x85ebca6b),
      outlineOf(file, n - 1, -1, 3),
      outlineOf(file, n - 1, -1, 5),
      outlineOf(file, n - 1, -1, 8),
      outlineOf(file, n - 1, start - 1, 24),
      outlineOf(file, n - 1, file.bracketAt, 24) ^ Math.imul(outlineOf(file, file.bracketAt, -1, 3), 0x9e3779b1),
      Math.imul(one ^ bracket ^ opened, 0x9e3779b1) + Math.min(6, argument) * 7919,
      this.#textOf(file, file.bracketAt - 1) ^ Math.imul(one ^ bracket, 0x9e3779b1) ^ (Math.min(6, argument) << 7),
      Math.imul(this.#textOf(file, n - 1), 0x9e3779b1),
      Math.imul(this.#textOf(file, n - 1), 0x9e3779b1) ^ Math.imul(this.#textOf(file, n - 2), 0x85ebca6b),
      outlineOf(file, n - 1, start - 1, 4) ^
        (start > 0 ? Math.imul(outlineOf(file, start - 1, (file.lineStarts[start - 1] ?? 0) - 1, 24), 0x27d4eb2f) : 0),
      this.#aligned(file, start) ^ one,
      one,
      two,
      one ^ head,
      one,
      two,
      one ^ bracket,
    ]);
  }

  /** A number for the text of a token that is the same in every vocabulary. */
  #textOf(file: OpenFile, at: number): number {
    const id = file.ids[at] ?? 0;
    if (this.#vocabulary !== file.vocabulary) this.#texts.clear();
    this.#vocabulary = file.vocabulary;
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    let hash = 7;
    const text = file.vocabulary.textOf(id);
    for (let it = 0; it < Math.min(40, text.length); it += 1) hash = Math.imul(hash ^ text.charCodeAt(it), 0x01000193);
    this.#texts.set(id, hash);
    return hash;
  }

  /** The syntax that stands in the line above as far from its start. */
  #aligned({ keys, lineStarts, length }: OpenFile, start: number): number {
    const above = start > 0 ? (lineStarts[start - 1] ?? 0) : 0;
    const at = above + length - start;
    if (start === 0 || at > start) return 1;
    return Math.imul((keys[at - 1] ?? 0) + 1, 0x9e3779b1) ^ Math.imul((keys[at] ?? 0) + 1, 0x85ebca6b);
  }

  /** Writes `traitCount` places in the table. */
  write(into: Int32Array, cell: number, symbol: number, file: OpenFile): void {
    const id = symbol >> 1;
    const own = Math.imul(file.vocabulary.key(id) * 2 + (symbol & 1) + 17, 0x2c1b3c6d);
    for (let at = 0; at < general; at += 1) into[cell + at] = this.#place(at, own);
    const last = file.last.get(id);
    const kind = file.vocabulary.kind(id);
    if (last === undefined || kind === kinds.mark || kind === kinds.keyword) {
      for (let at = general; at < traitCount; at += 1) into[cell + at] = this.#place(at, own ^ 0x3c6ef372);
      return;
    }
    const { keys, length: n } = file;
    const first = file.first.get(id) ?? last;
    const count = file.counts.get(id) ?? 0;
    const role = Math.imul(
      Math.imul((keys[first - 1] ?? 0) + 1, 0x9e3779b1) ^ (keys[file.lineStarts[first] ?? 0] ?? 0),
      0x85ebca6b,
    );
    const before = Math.imul((keys[last - 1] ?? 0) + 1, 0xc2b2ae35);
    const after = last + 1 < n ? Math.imul((keys[last + 1] ?? 0) + 1, 0x27d4eb2f) : 0;
    const often = count > 3 ? 4 : count;
    const distance = Math.min(9, 31 - Math.clz32(n - last));
    into[cell + general] = this.#place(general, own ^ role);
    into[cell + general + 1] = this.#place(general + 1, own ^ role);
    into[cell + general + 2] = this.#place(general + 2, own ^ before ^ often);
    into[cell + general + 3] = this.#place(general + 3, own ^ Math.imul(before ^ after, 0x9e3779b1));
    into[cell + general + 4] = this.#place(general + 4, own ^ before);
    into[cell + general + 5] = this.#place(general + 5, own ^ Math.imul(distance * 8 + often + 1, 0x9e3779b1));
  }

  #place(at: number, own: number): number {
    const mixed = Math.imul((this.#before[at] ?? 0) ^ own ^ (at << 9), 0x297a2d39);
    return (at << traitBits) | (((mixed ^ (mixed >>> 15)) >>> 0) & ((1 << traitBits) - 1));
  }
}
