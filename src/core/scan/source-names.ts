/**
 * What a string in source code is called: the variable, key, parameter or function that it is given to, read from the
 * text before it in any language. Knows no grammar, so it looks a few characters back only and never fails.
 */

/** `assigned` to a name, `passed` to a function or behind one as its fallback, or `compared` with it. */
export interface LiteralName {
  readonly name: string;
  readonly how: 'assigned' | 'passed' | 'compared';
}

/** How far a name or a type is looked for. */
const REACH = 100;
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);
const isWordCode = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 36;

/** The last character at or before `at` that is no space. */
function back(text: string, at: number): number {
  const least = Math.max(-1, at - REACH);
  let place = at;
  while (place > least && isSpace(text.charCodeAt(place))) place -= 1;
  return place;
}

/** The first character of the word that ends at `at`; after it where none does. */
function wordStart(text: string, at: number): number {
  const least = Math.max(-1, at - REACH);
  let place = at;
  // A dash within a name is one of YAML, TOML or a flag.
  while (place > least && (isWordCode(text.charCodeAt(place)) || text.charCodeAt(place) === 45)) place -= 1;
  return place + 1;
}

/** Letters that touch a string and belong to it: `f"…"`, `rb"…"`, `L"…"`, `@"…"`. */
function withoutPrefix(text: string, start: number): number {
  const before = text.charCodeAt(start - 1);
  if (!isWordCode(before) && before !== 64) return start;
  const found = /(?<![\w$])(?:[fFrRbBuUL@$]{1,2}|u8)$/.exec(text.slice(Math.max(0, start - 4), start));
  return found === null ? start : start - found[0].length;
}

/** What the string that begins at `start` is given to; undefined where nothing before it says so. */
export function nameOfLiteral(text: string, start: number): LiteralName | undefined {
  const at = back(text, withoutPrefix(text, start) - 1);
  switch (text.charAt(at)) {
    case '=':
      return equals(text, at);
    case '>':
      return text.charAt(at - 1) === '=' ? named(target(text, at - 2), 'assigned') : undefined;
    case ':':
      return text.charAt(at - 1) === ':' ? undefined : named(target(text, at - 1), 'assigned');
    case '{': {
      const before = back(text, at - 1);
      return text.charAt(before) === '=' ? equals(text, before) : undefined;
    }
    case '(':
      return called(text, at);
    case ',': {
      const before = back(text, at - 1);
      return isQuote(text.charAt(before)) ? firstOfTwo(text, before) : undefined;
    }
    case '|':
    case '?':
      return text.charAt(at - 1) === text.charAt(at) ? named(target(text, at - 2), 'passed') : undefined;
    default:
      return beside(text, at);
  }
}

function named(name: string, how: LiteralName['how']): LiteralName | undefined {
  return name === '' ? undefined : { name, how };
}

const isQuote = (char: string): boolean => char === '"' || char === "'" || char === '`';

/** `define("PASSWORD", "…")`: a string names the one after it, unless both are of a list of strings. */
function firstOfTwo(text: string, at: number): LiteralName | undefined {
  const name = target(text, at);
  const before = back(text, at - name.length - 2);
  const isList = text.charAt(before) !== '(' && !isWordCode(text.charCodeAt(back(text, before - 1)));
  return isList ? undefined : named(name, 'passed');
}

function equals(text: string, at: number): LiteralName | undefined {
  let place = at - 1;
  if (/[=!<>]/.test(text.charAt(place))) {
    while (/[=!<>]/.test(text.charAt(place))) place -= 1;
    return named(target(text, place), 'compared');
  }
  while (/[:+|?.&]/.test(text.charAt(place))) place -= 1;
  const name = target(text, place);
  const typed = beforeType(text, place + 1);
  return typed === undefined ? named(name, 'assigned') : { name: typed, how: 'assigned' };
}

/** The name before a type: `password: str = …`, `password string = …`. */
const TYPED =
  /([A-Za-z_$][\w$]*)\s*(?:[?!]?\s*:|\s)\s*(?:&\s*(?:'\w+\s+)?)?\*?(?:[A-Za-z_][\w.:]*)(?:[<[][^=\n"']{0,40}[>\]])?(?:\s*\|\s*[\w.[\]]+)*\??\s*$/;
const HINT = /pass|pwd|secret|token|key|cred|auth|cookie|jwt|bearer|dsn|pat/i;

function beforeType(text: string, end: number): string | undefined {
  const before = text.slice(Math.max(0, end - REACH), end);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const name = HINT.test(line) ? TYPED.exec(line)?.[1] : undefined;
  // The last word of a declaration is its name where it says what it is; `String password = …`.
  return name === undefined || !HINT.test(name) || HINT.test(target(text, end - 1)) ? undefined : name;
}

/** The name that ends at `from`: a word, a quoted key, or what stands in brackets. */
function target(text: string, from: number): string {
  let at = back(text, from);
  if (/[?!]/.test(text.charAt(at))) at = back(text, at - 1);
  const char = text.charAt(at);
  if (isQuote(char)) {
    const open = text.lastIndexOf(char, at - 1);
    return open < 0 || at - open > REACH ? '' : text.slice(open + 1, at);
  }
  if (char === ']' || char === ')') return inBrackets(text, at, char);
  return text.slice(wordStart(text, at), at + 1);
}

/** `config["password"]`, `getenv("PASSWORD")`, and the name before `password[]`. */
function inBrackets(text: string, at: number, closer: string): string {
  const open = text.lastIndexOf(closer === ']' ? '[' : '(', at);
  if (open < 0 || at - open > REACH) return '';
  const key = /["'`]([^"'`]{3,80})["'`]/.exec(text.slice(open, at))?.[1];
  if (key !== undefined) return key;
  const end = back(text, open - 1);
  return closer === ']' ? text.slice(wordStart(text, end), end + 1) : '';
}

/** The function that is called, or what is made of its answer: `setPassword("…")`, `password = new Secret("…")`. */
function called(text: string, at: number): LiteralName | undefined {
  const end = back(text, at - 1);
  let start = wordStart(text, end);
  const name = text.slice(start, end + 1);
  if (HINT.test(name)) return { name, how: 'passed' };
  // Its owners: `Secret.of`, `String::from`.
  while (/[.:]/.test(text.charAt(start - 1)))
    start = wordStart(text, text.charAt(start - 1) === '.' ? start - 2 : start - 3);
  let before = back(text, start - 1);
  if (/[\s(]new$|[\s(]await$/.test(text.slice(Math.max(0, before - 5), before + 1)))
    before = back(text, wordStart(text, before) - 1);
  const char = text.charAt(before);
  const made =
    char === '=' ? equals(text, before) : char === ':' ? named(target(text, before - 1), 'assigned') : undefined;
  return made === undefined ? undefined : { name: made.name, how: made.how === 'assigned' ? 'passed' : 'compared' };
}

/** A word right before: `#define PASSWORD "…"`, `--password "…"`, `IDENTIFIED BY '…'`, `… or "…"`. */
function beside(text: string, at: number): LiteralName | undefined {
  if (!isWordCode(text.charCodeAt(at))) return undefined;
  const start = wordStart(text, at);
  const word = text.slice(start, at + 1);
  if (word === 'or') return named(target(text, start - 1), 'passed');
  if (/^by$/i.test(word) && /identified\s+$/i.test(text.slice(Math.max(0, start - 20), start))) {
    return { name: 'password', how: 'assigned' };
  }
  return HINT.test(word)
    ? { name: word, how: /#define\s+$/.test(text.slice(Math.max(0, start - 20), start)) ? 'assigned' : 'passed' }
    : undefined;
}
