/** On uniformly random tokens nobody can do better than chance: whoever does has seen the answer. */
import { Candidates } from '../../src/mochi/engine/candidates.ts';
import { ContextIndex } from '../../src/mochi/engine/context-index.ts';
import { OpenFile } from '../../src/mochi/engine/open-file.ts';
import type { Ranker } from '../../src/mochi/engine/ranker.ts';
import { kinds, Vocabulary } from '../../src/mochi/learn/vocabulary.ts';
import { reciprocalRank } from './mochi-next.ts';

const symbols = 20;

/** MRR@10 over random tokens; chance is about 0.146 for 20 symbols. */
export function leakScore(ranker: Ranker, length: number): number {
  const vocabulary = new Vocabulary();
  const ids = Array.from({ length: symbols }, (_, at) =>
    vocabulary.intern(`word${at}`, 0, `word${at}`.length, kinds.word),
  );
  let seed = 12_345;
  const random = (): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return ids[Math.floor((seed / 0x7fffffff) * symbols) % symbols] ?? 0;
  };
  const sequence = (count: number): Int32Array => Int32Array.from({ length: count }, random);
  const base = ContextIndex.build(sequence(length), new Uint8Array(length), vocabulary.size);
  const sources = { base, near: base };
  const file = new OpenFile(vocabulary);
  const candidates = new Candidates();
  let sum = 0;
  for (const id of sequence(length)) {
    candidates.gather(file, sources);
    ranker.rank(candidates);
    sum += reciprocalRank(candidates, ranker, id);
    file.push(id, 1);
  }
  return sum / length;
}

export function measureLeak(ranker: Ranker): void {
  const chance = Array.from({ length: 10 }, (_, at) => 1 / (at + 1)).reduce((sum, it) => sum + it) / symbols;
  console.log(`leak test: ${leakScore(ranker, 20_000).toFixed(4)} on random tokens, chance ${chance.toFixed(4)}`);
}
