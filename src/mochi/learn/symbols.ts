/**
 * Finds declarations in a lexed file: functions, classes, types, methods, with their lines, tokens and doc comments. It
 * reads tokens, not syntax trees, so it is quick, knows every language a little, and misses what is written oddly.
 */
import { redactSource } from '#core/scan/source-secrets.ts';
import { columnOf, type Declaration, declarationAt } from './declarations.ts';
import type { Language } from './languages.ts';
import { gaps, startsLine, type TokenBuffer } from './lexer.ts';
import { kinds, type Vocabulary } from './vocabulary.ts';

export type SymbolKind = 'function' | 'method' | 'class' | 'type' | 'constant';

export interface CodeSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** Counted from 1, the comment left out. */
  readonly line: number;
  readonly endLine: number;
  /** First token and the one after the last, within the file. */
  readonly from: number;
  readonly to: number;
  /** The doc comment in one line without markup, at most 400 characters: whole sentences, or words and an ellipsis; empty where there is none. */
  readonly doc: string;
  readonly isExported: boolean;
}

const furthest = 3000;
const longestDoc = 400;

/** Lines are found by bisecting the offsets of line starts. */
export class LineTable {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The line of an offset, counted from 1. */
  lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  startOf(line: number): number {
    return this.#starts[line - 1] ?? 0;
  }
}

export interface LexedFile {
  readonly text: string;
  readonly language: Language;
  readonly tokens: TokenBuffer;
  readonly vocabulary: Vocabulary;
  readonly lines: LineTable;
}

/** The declarations of a file, in order; nested ones too. */
export function symbolsOf(file: LexedFile): readonly CodeSymbol[] {
  const symbols: CodeSymbol[] = [];
  for (let at = 0; at < file.tokens.length; at += 1) {
    const found = declarationAt(file, at);
    if (found !== undefined) symbols.push(close(file, found));
  }
  return symbols;
}

function close(file: LexedFile, { first, name, kind, suffix }: Declaration): CodeSymbol {
  const { tokens, vocabulary, lines, language } = file;
  const to =
    language.id === 'python' || language.id === 'ruby' ? endByColumn(file, first, name) : endByBrackets(file, name);
  const start = tokens.starts[first] ?? 0;
  const line = lines.lineOf(start);
  const head = file.text.slice(start, tokens.starts[name] ?? start);
  return {
    name: vocabulary.textOf(tokens.ids[name] ?? 0) + suffix,
    kind,
    line,
    endLine: lines.lineOf(Math.max(start, (tokens.ends[to - 1] ?? start) - 1)),
    from: first,
    to,
    doc: redactSource(docBefore(file, line) || docInside(file, name)),
    isExported:
      /\b(export|pub|public)\b/.test(head) ||
      (language.id === 'go' && /^[A-Z]/.test(vocabulary.textOf(tokens.ids[name] ?? 0))),
  };
}

