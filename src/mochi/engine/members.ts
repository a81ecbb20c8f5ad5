/**
 * Members of the type that a name was declared with, as far as the declarations can be read from tokens: behind
 * `name.`, and as keys of a literal whose type is written before it. It knows the common forms of languages that write
 * `name: Type`, with bodies in braces or indented, and follows no inheritance.
 */
import { gaps as gapKinds, startsLine } from '../learn/lexer.ts';
import { kinds, type Vocabulary } from '../learn/vocabulary.ts';
import { type ContextIndex, deepest, type Sequence } from './context-index.ts';
import type { OpenFile } from './open-file.ts';

const mostDeclarations = 16;
const longestHead = 40;
const longestBody = 400;
const mostMembers = 48;
const longestChain = 3;

const declaring = ['interface', 'class', 'type', 'struct', 'record', 'enum'] as const;
const isModifier = (text: string): boolean =>
  /^(readonly|public|private|protected|static|abstract|async|get|set|declare|override|final|mut|pub|const|[{};,)])$/.test(
    text,
  );

/** Makers and what the language itself calls are declared like members, and not written behind a dot. */
const isCalledByName = (name: string): boolean => name !== 'constructor' && !/^__\w+__$/.test(name);

/** Tokens with what stood before each: of the file, or of an index. */
interface Text {
  readonly tokens: Sequence;
  readonly gaps: Uint8Array;
  readonly length: number;
}

export class Members {
  readonly #intervals = new Int32Array(2 * deepest + 4);
  readonly #pair = new Int32Array(2);
  #vocabulary: Vocabulary | undefined;
  #marks: Record<string, number> = {};
  #declaring: readonly number[] = [];

