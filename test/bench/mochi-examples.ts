/**
 * Writes what the ranker is trained on, for `mochi-tune.py`: `node test/bench/mochi-examples.ts`. An example is a token of
 * a training file of both splits with its candidates, seen from indexes that know nothing of the file: as a file of a
 * workspace that knows its neighbours in all projects, or as one of a project that nobody has seen. Takes 10 GB.
 */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Candidates, gates, kept, sharedWidth, width } from '../../src/mochi/engine/candidates.ts';
import { OpenFile } from '../../src/mochi/engine/open-file.ts';
import { hidden } from '../../src/mochi/engine/ranker.ts';
import type { Sources } from '../../src/mochi/engine/sources.ts';
import { traitBits, traitCount } from '../../src/mochi/engine/traits.ts';
import { type Corpus, type CorpusFile, createSetup, readCorpus, root } from './mochi-corpus.ts';

/** Projects that one round takes for unseen, and the share of their tokens that become examples. */
const unseen = [
  /^(zod|ethers|reduxjs-toolkit|noble-curves|tanstack-query-core)\//,
  /^(openai|viem)\//,
  /^effect\//,
] as const;
const unseenShare = 0.16;
/** Rounds that take a tenth of the files of all projects each, and the share of their tokens. */
const homeRounds = 10;
const homeShare = 0.55;
/** Hashes of paths are 0 to 99; files from here on are never trained on, so that choices can be made by them. */
const trained = 90;
/** Tokens of a file, at most: one long file is no better than a short one. */
const longest = 12_000;
/** What each thread does, in order; both know the large projects early. */
const turns: readonly (readonly number[])[] = [
  [0, 1, 11, 4, 5, 7, 9],
  [10, 2, 3, 12, 6, 8],
];

/** Numbers become bytes by these; the largest seen were 2.58 and 2.13. */
const rowScale = 96;
const sharedScale = 80;
const rowsOf = kept + 1;
const headSize = 8 + sharedWidth;

interface Job {
  readonly file: CorpusFile;
  readonly setup: (file: CorpusFile) => Sources;
  readonly share: number;
}

const hash = (text: string): number => [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7) % 100;

function jobsOf(round: number, { files, vocabulary }: Corpus): readonly Job[] {
  const allowed = files.filter((file) => file.a === 'train' && file.b === 'train');
  const foreign = unseen[round - homeRounds];
  if (foreign === undefined) {
    const step = trained / homeRounds;
    const isHeld = (file: CorpusFile): boolean =>
      hash(file.path) >= round * step && hash(file.path) < (round + 1) * step;
    const known = allowed.filter((file) => !isHeld(file));
    const setup = createSetup(known, [], vocabulary);
    return allowed.filter(isHeld).map((file) => ({ file, setup, share: homeShare }));
  }
  const nested = allowed.filter((file) => foreign.test(file.path));
  const known = allowed.filter((file) => !foreign.test(file.path));
  const setup = createSetup(known, nested, vocabulary);
  return nested.filter((file) => hash(file.path) < trained).map((file) => ({ file, setup, share: unseenShare }));
}

/** Examples one after the other: what is of each, the rows of all, and the traits of all, in three files. */
class Writer {
  readonly #heads: number;
  readonly #rows: number;
  readonly #traits: number;
  #bytes = { heads: Buffer.alloc(1 << 22), rows: Buffer.alloc(1 << 25), traits: Buffer.alloc(1 << 25) };
  #filled = { heads: 0, rows: 0, traits: 0 };
  count = 0;

  constructor(thread: number) {
    this.#heads = openSync(`${root}.bench/heads.${thread}`, 'w');
    this.#rows = openSync(`${root}.bench/rows.${thread}`, 'w');
    this.#traits = openSync(`${root}.bench/traits.${thread}`, 'w');
  }

  /** `truth` is the place of the token that stood there, 0 where it is no candidate. */
  add(candidates: Candidates, truth: number, isAtHome: boolean): void {
    const filled = this.#filled;
    const bytes = this.#bytes;
    bytes.heads.set([candidates.count, truth, candidates.gate, isAtHome ? 0 : 1, 0, 0, 0, 0], filled.heads);
    candidates.shared.forEach((value, at) => {
      bytes.heads[filled.heads + 8 + at] = Math.min(255, Math.round(value * sharedScale));
    });
    filled.heads += headSize;
    const rows = candidates.count * width;
    for (let at = 0; at < rows; at += 1)
      bytes.rows[filled.rows + at] = Math.min(255, Math.round((candidates.rows[at] ?? 0) * rowScale));
    filled.rows += rows;
    for (let at = 0; at < candidates.count * traitCount; at += 1)
      bytes.traits.writeUInt16LE((candidates.traits[at] ?? 0) & 0x3fff, filled.traits + at * 2);
    filled.traits += candidates.count * traitCount * 2;
    this.count += 1;
    if (filled.rows > (1 << 25) - 20_000 || filled.traits > (1 << 25) - 20_000 || filled.heads > (1 << 22) - 1000)
      this.#flush();
  }

  #flush(): void {
    writeSync(this.#heads, this.#bytes.heads, 0, this.#filled.heads);
    writeSync(this.#rows, this.#bytes.rows, 0, this.#filled.rows);
    writeSync(this.#traits, this.#bytes.traits, 0, this.#filled.traits);
    this.#filled = { heads: 0, rows: 0, traits: 0 };
  }

  close(): void {
    this.#flush();
    for (const file of [this.#heads, this.#rows, this.#traits]) closeSync(file);
  }
}

function work(thread: number): void {
  const corpus = readCorpus();
  if (corpus === undefined) return;
  const writer = new Writer(thread);
  const candidates = new Candidates();
  let seed = 12_345 + thread;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  for (const round of turns[thread] ?? []) {
    for (const { file, setup, share } of jobsOf(round, corpus)) {
      const sources = setup(file);
      const open = new OpenFile(corpus.vocabulary, file.path);
      for (let at = 0; at < Math.min(file.ids.length, longest); at += 1) {
        const [id = 0, gap = 0] = [file.ids[at], file.gaps[at]];
        if (random() < share) {
          candidates.gather(open, sources);
          const symbol = id * 2 + ((gap & 7) >= 2 ? 1 : 0);
          const truth = candidates.symbols.subarray(0, candidates.count).indexOf(symbol);
          writer.add(candidates, Math.max(0, truth), share === homeShare);
        }
        open.push(id, gap);
      }
    }
    parentPort?.postMessage(`thread ${thread}, round ${round}: ${writer.count} examples`);
  }
  writer.close();
}

if (isMainThread) {
  for (const thread of turns.keys()) {
    const worker = new Worker(new URL(import.meta.url), { workerData: thread });
    worker.on('message', console.log);
  }
  const shape = { rows: rowsOf, width, shared: sharedWidth, traits: traitCount, bits: traitBits, gates, hidden };
  writeFileSync(`${root}.bench/examples.json`, JSON.stringify({ ...shape, rowScale, sharedScale }));
} else work(workerData);