/** What a line begins with that goes on with the declaration above, and what a line ends with that is not done. */
const goesOn = /^([{>|&=.?:)\]]|=>|&&|\|\||where|extends|implements|throws|permits)$/;
const isNotDone = /^([=|&,:<(]|=>)$/;

/** Whether a line at the same depth begins something new. */
const endsBefore = (at: number, gap: number, textAt: (place: number) => string): boolean =>
  (gap & 7) !== gaps.deeper && !goesOn.test(textAt(at)) && !isNotDone.test(textAt(at - 1));

function endByBrackets({ tokens, vocabulary }: LexedFile, name: number): number {
  const textAt = (place: number): string => vocabulary.textOf(tokens.ids[place] ?? 0);
  let depth = 0;
  let hadBody = false;
  const last = Math.min(tokens.length, name + furthest);
  for (let at = name + 1; at < last; at += 1) {
    const id = tokens.ids[at] ?? 0;
    const gap = tokens.gaps[at] ?? 0;
    if (depth === 0 && startsLine(gap) && (hadBody || endsBefore(at, gap, textAt))) return at;
    if (vocabulary.kind(id) !== kinds.mark) continue;
    const text = vocabulary.textOf(id);
    if (text === '(' || text === '[' || text === '{') depth += 1;
    else if (text === ')' || text === ']' || text === '}') {
      depth -= 1;
      if (depth < 0) return at;
      if (text === '}' && depth === 0) hadBody = true;
    } else if (text === ';' && depth === 0) return at + 1;
  }
  return last;
}

function endByColumn(file: LexedFile, first: number, name: number): number {
  const { tokens, vocabulary } = file;
  const column = columnOf(file, first);
  let depth = 0;
  const last = Math.min(tokens.length, name + furthest);
  for (let at = name + 1; at < last; at += 1) {
    const text = vocabulary.textOf(tokens.ids[at] ?? 0);
    if (depth === 0 && startsLine(tokens.gaps[at] ?? 0) && columnOf(file, at) <= column)
      return text === 'end' ? at + 1 : at;
    if (text === '(' || text === '[' || text === '{') depth += 1;
    else if (text === ')' || text === ']' || text === '}') depth -= 1;
  }
  return last;
}

function docBefore({ text, lines }: LexedFile, line: number): string {
  const end = lines.startOf(line);
  let at = end;
  // Decorators and attributes stand between the comment and what it describes.
  for (let tries = 0; tries < 6; tries += 1) {
    const before = text.lastIndexOf('\n', at - 2) + 1;
    if (before >= at || !/^\s*(@\w|#\[|\[\w)/.test(text.slice(before, at))) break;
    at = before;
  }
  const head = text.slice(Math.max(0, at - 2500), at).trimEnd();
  if (at - Math.max(0, at - 2500) - head.length > 120) return '';
  if (head.endsWith('*/')) {
    const open = head.lastIndexOf('/*');
    return open < 0 ? '' : plain(head.slice(open + 2, -2));
  }
  const found: string[] = [];
  for (const each of head.split('\n').reverse()) {
    const comment = /^\s*(?:\/\/[/!]?|#(?!!|\[|include|define|if|end))\s?(.*)$/.exec(each);
    if (comment === null) break;
    found.unshift(comment[1] ?? '');
  }
  return plain(found.join('\n'));
}

/** Python's docstring: the first string of the body. */
function docInside({ tokens, vocabulary, language, text }: LexedFile, name: number): string {
  if (language.id !== 'python') return '';
  for (let at = name + 1; at < Math.min(tokens.length, name + 120); at += 1) {
    if (!startsLine(tokens.gaps[at] ?? 0)) continue;
    if (vocabulary.kind(tokens.ids[at] ?? 0) === kinds.string) {
      return plain(text.slice(tokens.starts[at] ?? 0, tokens.ends[at] ?? 0).replace(/^["']+|["']+$/g, ''));
    }
    if ((tokens.gaps[at] ?? 0) % 8 === 3 && vocabulary.textOf(tokens.ids[at - 1] ?? 0) === ':') return '';
  }
  return '';
}

function plain(comment: string): string {
  const told = comment.split(/\n\s*\*?\s*@(?:param|returns?|throws|example|template|see|deprecated)\b/, 1)[0] ?? '';
  const [prose = ''] = told.replace(/^[\s*]+/gm, ' ').split(/ #+ +examples?\b/i, 1);
  return shortened(withoutMarkup(prose).replace(/\s+/g, ' ').trim());
}

/** Tags of HTML, links of doc comments and pictures are no words; type parameters stay. */
function withoutMarkup(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, ' ')
    .replace(
      /\{@(?:link|linkcode|linkplain|code|literal)\s+([^{}|\s]+)(?:(?:\s*\||\s)\s*([^{}]+))?\}/g,
      (_, to, words) => words ?? to,
    )
    .replace(/<\/?(?:a|b|br|code|div|em|i|img|li|ol|p|pre|span|strong|sub|sup|tt|ul)(?:\s[^<>]*)?\/?>/gi, ' ');
}

/** To the end of a sentence where there is one, else to the end of a word and an ellipsis. */
function shortened(text: string): string {
  if (text.length <= longestDoc) return text;
  const head = text.slice(0, longestDoc);
  const sentence = /^[\s\S]{20,}[.!?](?=\s)/.exec(head)?.[0];
  if (sentence !== undefined) return sentence;
  return `${head.slice(0, -1).replace(/\s+\S*$/, '')}…`;
}
