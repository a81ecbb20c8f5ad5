/**
 * Keeps brackets in balance: a suggestion must not close what was never opened. Strings and comments within the
 * suggestion are passed over; what lies before the cursor is read only as far as it is given.
 */
import type { Around } from './around.ts';

const PAIRS: ReadonlyMap<string, string> = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);
const OPENERS = new Set(PAIRS.values());
const READ = 6_000;

/** How much of the text may be shown so that each closing bracket has its opener. */
export function balancedEnd(text: string, around: Around): number {
  const known = around.before.slice(-READ);
  const open = openBrackets(known);
  const isWhole = !around.isCut && known.length === around.before.length;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote || char === '\n') quote = '';
    } else if ('"\'`'.includes(char)) quote = char;
    else if (OPENERS.has(char)) open.push(char);
    else if (PAIRS.has(char)) {
      const top = open.pop();
      // Beyond what was read something may be open.
      if (top === undefined ? isWhole : top !== PAIRS.get(char)) return at;
    }
  }
  return text.length;
}

/** The brackets that are open at the end of a text, outermost first. */
function openBrackets(text: string): string[] {
  const open: string[] = [];
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote || (char === '\n' && quote !== '`')) quote = '';
    } else if (char === '"' || char === '`' || (char === "'" && !isApostrophe(text, at))) quote = char;
    else if (OPENERS.has(char)) open.push(char);
    else if (PAIRS.has(char)) {
      // What a comment opened and never closed must not stand in the way for ever.
      const opener = open.lastIndexOf(PAIRS.get(char) ?? '');
      if (opener >= 0) open.length = opener;
    }
  }
  return open;
}

function isApostrophe(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at - 1));
}