  /**
   * Calls `offer` with each member that may stand after the last token of `file`, twice the token and one more where it
   * begins a line. Returns how many there are.
   */
  find(file: OpenFile, indexes: readonly (ContextIndex | undefined)[], offer: (symbol: number) => void): number {
    const { vocabulary, ids, length: n } = file;
    if (this.#vocabulary !== vocabulary) {
      this.#vocabulary = vocabulary;
      this.#marks = Object.fromEntries(
        [
          '.',
          '?.',
          ':',
          '?',
          '!',
          '=',
          'new',
          '{',
          '}',
          '(',
          ')',
          '[',
          ']',
          ',',
          'this',
          '>',
          '<',
          'def',
          'async',
          'class',
          'self',
        ].map((text) => [text, vocabulary.find(text)]),
      );
      this.#declaring = declaring.map((text) => vocabulary.find(text)).filter((token) => token >= 0);
    }
    const marks = this.#marks;
    const last = ids[n - 1] ?? 0;
    const own: Text = { tokens: ids, gaps: file.gaps, length: n };
    if (last === marks['.'] || last === marks['?.']) {
      const chain: number[] = [];
      let at = n - 2;
      for (; at > 0 && chain.length < longestChain && file.kinds[at] === kinds.word; at -= 2) {
        chain.unshift(ids[at] ?? 0);
        const before = ids[at - 1] ?? 0;
        if (before !== marks['.'] && before !== marks['?.']) break;
      }
      const [root, ...path] = chain;
      if (root === undefined) return 0;
      let found = this.#declared(file, own, root);
      for (const name of path) {
        if (found === undefined) return 0;
        const body = this.#bodyOf(file, found, indexes);
        if (body === undefined) return 0;
        found = this.#member(body, name);
      }
      const body = found === undefined ? undefined : this.#bodyOf(file, found, indexes);
      return body === undefined ? 0 : this.#members(body, offer);
    }
    if (last !== marks['{'] && last !== marks[',']) return 0;
    const opener = file.bracketAt;
    if (
      opener < 4 ||
      ids[opener] !== marks['{'] ||
      ids[opener - 1] !== marks['='] ||
      file.kinds[opener - 2] !== kinds.word
    )
      return 0;
    if (ids[opener - 3] !== marks[':'] && ids[opener - 3] !== marks['.']) return 0;
    const body = this.#bodyOf(file, { text: own, at: opener - 2 }, indexes);
    if (body === undefined) return 0;
    return this.#members(body, (symbol) => {
      offer(symbol);
      offer(symbol + 1);
    });
  }

  /** Where the type of a name begins that the file declares. */
  #declared(file: OpenFile, text: Text, name: number): Place | undefined {
    let at = file.last.get(name) ?? -1;
    for (let tried = 0; at >= 0 && tried < mostDeclarations; tried += 1, at = file.previous[at] ?? -1) {
      const found = this.#typeAt(text, at);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Where the type begins that is written behind a name, or what is made by `new`. */
  #typeAt(text: Text, at: number): Place | undefined {
    const { tokens } = text;
    const marks = this.#marks;
    let next = at + 1;
    if (tokens[next] === marks['?'] || tokens[next] === marks['!']) next += 1;
    if (next + 1 >= text.length) return undefined;
    if (tokens[next] === marks[':'] && (tokens[at - 1] ?? 0) !== marks['?']) return { text, at: next + 1 };
    if (tokens[next] === marks['='] && tokens[next + 1] === marks['new']) return { text, at: next + 2 };
    return undefined;
  }

  /** Where the members of the type that begins at a place are written: after the `{`. */
  #bodyOf(file: OpenFile, { text, at }: Place, indexes: readonly (ContextIndex | undefined)[]): Place | undefined {
    const marks = this.#marks;
    if (text.tokens[at] === marks['{']) return { text, at: at + 1 };
    let name = at;
    while (name + 2 < text.length && text.tokens[name + 1] === marks['.']) name += 2;
    const type = text.tokens[name] ?? 0;
    if (file.vocabulary.kind(type) !== kinds.word) return undefined;
    let place = file.last.get(type) ?? -1;
    const own: Text = { tokens: file.ids, gaps: file.gaps, length: file.length };
    for (let tried = 0; place > 0 && tried < mostDeclarations; tried += 1, place = file.previous[place] ?? -1) {
      if (!this.#declaring.includes(file.ids[place - 1] ?? -1)) continue;
      const body = this.#open(own, place + 1);
      if (body !== undefined) return body;
    }
    for (const index of indexes) {
      if (index === undefined) continue;
      for (const keyword of this.#declaring) {
        this.#pair[0] = keyword;
        this.#pair[1] = type;
        if (index.intervals(this.#pair, 2, 2, this.#intervals) < 2) continue;
        const [low = 0, high = 0] = [this.#intervals[2], this.#intervals[3]];
        for (let it = low; it < Math.min(high, low + 4); it += 1) {
          const from = index.order[it] ?? 0;
          if (index.isLeftOut(from)) continue;
          const body = this.#open({ tokens: index.tokens, gaps: index.gaps, length: index.tokens.length }, from);
          if (body !== undefined) return body;
        }
      }
    }
    return undefined;
  }

  /** After the first `{` of a declaration whose name ends before `from`, or where its indented lines begin. */
  #open(text: Text, from: number): Place | undefined {
    for (let at = from; at < Math.min(text.length, from + longestHead); at += 1) {
      const token = text.tokens[at] ?? 0;
      if (token === 0 || this.#declaring.includes(token)) return undefined;
      if (token === this.#marks['{']) return { text, at: at + 1 };
      const isHead = token === this.#marks[':'] && (text.gaps[at + 1] ?? 0) % 8 === gapKinds.deeper;
      if (isHead && at + 1 < text.length) return { text, at: at + 1, isIndented: true };
    }
    return undefined;
  }

  /** Calls `seen` with the position of each member's name; stops where it returns true. */
  #walk(place: Place, seen: (at: number) => boolean): void {
    if (place.isIndented === true) this.#walkLines(place, seen);
    else this.#walkBraces(place, seen);
  }

  #walkBraces({ text, at: from }: Place, seen: (at: number) => boolean): void {
    const vocabulary = this.#vocabulary;
    if (vocabulary === undefined) return;
    const { tokens, gaps } = text;
    const marks = this.#marks;
    let depth = 0;
    for (let at = from; at < Math.min(text.length, from + longestBody); at += 1) {
      const token = tokens[at] ?? 0;
      if (token === 0) return;
      if (token === marks['{'] || token === marks['('] || token === marks['[']) depth += 1;
      else if (token === marks['}'] || token === marks[')'] || token === marks[']']) {
        if (depth === 0) return;
        depth -= 1;
      } else if (depth === 0 && vocabulary.kind(token) === kinds.word) {
        const isFirst = startsLine(gaps[at] ?? 0) || isModifier(vocabulary.textOf(tokens[at - 1] ?? 0));
        const next = tokens[at + 1] ?? 0;
        const isNamed =
          next === marks[':'] ||
          next === marks['?'] ||
          next === marks['('] ||
          next === marks['='] ||
          next === marks['<'] ||
          next === marks['!'];
        if (isFirst && isNamed && seen(at)) return;
      }
    }
  }

  /** The same for a body that is told by its indentation: what its lines declare, and what its functions set on `self`. */
  #walkLines({ text, at: from }: Place, seen: (at: number) => boolean): void {
    const { tokens, gaps } = text;
    const marks = this.#marks;
    let level = 1;
    for (let at = from; at < Math.min(text.length, from + longestBody); at += 1) {
      const token = tokens[at] ?? 0;
      if (token === 0) return;
      const gap = (gaps[at] ?? 0) % 8;
      if (at > from && gap === gapKinds.deeper) level += 1;
      // How much shallower is not known: out of more than one block it is taken for the next member.
      else if (at > from && gap === gapKinds.shallower) level -= 1;
      else if (at > from && gap === gapKinds.muchShallower) level = level > 2 && token !== marks['class'] ? 1 : 0;
      if (level === 0) return;
      if (at > from && !startsLine(gap)) continue;
      const name = this.#declaredAt(tokens, at, level);
      if (name >= 0 && seen(name)) return;
    }
  }

  /** Where the name stands that a line declares which begins at a place; -1 where it declares no member. */
  #declaredAt(tokens: Sequence, at: number, level: number): number {
    const marks = this.#marks;
    const isSet = (it: number): boolean => tokens[it] === marks[':'] || tokens[it] === marks['='];
    const token = tokens[at] ?? 0;
    if (level > 1) return token === marks['self'] && tokens[at + 1] === marks['.'] && isSet(at + 3) ? at + 2 : -1;
    if (token === marks['def']) return at + 1;
    if (token === marks['async'] && tokens[at + 1] === marks['def']) return at + 2;
    return this.#vocabulary?.kind(token) === kinds.word && isSet(at + 1) ? at : -1;
  }

  #members(body: Place, offer: (symbol: number) => void): number {
    let count = 0;
    this.#walk(body, (at) => {
      const token = body.text.tokens[at] ?? 0;
      if (isCalledByName(this.#vocabulary?.textOf(token) ?? '')) {
        offer(token * 2);
        count += 1;
      }
      return count >= mostMembers;
    });
    return count;
  }

  #member(body: Place, name: number): Place | undefined {
    let found: Place | undefined;
    this.#walk(body, (at) => {
      if (body.text.tokens[at] !== name) return false;
      found = this.#typeAt(body.text, at);
      return true;
    });
    return found;
  }
}

interface Place {
  readonly text: Text;
  readonly at: number;
  /** Whether the body that begins here is told by its indentation. */
  readonly isIndented?: boolean;
}
