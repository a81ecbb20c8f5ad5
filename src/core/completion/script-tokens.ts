/**
 * Tokens of TypeScript and JavaScript, also of a piece that ends or begins anywhere. Comments, strings, regular
 * expressions and the text between elements are passed over; what stands in `${…}` and in an element's braces is code.
 */
export interface Token {
  readonly kind: 'word' | 'literal' | 'mark';
  /** Of a literal it is empty: nobody asks. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether a line ends before it. */
  readonly isFirst: boolean;
  /** Whether it stands behind a dot, where a key word is a name like any other. */
  readonly isTaken: boolean;
}

/** What is open where a piece ends: braces, and what they stand in. */
type Within = 'braces' | 'template' | 'tag' | 'content';

/** UTF-16 units between two pauses. */
const STEP = 5_000;

const WORD = /#?[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*/y;
const NUMBER = /(?:\d|\.\d)(?:[eE][+-]|[\w.])*/y;
const MARK = /=>|\?\.(?!\d)|\.\.\.|\?\?=?|&&=?|\|\|=?|[=!]==?|\*\*=?|[-+*%&|^]=|\+\+|--|<<=?|<=|[\s\S]/y;
const BEFORE_OPERAND =
  /^(?:return|typeof|instanceof|in|of|new|delete|void|throw|case|do|else|await|yield|extends|default|as|satisfies|is|keyof|export)$/;

/** Words that never begin a statement. */
export const CONTINUING_WORD = /^(?:as|satisfies|instanceof|in|of|extends|implements|is|from)$/;

/** Whether a value or a type ends with this token, so that an operator may follow. */
export function isOperand(token: Token | undefined): boolean {
  if (token === undefined) return false;
  if (token.kind === 'word') return token.isTaken || !BEFORE_OPERAND.test(token.text);
  return token.kind === 'literal' || /^(?:[)\]}]|\+\+|--)$/.test(token.text);
}

export class Tokens {
  readonly #hasElements: boolean;
  #within: Within[];
  #last: Token | undefined;
  #isFirst = true;

  constructor(hasElements: boolean, from?: Tokens) {
    this.#hasElements = hasElements;
    this.#within = from === undefined ? [] : [...from.#within];
    this.#last = from === undefined ? undefined : from.#last;
    this.#isFirst = from === undefined || from.#isFirst;
  }

  /** Another that reads on from here. */
  fork(): Tokens {
    return new Tokens(this.#hasElements, this);
  }

  /** Those of the next piece, which stands at `offset` in the whole. */
  read(text: string, offset: number): readonly Token[] {
    const found: Token[] = [];
    for (const _ of this.steps(text, offset, found));
    return found;
  }

  /** The same, added to `found`, with pauses. */
  *steps(text: string, offset: number, found: Token[]): Generator<void> {
    const add = (kind: Token['kind'], from: number, to: number, content: string): void => {
      const before = this.#last?.text;
      const isTaken = kind === 'word' && (before === '.' || before === '?.');
      this.#last = { kind, text: content, start: offset + from, end: offset + to, isFirst: this.#isFirst, isTaken };
      this.#isFirst = false;
      found.push(this.#last);
    };
    let at = 0;
    for (let next = STEP; at < text.length; ) {
      if (at > next) {
        next = at + STEP;
        yield;
      }
      const within = this.#within.at(-1);
      at =
        within === 'template' || within === 'tag' || within === 'content'
          ? this.#outside(text, at, within, add)
          : this.#code(text, at, add);
    }
  }

  #code(text: string, at: number, add: Add): number {
    const char = text.charAt(at);
    if (char === '\n') this.#isFirst = true;
    if (char === ' ' || char === '\n' || /\s/.test(char)) return at + 1;
    if (char === '/' && (text.charAt(at + 1) === '/' || text.charAt(at + 1) === '*')) return this.#comment(text, at);
    WORD.lastIndex = at;
    const word = WORD.exec(text)?.[0];
    if (word !== undefined) {
      add('word', at, at + word.length, word);
      return at + word.length;
    }
    const end = /[\d.]/.test(char) ? numberEnd(text, at) : this.#literalEnd(text, at, char);
    if (end !== undefined) {
      add('literal', at, end, '');
      return end;
    }
    if (char === '`') {
      add('literal', at, at + 1, '');
      this.#within.push('template');
      return at + 1;
    }
    if (char === '<' && this.#hasElements && this.#isElement(text, at)) {
      add('literal', at, at + 1, '');
      this.#within.push('tag');
      return at + 1;
    }
    MARK.lastIndex = at;
    const mark = MARK.exec(text)?.[0] ?? char;
    if (mark === '{') this.#within.push('braces');
    if (mark === '}') this.#within.pop();
    add('mark', at, at + mark.length, mark);
    return at + mark.length;
  }

  #comment(text: string, at: number): number {
    const isBlock = text.charAt(at + 1) === '*';
    const end = text.indexOf(isBlock ? '*/' : '\n', at + (isBlock ? 2 : 0));
    if (end < 0) return text.length;
    if (isBlock && text.slice(at, end).includes('\n')) this.#isFirst = true;
    return isBlock ? end + 2 : end;
  }

