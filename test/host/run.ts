/**
 * The host tier: the suite in a real extension host, then what a user sees and gets (`*.test.ts` here, on the
 * packaged extension).
 */
import { type Counts, runToEnd, runVitest, sum } from '../support/counts.ts';
import { runSuite } from './bed/run-suite.ts';

export async function runHostTier(): Promise<Counts> {
  if ((await runToEnd(process.execPath, ['esbuild.mjs'], 60_000)) !== 0) throw new Error('The build failed');
  const first = await shownSuite();
  // As in the other tiers that wait for programs, a second try; the editor may wake an extension at any moment.
  const last = first.remarks?.length === 0 ? first : await shownSuite();
  const repeated = last === first ? [] : (first.remarks ?? []).map((remark) => `on the first try ${remark}`);
  return sum([{ passed: 0, failed: 0, remarks: repeated }, last, await runVitest('host', 12 * 60_000)]);
}

async function shownSuite(): Promise<Counts> {
  const { where, outcomes } = await runSuite();
  for (const { name, failure } of outcomes) {
    console.log(` ${failure === undefined ? '✓' : '×'} ${where}: ${name}`);
    if (failure !== undefined) console.log(failure.replace(/^/gm, '     '));
  }
  const bad = outcomes.filter(({ failure }) => failure !== undefined);
  return {
    passed: outcomes.length - bad.length,
    failed: bad.length,
    remarks: bad.map(({ name, failure }) => `failed: ${where}: ${name}: ${failure?.split('\n')[0]}`),
  };
}
