/**
 * Whether a suggestion may go on over several lines, and where it then ends: where the block does in which it begins.
 */

import { cutAt, type Draft } from './amount.ts';
import { type Around, indentOf, lineAfter, lineBefore } from './around.ts';

const MOST_LINES = 12;
const OPENED = /(?:[{([:]|=>|\b(?:do|then|else|begin|try))\s*$/;
/** What may stand on the line that ends a block. */
const CLOSER = /^\s*(?:[)\]}>]|end\b|else\b|catch\b|finally\b|except\b|elif\b|fi\b|done\b)/;

/** The first line alone, unless a block begins here and nothing but closers stands to the right. */
export function withinLines(draft: Draft, around: Around, mayBeSeveral: boolean): Draft {
  const first = draft.text.indexOf('\n');
  if (first < 0) return draft;
  if (!mayBeSeveral || !beginsBlock(draft.text.slice(0, first), around))
    return cutAt(draft, trimmedEnd(draft.text, first));
  return cutAt(draft, blockEnd(draft.text, first, indentOf(lineBefore(around))));
}

function beginsBlock(firstLine: string, around: Around): boolean {
  const before = lineBefore(around);
  if (/\S/.test(lineAfter(around).replace(/[)\]}>;,]/g, ''))) return false;
  return before.trim() === '' || OPENED.test(before + firstLine);
}

/** The lines that lie at least as deep as the first, and one that closes it. */
function blockEnd(text: string, first: number, indent: string): number {
  let end = trimmedEnd(text, first);
  let from = first + 1;
  for (let lines = 1; lines < MOST_LINES && from <= text.length; lines += 1) {
    const to = text.indexOf('\n', from);
    const line = text.slice(from, to < 0 ? text.length : to);
    const depth = indentOf(line).length;
    const isBlank = line.trim() === '';
    if (!isBlank && depth < indent.length) break;
    if (!isBlank) end = from + line.trimEnd().length;
    const isOver = !isBlank && depth === indent.length && CLOSER.test(line) && !OPENED.test(line);
    if (to < 0 || isOver) break;
    from = to + 1;
  }
  return end;
}

function trimmedEnd(text: string, end: number): number {
  return text.slice(0, end).trimEnd().length;
}
