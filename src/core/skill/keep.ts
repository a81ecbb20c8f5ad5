/**
 * Keep blocks: what a person writes in SKILL.md between `<!-- mochi:keep -->` and `<!-- /mochi:keep -->` survives
 * every regeneration. A marker stands alone on its line and outside code fences, so that text in a table or a code
 * block can never form one. Nothing here decides whether a file may be overwritten; that is the plan's business.
 */
import type { Problem, Reported } from '../problem.ts';

/** The line that opens a block, without and with a name. */
export function keepOpening(name?: string): string {
  return name === undefined ? '<!-- mochi:keep -->' : `<!-- mochi:keep ${name} -->`;
}

/** The line that closes a block. */
export const KEEP_CLOSING = '<!-- /mochi:keep -->';

export interface KeepBlock {
  readonly name?: string;
  /** The lines between the markers. */
  readonly lines: readonly string[];
  /** Index of the opening and of the closing line, from 0. */
  readonly from: number;
  readonly to: number;
}

const OPENING = /^ {0,3}<!--[ \t]{0,8}mochi:keep(?:[ \t]{1,8}([A-Za-z0-9][\w.-]{0,63}))?[ \t]{0,8}-->[ \t]*$/;
const CLOSING = /^ {0,3}<!--[ \t]{0,8}\/mochi:keep[ \t]{0,8}-->[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** Whether a line would be read as a marker; a renderer must never write server text that is. */
export function isKeepMarker(line: string): boolean {
  return OPENING.test(line) || CLOSING.test(line);
}

/** The keep blocks of a text with LF line ends, in order. With a problem about the markers there are none. */
export function keepBlocks(text: string, file: string): Reported<readonly KeepBlock[]> {
  const lines = text.split('\n');
  const blocks: KeepBlock[] = [];
  let open: { readonly from: number; readonly name?: string } | undefined;
  let fence: string | undefined;
  for (const [index, line] of lines.entries()) {
    if (open === undefined) {
      fence = fenceAfter(fence, line);
      if (fence !== undefined) continue;
    }
    const opening = OPENING.exec(line);
    if (opening !== null) {
      if (open !== undefined) return unbalanced(file, index, `opens inside the block of line ${open.from + 1}`);
      open = { from: index, ...(opening[1] === undefined ? {} : { name: opening[1] }) };
    } else if (CLOSING.test(line)) {
      if (open === undefined) return unbalanced(file, index, 'closes a block that was never opened');
      blocks.push({ ...open, lines: lines.slice(open.from + 1, index), to: index });
      open = undefined;
    }
  }
  if (open !== undefined) return unbalanced(file, open.from, 'is never closed');
  return { value: blocks, problems: [] };
}

/**
 * The rendered text with a person's blocks in it. A named block goes to the block of its name, an unnamed one to the
 * next unnamed; blocks that have no place any more are put at the end, markers and all. Both texts have LF line ends.
 * With unbalanced markers on either side the rendered text comes back alone, beside an error.
 */
export function mergeKeeps(rendered: string, onDisk: string, file: string): Reported<string> {
  const places = keepBlocks(rendered, file);
  const written = keepBlocks(onDisk, file);
  const problems = [...places.problems, ...written.problems];
  if (problems.length > 0) return { value: rendered, problems };
  const left = [...written.value];
  const lines: string[] = [];
  const source = rendered.split('\n');
  let next = 0;
  for (const place of places.value) {
    const index = left.findIndex((block) => block.name === place.name);
    const block = index < 0 ? place : (left.splice(index, 1)[0] ?? place);
    lines.push(...source.slice(next, place.from + 1), ...block.lines);
    next = place.to;
  }
  lines.push(...source.slice(next));
  const homeless = left.filter((block) => block.lines.some((line) => line.trim() !== ''));
  const tail = homeless.map((block) => `\n${keepOpening(block.name)}\n${block.lines.join('\n')}\n${KEEP_CLOSING}\n`);
  const body = lines.join('\n');
  return {
    value: tail.length === 0 || body.endsWith('\n') ? body + tail.join('') : `${body}\n${tail.join('')}`,
    problems,
  };
}

/**
 * A text without its keep blocks, for hashing. Runs of blank lines count as one, so that a block may be set off with
 * blank lines. A text with unbalanced markers comes back whole.
 */
export function withoutKeeps(text: string): string {
  const blocks = keepBlocks(text, '').value;
  const lines = text.split('\n');
  const kept: string[] = [];
  let next = 0;
  for (const block of blocks) {
    kept.push(...lines.slice(next, block.from), '');
    next = block.to + 1;
  }
  kept.push(...lines.slice(next));
  const isBlank = (index: number): boolean => (kept[index] ?? '').trim() === '';
  return kept
    .filter((_, index) => !isBlank(index) || (index > 0 && !isBlank(index - 1)))
    .join('\n')
    .trimEnd();
}

/** The fence that is open after a line, as the run of characters that opened it. */
function fenceAfter(open: string | undefined, line: string): string | undefined {
  const found = FENCE.exec(line);
  const run = found?.[1];
  if (run === undefined) return open;
  const rest = found?.[2] ?? '';
  if (open === undefined) return run.startsWith('`') && rest.includes('`') ? undefined : run;
  return run.startsWith(open) && rest.trim() === '' ? undefined : open;
}

function unbalanced(file: string, index: number, how: string): Reported<readonly KeepBlock[]> {
  const problem: Problem = {
    kind: 'plan-conflict',
    severity: 'error',
    message: `The keep marker ${how}.`,
    remedy: `Put each opening marker before its own "${KEEP_CLOSING}", not one inside another.`,
    at: { file, line: index + 1 },
  };
  return { value: [], problems: [problem] };
}
