/**
 * Makes the ranker's weights: `node test/bench/mochi-tune.ts [epochs] [continue]`; those of the product were made by one
 * run with `1` and another with `1 continue`, which takes other files. Trains only on files that are training files of
 * both splits, held out from the indexes they are predicted from, many of them as files of unseen projects. Two threads
 * write to the same weights, so no two runs give the same.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Candidates } from '../../src/mochi/engine/candidates.ts';
import { OpenFile } from '../../src/mochi/engine/open-file.ts';
import { Ranker, weightCount } from '../../src/mochi/engine/ranker.ts';
import { traits } from '../../src/mochi/engine/traits.ts';
import { type CorpusFile, createSetup, readCorpus, root } from './mochi-corpus.ts';
import { exportWeights } from './mochi-weights.ts';

const out = `${root}.bench/weights.bin`;
const small = /^(zod|ethers|reduxjs-toolkit|noble-curves|tanstack-query-core)\//;
const clients = /^(openai|viem)\//;
const effect = /^effect\//;
/**
 * What each thread trains on, in rounds: the files of known projects whose hash lies in a range, and such files of
 * projects that the round takes for unseen ones. Hashes are 0 to 99; those from 92 on are never trained on.
 */
const firstRounds = [
  [
    { known: [0, 9], foreign: small, unknown: [0, 30] },
    { known: [18, 27], foreign: small, unknown: [30, 60] },
    { known: [36, 45], foreign: small, unknown: [60, 88] },
  ],
  [
    { known: [9, 18], foreign: clients, unknown: [0, 28] },
    { known: [27, 36], foreign: effect, unknown: [0, 24] },
    { known: [45, 54], foreign: clients, unknown: [28, 56] },
  ],
] as const;
/** When training goes on, it is with other files. */
const laterRounds = [
  [
    { known: [54, 63], foreign: small, unknown: [0, 44] },
    { known: [72, 81], foreign: effect, unknown: [24, 44] },
  ],
  [
    { known: [63, 72], foreign: clients, unknown: [56, 84] },
    { known: [81, 90], foreign: small, unknown: [44, 88] },
  ],
] as const;
/** Tokens that are predicted before the weights move. */
const batchSize = 48;
const longest = 6000;

const hash = (text: string): number => [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7) % 100;
const isWithin = (file: CorpusFile, [from, to]: readonly [number, number]): boolean => {
  const place = hash(file.path);
  return place >= from && place < to && file.ids.length < longest;
};

interface Task {
  readonly turn: number;
  readonly isContinued: boolean;
  readonly epochs: number;
  readonly rate: number;
  readonly weights: SharedArrayBuffer;
}

class Training {
  readonly #weights: Float32Array;
  readonly #ranker: Ranker;
  readonly #candidates = new Candidates();
  readonly #gradient = new Float32Array(weightCount);
  readonly #mean = new Float32Array(weightCount - traits);
  readonly #square = new Float32Array(weightCount);
  readonly #rate: number;
  #step = 0;
  #batch = 0;
  /** How many steps there will be. */
  planned = 1;

  constructor(weights: Float32Array, rate: number) {
    this.#weights = weights;
    this.#ranker = new Ranker(weights);
    this.#rate = rate;
  }

