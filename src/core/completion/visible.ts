/**
 * Which names can be seen from a cursor, told by brackets: what stands in a block that is closed, with its parameters, is
 * out of sight, and so are the members of a class, which are reached by `this`. For TypeScript and JavaScript; in other
 * languages every word of the document counts. Reads tokens, not a grammar: a language server knows better, and is asked
 * about what is not seen here.
 */
import type { Around } from './around.ts';
import { isChain, isChained } from './chains.ts';
import { isWordChar, isWordIn } from './syntax.ts';

/** Whether the names of a language are looked for by its brackets. */
export const hasSight = (language: string): boolean => /^(typescript|javascript)(react)?$/.test(language);

/** There in every program, by the standard of the language or in every place where it runs. */
const GLOBALS = new Set(
  (
    'Array ArrayBuffer BigInt Boolean DataView Date Error Function Infinity JSON Map Math NaN Number Object Promise Proxy ' +
    'RangeError Reflect RegExp Set String Symbol SyntaxError TypeError Uint8Array WeakMap WeakSet arguments clearTimeout ' +
    'console decodeURIComponent encodeURIComponent globalThis isFinite isNaN parseFloat parseInt queueMicrotask setTimeout ' +
    'AsyncGenerator AsyncIterable Awaited Exclude Extract Generator InstanceType Iterable IterableIterator Iterator ' +
    'NonNullable Omit Parameters Partial Pick PromiseLike Readonly ReadonlyArray ReadonlyMap ReadonlySet Record Required ' +
    'ReturnType'
  ).split(' '),
);

/**
 * Says of a name that stands alone whether it can be seen, and of a name with its receiver whether it stands in the text.
 */
export function writtenAround(around: Around, language: string): (text: string) => boolean {
  if (!hasSight(language)) return (text) => isWordIn(around.before, text) || isWordIn(around.after, text);
  let seen: string | undefined;
  return (text) => {
    const dot = text.lastIndexOf('.');
    const [receiver, member] = [text.slice(0, Math.max(0, dot)), text.slice(dot + 1)];
    if (isChain(receiver))
      return isChained(around.before, receiver, member) || isChained(around.after, receiver, member);
    if (dot >= 0) return isWordIn(around.before, text) || isWordIn(around.after, text);
    if (GLOBALS.has(text)) return true;
    seen ??= visibleText(around);
    return isNameIn(seen, text);
  };
}

/** A word that is no member. */
function isNameIn(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const isWord = !isWordChar(text.charAt(at - 1)) && !isWordChar(text.charAt(at + name.length));
    if (isWord && !/(?:^|[^.])\??\.\s*$/.test(text.slice(Math.max(0, at - 8), at))) return true;
  }
  return false;
}

/** Parameters of an arrow without a block, or of a function's type: they end with it. */
interface Arrow {
  readonly from: number;
  /** How many brackets are open around it. */
  readonly depth: number;
}

interface Open {
  readonly bracket: string;
  /** Where in what is kept it begins, with what leads to it. */
  readonly from: number;
  /** Whether what stands in it is a class's members. */
  readonly isClass: boolean;
  /** Whether it only lists names that are seen outside: an import, or what is taken apart in a declaration. */
  readonly isList: boolean;
}

function visibleText({ before, after }: Around): string {
  const above = scan(before, []);
  const hidden = above.open.map((one, at) => (one.isClass ? [one.from, above.open[at + 1]?.from] : undefined));
  let text = above.kept;
  for (const range of hidden.reverse()) {
    if (range !== undefined) text = `${text.slice(0, range[0])} ${range[1] === undefined ? '' : text.slice(range[1])}`;
  }
  // What is read below the cursor may end in the middle of a line.
  const below = after.slice(0, after.lastIndexOf('\n') + 1);
  const around = above.open.map((one) => ({ ...one, from: -1 }));
  return `${text}\n${scan(below, around).kept}`;
}

