/** The engine for models as those see it who want chances of tokens and no texts, and the little that is asked of it. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedBackend } from './backend.ts';

interface Sequence {
  controlledEvaluate(
    input: readonly (readonly [number, object])[],
  ): Promise<readonly ({ readonly next: { readonly probabilities?: ReadonlyMap<number, number> } } | undefined)[]>;
}
interface Context {
  getSequence(): Sequence;
  dispose(): Promise<void>;
}
interface Model {
  tokenize(text: string, hasMarks?: boolean): readonly number[];
  createContext(options: object): Promise<Context>;
  dispose(): Promise<void>;
}
export interface Backend {
  loadModel(options: object): Promise<Model>;
  dispose(): Promise<void>;
}

/** Installed by npm where it is not there, unless `MOCHI_BACKEND` names a folder that has it. */
export async function openBackend(): Promise<Backend> {
  const entry = join(await installedBackend(), 'node_modules/node-llama-cpp/dist/index.js');
  const { getLlama } = (await import(pathToFileURL(entry).href)) as {
    getLlama(options: object): Promise<Backend>;
  };
  return getLlama({ build: 'never', skipDownload: true, gpu: false, maxThreads: 1, logLevel: 'error' });
}

/** An adapter's file and how strongly it is applied. */
export interface Applied {
  readonly filePath: string;
  readonly scale: number;
}

/** What comes next, by token, after each of some tokens, where `isAsked` says so. */
export async function nextTokens(
  model: Model,
  tokens: readonly number[],
  adapter: Applied | undefined,
  isAsked: (place: number) => boolean,
): Promise<readonly (ReadonlyMap<number, number> | undefined)[]> {
  const context = await model.createContext({
    contextSize: tokens.length + 8,
    batchSize: 128,
    // Halves in the cache would hide differences below a thousandth.
    experimentalKvCacheKeyType: 'F32',
    experimentalKvCacheValueType: 'F32',
    flashAttention: false,
    ...(adapter === undefined ? {} : { lora: { adapters: [adapter] } }),
  });
  const input = tokens.map((token, place): readonly [number, object] => [
    token,
    isAsked(place) ? { generateNext: { probabilities: true, options: { temperature: 1, topK: 0, topP: 1 } } } : {},
  ]);
  const found = await context.getSequence().controlledEvaluate(input);
  await context.dispose();
  return found.map((one) => one?.next.probabilities);
}

/** Nats a token, over a text in pieces that each begin anew. */
export async function lossOf(
  model: Model,
  pieces: readonly (readonly number[])[],
  adapter: Applied | undefined,
): Promise<number> {
  let sum = 0;
  let count = 0;
  for (const piece of pieces) {
    const next = await nextTokens(model, piece, adapter, (place) => place < piece.length - 1);
    for (let place = 0; place + 1 < piece.length; place += 1) {
      sum -= Math.log(Math.max(next[place]?.get(piece[place + 1] ?? 0) ?? 0, 1e-12));
      count += 1;
    }
  }
  return sum / count;
}

/** Natural logarithms of chances, token by token; tokens nobody expects at all are left out. */
export function logs(chances: ReadonlyMap<number, number> | undefined): ReadonlyMap<number, number> {
  return new Map(
    [...(chances ?? [])].filter(([, chance]) => chance > 1e-30).map(([token, one]) => [token, Math.log(one)]),
  );
}

/** Logits as logarithms of chances. */
export function logsOfLogits(logits: readonly number[]): ReadonlyMap<number, number> {
  const highest = Math.max(...logits);
  const total = Math.log(logits.reduce((sum, one) => sum + Math.exp(one - highest), 0)) + highest;
  return new Map(logits.map((one, token) => [token, one - total]));
}

/** The largest difference over the tokens both know. */
export function largestDifference(one: ReadonlyMap<number, number>, two: ReadonlyMap<number, number>): number {
  let largest = one.size === 0 ? Number.NaN : 0;
  for (const [token, value] of one) largest = Math.max(largest, Math.abs(value - (two.get(token) ?? value)));
  return largest;
}
