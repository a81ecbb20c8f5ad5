/**
 * The host tier: the suite in a real extension host, then what a user sees and gets (`*.test.ts` here, on the
 * packaged extension).
 */
import { type Counts, runToEnd, runVitest, sum } from '../support/counts.ts';
import { runSuite } from './bed/run-suite.ts';

export async function runHostTier(): Promise<Counts> {
  if ((await runToEnd(process.execPath, ['esbuild.mjs'], 60_000)) !== 0) throw new Error('The build failed');
  const { where, outcomes } = await runSuite();
  for (const { name, failure } of outcomes) {
    console.log(` ${failure === undefined ? '✓' : '×'} ${where}: ${name}`);
    if (failure !== undefined) console.log(failure.replace(/^/gm, '     '));
  }
  const bad = outcomes.filter(({ failure }) => failure !== undefined);
  const suite: Counts = {
    passed: outcomes.length - bad.length,
    failed: bad.length,
    remarks: bad.map(({ name, failure }) => `failed: ${where}: ${name}: ${failure?.split('\n')[0]}`),
  };
  return sum([suite, await runVitest('host', 12 * 60_000)]);
}