  /** Behind a string or a regular expression; undefined where neither begins here. */
  #literalEnd(text: string, from: number, quote: string): number | undefined {
    if (quote === '/' && isOperand(this.#last)) return undefined;
    if (quote !== '"' && quote !== "'" && quote !== '/') return undefined;
    let isClass = false;
    for (let at = from + 1; at < text.length; at += 1) {
      const char = text.charAt(at);
      if (char === '\\') at += 1;
      else if (char === '\n') return at;
      else if (quote === '/' && (char === '[' || char === ']')) isClass = char === '[';
      else if (char === quote && !isClass) return at + 1 + (quote === '/' ? flagsAt(text, at + 1) : 0);
    }
    return text.length;
  }

  #isElement(text: string, at: number): boolean {
    if (isOperand(this.#last)) return false;
    return /^<(?:>|[A-Za-z_$][\w$.]*(?!\s*(?:,|extends\b))[\s/>])/.test(text.slice(at, at + 100));
  }

  /** Goes on in a template, a tag or what stands between tags. */
  #outside(text: string, from: number, within: Within, add: Add): number {
    const [stop, opening] =
      within === 'template' ? [/[\\`]|\$\{/g, '${'] : within === 'tag' ? [/[>{"']/g, '{'] : [/[<{]/g, '{'];
    stop.lastIndex = from;
    const found = stop.exec(text);
    if (found === null) return text.length;
    const [at, mark] = [found.index, found[0]];
    if (mark === opening) {
      add('mark', at, at + mark.length, '${');
      this.#within.push('braces');
      return at + mark.length;
    }
    if (mark === '\\') return at + 2;
    if (mark === '"' || mark === "'") return endOr(text, text.indexOf(mark, at + 1));
    if (within === 'template') {
      this.#within.pop();
      return at + 1;
    }
    if (mark === '>') {
      this.#within.pop();
      if (text.charAt(at - 1) !== '/') this.#within.push('content');
      return at + 1;
    }
    if (text.charAt(at + 1) !== '/') {
      this.#within.push('tag');
      return at + 1;
    }
    this.#within.pop();
    return endOr(text, text.indexOf('>', at));
  }
}

type Add = (kind: Token['kind'], from: number, to: number, content: string) => void;

function numberEnd(text: string, at: number): number | undefined {
  NUMBER.lastIndex = at;
  const number = NUMBER.exec(text)?.[0];
  return number === undefined ? undefined : at + number.length;
}

const endOr = (text: string, end: number): number => (end < 0 ? text.length : end + 1);

const flagsAt = (text: string, at: number): number => /^[a-z]*/.exec(text.slice(at, at + 8))?.[0].length ?? 0;
