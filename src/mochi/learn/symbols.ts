/**
 * Finds declarations in a lexed file: functions, classes, types, methods, with their lines, tokens and doc comments. It
 * reads tokens, not syntax trees, so it is quick, knows every language a little, and misses what is written oddly.
 */
import type { Language } from './languages.ts';
import { startsLine, type TokenBuffer } from './lexer.ts';
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
  /** The doc comment in one line, cut at 400 characters; empty where there is none. */
  readonly doc: string;
  readonly isExported: boolean;
}

const declarers = new Map<string, SymbolKind>([
  ['function', 'function'],
  ['def', 'function'],
  ['func', 'function'],
  ['fn', 'function'],
  ['class', 'class'],
  ['struct', 'class'],
  ['record', 'class'],
  ['interface', 'type'],
  ['trait', 'type'],
  ['enum', 'type'],
  ['type', 'type'],
  ['namespace', 'class'],
  ['module', 'class'],
  ['const', 'constant'],
]);
const notMethods = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'function',
  'super',
  'with',
  'foreach',
  'using',
  'lock',
  'match',
]);
/** What never stands between a method's parameters and its body. */
const notInHead = new Set([
  ';',
  '=>',
  '=',
  ',',
  '.',
  '}',
  '&&',
  '||',
  '??',
  '?',
  '+',
  '-',
  '===',
  '!==',
  '==',
  '!=',
  '/',
]);
const furthest = 3000;

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
  const { tokens, vocabulary } = file;
  const symbols: CodeSymbol[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const kind = vocabulary.kind(tokens.ids[at] ?? 0);
    if (kind !== kinds.keyword && kind !== kinds.word) continue;
    const found = kind === kinds.keyword ? declared(file, at) : method(file, at);
    if (found !== undefined) symbols.push(found);
  }
  return symbols;
}

function declared(file: LexedFile, at: number): CodeSymbol | undefined {
  const { tokens, vocabulary, language } = file;
  const textAt = (place: number): string => (place < tokens.length ? vocabulary.textOf(tokens.ids[place] ?? 0) : '');
  const declarer = textAt(at);
  const kind = declarers.get(declarer);
  if (kind === undefined) return undefined;
  let name = at + 1;
  if (textAt(name) === '*') name += 1;
  // Go puts the receiver before the name of a method.
  if (declarer === 'func' && textAt(name) === '(') {
    while (name < tokens.length && textAt(name) !== ')') name += 1;
    name += 1;
  }
  if (vocabulary.kind(tokens.ids[name] ?? 0) !== kinds.word || name >= tokens.length) return undefined;
  const next = textAt(name + 1);
  let shown = kind;
  if (declarer === 'const') {
    const isCode = next === '=' && /^(\(|async|function|<)$/.test(textAt(name + 2));
    if (!isCode && !startsLine(tokens.gaps[at] ?? 0) && textAt(at - 1) !== 'export') return undefined;
    if (!isCode && (language.id === 'c' || language.id === 'cpp' || columnOf(file, lineStart(file, at)) > 0))
      return undefined;
    shown = isCode && textAt(name + 2) !== '<' ? 'function' : 'constant';
  }
  if (declarer === 'type' && next !== '=' && next !== '<' && language.id !== 'go') return undefined;
  return close(file, lineStart(file, at), name, shown);
}

/** `name(…) {` at the start of a line, after modifiers or a type at most. */
function method(file: LexedFile, at: number): CodeSymbol | undefined {
  const { tokens, vocabulary, language } = file;
  if (!language.blockComments.some(([open]) => open === '/*') || language.id === 'go' || language.id === 'rust')
    return undefined;
  const textAt = (place: number): string => (place < tokens.length ? vocabulary.textOf(tokens.ids[place] ?? 0) : '');
  if (textAt(at + 1) !== '(' || notMethods.has(textAt(at))) return undefined;
  const first = lineStart(file, at);
  for (let place = first; place < at; place += 1) {
    const text = textAt(place);
    if (
      !/^[\w$<>[\],*&:?]+$/.test(text) ||
      /^(return|new|throw|await|else|case|function|const|let|var|yield|=)$/.test(text)
    )
      return undefined;
  }
  let depth = 0;
  for (let place = at + 1; place < Math.min(tokens.length, at + 400); place += 1) {
    const text = textAt(place);
    if (text === '(') depth += 1;
    else if (text === ')') depth -= 1;
    else if (depth === 0 && text === '{') {
      const top = columnOf(file, first) === 0;
      return close(file, first, at, top ? 'function' : 'method');
    } else if (depth === 0 && notInHead.has(text)) return undefined;
  }
  return undefined;
}

function lineStart(file: LexedFile, at: number): number {
  let first = at;
  while (first > 0 && !startsLine(file.tokens.gaps[first] ?? 0)) first -= 1;
  return first;
}

function columnOf({ tokens, text }: LexedFile, at: number): number {
  const start = tokens.starts[at] ?? 0;
  return start === 0 ? 0 : start - 1 - text.lastIndexOf('\n', start - 1);
}

function close(file: LexedFile, first: number, name: number, kind: SymbolKind): CodeSymbol {
  const { tokens, vocabulary, lines, language } = file;
  const to =
    language.id === 'python' || language.id === 'ruby' ? endByColumn(file, first, name) : endByBrackets(file, name);
  const start = tokens.starts[first] ?? 0;
  const line = lines.lineOf(start);
  const head = file.text.slice(start, tokens.starts[name] ?? start);
  return {
    name: vocabulary.textOf(tokens.ids[name] ?? 0),
    kind,
    line,
    endLine: lines.lineOf(Math.max(start, (tokens.ends[to - 1] ?? start) - 1)),
    from: first,
    to,
    doc: docBefore(file, line) || docInside(file, name),
    isExported:
      /\b(export|pub|public)\b/.test(head) ||
      (language.id === 'go' && /^[A-Z]/.test(vocabulary.textOf(tokens.ids[name] ?? 0))),
  };
}

function endByBrackets({ tokens, vocabulary }: LexedFile, name: number): number {
  let depth = 0;
  let hadBody = false;
  const last = Math.min(tokens.length, name + furthest);
  for (let at = name + 1; at < last; at += 1) {
    const id = tokens.ids[at] ?? 0;
    const gap = tokens.gaps[at] ?? 0;
    if (depth === 0 && startsLine(gap) && (hadBody || ((gap & 7) !== 3 && vocabulary.textOf(id) !== '{'))) return at;
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
  return told
    .replace(/^[\s*]+/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 400);
}
