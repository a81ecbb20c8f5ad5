/**
 * Cuts source text of any language into code tokens by the table of languages: words, numbers, strings, marks. Comments
 * are dropped, long strings and secrets are emptied, and the space before each token is kept in one byte. It never
 * fails: what it does not understand becomes a mark. Longer than most files: it is one machine with one position.
 */
import { isSecretLiteral, isSecretWord } from '#core/scan/source-secrets.ts';
import type { Language } from './languages.ts';
import { kinds, type Vocabulary } from './vocabulary.ts';

/** What stands before a token: nothing, space, or a line end followed by less, the same or more indentation. */
export const gaps = { none: 0, space: 1, line: 2, deeper: 3, shallower: 4, muchShallower: 5, blankLine: 8 } as const;

/** Whether a gap byte means that the token is the first of its line. */
export const startsLine = (gap: number): boolean => (gap & 7) >= gaps.line;

/** Longer string literals keep their quotes only, as secrets do: they never enter the vocabulary. */
const longestString = 32;
/** Words as long as this may be access tokens; they become a single underscore. */
const shortestToken = 20;

/** Growing arrays of tokens; `starts` and `ends` are offsets into the text last lexed. */
export class TokenBuffer {
  ids: Int32Array;
  gaps: Uint8Array;
  starts: Int32Array;
  ends: Int32Array;
  length = 0;
  readonly #withPlaces: boolean;

  constructor(capacity = 4096, withPlaces = true) {
    this.ids = new Int32Array(capacity);
    this.gaps = new Uint8Array(capacity);
    this.#withPlaces = withPlaces;
    this.starts = new Int32Array(withPlaces ? capacity : 0);
    this.ends = new Int32Array(withPlaces ? capacity : 0);
  }

  push(id: number, gap: number, start: number, end: number): void {
    if (this.length === this.ids.length) this.#grow();
    this.ids[this.length] = id;
    this.gaps[this.length] = gap;
    if (this.#withPlaces) {
      this.starts[this.length] = start;
      this.ends[this.length] = end;
    }
    this.length += 1;
  }

  /** Appends the ids and gaps of another buffer. */
  append(other: TokenBuffer): void {
    while (this.length + other.length > this.ids.length) this.#grow();
    this.ids.set(other.ids.subarray(0, other.length), this.length);
    this.gaps.set(other.gaps.subarray(0, other.length), this.length);
    this.length += other.length;
  }

  #grow(): void {
    const capacity = Math.ceil(this.ids.length * 1.5) + 16;
    const ids = new Int32Array(capacity);
    ids.set(this.ids);
    this.ids = ids;
    const bytes = new Uint8Array(capacity);
    bytes.set(this.gaps);
    this.gaps = bytes;
    if (!this.#withPlaces) return;
    const starts = new Int32Array(capacity);
    starts.set(this.starts);
    this.starts = starts;
    const ends = new Int32Array(capacity);
    ends.set(this.ends);
    this.ends = ends;
  }
}

const other = 0;
const space = 1;
const newline = 2;
const wordStart = 3;
const digit = 4;
const classOfChar = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) {
  const char = String.fromCharCode(code);
  if (/[A-Za-z_$]/.test(char)) classOfChar[code] = wordStart;
  else if (/[0-9]/.test(char)) classOfChar[code] = digit;
  else if (char === '\n' || char === '\r') classOfChar[code] = newline;
  else if (code <= 32) classOfChar[code] = space;
}
/** Behind the end of the text there is no code, which is `other`: whatever reads on must stop there. */
const classAt = (code: number): number =>
  code >= 128 ? (code === 0xa0 ? space : wordStart) : (classOfChar[code] ?? other);
const isWordPart = (code: number): boolean => {
  const found = classAt(code);
  return found === wordStart || found === digit;
};

/** Marks of more than one character, longest first. Closing angle brackets stay single, as type arguments need. */
const longMarks = new Map<string, readonly string[]>();
for (const mark of '... === !== **= <<= &&= ||= ??= => == != <= >= && || ?? ?. ++ -- += -= *= /= %= &= |= ^= ** << -> :: := <- ..'.split(
  ' ',
)) {
  const first = mark.charAt(0);
  longMarks.set(first, [...(longMarks.get(first) ?? []), mark]);
}

/** Appends the tokens of `text` to `into`. A string left open ends with its line; a comment left open, with the text. */
export function lex(text: string, language: Language, vocabulary: Vocabulary, into: TokenBuffer): void {
  new Lexer(text, language, vocabulary, into).run();
}

