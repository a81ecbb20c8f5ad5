/**
 * The text around a cursor, as much of it as completions read. Bounded in characters and lines, so that neither a long
 * file nor a line of a megabyte costs anything per keystroke; which document it comes from is not known here.
 */

/** The lines of a document; reading one is cheap. */
export interface Lines {
  readonly count: number;
  /** Without its end. */
  line(at: number): string;
}

export interface Around {
  /** Up to the cursor. Lines end in `\n`, whatever the document has. */
  readonly before: string;
  readonly after: string;
  /** Whether the document goes on before `before`. */
  readonly isCut: boolean;
}

/** UTF-16 units that are read before and after the cursor; what the embedded engine reads at most. */
const BEFORE = 24_000;
const AFTER = 6_000;
const LINES_BEFORE = 1_500;
const LINES_AFTER = 300;

/** Reads around a place; `line` and `character` count from 0. */
export function textAround(lines: Lines, line: number, character: number): Around {
  const own = lines.line(line);
  const before = readBack(lines, line, own.slice(Math.max(0, character - BEFORE), character));
  let after = own.slice(character, character + AFTER);
  const last = Math.min(lines.count - 1, line + LINES_AFTER);
  for (let at = line + 1; at <= last && after.length < AFTER; at += 1)
    after += `\n${lines.line(at).slice(0, AFTER - after.length)}`;
  return { before: before.text, after, isCut: before.isCut || character > BEFORE };
}

function readBack(lines: Lines, line: number, own: string): { readonly text: string; readonly isCut: boolean } {
  const parts = [own];
  let length = own.length;
  let at = line - 1;
  for (; at >= 0 && length < BEFORE && line - at <= LINES_BEFORE; at -= 1) {
    const text = lines.line(at);
    if (length + text.length + 1 > BEFORE) break;
    parts.push(text);
    length += text.length + 1;
  }
  return { text: parts.reverse().join('\n'), isCut: at >= 0 };
}

/** What stands on the cursor's line before it. */
export function lineBefore({ before }: Pick<Around, 'before'>): string {
  return before.slice(before.lastIndexOf('\n') + 1);
}

/** What stands on the cursor's line after it. */
export function lineAfter({ after }: Pick<Around, 'after'>): string {
  const end = after.indexOf('\n');
  return end < 0 ? after : after.slice(0, end);
}

/** White space that a line begins with. */
export function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}
