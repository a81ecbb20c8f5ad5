/** Rest-of-line quality at the cursors of the completion benchmark, with and without what follows the line. */
import { LineCompleter } from '../../src/mochi/engine/line-completer.ts';
import { OpenFile } from '../../src/mochi/engine/open-file.ts';
import type { Ranker } from '../../src/mochi/engine/ranker.ts';
import { type Corpus, readTable, setupOf } from './mochi-corpus.ts';

interface Outcome {
  readonly kind: string;
  readonly isRight: boolean;
  readonly similarity: number;
  readonly probability: number;
}

/** 1 - Levenshtein distance / the longer length. */
export function similarity(one: string, two: string): number {
  let row = Array.from({ length: two.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= two.length; j += 1) {
      const same = one[i - 1] === two[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  const longer = Math.max(one.length, two.length);
  return longer === 0 ? 1 : 1 - (row[two.length] ?? 0) / longer;
}

function report(name: string, outcomes: readonly Outcome[], times: number[]): void {
  times.sort((one, two) => one - two);
  const at = (part: number): string => (times[Math.floor(times.length * part)] ?? 0).toFixed(2);
  const percent = (list: readonly Outcome[]): string =>
    ((100 * list.filter((it) => it.isRight).length) / Math.max(1, list.length)).toFixed(1);
  const parts = ['mid', 'start'].map((kind) => {
    const list = outcomes.filter((it) => it.kind === kind).sort((one, two) => two.probability - one.probability);
    const mean = (100 * list.reduce((sum, it) => sum + it.similarity, 0)) / Math.max(1, list.length);
    const surest = list.slice(0, Math.round(list.length / 5));
    return `${kind} (${list.length}) exact ${percent(list)} %, similar ${mean.toFixed(1)}, surest fifth ${percent(surest)} %`;
  });
  const bins = Array.from({ length: 10 }, (_, bin) =>
    outcomes.filter((it) => Math.min(9, Math.floor(it.probability * 10)) === bin),
  );
  const gap = bins.reduce((sum, bin) => {
    const said = bin.reduce((total, it) => total + it.probability, 0);
    return sum + Math.abs(said - bin.filter((it) => it.isRight).length);
  }, 0);
  console.log(
    `${name}: ${parts.join('; ')}; p50/p95/p99 ${at(0.5)}/${at(0.95)}/${at(0.99)} ms; calibration error ${(gap / outcomes.length).toFixed(3)}`,
  );
  console.log(
    `  said:right ${bins.map((bin) => (bin.length === 0 ? '-' : `${(bin.reduce((sum, it) => sum + it.probability, 0) / bin.length).toFixed(2)}:${(bin.filter((it) => it.isRight).length / bin.length).toFixed(2)}`)).join(' ')}`,
  );
}

/** Prints one row for the prefix alone and one for prefix and suffix, over every `every`th cursor. */
export function measureLines(split: 'a' | 'b', corpus: Corpus, ranker: Ranker, every = 1): void {
  const rows = readTable(`lines-${split.toUpperCase()}`)?.filter((_, at) => at % every === 0);
  if (rows === undefined) return;
  const setup = setupOf(split, corpus);
  const completer = new LineCompleter(ranker);
  const byPath = new Map(corpus.files.map((file) => [file.path, file]));
  for (const withSuffix of [false, true]) {
    const outcomes: Outcome[] = [];
    const times: number[] = [];
    for (const [path = '', cursor = '', end = '', kind = ''] of rows) {
      const file = byPath.get(path);
      if (file === undefined) continue;
      let first = file.starts.findIndex((start) => start >= Number(cursor));
      if (first < 0) first = file.ids.length;
      let last = file.starts.findIndex((start) => start >= Number(end));
      if (last < 0) last = file.ids.length;
      const sources = setup(file);
      const open = new OpenFile(corpus.vocabulary, file.path);
      if (withSuffix) {
        for (let at = last; at < file.ids.length; at += 1) open.push(file.ids[at] ?? 0, file.gaps[at] ?? 0);
        open.push(0, 2);
      }
      for (let at = 0; at < first; at += 1) open.push(file.ids[at] ?? 0, file.gaps[at] ?? 0);
      const follower =
        withSuffix && last < file.ids.length ? { token: file.ids[last] ?? 0, onNewLine: true } : undefined;
      const start = performance.now();
      const found = completer.complete(open, sources, { begins: kind === 'start', followedBy: follower })[0];
      times.push(performance.now() - start);
      const wanted = Array.from(file.ids.subarray(first, last), (id) => corpus.vocabulary.textOf(id)).join(' ');
      const got = (found?.symbols ?? []).map((symbol) => corpus.vocabulary.textOf(symbol >> 1)).join(' ');
      outcomes.push({
        kind,
        isRight: wanted === got,
        similarity: similarity(wanted, got),
        probability: found?.probability ?? 0,
      });
    }
    report(`rest of line ${split.toUpperCase()}, ${withSuffix ? 'prefix and suffix' : 'prefix only'}`, outcomes, times);
  }
}
