/** A sequence and a vocabulary without a model: a token is a UTF-16 unit, time passes as tokens are read and written. */
import { generate, Pace, type Run, type Sequence, type Vocabulary } from '../../src/mochi/engine/llama/generation.ts';

export const END = 0;

export interface FakeSequence extends Sequence {
  /** Sizes of the pieces that were read. */
  readonly pieces: number[];
}

export interface FakeOptions {
  /** What it writes, whatever it is asked. */
  readonly text: string;
  /** The clock; `tick` lets time pass. */
  readonly tick: (milliseconds: number) => void;
  /** Milliseconds a token takes. */
  readonly perRead?: number;
  readonly perWrite?: number;
  readonly probability?: number;
}

export const tokensOf = (text: string): number[] => [...text].map((one) => one.codePointAt(0) ?? 0);

export function fakeSequence(options: FakeOptions): FakeSequence {
  const { text, tick, perRead = 1, perWrite = 1, probability = 0.5 } = options;
  let contents: number[] = [];
  const pieces: number[] = [];
  return {
    pieces,
    get contents() {
      return contents;
    },
    async align(tokens) {
      let at = 0;
      while (at < contents.length && contents[at] === tokens[at]) at += 1;
      contents = contents.slice(0, at);
    },
    async read(tokens) {
      pieces.push(tokens.length);
      tick(tokens.length * perRead);
      contents = [...contents, ...tokens];
    },
    async *write(last) {
      contents = [...contents, last];
      for (const token of [...tokensOf(text), END]) {
        tick(perWrite);
        yield { token, probability };
        contents = [...contents, token];
      }
    },
  };
}

export const fakeVocabulary: Vocabulary = {
  textOf: (tokens) => String.fromCodePoint(...tokens),
  isEnd: (token) => token === END,
};

/** A run of the fake with a clock of its own. */
export function fakeRun(options: Partial<FakeOptions> & Partial<Run> & { readonly asked?: string }) {
  let time = 0;
  const tick = (milliseconds: number): void => {
    time += milliseconds;
  };
  const sequence = fakeSequence({ text: 'answer', tick, ...options });
  const run = (more: Partial<Run> & { readonly asked?: string } = {}) =>
    generate({
      sequence,
      vocabulary: fakeVocabulary,
      pace: new Pace(),
      prompt: tokensOf(more.asked ?? options.asked ?? 'question'),
      maxTokens: 1_000,
      stop: [],
      deadline: 4_500,
      now: () => time,
      signal: new AbortController().signal,
      ...options,
      ...more,
    });
  return { run, sequence, now: () => time, tick };
}
