/**
 * Token texts and their numbers, with the kind and the class of each. Grows while learning; requests read it through a
 * fork, so that what somebody types never stays.
 */
import type { Sequence } from '../engine/context-index.ts';

/** What a token is. `fileStart` is the kind of token 0, which stands before each file. */
export const kinds = { fileStart: 0, word: 1, keyword: 2, number: 3, string: 4, mark: 5 } as const;

const shapes = 16;
/** The class of strings without holes. */
export const stringClass = 2;

export class Vocabulary {
  readonly words: string[] = [''];
  /** One of `kinds`, by token. */
  kindOf: Uint8Array = new Uint8Array(1024);
  /** Tokens that play the same part in syntax share a class: keywords and marks have their own, words their shape's. */
  classOf: Uint16Array = new Uint16Array(1024);
  /** A number for the class that is the same in every vocabulary. */
  keyOf: Int32Array = new Int32Array(1024);
  /** How many classes there are. */
  classes: number = shapes;
  #slots = new Int32Array(4096);
  readonly #parent: Vocabulary | undefined;
  /** By the keywords of a language and token: 0 not asked yet, 1 no keyword there, 2 a keyword. */
  readonly #keywords = new Map<ReadonlySet<string>, Uint8Array>();

  constructor(parent?: Vocabulary) {
    this.#parent = parent;
  }

  /** Tokens of the parent keep their numbers; new ones come after them and stay here. */
  fork(): Vocabulary {
    return new Vocabulary(this);
  }

