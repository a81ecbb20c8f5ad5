/**
 * Where a cursor stands in code: in a comment, in a string, or in code proper. Tells by a few marks of each language and
 * by the text that lies before, not by a grammar; an unknown language has only code.
 */

interface Marks {
  readonly line: readonly string[];
  readonly block: readonly (readonly [string, string])[];
  readonly quotes: string;
  readonly tripleQuotes?: boolean;
}

const SLASHES: Marks = { line: ['//'], block: [['/*', '*/']], quotes: '"\'`' };
const HASHES: Marks = { line: ['#'], block: [], quotes: '"\'' };
const DASHES: Marks = { line: ['--'], block: [['/*', '*/']], quotes: '"\'' };
const ANGLES: Marks = { line: [], block: [['<!--', '-->']], quotes: '"\'' };
const BARE: Marks = { line: [], block: [], quotes: '' };

/** By the editor's language identifiers. */
const MARKS: ReadonlyMap<string, Marks> = new Map([
  ...'typescript javascript typescriptreact javascriptreact go java c cpp csharp swift kotlin dart scala groovy jsonc'
    .split(' ')
    .map((id) => [id, SLASHES] as const),
  // A quote may stand alone here: a lifetime.
  ['rust', { ...SLASHES, quotes: '"' }],
  ['php', { ...SLASHES, line: ['//', '#'] }],
  ['css', { ...SLASHES, line: [] }],
  ['scss', SLASHES],
  ['less', SLASHES],
  ['python', { ...HASHES, tripleQuotes: true }],
  ...'ruby shellscript yaml toml perl r makefile dockerfile elixir powershell properties'
    .split(' ')
    .map((id) => [id, HASHES] as const),
  ['sql', DASHES],
  ['lua', { ...DASHES, block: [['--[[', ']]']] }],
  ['haskell', { ...DASHES, block: [['{-', '-}']] }],
  ['html', ANGLES],
  ['xml', ANGLES],
  [
    'vue',
    {
      ...SLASHES,
      block: [
        ['<!--', '-->'],
        ['/*', '*/'],
      ],
    },
  ],
]);

export type Standing =
  | { readonly kind: 'code' }
  | { readonly kind: 'comment' }
  /** `text` is what stands between the opening quote and the cursor. */
  | { readonly kind: 'string'; readonly text: string };

const CODE: Standing = { kind: 'code' };

/** Where the end of `before` stands. */
export function standingOf(before: string, language: string): Standing {
  const marks = MARKS.get(language) ?? BARE;
  for (const [open, close] of marks.block) {
    const opened = before.lastIndexOf(open);
    if (opened >= 0 && before.indexOf(close, opened + open.length) < 0 && !isInLine(before, opened, marks))
      return { kind: 'comment' };
  }
  if (marks.tripleQuotes === true) {
    const text = tripleQuoted(before);
    if (text !== undefined) return { kind: 'string', text };
  }
  return standingInLine(before.slice(before.lastIndexOf('\n') + 1), marks);
}

/** Whether what opens a block comment is itself only text of a string or of a line's comment. */
function isInLine(before: string, at: number, marks: Marks): boolean {
  return standingInLine(before.slice(before.lastIndexOf('\n', at - 1) + 1, at), marks).kind !== 'code';
}

function tripleQuoted(before: string): string | undefined {
  let open: string | undefined;
  let from = 0;
  for (const { 0: quotes, index } of before.matchAll(/"""|'''/g)) {
    if (open === undefined) {
      open = quotes;
      from = index + 3;
    } else if (open === quotes) open = undefined;
  }
  return open === undefined ? undefined : before.slice(from);
}

function standingInLine(line: string, marks: Marks): Standing {
  let quote = '';
  let from = 0;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
      continue;
    }
    if (marks.line.some((mark) => line.startsWith(mark, at) && isOpening(line, at, mark))) return { kind: 'comment' };
    const block = marks.block.find(([open]) => line.startsWith(open, at));
    const end = block === undefined ? -1 : line.indexOf(block[1], at + block[0].length);
    if (block !== undefined && end >= 0) at = end + block[1].length - 1;
    else if (marks.quotes.includes(char)) {
      quote = char;
      from = at + 1;
    }
  }
  return quote === '' ? CODE : { kind: 'string', text: line.slice(from) };
}

/** A hash begins a comment only where a word may begin (`$#` and colours are none). */
function isOpening(line: string, at: number, mark: string): boolean {
  return mark !== '#' || at === 0 || /[\s;({[]/.test(line.charAt(at - 1));
}

/** Part of a word, as identifiers are spelt in most languages. */
export function isWordChar(char: string): boolean {
  return char !== '' && /[\p{L}\p{N}_$]/u.test(char);
}

/** The word that ends at the end of a text; empty where none does. */
export function wordAtEnd(text: string): string {
  return /[\p{L}\p{N}_$]*$/u.exec(text.slice(-200))?.[0] ?? '';
}

/** Whether a word, or words with dots between, stands in a text and is no part of a longer word. */
export function isWordIn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWordChar(text.charAt(at - 1)) && !isWordChar(text.charAt(at + word.length))) return true;
  }
  return false;
}
