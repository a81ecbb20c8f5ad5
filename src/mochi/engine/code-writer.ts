/**
 * From the text around the cursor to the text to insert: lexes both sides, heals a half-typed word, searches the rest of
 * the line, goes on over further lines while that is nearly sure, and writes the tokens with the spaces of this code.
 */
import { type Language, languageOfId, languageOfPath } from '../learn/languages.ts';
import { gaps, lex, TokenBuffer } from '../learn/lexer.ts';
import type { Memory } from '../learn/memory.ts';
import { kinds } from '../learn/vocabulary.ts';
import { alternativesTo } from './alternatives.ts';
import type { Completion, CompletionRequest, Step } from './engine.ts';
import { type IndentRules, Indents } from './indents.ts';
import { type FoundLine, LineCompleter, type LineOptions } from './line-completer.ts';
import { offersOf } from './offers.ts';
import { OpenFile } from './open-file.ts';
import { Ranker } from './ranker.ts';
import type { Sources } from './sources.ts';
import { gapBefore } from './spacing.ts';
import { goesOn, standingAt } from './strings-open.ts';
import { rankerWeights } from './weights.ts';

/** Characters that are read before and after the cursor. */
const readBefore = 24_000;
const readAfter = 6_000;
/** Further lines are written only while the whole stays at least this likely. */
const sure = 0.6;
const mostLines = 6;

export class CodeWriter {
  readonly #completer = new LineCompleter(new Ranker(rankerWeights()));
  readonly #buffer = new TokenBuffer(8192);

  write(memory: Memory, request: CompletionRequest): Completion {
    const language = languageOf(request);
    const prefix = tailOf(request.prefix);
    if (isInComment(prefix, language)) return { completion: '', alternatives: [], confidence: 0 };
    const sources = memory.sourcesFor(request.path);
    const opened = this.#open(memory, prefix, request, language);
    if (opened === undefined) return { completion: '', alternatives: [], confidence: 0 };
    const { file, options, stem, isApart, indentAt } = opened;
    const offers = offersOf(request.facts, file);
    const found = this.#completer.complete(file, sources, { ...options, offers });
    const best = found[0];
    if (best === undefined) return { completion: '', alternatives: [], confidence: 0 };
    const written = found.map((line) => write(file, line.symbols, sources, !isApart));
    const texts = written.map(({ text }) => text.slice(stem.length));
    const first: Draft = {
      text: texts[0] ?? '',
      gaps: written[0]?.gaps ?? [],
      probability: best.probability,
      steps: stepsOf(best, written[0]?.ends ?? [], -stem.length, 1),
    };
    const isWhole = options.followedBy?.onNewLine !== false;
    const rules = { unit: unitOf(prefix, language), isByColon: language.id === 'python', indentAt };
    const indents = new Indents(file, rules, indentOfLine(prefix, prefix.length));
    const draft = isWhole && options.begins !== undefined ? this.#further(file, best, first, sources, indents) : first;
    // The others are of one line, and so is what they are weighed against.
    const others = found.slice(1).map(({ probability }, at) => ({ text: texts[at + 1] ?? '', probability }));
    return {
      completion: draft.text,
      alternatives: alternativesTo(first, others, request.suffix, Math.min(3, request.maxAlternatives)),
      confidence: draft.probability,
      steps: draft.steps,
    };
  }

  #open(memory: Memory, prefix: string, { suffix, path }: CompletionRequest, language: Language): Opened | undefined {
    const vocabulary = memory.vocabulary.fork();
    const file = new OpenFile(vocabulary, path);
    const rest = (suffix ?? '').slice(0, readAfter);
    const buffer = this.#buffer;
    const fill = (text: string): void => {
      buffer.length = 0;
      lex(text, language, vocabulary, buffer);
    };
    let followedBy: LineOptions['followedBy'];
    fill(rest);
    if (buffer.length > 0) {
      const between = rest.slice(0, buffer.starts[0] ?? 0);
      followedBy = { token: buffer.ids[0] ?? 0, onNewLine: between.includes('\n') };
      // What stands below is read as if it stood above: it may be copied all the same.
      for (let at = 0; at < buffer.length; at += 1) file.push(buffer.ids[at] ?? 0, buffer.gaps[at] ?? 0);
      file.push(0, 2);
    }
    const from = file.length;
    // Positions of the open file are counted from where the prefix begins in it.
    const indentAt = (position: number): string | undefined => {
      const at = position - from;
      return at < 0 || at >= buffer.length ? undefined : indentOfLine(prefix, buffer.starts[at] ?? 0);
    };
    fill(prefix);
    const standing = standingAt(prefix, buffer, vocabulary, language);
    if (standing === 'in-text') return undefined;
    if (standing !== 'in-code') {
      const { at: quoteAt, typed } = standing;
      for (let at = 0; at < quoteAt; at += 1) file.push(buffer.ids[at] ?? 0, buffer.gaps[at] ?? 0);
      const accepts = (token: number): boolean =>
        vocabulary.kind(token) === kinds.string && goesOn(typed, vocabulary.textOf(token));
      return { file, stem: typed, isApart: true, indentAt, options: { begins: false, followedBy, accepts } };
    }
    const last = buffer.length - 1;
    const touches = last >= 0 && buffer.ends[last] === prefix.length;
    const kind = touches ? vocabulary.kind(buffer.ids[last] ?? 0) : 0;
    const isStem = kind === kinds.word || kind === kinds.keyword;
    const stem = isStem ? vocabulary.textOf(buffer.ids[last] ?? 0) : '';
    const stemGap = buffer.gaps[last] ?? 0;
    for (let at = 0; at < buffer.length - (isStem ? 1 : 0); at += 1)
      file.push(buffer.ids[at] ?? 0, buffer.gaps[at] ?? 0);
    const begins = isStem ? stemGap % 8 >= 2 : /(^|\n)[ \t]*$/.test(prefix);
    const accepts = (token: number): boolean => vocabulary.textOf(token).startsWith(stem);
    const isApart = isStem || begins || /\s$/.test(prefix);
    return { file, stem, isApart, indentAt, options: { begins, followedBy, ...(isStem ? { accepts } : {}) } };
  }

  /** Adds the lines after a sure one, each searched anew. */
  #further(file: OpenFile, found: FoundLine, first: Draft, sources: Sources, indents: Indents): Draft {
    let draft = first;
    const before = file.length;
    let line = found;
    let lineGaps = first.gaps;
    for (let lines = 1; lines < mostLines && draft.probability >= sure; lines += 1) {
      line.symbols.forEach((symbol, at) => {
        file.push(symbol >> 1, lineGaps[at] ?? gaps.none);
      });
      const next = this.#completer.complete(file, sources, { begins: true })[0];
      if (next === undefined || draft.probability * next.probability < sure) break;
      const { indent, gap } = indents.next((next.symbols[0] ?? 0) >> 1, sources);
      const written = write(file, next.symbols, sources, false);
      const head = `${draft.text}\n${indent}`;
      draft = {
        text: head + written.text,
        gaps: written.gaps,
        probability: draft.probability * next.probability,
        steps: [...draft.steps, ...stepsOf(next, written.ends, head.length, draft.probability)],
      };
      line = next;
      lineGaps = [gap, ...written.gaps.slice(1)];
    }
    while (file.length > before) file.pop();
    return draft;
  }
}

