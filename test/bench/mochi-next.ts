/** Next-token quality: every token of every test file in order, against a plain n-gram of order 6 in the same run. */
import { Candidates } from '../../src/mochi/engine/candidates.ts';
import type { ContextIndex } from '../../src/mochi/engine/context-index.ts';
import { OpenFile } from '../../src/mochi/engine/open-file.ts';
import type { Ranker } from '../../src/mochi/engine/ranker.ts';
import type { Sources } from '../../src/mochi/engine/sources.ts';
import { kinds } from '../../src/mochi/learn/vocabulary.ts';
import { type Corpus, setupOf } from './mochi-corpus.ts';

/** 1 / rank of `truth` among the ten likeliest tokens; symbols of one token count together. */
export function reciprocalRank(candidates: Candidates, ranker: Ranker, truth: number, isLine?: boolean): number {
  const sums = new Map<number, number>();
  for (let at = 1; at < candidates.count; at += 1) {
    const symbol = candidates.symbols[at] ?? 0;
    if (isLine !== undefined && (symbol & 1) !== (isLine ? 1 : 0)) continue;
    sums.set(symbol >> 1, (sums.get(symbol >> 1) ?? 0) + (ranker.probabilities[at] ?? 0));
  }
  const own = sums.get(truth);
  if (own === undefined) return 0;
  let rank = 1;
  // A tie counts against the predictor, so that no order of its own can help it.
  for (const [token, sum] of sums) if (token !== truth && sum >= own) rank += 1;
  return rank <= 10 ? 1 / rank : 0;
}

/** Jelinek-Mercer of order 6 with weight 0.5, over one index, without a cache. */
export function plainRank(index: ContextIndex, file: OpenFile, truth: number): number {
  const places = new Int32Array(12);
  const found = index.intervals(file.ids, file.length, 5, places);
  const sums = new Map<number, number>();
  for (let order = 1; order <= found; order += 1) {
    const { symbols, counts, total } = index.followers(places[order * 2 - 2] ?? 0, places[order * 2 - 1] ?? 0);
    if (total === 0) break;
    for (const [token, sum] of sums) sums.set(token, sum / 2);
    symbols.forEach((symbol, at) => {
      sums.set(symbol >> 1, (sums.get(symbol >> 1) ?? 0) + (0.5 * (counts[at] ?? 0)) / total);
    });
  }
  const own = sums.get(truth);
  if (own === undefined) return 0;
  let rank = 1;
  for (const [token, sum] of sums) if (token !== truth && sum >= own) rank += 1;
  return rank <= 10 ? 1 / rank : 0;
}

/** Prints the figures of one split, over every `every`th test file. */
export function measureNext(split: 'a' | 'b', corpus: Corpus, ranker: Ranker, every = 1): void {
  const setup = setupOf(split, corpus);
  const candidates = new Candidates();
  const sums = { blind: 0, seen: 0, words: 0, plain: 0, top: 0, recall: 0 };
  let count = 0;
  let wordCount = 0;
  const times: number[] = [];
  const chosen = corpus.files.filter((file) => file[split] === 'test').filter((_, at) => at % every === 0);
  for (const file of chosen) {
    const sources: Sources = setup(file);
    const open = new OpenFile(corpus.vocabulary, file.path);
    for (let at = 0; at < file.ids.length; at += 1) {
      const start = performance.now();
      candidates.gather(open, sources);
      ranker.rank(candidates);
      times.push(performance.now() - start);
      const id = file.ids[at] ?? 0;
      const gap = file.gaps[at] ?? 0;
      const blind = reciprocalRank(candidates, ranker, id);
      sums.blind += blind;
      sums.top += blind === 1 ? 1 : 0;
      sums.recall += candidates.symbols.subarray(1, candidates.count).some((symbol) => symbol >> 1 === id) ? 1 : 0;
      sums.seen += reciprocalRank(candidates, ranker, id, (gap & 7) >= 2);
      const plainest = split === 'b' ? sources.near : sources.base;
      if (plainest !== undefined) sums.plain += plainRank(plainest, open, id);
      if (corpus.vocabulary.kind(id) === kinds.word) {
        sums.words += blind;
        wordCount += 1;
      }
      count += 1;
      open.push(id, gap);
    }
  }
  times.sort((one, two) => one - two);
  const at = (part: number): string => (times[Math.floor(times.length * part)] ?? 0).toFixed(2);
  const mean = (sum: number, of = count): string => (sum / of).toFixed(4);
  console.log(
    `next token ${split.toUpperCase()}: MRR@10 ${mean(sums.blind)} (layout known ${mean(sums.seen)}), words ${mean(sums.words, wordCount)}, ` +
      `top-1 ${mean(sums.top)}, among candidates ${mean(sums.recall)}; plain order 6: ${mean(sums.plain)}; ` +
      `${count} tokens, p50/p95/p99 ${at(0.5)}/${at(0.95)}/${at(0.99)} ms`,
  );
}