  #update(): void {
    this.#step += 1;
    this.#batch = 0;
    const left = Math.max(0.02, 1 - this.#step / this.planned);
    const weights = this.#weights;
    const square = this.#square;
    const dense = weightCount - traits;
    for (let at = 0; at < dense; at += 1) {
      const slope = (this.#gradient[at] ?? 0) / batchSize;
      this.#mean[at] = 0.9 * (this.#mean[at] ?? 0) + 0.1 * slope;
      square[at] = 0.999 * (square[at] ?? 0) + 0.001 * slope * slope;
      const unbiased = (this.#mean[at] ?? 0) / (1 - 0.9 ** this.#step);
      const spread = Math.sqrt((square[at] ?? 0) / (1 - 0.999 ** this.#step)) + 1e-7;
      weights[at] = (weights[at] ?? 0) - (this.#rate * left * unbiased) / spread;
    }
    // Traits are rare: what adapts to the size of the last slopes would throw them about.
    for (let at = dense; at < weightCount; at += 1) {
      const slope = (this.#gradient[at] ?? 0) / batchSize;
      if (slope === 0) continue;
      square[at] = (square[at] ?? 0) + slope * slope;
      weights[at] =
        (weights[at] ?? 0) - (10 * this.#rate * (0.1 + 0.9 * left) * slope) / (Math.sqrt(square[at] ?? 0) + 0.003);
    }
    this.#gradient.fill(0);
  }

  /** Predicts every token of a file and learns from each. */
  study(file: CorpusFile, setup: ReturnType<typeof createSetup>, open: OpenFile): { loss: number; hits: number } {
    const sources = setup(file);
    const candidates = this.#candidates;
    let loss = 0;
    let hits = 0;
    for (let at = 0; at < file.ids.length; at += 1) {
      candidates.gather(open, sources);
      this.#ranker.rank(candidates);
      const id = file.ids[at] ?? 0;
      const gap = file.gaps[at] ?? 0;
      const truth = Math.max(0, candidates.symbols.subarray(0, candidates.count).indexOf(symbolOf(id, gap)));
      loss -= Math.log((this.#ranker.probabilities[truth] ?? 0) + 1e-9);
      if (truth > 0) hits += 1;
      this.#ranker.learn(candidates, truth, this.#gradient);
      this.#batch += 1;
      if (this.#batch === batchSize) this.#update();
      open.push(id, gap);
    }
    return { loss, hits };
  }
}

const symbolOf = (id: number, gap: number): number => id * 2 + ((gap & 7) >= 2 ? 1 : 0);

function work({ turn, isContinued, epochs, rate, weights }: Task): void {
  const corpus = readCorpus();
  if (corpus === undefined) return;
  const { files, vocabulary } = corpus;
  const allowed = files.filter((file) => file.a === 'train' && file.b === 'train');
  const jobs = ((isContinued ? laterRounds : firstRounds)[turn] ?? [])
    .flatMap(({ known, foreign, unknown }) => {
      const held = allowed.filter((file) => isWithin(file, known));
      const nested = allowed.filter((file) => foreign.test(file.path));
      const atHome = createSetup(
        allowed.filter((file) => !held.includes(file)),
        [],
        vocabulary,
      );
      const abroad = createSetup(
        allowed.filter((file) => !foreign.test(file.path)),
        nested,
        vocabulary,
      );
      return [
        ...held.map((file) => ({ file, setup: atHome })),
        ...nested.filter((file) => isWithin(file, unknown)).map((file) => ({ file, setup: abroad })),
      ];
    })
    .sort((one, two) => hash(`x${one.file.path}`) - hash(`x${two.file.path}`));
  const tokens = jobs.reduce((sum, job) => sum + job.file.ids.length, 0);
  const report = (text: string): void => parentPort?.postMessage(`thread ${turn}: ${text}`);
  report(`${jobs.length} files, ${tokens} tokens`);
  const training = new Training(new Float32Array(weights), rate);
  training.planned = (epochs * tokens) / batchSize;
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const sums = { loss: 0, hits: 0, count: 0 };
    const start = performance.now();
    for (const [at, { file, setup }] of jobs.entries()) {
      const { loss, hits } = training.study(file, setup, new OpenFile(vocabulary, file.path));
      sums.loss += loss;
      sums.hits += hits;
      sums.count += file.ids.length;
      if (at % 100 === 99 || at === jobs.length - 1)
        report(
          `${epoch} ${at} loss ${(sums.loss / sums.count).toFixed(4)}, among candidates ${(sums.hits / sums.count).toFixed(4)}, ` +
            `${((1000 * (performance.now() - start)) / sums.count).toFixed(0)} us a token`,
        );
    }
  }
}

async function tune(): Promise<void> {
  const epochs = Number(process.argv[2] ?? 2);
  const isContinued = process.argv[3] === 'continue' && existsSync(out);
  const shared = new SharedArrayBuffer(weightCount * 4);
  const weights = new Float32Array(shared);
  let seed = 42;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 4294967296 - 0.5;
  };
  for (let at = 0; at < weightCount - traits; at += 1) weights[at] = random() * 0.25;
  if (isContinued) weights.set(new Float32Array(new Uint8Array(readFileSync(out)).buffer));
  const rate = isContinued ? 0.0006 : 0.0008;
  await Promise.all(
    firstRounds.map(
      (_, turn) =>
        new Promise<void>((resolve, reject) => {
          const task: Task = { turn, isContinued, epochs, rate, weights: shared };
          const worker = new Worker(new URL(import.meta.url), { workerData: task });
          worker.on('message', (text) => {
            console.log(text);
            writeFileSync(out, new Uint8Array(shared.slice(0)));
          });
          worker.on('error', reject);
          worker.on('exit', () => resolve());
        }),
    ),
  );
  writeFileSync(out, new Uint8Array(shared.slice(0)));
  writeFileSync(`${root}.bench/weights.ts`, exportWeights(weights));
}

if (isMainThread) await tune();
else work(workerData);
