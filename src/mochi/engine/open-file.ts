/**
 * The tokens of the file being written, as far as they are known, linked by equal tokens so that earlier places with
 * the same context are found by walking back. Also keeps the open brackets and what each symbol's last place was.
 */
import { startsLine } from '../learn/lexer.ts';
import { kinds, type Vocabulary } from '../learn/vocabulary.ts';
import { namesOfPath } from './names.ts';

const closers = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

export class OpenFile {
  readonly vocabulary: Vocabulary;
  ids: Int32Array = new Int32Array(1024);
  gaps: Uint8Array = new Uint8Array(1024);
  classes: Int32Array = new Int32Array(1024);
  /** The position before with the same token, or -1. */
  previous: Int32Array = new Int32Array(1024);
  /** The position before with a token of the same class, or -1. */
  previousLike: Int32Array = new Int32Array(1024);
  /** One of `kinds`, and the vocabulary's key, by position. */
  kinds: Uint8Array = new Uint8Array(1024);
  keys: Int32Array = new Int32Array(1024);
  /** The position of the first token of each token's line. */
  lineStarts: Int32Array = new Int32Array(1024);
  /** By position, where what stands in brackets counts as one: the position before, or -1. */
  outer: Int32Array = new Int32Array(1024);
  /** The classes of the last three tokens along `outer` as one number, and the position before with the same. */
  outlines: Int32Array = new Int32Array(1024);
  previousOutline: Int32Array = new Int32Array(1024);
  /** The position of the innermost bracket around each token, or 0; 1 where that bracket is still open, by its position. */
  enclosing: Int32Array = new Int32Array(1024);
  isOpen: Uint8Array = new Uint8Array(1024);
  length = 0;
  readonly #lastLike = new Map<number, number>();
  readonly #lastOutline = new Map<number, number>();
  readonly last = new Map<number, number>();
  readonly first = new Map<number, number>();
  readonly counts = new Map<number, number>();
  /** Positions of the open brackets, innermost last. */
  readonly #brackets: number[] = [];
  readonly #undo: (number | undefined)[] = [];

  /** Tokens of the names that the file's own name suggests. */
  readonly suggested: readonly number[];

  constructor(vocabulary: Vocabulary, path = '') {
    this.vocabulary = vocabulary;
    this.suggested = namesOfPath(path).map((name) => vocabulary.intern(name, 0, name.length, kinds.word));
    this.push(0, 2);
  }

  push(id: number, gap: number): void {
    if (this.length === this.ids.length) this.#grow();
    const at = this.length;
    this.ids[at] = id;
    this.gaps[at] = gap;
    this.classes[at] = this.vocabulary.classOfToken(id);
    this.kinds[at] = this.vocabulary.kind(id);
    this.keys[at] = this.vocabulary.key(id);
    this.lineStarts[at] = at === 0 || startsLine(gap) ? at : (this.lineStarts[at - 1] ?? 0);
    const like = this.classes[at] ?? 0;
    this.previousLike[at] = this.#lastLike.get(like) ?? -1;
    this.#lastLike.set(like, at);
    this.previous[at] = this.last.get(id) ?? -1;
    this.last.set(id, at);
    if (!this.first.has(id)) this.first.set(id, at);
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
    const opener = this.#brackets.at(-1) ?? 0;
    this.enclosing[at] = opener;
    this.isOpen[at] = 0;
    const undo = this.#bracket(id);
    this.#undo.push(undo);
    if (undo === -1) this.isOpen[at] = 1;
    else if (undo !== undefined) this.isOpen[undo] = 0;
    this.#outline(at, undo !== undefined && undo >= 0 ? opener : at);
    this.length += 1;
  }