class Lexer {
  readonly #text: string;
  readonly #language: Language;
  readonly #vocabulary: Vocabulary;
  readonly #into: TokenBuffer;
  readonly #commentStarts: ReadonlySet<number>;
  #at = 0;
  #lineStart = 0;
  #lines = 1;
  #indents: number[] = [0];
  #lastKind: number = kinds.fileStart;
  #lastEnd = 0;
  /** How many braces are open in each template literal being read. */
  #templates: number[] = [];

  constructor(text: string, language: Language, vocabulary: Vocabulary, into: TokenBuffer) {
    this.#text = text;
    this.#language = language;
    this.#vocabulary = vocabulary;
    this.#into = into;
    const openers = [...language.lineComments, ...language.blockComments.map(([open]) => open)];
    this.#commentStarts = new Set(openers.map((opener) => opener.charCodeAt(0)));
  }

  run(): void {
    const text = this.#text;
    while (this.#at < text.length) {
      const code = text.charCodeAt(this.#at);
      const found = classAt(code);
      if (found === space) this.#at += 1;
      else if (found === newline) this.#newline(code);
      else if (found === wordStart) this.#word();
      else if (found === digit) this.#number();
      else if (!this.#commentStarts.has(code) || !this.#comment()) this.#other(code);
    }
  }

  #newline(code: number): void {
    if (code === 13 && this.#text.charCodeAt(this.#at + 1) === 10) this.#at += 1;
    if (this.#commentStarts.has(10) && this.#comment()) return;
    this.#at += 1;
    this.#lines += 1;
    this.#lineStart = this.#at;
  }

  #word(): void {
    const start = this.#at;
    if (this.#language.lifetimes === true && this.#rawString()) return;
    let at = start + 1;
    while (at < this.#text.length && isWordPart(this.#text.charCodeAt(at))) at += 1;
    this.#at = at;
    const kind = this.#wordKind(start, at);
    if (at - start >= shortestToken && isSecretWord(this.#text.slice(start, at))) {
      this.#emit(this.#vocabulary.intern('_', 0, 1, kind), kind, start, at);
      return;
    }
    this.#emit(this.#vocabulary.intern(this.#text, start, at, kind), kind, start, at);
  }

  /** Rust's `r"…"` and `r#"…"#`, in which quotes may stand alone. */
  #rawString(): boolean {
    const start = this.#at;
    const opener = /^b?r(#*)"/.exec(this.#text.slice(start, start + 8));
    if (opener === null) return false;
    const end = this.#text.indexOf(`"${opener[1] ?? ''}`, start + opener[0].length);
    const last = end < 0 ? this.#text.length : end + 1 + (opener[1]?.length ?? 0);
    this.#emitString(start, last, 'r""');
    this.#skipTo(last);
    return true;
  }

  #wordKind(start: number, end: number): number {
    if (end - start > 12) return kinds.word;
    return this.#language.keywords.has(this.#text.slice(start, end)) ? kinds.keyword : kinds.word;
  }

  #number(): void {
    const start = this.#at;
    let at = start + 1;
    for (; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (isWordPart(code)) continue;
      if (code === 46 && classAt(this.#text.charCodeAt(at + 1)) === digit) continue;
      break;
    }
    this.#at = at;
    this.#token(kinds.number, start, at);
  }

  /** Skips a comment that begins here; false where none does. */
  #comment(): boolean {
    for (const opener of this.#language.lineComments) {
      if (!this.#text.startsWith(opener, this.#at)) continue;
      const end = this.#text.indexOf('\n', this.#at);
      this.#at = end < 0 ? this.#text.length : end;
      return true;
    }
    for (const [open, close] of this.#language.blockComments) {
      if (!this.#text.startsWith(open, this.#at)) continue;
      const end = this.#text.indexOf(close, this.#at + open.length);
      this.#skipTo(end < 0 ? this.#text.length : end + close.length);
      return true;
    }
    return false;
  }

  #skipTo(end: number): void {
    for (let at = this.#text.indexOf('\n', this.#at); at >= 0 && at < end; at = this.#text.indexOf('\n', at + 1)) {
      this.#lineStart = at + 1;
      this.#lines += 1;
    }
    this.#at = end;
  }

  #other(code: number): void {
    const char = this.#text.charAt(this.#at);
    if (this.#language.quotes.includes(char) && this.#string(char)) return;
    if (char === '`' && this.#language.backquote !== undefined) {
      this.#backquoted(this.#at, this.#language.backquote === 'template');
    } else if (char === '/' && this.#language.regex === true && this.#regex()) {
      return;
    } else if (char === '#' && this.#language.hashWords === true && isWordPart(this.#text.charCodeAt(this.#at + 1))) {
      this.#word();
    } else {
      this.#mark(code);
    }
  }

  #mark(code: number): void {
    const open = this.#templates.length - 1;
    if (open >= 0 && code === 125 && this.#templates[open] === 0) {
      this.#templates.pop();
      this.#backquoted(this.#at, true);
      return;
    }
    if (open >= 0 && code === 123) this.#templates[open] = (this.#templates[open] ?? 0) + 1;
    if (open >= 0 && code === 125) this.#templates[open] = (this.#templates[open] ?? 0) - 1;
    const start = this.#at;
    const long = longMarks.get(this.#text.charAt(start))?.find((mark) => this.#text.startsWith(mark, start));
    this.#at = start + (long?.length ?? 1);
    this.#token(kinds.mark, start, this.#at);
  }

  #string(quote: string): boolean {
    const start = this.#at;
    if (this.#language.tripleQuotes === true && this.#text.startsWith(quote.repeat(3), start)) {
      const close = this.#text.indexOf(quote.repeat(3), start + 3);
      const end = close < 0 ? this.#text.length : close + 3;
      this.#emitString(start, end, quote.repeat(6));
      this.#skipTo(end);
      return true;
    }
    if (
      this.#language.lifetimes === true &&
      quote === "'" &&
      !/^'(\\.[^']*|[^'\\])'/.test(this.#text.slice(start, start + 14))
    ) {
      return false;
    }
    for (let at = start + 1; at < this.#text.length; at += 1) {
      const char = this.#text.charCodeAt(at);
      if (char === 92) at += 1;
      else if (char === 10) return false;
      else if (char === quote.charCodeAt(0)) {
        this.#emitString(start, at + 1, quote + quote);
        this.#at = at + 1;
        return true;
      }
    }
    return false;
  }

  /** A template literal, or a piece of one from a closing brace on, up to its end or the next `${`. */
  #backquoted(start: number, isTemplate: boolean): void {
    const opener = this.#text.charAt(start);
    let at = start + 1;
    for (; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (isTemplate && code === 92) at += 1;
      else if (code === 96) break;
      else if (isTemplate && code === 36 && this.#text.charCodeAt(at + 1) === 123) {
        this.#templates.push(0);
        this.#emitString(start, at + 2, `${opener}\${`);
        this.#skipTo(at + 2);
        return;
      }
    }
    const end = Math.min(at + 1, this.#text.length);
    this.#emitString(start, end, `${opener}\``);
    this.#skipTo(end);
  }

  #regex(): boolean {
    const last = this.#text.charCodeAt(this.#lastEnd - 1);
    const afterValue =
      this.#lastKind === kinds.word || this.#lastKind === kinds.number || this.#lastKind === kinds.string;
    if (afterValue || last === 41 || last === 93 || last === 125) return false;
    let isClass = false;
    for (let at = this.#at + 1; at < this.#text.length; at += 1) {
      const code = this.#text.charCodeAt(at);
      if (code === 10) return false;
      if (code === 92) at += 1;
      else if (code === 91) isClass = true;
      else if (code === 93) isClass = false;
      else if (code === 47 && !isClass) {
        let end = at + 1;
        while (isWordPart(this.#text.charCodeAt(end))) end += 1;
        this.#emitString(this.#at, end, '//');
        this.#at = end;
        return true;
      }
    }
    return false;
  }

  #emitString(start: number, end: number, emptied: string): void {
    if (
      end - start <= longestString &&
      !this.#text.slice(start, end).includes('\n') &&
      !isSecretLiteral(this.#text, start, end)
    ) {
      this.#token(kinds.string, start, end);
    } else {
      this.#emit(this.#vocabulary.intern(emptied, 0, emptied.length, kinds.string), kinds.string, start, end);
    }
  }

  #token(kind: number, start: number, end: number): void {
    this.#emit(this.#vocabulary.intern(this.#text, start, end, kind), kind, start, end);
  }

  #emit(id: number, kind: number, start: number, end: number): void {
    this.#into.push(id, this.#gapBefore(start), start, end);
    this.#lastKind = kind;
    this.#lastEnd = end;
    this.#lines = 0;
  }

  #gapBefore(start: number): number {
    if (this.#lines === 0) return start > this.#lastEnd ? gaps.space : gaps.none;
    const blank = this.#lines > 1 ? gaps.blankLine : 0;
    const column = start - this.#lineStart;
    const top = this.#indents.length - 1;
    const current = this.#indents[top] ?? 0;
    if (column === current) return gaps.line | blank;
    if (column > current) {
      this.#indents.push(column);
      return gaps.deeper | blank;
    }
    let levels = 0;
    while ((this.#indents.at(-1) ?? 0) > column && this.#indents.length > 1) {
      this.#indents.pop();
      levels += 1;
    }
    return (levels === 1 ? gaps.shallower : gaps.muchShallower) | blank;
  }
}
