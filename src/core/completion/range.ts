/**
 * The range that a suggestion replaces, and whether the editor will show it there. An editor shows ghost text only where
 * the replaced text left of the cursor begins it and the replaced text right of the cursor is contained in it, in order.
 */
import { type Around, lineAfter, lineBefore } from './around.ts';
import type { Choice } from './gate.ts';
import { isSubsequence } from './overlap.ts';
import { wordAtEnd } from './syntax.ts';

export interface Replacement {
  /** The whole new text of the range. */
  readonly insert: string;
  /** UTF-16 units before and after the cursor that are replaced; both on the cursor's line. */
  readonly left: number;
  readonly right: number;
}

/** From the word's start to the cursor, or the range of what the suggest widget has chosen. */
export function replacementOf(
  text: string,
  replaced: number,
  around: Around,
  choice: Choice | undefined,
): Replacement | undefined {
  const typed = choice?.typed ?? wordAtEnd(lineBefore(around));
  const insert = typed + text;
  // The editor drops what does not go on with its own choice.
  if (choice !== undefined && !insert.startsWith(choice.text)) return undefined;
  const replacement = { insert, left: typed.length, right: replaced };
  return isVisible(replacement, around) ? replacement : undefined;
}

/** Whether the editor would show it. */
export function isVisible({ insert, left, right }: Replacement, around: Around): boolean {
  const before = lineBefore(around);
  const after = lineAfter(around);
  if (left > before.length || right > after.length) return false;
  const typed = before.slice(before.length - left);
  if (!insert.startsWith(typed) || insert.length === typed.length) return false;
  const [firstLine = ''] = insert.slice(left).split('\n');
  return isSubsequence(after.slice(0, right), firstLine);
}
