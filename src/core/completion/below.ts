/**
 * What an engine is told of the text after the cursor. A bracket that an editor closed by itself stands below an empty
 * block and says nothing of what will be written there; taken at its word, it would end every block after one line.
 */
import { type Around, indentOf, lineAfter, lineBefore } from './around.ts';

/** The text after the cursor, or nothing where it only closes what is being written. */
export function suffixFor(around: Around): string {
  const { before, after } = around;
  const own = lineBefore(around);
  if (lineAfter(around).trim() !== '') return after;
  if (/^[\s)\]};,]*$/.test(after)) return '';
  const above = before.slice(0, before.length - own.length).trimEnd();
  const opened = above.slice(above.lastIndexOf('\n') + 1);
  const below = after
    .split('\n', 20)
    .slice(1)
    .find((line) => line.trim() !== '');
  if (below === undefined || !/[{([]$/.test(opened) || !/^\s*[)\]}]/.test(below)) return after;
  return indentOf(below) === indentOf(opened) ? '' : after;
}
