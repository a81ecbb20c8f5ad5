/**
 * Mochi's embedded engine: completion on the completion benchmark beside a plain n-gram of order 6, the leak test, speed
 * and memory of learning, what serving notices of it, retrieval beside plain BM25, a call over stdio beside the engine.
 * `node test/bench/mochi.ts [quick] [part…]`; prints, asserts nothing, and says which data are missing.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Ranker } from '../../src/mochi/engine/ranker.ts';
import { rankerWeights } from '../../src/mochi/engine/weights.ts';
import { readCorpus } from './mochi-corpus.ts';
import { measureLeak } from './mochi-leak.ts';
import { measureLines } from './mochi-lines.ts';
import { measureNext } from './mochi-next.ts';
import { measureOverhead } from './mochi-overhead.ts';
import { measureSearch } from './mochi-search.ts';

const isQuick = process.argv.includes('quick');
const parts = process.argv.slice(2).filter((argument) => argument !== 'quick');
const isWanted = (part: string): boolean => parts.length === 0 || parts.includes(part);
const every = isQuick ? 8 : 1;

console.log(
  'targets: next token MRR@10 A >= 0.80, B >= 0.73; rest of line mid A >= 56 %, B >= 40 %; surest fifth A >= 98 %, B >= 88 %;\n' +
    '  a line p95 <= 8 ms; learning >= 1 M tokens/s; 10 M tokens <= 12 s and <= 450 MB; loading <= 1 s; one file <= 30 ms; a call over stdio p95 <= 3 ms beside the engine',
);
const ranker = new Ranker(rankerWeights());
if (isWanted('leak')) measureLeak(ranker);
if (isWanted('learn')) {
  const learn = fileURLToPath(new URL('mochi-learn.ts', import.meta.url));
  // A process for each size: memory is only told apart that way.
  for (const millions of isQuick ? [1, 3] : [1, 3, 10, 30])
    spawnSync(process.execPath, [learn, `${millions}`], { stdio: 'inherit' });
}
if (isWanted('serving')) {
  const serving = fileURLToPath(new URL('mochi-serving.ts', import.meta.url));
  for (const millions of isQuick ? [1] : [1, 10])
    spawnSync(process.execPath, [serving, `${millions}`], { stdio: 'inherit' });
}
const corpus = isWanted('next') || isWanted('lines') ? readCorpus() : undefined;
if (corpus !== undefined) {
  for (const split of ['a', 'b'] as const) {
    if (isWanted('lines')) measureLines(split, corpus, ranker, every);
    if (isWanted('next')) measureNext(split, corpus, ranker, every);
  }
}
if (isWanted('search')) await measureSearch();
if (isWanted('overhead')) await measureOverhead();
