/** What a data set consists of, and the texts that are trained on. */
import type { DatasetSplit } from '#protocol/dataset.ts';
import { answerPrompt } from '../engine/prompts.ts';

/** A question and its answer, in the form of the Alpaca data. */
export interface AlpacaSample {
  readonly instruction: string;
  /** Empty where the instruction says everything. */
  readonly input: string;
  readonly output: string;
  readonly kind: 'write' | 'explain' | 'find' | 'complete' | 'convention';
  readonly language: string;
  /** File and line it was made of. */
  readonly source: string;
}

/** A piece of code and what stands around it. */
export interface FimSample {
  /** Ends at the start of a line, as Mochi asks. */
  readonly prefix: string;
  readonly suffix: string;
  readonly middle: string;
  readonly kind: 'line' | 'block' | 'body';
  readonly language: string;
  readonly source: string;
}

/** Why a sample is not good enough. */
export type SampleRefusal = 'trivial' | 'too short' | 'too long' | 'data' | 'secret' | 'duplicate' | 'near duplicate';

/** Where samples and refusals go. */
export interface SampleSink {
  alpaca(sample: AlpacaSample, split: DatasetSplit): void;
  fim(sample: FimSample, split: DatasetSplit): void;
  leaveOut(reason: SampleRefusal): void;
}

/** What is trained on: exactly what Mochi will ask, and the answer after it. */
export function alpacaText({ instruction, input, output }: AlpacaSample): string {
  const traits = { form: 'alpaca', contextTokens: Number.MAX_SAFE_INTEGER } as const;
  const { prompt } = answerPrompt({ instruction, input, maxTokens: 0 }, [], traits);
  return prompt.map((piece) => piece.text).join('') + output;
}

/** With the marks of the Qwen family. */
export function fimText({ prefix, suffix, middle }: FimSample): string {
  return `<|fim_prefix|>${prefix}<|fim_suffix|>${suffix}<|fim_middle|>${middle}`;
}
