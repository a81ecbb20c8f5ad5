/**
 * Pieces of a file to fill in: single lines, blocks and whole bodies, with what stands before and after. Which ones is
 * drawn, always the same for a file. Each begins at the start of a line, as Mochi's own prompts do, and where a statement
 * begins, and ends where one does.
 */
import { createHash } from 'node:crypto';
import type { DatasetSplit } from '#protocol/dataset.ts';
import type { FimSample, SampleRefusal, SampleSink } from './samples.ts';
import { hasSecret, type SourceFile } from './source-file.ts';
import { type Statements, statementsOf } from './statements.ts';

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
  const places = placesIn(file);
  for (let tries = 0; tries < wanted; tries += 1) {
    const span = drawSpan(places, taken, draw);
    const trims = draw() < 0.25;
    if (span === undefined) continue;
    taken.add(span.first);
    const sample = sampleOf(file, places.statements, span, trims);
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

/** What may be filled in, by kind. */
interface Places {
  readonly statements: Statements;
  readonly bodies: readonly LineSpan[];
  /** Lines that are one piece. */
  readonly lines: readonly number[];
  /** Lines that begin one, with those that may end it. */
  readonly blocks: readonly { readonly first: number; readonly lasts: readonly number[] }[];
}

/** Lines of a block after its first. */
const MOST_OF_BLOCK = 5;

function placesIn(file: SourceFile): Places {
  const statements = statementsOf(file);
  const all = Array.from({ length: file.lines.count }, (_, at) => at + 1).filter((line) => statements.begins(line));
  const bodies = file.symbols
    .filter(({ kind, line, endLine }) => (kind === 'function' || kind === 'method') && endLine - line >= 3)
    .flatMap((symbol) => {
      // Without the lines that open it and the one that closes it.
      const body = statements.bodyOf(symbol);
      return body === undefined ? [] : [{ kind: 'body' as const, ...body }];
    });
  const blocks = all.flatMap((first) => {
    const lasts = Array.from({ length: MOST_OF_BLOCK }, (_, at) => first + 1 + at).filter(
      (last) => statements.ends(last) && statements.isWhole(first, last),
    );
    return lasts.length === 0 ? [] : [{ first, lasts }];
  });
  return { statements, bodies, lines: all.filter((line) => statements.ends(line)), blocks };
}

/** Three of ten are bodies where there are any, nearly half are lines, the rest blocks; none begins where one did before. */
function drawSpan(places: Places, taken: ReadonlySet<number>, draw: () => number): LineSpan | undefined {
  const choice = draw();
  const place = draw();
  const length = draw();
  const pick = <T>(list: readonly T[], firstOf: (one: T) => number): T | undefined => {
    const left = list.filter((one) => !taken.has(firstOf(one)));
    return left[Math.floor(place * left.length)];
  };
  const body = choice < 0.3 ? pick(places.bodies, ({ first }) => first) : undefined;
  if (body !== undefined) return body;
  const block = choice < 0.75 ? undefined : pick(places.blocks, ({ first }) => first);
  if (block !== undefined) {
    const { first, lasts } = block;
    return { kind: 'block', first, last: lasts[Math.floor(length * lasts.length)] ?? first + 1 };
  }
  const line = pick(places.lines, (one) => one);
  return line === undefined ? undefined : { kind: 'line', first: line, last: line };
}

function sampleOf(
  file: SourceFile,
  statements: Statements,
  { kind, first, last }: LineSpan,
  trims: boolean,
): FimSample | SampleRefusal {
  const { text, lines, language, path } = file;
  const start = lines.startOf(first);
  let end = (last < lines.count ? lines.startOf(last + 1) : text.length + 1) - 1;
  // Editors put closing brackets there before they are reached. A quote is a part of its string.
  if (trims && kind === 'line') end -= /[)\]};,]*$/.exec(text.slice(start, end))?.[0].length ?? 0;
  const middle = text.slice(start, end);
  if (middle.length > LONGEST) return 'too long';
  if ((middle.match(/\w/g)?.length ?? 0) < 4) return 'too short';
  if (isComment(middle, file)) return 'trivial';
  if (hasSecret(file, start, end)) return 'secret';
  return {
    prefix: before(file, statements, start),
    suffix: after(file, statements, end),
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

/** From the start of a statement where there is one, else of a line, and not from before a secret. */
function before({ text, lines, secrets }: SourceFile, { begins }: Statements, end: number): string {
  let start = Math.max(0, end - MOST_BEFORE);
  for (const secret of secrets) if (secret.end <= end) start = Math.max(start, secret.end);
  if (start > 0) {
    const own = lines.lineOf(end);
    let line = lines.lineOf(start - 1) + 1;
    const whole = firstWhere(line, own, begins);
    if (whole !== undefined) line = whole;
    start = line > own ? end : Math.min(end, lines.startOf(line) || end);
  }
  return text.slice(start, end);
}

/** To the end of a statement where there is one, else of a line, and not into one with a secret. */
function after({ text, lines, secrets }: SourceFile, { ends }: Statements, start: number): string {
  let end = Math.min(text.length, start + MOST_AFTER);
  for (const secret of secrets) if (secret.start >= start) end = Math.min(end, secret.start);
  if (end < text.length) {
    const [own, over] = [lines.lineOf(start), lines.lineOf(end)];
    const whole = firstWhere(over - 1, own, ends);
    end = Math.max(start, lines.startOf((whole ?? over - 1) + 1) - 1);
  }
  return text.slice(start, end);
}

/** The first line from `from` on the way to `to`, without that one. */
function firstWhere(from: number, to: number, is: (line: number) => boolean): number | undefined {
  const step = from < to ? 1 : -1;
  for (let line = from; step * line < step * to; line += step) if (is(line)) return line;
  return undefined;
}
