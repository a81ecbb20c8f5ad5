/**
 * What one file does, counted: for each question (which quotes? what follows a catch?) each way it was answered, how
 * often, and the first place. Questions are rows; judging them over all files is done elsewhere.
 */
import { basename } from 'node:path';
import { redactSource } from '#core/scan/source-secrets.ts';
import { gaps, startsLine } from './lexer.ts';
import type { CodeSymbol, LexedFile } from './symbols.ts';
import { kinds } from './vocabulary.ts';

/** One way a question was answered in a file. */
export interface Fact {
  readonly question: string;
  readonly way: string;
  count: number;
  readonly line: number;
  readonly code: string;
}

const scripts = new Set(['typescript', 'javascript']);

export class FactSheet {
  readonly #facts = new Map<string, Fact>();
  readonly #file: LexedFile;

  constructor(file: LexedFile) {
    this.#file = file;
  }

  /** Counts one case; `at` is the token where it stands, `most` how many lines are shown of it at most. */
  note(question: string, way: string, at: number, most = 1): void {
    const key = `${question}\n${way}`;
    const known = this.#facts.get(key);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const { tokens, lines, text } = this.#file;
    const line = lines.lineOf(tokens.starts[at] ?? 0);
    const shown = text.slice(lines.startOf(line), lines.startOf(line) + 400).split('\n', most);
    // A copy: a slice would keep the whole text of the file alive.
    const copy = Buffer.from(redactSource(blockOf(shown))).toString();
    this.#facts.set(key, { question, way, count: 1, line, code: copy });
  }

  get facts(): readonly Fact[] {
    return [...this.#facts.values()];
  }
}

/** The first line and those deeper than it, with the one that closes them. */
function blockOf(shown: readonly string[]): string {
  const indent = /^\s*/.exec(shown[0] ?? '')?.[0] ?? '';
  const after = shown.slice(1);
  const end = after.findIndex((line) => line.trim() !== '' && !/^\s/.test(line.slice(indent.length)));
  const closes = end >= 0 && /^\s*(?:\}|end\b)/.test(after[end] ?? '');
  const kept = [shown[0] ?? '', ...after.slice(0, end < 0 ? after.length : end + (closes ? 1 : 0))];
  return kept
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line.trimStart()).trimEnd().slice(0, 200))
    .join('\n')
    .trimEnd();
}

