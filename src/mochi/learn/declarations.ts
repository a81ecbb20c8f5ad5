/**
 * Tells from the tokens of a file where something is declared, what it is called and of which kind. Measured against
 * syntax trees by `test/bench/mochi-trees.ts`; where a declaration ends is found elsewhere.
 */
import type { Language } from './languages.ts';
import { startsLine } from './lexer.ts';
import type { LexedFile, SymbolKind } from './symbols.ts';
import { kinds } from './vocabulary.ts';

/** Places are tokens of the file. */
export interface Declaration {
  /** The first of its line. */
  readonly first: number;
  readonly name: number;
  readonly kind: SymbolKind;
  /** What belongs to the name though it is a mark, as in Ruby's `empty?`. */
  readonly suffix: string;
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
  ['mod', 'class'],
  ['const', 'constant'],
]);
/** Words before parentheses and a block that declare nothing. */
const notMethods = new Set(
  'if for while switch catch return function super with typeof await import new throw yield void in else do case'.split(
    ' ',
  ),
);
/** The same in languages other than scripts, which have methods of such names. */
const notMethodsElsewhere = new Set('foreach using lock match assert default synchronized sizeof fixed'.split(' '));
/** What a line with a method's name never has before it. */
const notBefore = new Set('return new throw await else case default yield = assert delete goto echo print'.split(' '));
/** What never stands between a method's parameters and its body. */
const notInHead = new Set('; => = , . } && || ?? ? + - === !== == != / | %'.split(' '));
/** What may stand there in the type that a script's method returns. */
const inReturnType = new Set(', . | & ? =>'.split(' '));
const scripts = new Set(['typescript', 'javascript']);
/** Longest head of a method in tokens. */
const longestHead = 400;

type TextAt = (place: number) => string;

/** The declaration whose keyword, or whose name where it has none, is the token `at`. */
export function declarationAt(file: LexedFile, at: number): Declaration | undefined {
  const { tokens, vocabulary, language } = file;
  const id = tokens.ids[at] ?? 0;
  if (!isWord(vocabulary.kind(id))) return undefined;
  const textAt: TextAt = (place) => (place < tokens.length ? vocabulary.textOf(tokens.ids[place] ?? 0) : '');
  const isKeyword = vocabulary.isKeyword(id, language.keywords);
  const found = isKeyword ? declared(file, at, textAt) : undefined;
  // Scripts let methods have the names of keywords.
  return found ?? (isKeyword && !scripts.has(language.id) ? undefined : method(file, at, textAt));
}

const isWord = (kind: number): boolean => kind === kinds.word || kind === kinds.keyword;

/** A word that is no keyword in this file's language, whatever it is in others. */
const isName = ({ tokens, vocabulary, language }: LexedFile, place: number): boolean => {
  const id = tokens.ids[place] ?? 0;
  return place < tokens.length && isWord(vocabulary.kind(id)) && !vocabulary.isKeyword(id, language.keywords);
};

function declared(file: LexedFile, at: number, textAt: TextAt): Declaration | undefined {
  const { language } = file;
  const declarer = textAt(at);
  const kind = declarers.get(declarer);
  if (kind === undefined || isUse(file, at, declarer, textAt)) return undefined;
  const name = nameAfter(file, at, declarer, textAt);
  if (!isName(file, name)) return undefined;
  const next = textAt(name + 1);
  if (declarer === 'mod' && next !== '{') return undefined;
  if (declarer === 'type' && next !== '=' && next !== '<' && language.id !== 'go') return undefined;
  if (isC(language) && /^(struct|class|enum)$/.test(declarer) && !/^(\{|:|final)$/.test(next)) return undefined;
  const shown = declarer === 'const' ? constantKind(file, at, name, textAt) : kind;
  if (shown === undefined) return undefined;
  return { first: lineStart(file, at), name, kind: shown, suffix: suffixOf(file, name, textAt) };
}

const isC = ({ id }: Language): boolean => id === 'c' || id === 'cpp';

/** Whether the keyword names a type, an import or a class in passing. */
function isUse({ tokens, language }: LexedFile, at: number, declarer: string, textAt: TextAt): boolean {
  const isFirst = startsLine(tokens.gaps[at] ?? 0) || at === 0;
  switch (language.id) {
    case 'go':
      return declarer === 'func' && !isFirst;
    case 'php':
      return declarer === 'namespace' || textAt(at - 1) === 'use';
    default:
      return textAt(at - 1) === '.';
  }
}

/** Behind stars, receivers and owners. */
function nameAfter({ tokens, language }: LexedFile, at: number, declarer: string, textAt: TextAt): number {
  let name = at + 1;
  if (textAt(name) === '*') name += 1;
  if (declarer === 'enum' && isC(language) && /^(class|struct)$/.test(textAt(name))) name += 1;
  // Go puts the receiver before the name of a method.
  if (declarer === 'func' && textAt(name) === '(') {
    while (name < tokens.length && textAt(name) !== ')') name += 1;
    name += 1;
  }
  while (/^(::|\.)$/.test(textAt(name + 1)) && (language.id === 'ruby' || isC(language))) name += 2;
  return name;
}

function suffixOf({ tokens, language }: LexedFile, name: number, textAt: TextAt): string {
  if (language.id !== 'ruby' || tokens.gaps[name + 1] !== 0) return '';
  const mark = textAt(name + 1);
  return mark === '?' || mark === '!' || (mark === '=' && textAt(name + 2) === '(') ? mark : '';
}

/** A constant that holds a function is one; other constants count at the top of a file. */
function constantKind(file: LexedFile, at: number, name: number, textAt: TextAt): SymbolKind | undefined {
  const { tokens, language } = file;
  if (scripts.has(language.id) && isFunctionValue(file, name, textAt)) return 'function';
  if (isC(language) || columnOf(file, lineStart(file, at)) > 0) return undefined;
  return startsLine(tokens.gaps[at] ?? 0) || at === 0 || /^(export|pub|declare)$/.test(textAt(at - 1))
    ? 'constant'
    : undefined;
}

/** Whether what follows `name =` is a function or an arrow with its parameters. */
function isFunctionValue({ tokens }: LexedFile, name: number, textAt: TextAt): boolean {
  if (textAt(name + 1) !== '=') return false;
  let at = name + 2;
  if (textAt(at) === 'async') at += 1;
  if (textAt(at) === 'function' || textAt(at + 1) === '=>') return true;
  if (textAt(at) === '<') while (at < tokens.length && at < name + 60 && textAt(at) !== '(') at += 1;
  if (textAt(at) !== '(') return false;
  at = closing(at, tokens.length, textAt) + 1;
  if (textAt(at) !== ':') return textAt(at) === '=>';
  // A return type stands between.
  for (const last = at + 60; at < last; at += 1) {
    if (textAt(at) === '=>') return true;
    if (/^[;=)]?$/.test(textAt(at)) || textAt(at) === 'return') return false;
  }
  return false;
}

