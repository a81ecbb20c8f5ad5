/**
 * Makes the ranker's weights: `node test/bench/mochi-tune.ts [epochs] [continue] [turn]`. Trains only on files that are training files of
 * both splits, held out from the indexes they are predicted from, half of them as files of unseen projects.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { Candidates, traits } from '../../src/mochi/engine/candidates.ts';
import { OpenFile } from '../../src/mochi/engine/open-file.ts';
import { Ranker, weightCount } from '../../src/mochi/engine/ranker.ts';
import { type CorpusFile, createSetup, readCorpus, root } from './mochi-corpus.ts';
import { measureNext } from './mochi-next.ts';

const corpus = readCorpus();
if (corpus === undefined) process.exit(1);
const { files, vocabulary } = corpus;
const epochs = Number(process.argv[2] ?? 2);
const out = `${root}.bench/weights.bin`;
const allowed = files.filter((file) => file.a === 'train' && file.b === 'train');
const unseen = /^(zod|ethers|reduxjs-toolkit|noble-curves|tanstack-query-core)\//;
const hash = (text: string): number => [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7) % 100;
/** A further run may take other files: its number shifts which part of all is held out. */
const turn = Number(process.argv[4] ?? 0);
const isTurn = (path: string, part: number): boolean => {
  const place = hash(path) - turn * part;
  return place >= 0 && place < part;
};
const held = allowed.filter((file) => isTurn(file.path, 9) && file.ids.length < 6000);
const nested = allowed.filter((file) => unseen.test(file.path));
const studied = nested.filter((file) => isTurn(file.path, 30) && file.ids.length < 6000);
const setupA = createSetup(
  allowed.filter((file) => !held.includes(file)),
  [],
  vocabulary,
);
const setupB = createSetup(
  allowed.filter((file) => !unseen.test(file.path)),
  nested,
  vocabulary,
);
const jobs = [
  ...held.map((file) => ({ file, setup: setupA })),
  ...studied.map((file) => ({ file, setup: setupB })),
].sort((one, two) => hash(`x${one.file.path}`) - hash(`x${two.file.path}`));
console.log(
  `${held.length} + ${studied.length} files, ${jobs.reduce((sum, job) => sum + job.file.ids.length, 0)} tokens`,
);

const weights = new Float32Array(weightCount);
let seed = 42;
const random = (): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 4294967296 - 0.5;
};
for (let at = 0; at < weightCount; at += 1) weights[at] = at < weightCount - traits ? random() * 0.25 : 0;
if (process.argv[3] === 'continue' && existsSync(out))
  weights.set(new Float32Array(new Uint8Array(readFileSync(out)).buffer));
const ranker = new Ranker(weights);
const candidates = new Candidates();
const gradient = new Float32Array(weightCount);
const mean = new Float32Array(weightCount);
const square = new Float32Array(weightCount);
let step = 0;
let batch = 0;
const planned = (epochs * jobs.reduce((sum, job) => sum + job.file.ids.length, 0)) / 48;

function update(): void {
  step += 1;
  batch = 0;
  const rate = (process.argv[3] === 'continue' ? 0.001 : 0.002) * Math.max(0.02, 1 - step / planned);
  for (let at = 0; at < weightCount; at += 1) {
    const slope = (gradient[at] ?? 0) / 48;
    if (at >= weightCount - traits) {
      // Traits are rare: what adapts to the size of the last slopes would throw them about.
      square[at] = (square[at] ?? 0) + slope * slope;
      weights[at] = (weights[at] ?? 0) - (0.02 * slope) / (Math.sqrt(square[at] ?? 0) + 0.003);
      continue;
    }
    mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
    square[at] = 0.999 * (square[at] ?? 0) + 0.001 * slope * slope;
    const unbiased = (mean[at] ?? 0) / (1 - 0.9 ** step);
    const spread = Math.sqrt((square[at] ?? 0) / (1 - 0.999 ** step)) + 1e-7;
    weights[at] = (weights[at] ?? 0) - (rate * unbiased) / spread;
  }
  gradient.fill(0);
}

function study(file: CorpusFile, setup: ReturnType<typeof createSetup>): { loss: number; hits: number } {
  const sources = setup(file);
  const open = new OpenFile(vocabulary);
  let loss = 0;
  let hits = 0;
  for (let at = 0; at < file.ids.length; at += 1) {
    candidates.gather(open, sources);
    ranker.rank(candidates);
    const id = file.ids[at] ?? 0;
    const gap = file.gaps[at] ?? 0;
    const symbol = id * 2 + ((gap & 7) >= 2 ? 1 : 0);
    const truth = Math.max(
      0,
      candidates.symbols.indexOf(symbol) < candidates.count ? candidates.symbols.indexOf(symbol) : 0,
    );
    loss -= Math.log((ranker.probabilities[truth] ?? 0) + 1e-9);
    if (truth > 0) hits += 1;
    ranker.learn(candidates, truth, gradient);
    batch += 1;
    if (batch === 48) update();
    open.push(id, gap);
  }
  return { loss, hits };
}

for (let epoch = 0; epoch < epochs; epoch += 1) {
  let loss = 0;
  let hits = 0;
  let count = 0;
  const start = performance.now();
  for (const [at, job] of jobs.entries()) {
    const found = study(job.file, job.setup);
    loss += found.loss;
    hits += found.hits;
    count += job.file.ids.length;
    if (at % 60 === 59)
      console.log(
        epoch,
        at,
        (loss / count).toFixed(4),
        (hits / count).toFixed(4),
        ((performance.now() - start) / count).toFixed(3),
      );
  }
  writeFileSync(out, new Uint8Array(weights.buffer));
}
for (const split of ['a', 'b'] as const) measureNext(split, corpus, new Ranker(weights), 16);