const nameStyle = (name: string): string | undefined => {
  const bare = name.replace(/^[_$#]+|_+$/g, '');
  if (bare.length < 2) return undefined;
  if (/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(bare)) return 'UPPER_CASE';
  if (/^[A-Z]/.test(bare)) return bare.includes('_') ? 'mixed' : 'PascalCase';
  if (/^[a-z0-9]+(_[a-z0-9]+)+$/.test(bare)) return 'snake_case';
  // One lower-case word fits camelCase and snake_case alike and decides nothing.
  if (/^[a-z][a-z0-9]*$/.test(bare)) return undefined;
  return bare.includes('_') ? 'mixed' : 'camelCase';
};

const fileStyle = (path: string): string | undefined => {
  const stem = basename(path).replace(/\..*$/, '');
  if (/^[a-z0-9]+(-[a-z0-9]+)+$/.test(stem)) return 'kebab-case';
  return /^[a-z][a-z0-9]*$/.test(stem) || stem === '' ? undefined : nameStyle(stem);
};

/** All facts of a file. */
export function factsOf(file: LexedFile, path: string, symbols: readonly CodeSymbol[]): readonly Fact[] {
  const sheet = new FactSheet(file);
  if (file.tokens.length === 0 || file.language.keywords.size === 0) return [];
  const named = fileStyle(path);
  if (named !== undefined) sheet.note(`${file.language.id} file names`, named, 0);
  noteSymbols(sheet, file, symbols);
  noteTokens(sheet, file, /(^|\/)(tests?|__tests__|spec)\/|[._-](test|spec)\.\w+$|(^|\/)test_/.test(path));
  noteIndentation(sheet, file);
  return sheet.facts;
}

/** The first line that goes deeper tells. */
function noteIndentation(sheet: FactSheet, { tokens, text, language }: LexedFile): void {
  for (let at = 1; at < tokens.length; at += 1) {
    if (((tokens.gaps[at] ?? 0) & 7) !== gaps.deeper) continue;
    const start = tokens.starts[at] ?? 0;
    const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
    sheet.note(`${language.id} indentation`, indent.startsWith('\t') ? 'tabs' : `${indent.length} spaces`, at);
    return;
  }
}

function noteSymbols(sheet: FactSheet, { language }: LexedFile, symbols: readonly CodeSymbol[]): void {
  for (const { name, kind, isExported, doc, from } of symbols) {
    const style = nameStyle(name);
    const what = kind === 'method' ? 'function' : kind === 'class' ? 'type' : kind;
    if (style !== undefined) sheet.note(`${language.id} ${what} names`, style, from);
    if (isExported && kind === 'function')
      sheet.note(`${language.id} exported function docs`, doc === '' ? 'none' : 'doc comment', from);
  }
}

function noteTokens(sheet: FactSheet, file: LexedFile, isTest: boolean): void {
  const { tokens, vocabulary, language } = file;
  const isScript = scripts.has(language.id);
  for (let at = 0; at < tokens.length; at += 1) {
    const id = tokens.ids[at] ?? 0;
    const kind = vocabulary.kind(id);
    const isWord = kind === kinds.word || kind === kinds.keyword;
    if (isWord && vocabulary.isKeyword(id, language.keywords)) {
      noteKeyword(sheet, file, at, vocabulary.textOf(id), isScript);
    } else if (isWord) noteWord(sheet, file, at, isTest);
    else if (kind === kinds.string && (isScript || language.id === 'python')) {
      const quote = vocabulary.textOf(id).charAt(0);
      if (quote === '"' || quote === "'") sheet.note(`${language.id} quotes`, quote === '"' ? 'double' : 'single', at);
    }
    if (isScript && at > 0 && startsLine(tokens.gaps[at] ?? 0)) noteLineEnd(sheet, file, at);
  }
}

function noteLineEnd(sheet: FactSheet, { tokens, vocabulary, language }: LexedFile, at: number): void {
  const gap = (tokens.gaps[at] ?? 0) & 7;
  const last = tokens.ids[at - 1] ?? 0;
  const text = vocabulary.textOf(last);
  if (text === ';') sheet.note(`${language.id} statement ends`, 'semicolon', at - 1);
  // Only a line that ends in a value before one that begins with a keyword has surely left its semicolon out.
  else if (
    gap !== 3 &&
    vocabulary.isKeyword(tokens.ids[at] ?? 0, language.keywords) &&
    (text === ')' || vocabulary.kind(last) === kinds.string)
  ) {
    sheet.note(`${language.id} statement ends`, 'no semicolon', at - 1);
  }
}

function noteKeyword(sheet: FactSheet, file: LexedFile, at: number, word: string, isScript: boolean): void {
  const { tokens, vocabulary, language } = file;
  const text = (place: number): string => (place < tokens.length ? vocabulary.textOf(tokens.ids[place] ?? 0) : '');
  const id = language.id;
  if (word === 'throw' || word === 'raise') {
    const thrown = text(at + 1) === 'new' ? text(at + 2) : text(at + 1);
    sheet.note(`${id} thrown`, /^[A-Z]/.test(thrown) ? thrown : 'something caught or made elsewhere', at);
  } else if (word === 'catch' || word === 'except' || word === 'rescue') noteCatch(sheet, file, at);
  else if (word === 'import' && isScript && startsLine(tokens.gaps[at] ?? 0)) noteImport(sheet, file, at);
  else if (word === 'export' && isScript)
    sheet.note(`${id} exports`, text(at + 1) === 'default' ? 'default' : 'named', at);
  else if (isScript && /^(const|let|var)$/.test(word)) sheet.note(`${id} variables`, word, at);
  else if (word === 'await' && text(at + 1) !== 'using') sheet.note(`${id} waiting`, 'await', at);
  else if (word === 'for' && isScript) {
    const upTo = [2, 3, 4, 5, 6].map((step) => text(at + step));
    sheet.note(`${id} iteration`, upTo.includes('of') ? 'for…of' : upTo.includes('in') ? 'for…in' : 'counting for', at);
  } else if (word === 'constructor') {
    sheet.note(
      `${id} dependencies`,
      /^(private|readonly|public|protected)$/.test(text(at + 2)) ? 'constructor properties' : 'other',
      at,
    );
  }
}

/** Only what is known to log: `subscriber.error(problem)` hands an error to somebody. */
const loggers = /^(?:_?log|_?logger|console|logging|winston|pino|slog|bunyan|log4js|Log|LOG|LOGGER)$/;
const printers =
  /^(?:print|println|eprintln|printf|fprintf|Println|Printf|puts|error_log|NSLog|printStackTrace|log|warn)$/;

function isLogging({ tokens, vocabulary }: LexedFile, at: number): boolean {
  const text = (place: number): string => (place < tokens.length ? vocabulary.textOf(tokens.ids[place] ?? 0) : '');
  if (loggers.test(text(at))) return /^[.:-]/.test(text(at + 1));
  if (!printers.test(text(at)) || !/^[(!]$/.test(text(at + 1))) return false;
  return text(at - 1) !== '.' || /^(?:out|err|fmt|log)$/.test(text(at - 2)) || text(at) === 'printStackTrace';
}

/** Whether the caught error is what a call is given, other than to ask something about it. */
function isPassedOn({ tokens, vocabulary }: LexedFile, at: number, caught: string): boolean {
  const text = (place: number): string => vocabulary.textOf(tokens.ids[place] ?? 0);
  if (caught === '' || text(at) !== caught || text(at - 1) !== '(' || !/^[,)]$/.test(text(at + 1))) return false;
  return (
    /^[A-Za-z_$]\w*$/.test(text(at - 2)) &&
    !/^(?:if|while|switch|catch|String|is[A-Z_]\w*|has[A-Z_]\w*)$/.test(text(at - 2))
  );
}

/** What a handler calls the error; empty where it gives it no name. */
function caughtName({ tokens, vocabulary }: LexedFile, at: number): string {
  for (let place = at + 1; place < Math.min(tokens.length - 1, at + 12); place += 1) {
    const text = vocabulary.textOf(tokens.ids[place] ?? 0);
    if (text === 'as') return vocabulary.textOf(tokens.ids[place + 1] ?? 0);
    if (text === ')' || text === ':') return vocabulary.textOf(tokens.ids[place - 1] ?? 0);
    if (text === '{') return '';
  }
  return '';
}

function noteCatch(sheet: FactSheet, file: LexedFile, at: number): void {
  const { tokens, vocabulary, language } = file;
  if (vocabulary.textOf(tokens.ids[at - 1] ?? 0) === '.') return;
  const caught = caughtName(file, at);
  let way = 'handles it otherwise';
  let depth = 0;
  let seen = 0;
  for (let place = at + 1; place < Math.min(tokens.length, at + 60); place += 1) {
    const text = vocabulary.textOf(tokens.ids[place] ?? 0);
    if (text === '{') depth += 1;
    else if (text === '}') {
      depth -= 1;
      if (depth <= 0) break;
    } else if (depth > 0) seen += 1;
    if (text === 'throw' || text === 'raise') way = 'throws again';
    else if (isLogging(file, place) && way !== 'throws again') way = 'logs';
    else if (isPassedOn(file, place, caught) && /^(handles|returns)/.test(way)) way = 'passes it on';
    else if (text === 'return' && way === 'handles it otherwise') way = 'returns';
  }
  if (seen === 0 && language.blockComments.length > 0) way = 'ignores it';
  sheet.note(`${language.id} caught errors`, way, at, 5);
}

function noteImport(sheet: FactSheet, { tokens, vocabulary, language }: LexedFile, at: number): void {
  const text = (place: number): string => vocabulary.textOf(tokens.ids[place] ?? 0);
  const next = text(at + 1);
  const form =
    next === 'type'
      ? 'type only'
      : next === '{'
        ? 'named'
        : next === '*'
          ? 'namespace'
          : next.startsWith("'") || next.startsWith('"')
            ? 'bare'
            : 'default';
  sheet.note(`${language.id} imports`, form, at);
  for (let place = at + 1; place < Math.min(tokens.length, at + 60); place += 1) {
    if (vocabulary.kind(tokens.ids[place] ?? 0) !== kinds.string) continue;
    const target = text(place).slice(1, -1);
    if (target.startsWith('.'))
      sheet.note(`${language.id} relative imports`, /\.\w+$/.test(target) ? 'with extension' : 'without extension', at);
    else if (
      /^(node:)?(fs|path|os|url|crypto|http|https|util|events|stream|child_process|zlib|assert)(\/|$)/.test(target)
    ) {
      sheet.note(`${language.id} node modules`, target.startsWith('node:') ? 'node: prefix' : 'no prefix', at);
    }
    return;
  }
}

function noteWord(sheet: FactSheet, { tokens, vocabulary, language }: LexedFile, at: number, isTest: boolean): void {
  if (vocabulary.textOf(tokens.ids[at + 1] ?? 0) !== '(' || at + 1 >= tokens.length) return;
  const word = vocabulary.textOf(tokens.ids[at] ?? 0);
  const isMember = at > 1 && vocabulary.textOf(tokens.ids[at - 1] ?? 0) === '.';
  if (isTest && !isMember && startsLine(tokens.gaps[at] ?? 0) && /^(it|test|describe|suite|specify)$/.test(word)) {
    if (word !== 'describe' && word !== 'suite') sheet.note(`${language.id} test cases`, `${word}()`, at);
    return;
  }
  if (!isMember) return;
  const owner = vocabulary.textOf(tokens.ids[at - 2] ?? 0);
  if (/^(then|catch|finally)$/.test(word) && scripts.has(language.id))
    sheet.note(`${language.id} waiting`, '.then chains', at);
  if (word === 'forEach') sheet.note(`${language.id} iteration`, 'forEach', at);
  if (
    /^(debug|info|warn|warning|error|log|trace)$/.test(word) &&
    /^(console|log|logger|logging|LOG|_logger)$/.test(owner)
  ) {
    sheet.note(`${language.id} logging`, `${owner}.*`, at);
  }
  if (/^[A-Za-z_]\w{2,}$/.test(owner) && word.length > 2 && owner !== 'this' && owner !== 'self')
    sheet.note(`${language.id} calls`, `${owner}.${word}`, at);
}
