/**
 * Pieces of a file to fill in: single lines, blocks and whole bodies, with what stands before and after. Which ones is
 * drawn, always the same for a file. Each begins at the start of a line, as Mochi's own prompts do.
 */
import { createHash } from 'node:crypto';
import type { DatasetSplit } from '#protocol/dataset.ts';
import type { FimSample, SampleRefusal, SampleSink } from './samples.ts';
import { hasSecret, type SourceFile } from './source-file.ts';

const MOST_BEFORE = 4_000;
const MOST_AFTER = 2_000;
const LONGEST = 1_500;
/** Lines of a file for each sample. */
const LINES_A_SAMPLE = 12;
const MOST_OF_FILE = 24;

/** Numbers from 0 to 1, always the same for a text. */
function drawsOf(text: string): () => number {
  let state = createHash('sha256').update(text).digest().readUInt32LE(0);
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Gives the sink the samples of a file. */
export function infillOf(file: SourceFile, split: DatasetSplit, sink: SampleSink): void {
  const draw = drawsOf(file.path);
  const wanted = Math.min(MOST_OF_FILE, Math.ceil(file.lines.count / LINES_A_SAMPLE));
  const taken = new Set<number>();
  for (let tries = 0; tries < wanted; tries += 1) {
    const span = drawSpan(file, draw);
    const trims = draw() < 0.25;
    if (span === undefined || taken.has(span.first)) continue;
    taken.add(span.first);
    const sample = sampleOf(file, span, trims);
    if (typeof sample === 'string') sink.leaveOut(sample);
    else sink.fim(sample, split);
  }
}

interface LineSpan {
  readonly kind: FimSample['kind'];
  /** Counted from 1. */
  readonly first: number;
  readonly last: number;
}

function drawSpan({ symbols, lines }: SourceFile, draw: () => number): LineSpan | undefined {
  const choice = draw();
  const place = draw();
  const bodies = symbols.filter(
    ({ kind, line, endLine }) => (kind === 'function' || kind === 'method') && endLine - line >= 3,
  );
  if (choice < 0.3 && bodies.length > 0) {
    const body = bodies[Math.floor(place * bodies.length)];
    // Without the line that opens it and the one that closes it.
    return body === undefined ? undefined : { kind: 'body', first: body.line + 1, last: body.endLine - 1 };
  }
  const first = 1 + Math.floor(place * lines.count);
  if (choice < 0.75) return { kind: 'line', first, last: first };
  return { kind: 'block', first, last: Math.min(lines.count, first + 1 + Math.floor(draw() * 5)) };
}

function sampleOf(file: SourceFile, { kind, first, last }: LineSpan, trims: boolean): FimSample | SampleRefusal {
  const { text, lines, language, path } = file;
  const start = lines.startOf(first);
  let end = (last < lines.count ? lines.startOf(last + 1) : text.length + 1) - 1;
  // Editors put closing brackets there before they are reached.
  if (trims) end -= /[)\]};,'"`]*$/.exec(text.slice(start, end))?.[0].length ?? 0;
  const middle = text.slice(start, end);
  if (middle.length > LONGEST) return 'too long';
  if ((middle.match(/\w/g)?.length ?? 0) < 4) return 'too short';
  if (isComment(middle, file)) return 'trivial';
  if (hasSecret(file, start, end)) return 'secret';
  return {
    prefix: before(file, start),
    suffix: after(file, end),
    middle,
    kind,
    language: language.id,
    source: `${path}:${first}`,
  };
}

/** Text for people is not what is to be filled in. */
function isComment(middle: string, { language }: SourceFile): boolean {
  const openers = [...language.lineComments, ...language.blockComments.map(([open]) => open), '*'];
  return middle
    .split('\n')
    .every((line) => line.trim() === '' || openers.some((opener) => line.trimStart().startsWith(opener)));
}

/** From the start of a line, and not from before a secret. */
function before({ text, lines, secrets }: SourceFile, end: number): string {
  let start = Math.max(0, end - MOST_BEFORE);
  for (const secret of secrets) if (secret.end <= end) start = Math.max(start, secret.end);
  if (start > 0) start = Math.min(end, lines.startOf(lines.lineOf(start - 1) + 1) || end);
  return text.slice(start, end);
}

/** To the end of a line, and not into one with a secret. */
function after({ text, lines, secrets }: SourceFile, start: number): string {
  let end = Math.min(text.length, start + MOST_AFTER);
  for (const secret of secrets) if (secret.start >= start) end = Math.min(end, secret.start);
  if (end < text.length) end = Math.max(start, lines.startOf(lines.lineOf(end)) - 1);
  return text.slice(start, end);
}
