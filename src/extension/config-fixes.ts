/** Repairs of config files as edits of their text. Only what cannot change the meaning is offered; it applies nothing. */
import type { Problem } from '#core/problem.ts';

/** Replaces `length` characters at `offset` (UTF-16 units). */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

export type Fix =
  | { readonly kind: 'rename'; readonly from: string; readonly to: string; readonly edits: readonly TextEdit[] }
  | { readonly kind: 'strip'; readonly edits: readonly TextEdit[] };

/** The repair of a problem in this text, if there is a safe one. */
export function fixOf(problem: Pick<Problem, 'kind' | 'remedy' | 'at'>, text: string): Fix | undefined {
  if (problem.kind === 'config-comment') {
    const edits = extrasIn(text);
    return edits.length === 0 ? undefined : { kind: 'strip', edits };
  }
  // The parser names both keys in its advice, and no more than that is needed where there is one way to follow it.
  const [, from, to] = /^Rename `([\w-]+)` to `([\w-]+)`(?!.*, or remove)/.exec(problem.remedy ?? '') ?? [];
  const offset = offsetOf(text, problem.at);
  if (from === undefined || to === undefined || offset === undefined) return undefined;
  const quote = /^["']?/.exec(text.slice(offset))?.[0] ?? '';
  if (!text.startsWith(`${quote}${from}${quote}`, offset)) return undefined;
  return { kind: 'rename', from, to, edits: [{ offset: offset + quote.length, length: from.length, text: to }] };
}

/** Lines and columns count from 1. */
function offsetOf(text: string, at: Problem['at']): number | undefined {
  if (at?.line === undefined) return undefined;
  let start = 0;
  for (let line = 1; line < at.line; line += 1) {
    const end = text.indexOf('\n', start);
    if (end < 0) return undefined;
    start = end + 1;
  }
  return start + (at.column ?? 1) - 1;
}

/** Comments and trailing commas of a JSON text. */
function extrasIn(text: string): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  let comma: number | undefined;
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? '';
    if (char === '"') {
      comma = undefined;
      at = stringEnd(text, at);
    } else if (text.startsWith('//', at) || text.startsWith('/*', at)) {
      const end = commentEnd(text, at);
      edits.push(lineOrPart(text, at, end));
      at = end;
    } else {
      if ((char === '}' || char === ']') && comma !== undefined) edits.push({ offset: comma, length: 1, text: '' });
      if (char === ',') comma = at;
      else if (!/\s/.test(char)) comma = undefined;
      at += 1;
    }
  }
  return edits.sort((a, b) => a.offset - b.offset);
}

function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return Math.min(at + 1, text.length);
}

function commentEnd(text: string, start: number): number {
  const isLine = text[start + 1] === '/';
  const end = text.indexOf(isLine ? '\n' : '*/', start + 2);
  if (end < 0) return text.length;
  const last = isLine ? end : end + 2;
  return isLine && text[last - 1] === '\r' ? last - 1 : last;
}

/** A comment that has its lines to itself goes with them. */
function lineOrPart(text: string, start: number, end: number): TextEdit {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const before = text.slice(lineStart, start);
  const after = /^[ \t]*(?:\r?\n|$)/.exec(text.slice(end))?.[0];
  if (after === undefined) return { offset: start, length: end - start, text: '' };
  if (before.trim() === '') return { offset: lineStart, length: end + after.length - lineStart, text: '' };
  const gap = before.length - before.trimEnd().length;
  return { offset: start - gap, length: end - start + gap, text: '' };
}