/** What of a text is in sight at its end, where these brackets are open before it; and those that are open then. */
function scan(text: string, before: readonly Open[]): { readonly kept: string; readonly open: readonly Open[] } {
  const open = [...before];
  const arrows: Arrow[] = [];
  let kept = '';
  const endArrows = (): void => {
    for (let one = arrows.at(-1); one !== undefined && one.depth >= open.length; one = arrows.at(-1)) {
      arrows.pop();
      kept = `${kept.slice(0, one.from)} `;
    }
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    const over = passed(text, at);
    if (over > at) {
      kept += ' ';
      at = over - 1;
      continue;
    }
    if (char === ';' || (char === '\n' && !/(?:=>|[&|?:.,+=])\s*$/.test(kept.slice(-20)))) endArrows();
    if (char === '{' || char === '(' || char === '[') {
      if (char === '{' && !/(?:=>|[(,[:=?])\s*$/.test(kept.slice(-20))) endArrows();
      open.push(opened(char, kept, open.at(-1)));
      kept += char;
      continue;
    }
    if (char !== '}' && char !== ')' && char !== ']') {
      // Below the cursor, the members of the class around it.
      if (open.at(-1)?.isClass !== true || open.at(-1)?.from !== -1) kept += char;
      continue;
    }
    const one = lastOf(open, char);
    endArrowsWithin(arrows, open.length);
    if (one === undefined) continue;
    const isGone = one.from >= 0 && !one.isList && (char === '}' || kept.slice(one.from).includes('=>'));
    const isKept = !isGone || (char === ')' && isHead(text, at + 1));
    kept = isKept ? `${kept}${char}` : `${kept.slice(0, one.from)} `;
    if (isKept && char === ')' && one.from >= 0 && /^\s*(?::[^{}();=]*)?=>\s*[^\s{]/.test(text.slice(at + 1, at + 200)))
      arrows.push({ from: one.from, depth: open.length });
  }
  return { kept, open };
}

/** What is cut away or closed with its bracket is no longer waited for. */
function endArrowsWithin(arrows: Arrow[], depth: number): void {
  while ((arrows.at(-1)?.depth ?? 0) > depth) arrows.pop();
}

/** Takes the bracket that a closing one closes, and what was left open within it. */
function lastOf(open: Open[], closing: string): Open | undefined {
  const bracket = closing === '}' ? '{' : closing === ')' ? '(' : '[';
  for (let at = open.length - 1; at >= 0; at -= 1) {
    const one = open[at];
    if (one?.bracket !== bracket) continue;
    open.length = at;
    return one;
  }
  return undefined;
}

function opened(bracket: string, kept: string, outer: Open | undefined): Open {
  const tail = kept.slice(-300);
  const isClass = bracket === '{' && /\b(?:class|interface)\b[^{}();=]*$/.test(tail);
  const isList =
    bracket === '{' &&
    (outer?.isList === true || /\b(?:import|export|const|let|var)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?$/.test(tail));
  return { bracket, from: bracket === '{' ? headOf(kept) : kept.length, isClass, isList };
}

/** Where the parameters begin that lead to a block, or the block itself. */
function headOf(kept: string): number {
  const end = /\)\s*(?::[^{}();=]*)?(?:=>\s*)?$/.exec(kept.slice(-200));
  if (end === null) return kept.length;
  let depth = 0;
  for (let at = kept.length - end[0].length; at >= 0; at -= 1) {
    const char = kept.charAt(at);
    if (char === ')') depth += 1;
    else if (char === '(') {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return kept.length;
}

/** Whether a block or an arrow follows: what stands in the parentheses is its own to remove. */
function isHead(text: string, at: number): boolean {
  return /^\s*(?::[^{}();=]*)?(?:=>|\{)/.test(text.slice(at, at + 200));
}

/** Behind the string or comment that begins here; `at` where none does. */
function passed(text: string, at: number): number {
  const char = text.charAt(at);
  if (char === '/' && text.charAt(at + 1) === '/') return endOr(text, text.indexOf('\n', at));
  if (char === '/' && text.charAt(at + 1) === '*') return endOr(text, text.indexOf('*/', at + 2) + 2, 1);
  if (char !== '"' && char !== "'" && char !== '`') return at;
  for (let end = at + 1; end < text.length; end += 1) {
    const one = text.charAt(end);
    if (one === '\\') end += 1;
    else if (one === char) return end + 1;
    else if (one === '\n' && char !== '`') return end;
  }
  return text.length;
}

const endOr = (text: string, end: number, least = -1): number => (end <= least ? text.length : end);