/** The text around the cursor as tokens. */
interface Opened {
  readonly file: OpenFile;
  readonly options: LineOptions;
  /** What is typed of the first token already. */
  readonly stem: string;
  /** Whether no space can be missing before the first token: it is begun already, or white space stands before it. */
  readonly isApart: boolean;
  readonly indentAt: IndentRules['indentAt'];
}

/** A completion as far as it is written. */
interface Draft {
  readonly text: string;
  /** What stands before each token of its last line. */
  readonly gaps: readonly number[];
  readonly probability: number;
  readonly steps: readonly Step[];
}

/** The steps of a line that begins at `offset` with the chance `sofar`; what lies in text already typed is left out. */
function stepsOf(line: FoundLine, ends: readonly number[], offset: number, sofar: number): readonly Step[] {
  return ends
    .map((end, at) => ({ end: end + offset, confidence: sofar * (line.steps[at] ?? 0) }))
    .filter(({ end }) => end > 0);
}

function languageOf({ language, path }: CompletionRequest): Language {
  return (language === undefined ? undefined : languageOfId(language)) ?? languageOfPath(path ?? '');
}

/** The end of the prefix, from the start of a line. */
function tailOf(prefix: string): string {
  if (prefix.length <= readBefore) return prefix;
  const from = prefix.indexOf('\n', prefix.length - readBefore);
  return from < 0 ? prefix.slice(-readBefore) : prefix.slice(from + 1);
}

function isInComment(prefix: string, language: Language): boolean {
  const line = prefix.slice(prefix.lastIndexOf('\n') + 1).replace(/(["'`])(?:\\.|(?!\1).)*\1/g, '""');
  if (language.lineComments.some((opener) => line.includes(opener))) return true;
  return language.blockComments.some(([open, close]) => prefix.lastIndexOf(open) > prefix.lastIndexOf(close));
}

/** The white space before the line on which `at` lies. */
function indentOfLine(text: string, at: number): string {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))?.[0] ?? '';
}

/** One step of the indentation of a text; where it has none, of its language. */
function unitOf(prefix: string, { id }: Language): string {
  const usual = id === 'python' ? '    ' : id === 'go' ? '\t' : '  ';
  const unit = /\n(\t| {2,})\S/.exec(prefix)?.[1] ?? usual;
  return unit.length > 4 ? '    ' : unit;
}

/** Behind these no space is written at the cursor, whatever the code does elsewhere. */
const tight = new Set(['(', '[', '.', '?.', '@', '::']);

interface Written {
  readonly text: string;
  /** Where each token ends in the text. */
  readonly ends: readonly number[];
  /** What stands before each token. */
  readonly gaps: readonly number[];
}

/** One line's symbols after the end of `file` as text; `isJoined` where a space before the first may be missing. */
function write(file: OpenFile, symbols: readonly number[], sources: Sources, isJoined: boolean): Written {
  const { vocabulary } = file;
  let text = '';
  const ends: number[] = [];
  const written: number[] = [];
  const before = file.length;
  const isTight = tight.has(vocabulary.textOf(file.ids[before - 1] ?? 0));
  symbols.forEach((symbol, at) => {
    const token = symbol >> 1;
    const isLine = (symbol & 1) === 1;
    const isBare = isLine || (at === 0 && isJoined && isTight);
    const gap = isBare ? (isLine ? gaps.line : gaps.none) : gapBefore(file, token, false, sources);
    if (gap === gaps.space && (at > 0 || isJoined)) text += ' ';
    text += vocabulary.textOf(token);
    ends.push(text.length);
    written.push(gap);
    file.push(token, gap);
  });
  while (file.length > before) file.pop();
  return { text, ends, gaps: written };
}