  get size(): number {
    return (this.#parent?.size ?? 0) + this.words.length - (this.#parent === undefined ? 0 : 1);
  }

  textOf(id: number): string {
    const first = this.#parent?.size ?? 0;
    if (this.#parent !== undefined && id < first) return this.#parent.textOf(id);
    return this.words[this.#parent === undefined ? id : id - first + 1] ?? '';
  }

  kind(id: number): number {
    const first = this.#parent?.size ?? 0;
    if (this.#parent !== undefined && id < first) return this.#parent.kind(id);
    return this.kindOf[this.#parent === undefined ? id : id - first + 1] ?? 0;
  }

  /** Whether a token is one of the keywords of a language; the same text is a name in another. */
  isKeyword(id: number, keywords: ReadonlySet<string>): boolean {
    const first = this.#parent?.size ?? 0;
    if (this.#parent !== undefined && id < first) return this.#parent.isKeyword(id, keywords);
    const local = id - first;
    let known = this.#keywords.get(keywords);
    if (known === undefined || local >= known.length) {
      const grown = new Uint8Array(Math.max(256, local * 2));
      if (known !== undefined) grown.set(known);
      known = grown;
      this.#keywords.set(keywords, known);
    }
    if (known[local] === 0) known[local] = keywords.has(this.textOf(id)) ? 2 : 1;
    return known[local] === 2;
  }

  classOfToken(id: number): number {
    const first = this.#parent?.size ?? 0;
    if (this.#parent !== undefined && id < first) return this.#parent.classOfToken(id);
    return this.classOf[this.#parent === undefined ? id : id - first + 1] ?? 0;
  }

  /** The classes of a sequence of tokens. */
  classesOf(tokens: Sequence): Uint16Array {
    const classes = new Uint16Array(tokens.length);
    const { classOf } = this;
    const isOwn = this.#parent === undefined;
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at] ?? 0;
      classes[at] = isOwn ? (classOf[token] ?? 0) : this.classOfToken(token);
    }
    return classes;
  }

  /** Puts back the classes that its words had when they were kept: they were numbered as the words turned up. */
  restoreClasses(classes: Uint16Array): void {
    this.classOf.set(classes.subarray(0, this.size));
    this.classes = classes.reduce((most, it) => Math.max(most, it + 1), shapes);
  }

  key(id: number): number {
    const first = this.#parent?.size ?? 0;
    if (this.#parent !== undefined && id < first) return this.#parent.key(id);
    return this.keyOf[this.#parent === undefined ? id : id - first + 1] ?? 0;
  }

  /** The number of a token text, or -1. */
  find(text: string): number {
    return this.#look(text, 0, text.length, hashOf(text, 0, text.length));
  }

  /** The number of `text` from `start` to `end`, made where it is new. */
  intern(text: string, start: number, end: number, kind: number): number {
    const hash = hashOf(text, start, end);
    const found = this.#look(text, start, end, hash);
    if (found < 0) return this.#add(text.slice(start, end), kind, hash);
    if (kind === kinds.keyword) this.#promote(found, hash);
    return found;
  }

  /** A word that prose or another language said first turns out to be a keyword of some language here. */
  #promote(id: number, hash: number): void {
    if (this.#parent !== undefined || this.kindOf[id] !== kinds.word) return;
    this.kindOf[id] = kinds.keyword;
    this.classOf[id] = this.#literalClass(this.words[id] ?? '');
    this.keyOf[id] = (hash & 0xffff) + shapes;
  }

  #look(text: string, start: number, end: number, hash: number): number {
    const inParent = this.#parent === undefined ? -1 : this.#parent.#look(text, start, end, hash);
    if (inParent >= 0) return inParent;
    const length = end - start;
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const local = this.#slots[slot] ?? 0;
      if (local === 0) return -1;
      const word = this.words[local] ?? '';
      if (word.length === length && text.startsWith(word, start)) {
        return this.#parent === undefined ? local : this.#parent.size + local - 1;
      }
    }
  }

  #add(word: string, kind: number, hash: number): number {
    const local = this.words.length;
    // A copy of its own, or each word would keep the whole file it was cut from.
    this.words.push(Buffer.from(word, 'utf16le').toString('utf16le'));
    if (local >= this.kindOf.length) this.#grow();
    this.kindOf[local] = kind;
    const isLiteral = kind === kinds.keyword || kind === kinds.mark;
    this.classOf[local] = isLiteral ? this.#literalClass(word) : shapeOf(word, kind);
    this.keyOf[local] = isLiteral ? (hash & 0xffff) + shapes : (this.classOf[local] ?? 0);
    if (this.words.length * 2 > this.#slots.length) this.#rehash();
    else this.#place(local, hash);
    return this.#parent === undefined ? local : this.#parent.size + local - 1;
  }

  #literalClass(word: string): number {
    const inParent = this.#parent?.find(word) ?? -1;
    if (inParent >= 0) return this.#parent?.classOfToken(inParent) ?? 0;
    // Literal classes are bounded: odd marks of odd files share the last.
    if (this.#parent !== undefined || this.classes >= 2047) return shapes - 1;
    this.classes += 1;
    return this.classes - 1;
  }

  #place(local: number, hash: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while ((this.#slots[slot] ?? 0) !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = local;
  }

  #grow(): void {
    const kindOf = new Uint8Array(this.kindOf.length * 2);
    kindOf.set(this.kindOf);
    this.kindOf = kindOf;
    const classOf = new Uint16Array(this.classOf.length * 2);
    classOf.set(this.classOf);
    this.classOf = classOf;
    const keyOf = new Int32Array(this.keyOf.length * 2);
    keyOf.set(this.keyOf);
    this.keyOf = keyOf;
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let local = 1; local < this.words.length; local += 1) {
      const word = this.words[local] ?? '';
      this.#place(local, hashOf(word, 0, word.length));
    }
  }
}

function hashOf(text: string, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 0x01000193) ^ text.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Classes 1 to 15: the shapes of words, numbers, strings, and the rest. */
function shapeOf(word: string, kind: number): number {
  if (kind === kinds.fileStart) return 0;
  if (kind === kinds.number) return 1;
  if (kind === kinds.string)
    return word.startsWith('`') || word.startsWith('}') ? (word.endsWith('{') ? 12 : 13) : stringClass;
  if (word.length === 1) return /[A-Z]/.test(word) ? 4 : 3;
  if (/^[A-Z0-9_]+$/.test(word)) return 5;
  if (/^_?_?[a-z][a-z0-9]*$/.test(word)) return word.startsWith('_') ? 11 : 6;
  if (/^[A-Z]/.test(word)) return 7;
  if (word.includes('_')) return 8;
  return word.startsWith('#') || word.startsWith('$') || word.startsWith('_') ? 9 : 10;
}