/** The bracket that closes the one at `open`. */
function closing(open: number, length: number, textAt: TextAt): number {
  let depth = 0;
  for (let at = open; at < Math.min(length, open + longestHead); at += 1) {
    const text = textAt(at);
    if (text === '(' || text === '[' || text === '{') depth += 1;
    else if (text === ')' || text === ']' || text === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return length;
}

/** `name(…) {` at the start of a line, after modifiers or a type at most; in some languages also without a body. */
function method(file: LexedFile, at: number, textAt: TextAt): Declaration | undefined {
  const { tokens, language } = file;
  if (!language.blockComments.some(([open]) => open === '/*') || /^(go|rust|php)$/.test(language.id)) return undefined;
  const isScript = scripts.has(language.id);
  const name = textAt(at);
  if (notMethods.has(name) || textAt(at - 1) === '@' || (!isScript && notMethodsElsewhere.has(name))) return undefined;
  const from = isScript && textAt(at + 1) === '?' ? at + 2 : at + 1;
  const open = textAt(from) === '<' ? afterTypes(from, textAt) : from;
  if (textAt(open) !== '(') return undefined;
  const first = lineStart(file, at);
  for (let place = first; place < at; place += 1) {
    const text = textAt(place);
    // C# hides an inherited method with a `new` among its modifiers.
    const isModifier = text === 'new' && language.id === 'csharp' && place > first && place + 1 < at;
    if (!/^[\w$<>[\],*&:?.@]+$/.test(text) || (notBefore.has(text) && !isModifier)) return undefined;
    if (isScript && /^(function|const|let|var|\?|:|\.)$/.test(text)) return undefined;
  }
  const end = endOfHead(closing(open, tokens.length, textAt) + 1, language, textAt);
  if (end === undefined || !isHead(file, first, at, end, textAt)) return undefined;
  const kind = columnOf(file, first) === 0 ? 'function' : 'method';
  return { first, name: at, kind, suffix: '' };
}

/** Behind the type parameters that open at `at`. */
function afterTypes(at: number, textAt: TextAt): number {
  let depth = 0;
  for (let place = at; place < at + 60; place += 1) {
    if (textAt(place) === '<') depth += 1;
    else if (textAt(place) === '>') depth -= 1;
    if (depth === 0) return place + 1;
  }
  return at;
}

interface HeadEnd {
  readonly mark: '{' | ';';
  readonly hasType: boolean;
}

/** What ends a head that goes on behind its parameters at `from`; undefined where it is no head. */
function endOfHead(from: number, { id }: Language, textAt: TextAt): HeadEnd | undefined {
  const hasType = scripts.has(id) && textAt(from) === ':';
  let isLoose = hasType;
  let depth = 0;
  for (let place = from; place < from + longestHead; place += 1) {
    const text = textAt(place);
    if (depth === 0 && (text === '{' || text === ';') && place > from + (hasType ? 1 : -1))
      return { mark: text, hasType };
    // An expression for a body; it ends where a declaration without one does.
    if (depth === 0 && text === '=>' && id === 'csharp') return { mark: ';', hasType };
    if (text === 'where') isLoose = true;
    if (text === '(' || text === '[' || text === '{') depth += 1;
    else if (text === ')' || text === ']' || text === '}') depth -= 1;
    else if (depth === 0 && notInHead.has(text) && !(isLoose && inReturnType.has(text))) return undefined;
    if (depth < 0 || text === '') return undefined;
  }
  return undefined;
}

/** Whether the line before the name and the end of the head make a declaration of this language. */
function isHead(file: LexedFile, first: number, at: number, { mark, hasType }: HeadEnd, textAt: TextAt): boolean {
  const { language } = file;
  const { id } = language;
  const isLone = first === at;
  if (mark === '{') return !(isLone && id === 'java' && /^[A-Z][A-Z0-9_]+$/.test(textAt(at)));
  // Without a body it must say that it is a declaration: by its type, as nothing that is called has one.
  if (columnOf(file, first) === 0) return false;
  if (id === 'typescript') return hasType;
  return (id === 'java' || id === 'csharp') && !isLone && textAt(at - 1) !== '.';
}

export function lineStart(file: LexedFile, at: number): number {
  let first = at;
  while (first > 0 && !startsLine(file.tokens.gaps[first] ?? 0)) first -= 1;
  return first;
}

export function columnOf({ tokens, text }: LexedFile, at: number): number {
  const start = tokens.starts[at] ?? 0;
  return start === 0 ? 0 : start - 1 - text.lastIndexOf('\n', start - 1);
}
