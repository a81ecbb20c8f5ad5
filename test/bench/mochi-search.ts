/**
 * Retrieval: the first sentence of a held-out doc comment as the question, its declaration as the answer. Beside it plain
 * BM25 over the same terms without fields, widening or priors, and how far the stated confidence can be trusted.
 */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { confidenceOf, type SearchOptions, SymbolSearch } from '../../src/mochi/engine/symbol-search.ts';
import { learnFolder } from '../../src/mochi/learn/learn.ts';
import type { CodeSymbol } from '../../src/mochi/learn/symbols.ts';
import { readTable, root } from './mochi-corpus.ts';

const most = 1500;

export async function measureSearch(): Promise<void> {
  if (!existsSync(`${root}.bench/zod`)) {
    console.log('search: the corpus is missing');
    return;
  }
  const rows = readTable('split');
  if (rows === undefined) return;
  // The files of the tables only: the packages also hold each declaration a second time, as `.d.ts`.
  const folder = mkdtempSync(join(tmpdir(), 'mochi-search-'));
  for (const [path = ''] of rows) cpSync(`${root}.bench/${path}`, join(folder, path));
  const memory = await learnFolder(folder, {}, AbortSignal.timeout(300_000));
  rmSync(folder, { recursive: true });
  const documented: { readonly symbol: CodeSymbol; readonly question: string }[] = [];
  const asked = new Set<string>();
  for (const { record } of memory.files.values()) {
    if (!/\.[mc]?tsx?$/.test(record.path) || record.path.endsWith('.d.ts')) continue;
    for (const symbol of record.symbols) {
      const question = symbol.doc.split(/(?<=[.!?])\s/, 1)[0] ?? '';
      if (!symbol.isExported || question.split(' ').length < 4 || asked.has(question)) continue;
      asked.add(question);
      documented.push({ symbol, question });
    }
  }
  const step = Math.max(1, documented.length / most);
  const held = documented.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).slice(0, most);
  // No comment is in any index, so that none answers itself and none without one is at a loss; only what names and
  // words go together is learned, from the comments that are not asked for.
  const heldOut = new Set(held.map(({ symbol }) => symbol));
  const plain: SearchOptions = { name: 1, path: 0, body: 1, widen: 0, plain: true };
  for (const [name, options] of [
    ['plain BM25', plain],
    ['ours', {}],
  ] as const) {
    const start = performance.now();
    const search = new SymbolSearch(memory, { ...options, doc: 0, heldOut });
    const built = performance.now() - start;
    report(name, search, built, held);
  }
}

function report(
  name: string,
  search: SymbolSearch,
  built: number,
  held: readonly { symbol: CodeSymbol; question: string }[],
): void {
  let reciprocal = 0;
  const within = { 1: 0, 5: 0, 10: 0 };
  const times: number[] = [];
  const bins = Array.from({ length: 10 }, () => ({ said: 0, right: 0, count: 0 }));
  for (const { symbol, question } of held) {
    const start = performance.now();
    const hits = search.search(question, 10);
    times.push(performance.now() - start);
    const rank =
      hits.findIndex((hit) => hit.symbol.name === symbol.name && hit.file.record.symbols.includes(symbol)) + 1;
    if (rank > 0) reciprocal += 1 / rank;
    for (const limit of [1, 5, 10] as const) if (rank > 0 && rank <= limit) within[limit] += 1;
    const said = confidenceOf(hits);
    const bin = bins[Math.min(9, Math.floor(said * 10))];
    if (bin === undefined) continue;
    bin.said += said;
    bin.count += 1;
    if (rank === 1) bin.right += 1;
  }
  times.sort((one, two) => one - two);
  const of = (count: number): string => (count / held.length).toFixed(3);
  console.log(
    `search, ${name}: MRR@10 ${of(reciprocal)}, recall@1 ${of(within[1])}, @5 ${of(within[5])}, @10 ${of(within[10])}; ` +
      `${held.length} questions, ${search.size} symbols, built in ${built.toFixed(0)} ms, ` +
      `p50/p95 ${(times[times.length >> 1] ?? 0).toFixed(1)}/${(times[Math.floor(times.length * 0.95)] ?? 0).toFixed(1)} ms`,
  );
  console.log(
    `  said:right (n) ${bins.map(({ said, right, count }) => (count === 0 ? '-' : `${(said / count).toFixed(2)}:${(right / count).toFixed(2)} (${count})`)).join(' ')}`,
  );
}
