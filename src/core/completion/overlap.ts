/**
 * What a suggestion has in common with what stands to its right and below: nobody wants to be offered what is already
 * there. Says how much of the suggestion remains, or that nothing does.
 */
import { type Around, lineAfter } from './around.ts';

export interface Fitted {
  readonly text: string;
  /** UTF-16 units to the right of the cursor, on its line, that the text replaces. */
  readonly replaced: number;
}

/** The text without what stands there already; undefined where nothing new is left. */
export function fitted(text: string, around: Around): Fitted | undefined {
  const below = withoutRepeats(text, around);
  return below === '' ? undefined : besideRest(below, lineAfter(around));
}

/** Lets the rest of the line stay where the text ends in it, and takes it in where the text holds it in parts. */
function besideRest(text: string, rest: string): Fitted | undefined {
  const bare = rest.trimEnd();
  if (bare === '') return { text, replaced: 0 };
  const [first = ''] = text.split('\n');
  const isOneLine = first.length === text.length;
  for (let length = Math.min(bare.length, text.length); isOneLine && length > 0; length -= 1) {
    if (!text.endsWith(bare.slice(0, length))) continue;
    const kept = text.slice(0, text.length - length);
    // Half an overlap would double what follows it.
    if (length < bare.length && !/^[)\]}>;,'"`\s]+$/.test(bare.slice(0, length))) continue;
    return kept.trim() === '' ? undefined : { text: kept, replaced: 0 };
  }
  return isSubsequence(bare, first) ? { text, replaced: bare.length } : { text, replaced: 0 };
}

/** Cuts where the text begins to say what the next lines say; empty where it says nothing else. */
function withoutRepeats(text: string, { after }: Around): string {
  const end = after.indexOf('\n');
  if (end < 0) return text;
  const below = after
    .slice(end + 1, end + 4_001)
    .split('\n')
    .map(bareLine)
    .filter((line) => line !== '')
    .slice(0, 3);
  const [next] = below;
  if (next === undefined) return text;
  const lines = text.split('\n');
  const first = bareLine(lines[0] ?? '');
  // A closing bracket alone repeats nothing.
  if (lines.length === 1) return first.length > 2 && first === next ? '' : text;
  for (let at = 1; at < lines.length; at += 1) {
    const rest = lines
      .slice(at)
      .map(bareLine)
      .filter((line) => line !== '');
    if (rest.length > 0 && rest.slice(0, below.length).every((line, place) => line === below[place]))
      return lines.slice(0, at).join('\n').trimEnd();
  }
  return text;
}

const bareLine = (line: string): string => line.trim().replace(/\s+/g, ' ');

/** Whether the characters of `part` stand in `whole` in this order; an editor hides ghost text where they do not. */
export function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const char of whole) if (char === part.charAt(at)) at += 1;
  return at >= part.length;
}