  /** Links a token to the one before the bracket it closes, or to the one before it. */
  #outline(at: number, from: number): void {
    const { classes, outer } = this;
    const one = from - 1;
    const two = one < 0 ? -1 : (outer[one] ?? -1);
    const outline =
      (Math.imul(classes[at] ?? 0, 0x9e3779b1) ^
        Math.imul((classes[one] ?? 0) + 1, 0x85ebca6b) ^
        Math.imul((classes[two] ?? 0) + 1, 0xc2b2ae35)) |
      0;
    outer[at] = one;
    this.outlines[at] = outline;
    this.previousOutline[at] = this.#lastOutline.get(outline) ?? -1;
    this.#lastOutline.set(outline, at);
  }

  /** Takes the last token back. */
  pop(): void {
    this.length -= 1;
    const outline = this.previousOutline[this.length] ?? -1;
    if (outline < 0) this.#lastOutline.delete(this.outlines[this.length] ?? 0);
    else this.#lastOutline.set(this.outlines[this.length] ?? 0, outline);
    const id = this.ids[this.length] ?? 0;
    const like = this.previousLike[this.length] ?? -1;
    if (like < 0) this.#lastLike.delete(this.classes[this.length] ?? 0);
    else this.#lastLike.set(this.classes[this.length] ?? 0, like);
    const before = this.previous[this.length] ?? -1;
    if (before < 0) {
      this.last.delete(id);
      this.first.delete(id);
    } else this.last.set(id, before);
    const count = (this.counts.get(id) ?? 1) - 1;
    if (count === 0) this.counts.delete(id);
    else this.counts.set(id, count);
    const undone = this.#undo.pop();
    if (undone === -1) this.#brackets.pop();
    else if (undone !== undefined) {
      this.#brackets.push(undone);
      this.isOpen[undone] = 1;
    }
  }

  /** 1 where the token closes the innermost bracket, -1 where it closes another or none, 0 where it is no closer. */
  closes(id: number): number {
    const opener = closers.get(this.vocabulary.textOf(id));
    if (opener === undefined) return 0;
    return this.vocabulary.textOf(this.bracket) === opener ? 1 : -1;
  }

  /** The token of the innermost open bracket, or 0. */
  get bracket(): number {
    return this.ids[this.bracketAt] ?? 0;
  }

  /** The position of the innermost open bracket, or 0. */
  get bracketAt(): number {
    return this.#brackets.at(-1) ?? 0;
  }

  /** The open brackets that hold what was declared for the code at the cursor: parameters of the bodies around it. */
  headers(): ReadonlySet<number> {
    const found = new Set<number>();
    for (let it = this.#brackets.length - 1; it >= 0 && it > this.#brackets.length - 16; it -= 1) {
      let at = (this.#brackets[it] ?? 0) - 1;
      for (let read = 0; at > 0 && read < 12; read += 1) {
        const next = this.outer[at] ?? -1;
        // A pair of brackets: what closes is here, and what opens stands behind the token before the pair.
        if (next < at - 1) {
          found.add(next + 1);
          break;
        }
        at = next;
      }
    }
    return found;
  }

  symbolAt(at: number): number {
    return (this.ids[at] ?? 0) * 2 + (startsLine(this.gaps[at] ?? 0) ? 1 : 0);
  }

  /** What `pop` has to do to the brackets: -1 take one away, a position put that one back, undefined nothing. */
  #bracket(id: number): number | undefined {
    const text = this.vocabulary.textOf(id);
    if (text === '(' || text === '[' || text === '{') {
      this.#brackets.push(this.length);
      return -1;
    }
    return this.closes(id) === 1 ? this.#brackets.pop() : undefined;
  }

  #grow(): void {
    const size = this.ids.length * 2;
    const grown = (from: Int32Array): Int32Array => {
      const to = new Int32Array(size);
      to.set(from);
      return to;
    };
    this.ids = grown(this.ids);
    this.classes = grown(this.classes);
    this.previous = grown(this.previous);
    this.previousLike = grown(this.previousLike);
    this.keys = grown(this.keys);
    this.lineStarts = grown(this.lineStarts);
    this.outer = grown(this.outer);
    this.enclosing = grown(this.enclosing);
    this.outlines = grown(this.outlines);
    this.previousOutline = grown(this.previousOutline);
    const bytes = (from: Uint8Array): Uint8Array => {
      const to = new Uint8Array(size);
      to.set(from);
      return to;
    };
    this.gaps = bytes(this.gaps);
    this.kinds = bytes(this.kinds);
    this.isOpen = bytes(this.isOpen);
  }
}
