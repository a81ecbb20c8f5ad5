/**
 * One answer of a model, token by token, under a deadline. The library ignores an abort while it reads a prompt, so the
 * prompt is read in pieces whose size follows the measured speed, and between pieces and tokens it is looked whether to
 * go on. What was read stays in the sequence and need not be read again. Knows the library only by the interfaces here.
 */
import type { Generated, TokenMark } from '../model-engine.ts';

export type Token = number;

/** What of the library's sequence is used; one answer at a time. */
export interface Sequence {
  /** The tokens it holds now. */
  readonly contents: readonly Token[];
  /** Forgets what does not begin as `tokens` do. */
  align(tokens: readonly Token[]): Promise<void>;
  /** Reads further tokens; cannot be interrupted. */
  read(tokens: readonly Token[]): Promise<void>;
  /** Reads the last token of a prompt and goes on with the likeliest one each time. */
  write(last: Token): AsyncGenerator<{ readonly token: Token; readonly probability: number }, void>;
}

export interface Vocabulary {
  textOf(tokens: readonly Token[], before: readonly Token[]): string;
  isEnd(token: Token): boolean;
}

/** Milliseconds that one piece of a prompt should take. */
const PIECE_MS = 100;
const SMALLEST_PIECE = 8;
const LARGEST_PIECE = 512;

/** How fast prompts are read here, learned from what was read. */
export class Pace {
  /** Tokens in a millisecond; a guess low enough for a busy laptop until something was measured. */
  #rate = 0.1;

  get tokensPerSecond(): number {
    return this.#rate * 1_000;
  }

  /** Tokens to read at once with `left` milliseconds to go. */
  piece(left: number): number {
    const fitting = Math.floor(this.#rate * Math.min(PIECE_MS, Math.max(left, 0)));
    return Math.max(SMALLEST_PIECE, Math.min(LARGEST_PIECE, fitting));
  }

  took(tokens: number, milliseconds: number): void {
    const rate = tokens / Math.max(milliseconds, 0.05);
    // Slower is believed at once: an overshot deadline is worse than a small piece.
    this.#rate = rate < this.#rate ? rate : (this.#rate + rate) / 2;
  }
}

export interface Run {
  readonly sequence: Sequence;
  readonly vocabulary: Vocabulary;
  readonly pace: Pace;
  readonly prompt: readonly Token[];
  readonly maxTokens: number;
  readonly stop: readonly string[];
  /** In the time of `now`. */
  readonly deadline: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Waits while something more urgent runs. */
  readonly turn?: () => Promise<void>;
}

/** Rejects with the signal's reason once that is aborted; past the deadline it gives what is there. */
export async function generate(run: Run): Promise<Generated> {
  const { sequence, prompt, signal } = run;
  const last = prompt.at(-1);
  if (last === undefined) return { text: '', tokens: [], evaluated: 0, promptTokens: 0, reason: 'end' };
  signal.throwIfAborted();
  await sequence.align(prompt.slice(0, -1));
  const held = sequence.contents.length;
  const from = { evaluated: prompt.length - held, promptTokens: prompt.length };
  if (!(await isRead(run, held))) return { text: '', tokens: [], ...from, reason: 'deadline' };
  return { ...(await written(run, last)), ...from };
}

/** Reads the prompt but its last token. False where the deadline came first. */
async function isRead({ sequence, pace, prompt, deadline, now, signal, turn }: Run, held: number): Promise<boolean> {
  let at = held;
  while (at < prompt.length - 1) {
    await turn?.();
    signal.throwIfAborted();
    const began = now();
    if (began >= deadline) return false;
    const size = Math.min(pace.piece(deadline - began), prompt.length - 1 - at);
    await sequence.read(prompt.slice(at, at + size));
    pace.took(size, now() - began);
    at += size;
  }
  return true;
}

async function written(run: Run, last: Token): Promise<Generated> {
  const { sequence, vocabulary, prompt, maxTokens, stop, deadline, now, signal, turn } = run;
  const text = new Text(vocabulary, prompt.slice(-8));
  const result = (reason: Generated['reason']): Generated => ({ ...text.finished(), reason });
  await turn?.();
  signal.throwIfAborted();
  if (now() >= deadline) return result('deadline');
  let count = 0;
  for await (const { token, probability } of sequence.write(last)) {
    signal.throwIfAborted();
    if (vocabulary.isEnd(token)) return result('end');
    text.add(token, probability);
    if (text.isCutAt(stop)) return result('stop');
    count += 1;
    if (count >= maxTokens) return result('length');
    if (now() >= deadline) return result('deadline');
    await turn?.();
  }
  return result('end');
}

const UNFINISHED = '\uFFFD';

/** The text of the tokens so far. A character may take several tokens. */
class Text {
  readonly #vocabulary: Vocabulary;
  readonly #before: readonly Token[];
  readonly #marks: TokenMark[] = [];
  #done: Token[] = [];
  #open: Token[] = [];
  #text = '';
  /** Of the tokens that are not marked yet. */
  #probability = 1;

  constructor(vocabulary: Vocabulary, before: readonly Token[]) {
    this.#vocabulary = vocabulary;
    this.#before = before;
  }

  add(token: Token, probability: number): void {
    this.#open.push(token);
    this.#probability *= probability;
    const piece = this.#vocabulary.textOf(this.#open, [...this.#before, ...this.#done].slice(-8));
    // A real replacement character would hold everything back; four bytes are the longest character.
    if (piece.endsWith(UNFINISHED) && this.#open.length < 4) return;
    this.#text += piece;
    this.#marks.push({ end: this.#text.length, probability: this.#probability });
    this.#done = [...this.#done, ...this.#open].slice(-8);
    this.#open = [];
    this.#probability = 1;
  }

  /** Cuts before the first of these texts, if one is there. */
  isCutAt(stops: readonly string[]): boolean {
    const found = stops.map((stop) => this.#text.indexOf(stop)).filter((at) => at >= 0);
    if (found.length === 0) return false;
    const end = Math.min(...found);
    this.#text = this.#text.slice(0, end);
    while ((this.#marks.at(-1)?.end ?? 0) > end) {
      const mark = this.#marks.pop();
      if (mark === undefined) break;
      // The token that holds both the last of the text and the stop ends where the text does.
      if ((this.#marks.at(-1)?.end ?? 0) < end) {
        this.#marks.push({ end, probability: mark.probability });
        break;
      }
    }
    return true;
  }

  finished(): Pick<Generated, 'text' | 'tokens'> {
    return { text: this.#text, tokens: this.#marks };
  }
}
