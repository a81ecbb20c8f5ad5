/**
 * Runs the test tiers named on the command line, or all of them, and closes with one line that counts over all:
 * `N passed, N failed`. A tier that fails does not keep the next one from running.
 */
import { runHostTier } from './host/run.ts';
import { type Counts, runToEnd, runVitest, sum } from './support/counts.ts';

const minutes = 60_000;

/** Each static check counts as one test that passes or fails. */
async function runChecks(): Promise<Counts> {
  const counts: Counts[] = [];
  for (const name of ['check:types', 'check:style', 'check:unused']) {
    const code = await runToEnd('npm', ['run', '--silent', name], 5 * minutes);
    console.log(` ${code === 0 ? '✓' : '×'} ${name}`);
    counts.push(code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1, remarks: [`failed: ${name}`] });
  }
  return sum(counts);
}

const tiers: ReadonlyMap<string, () => Promise<Counts>> = new Map([
  ['check', runChecks],
  ['unit', () => runVitest('unit', 10 * minutes)],
  ['process', () => runVitest('process', 15 * minutes)],
  ['host', runHostTier],
]);

// An exit handler ends what each tier has started; a plain signal would skip it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const wanted = process.argv.length > 2 ? process.argv.slice(2) : [...tiers.keys()];
const results: Counts[] = [];
for (const name of wanted) {
  const run = tiers.get(name);
  if (run === undefined) throw new Error(`There is no tier ${name}: only ${[...tiers.keys()].join(', ')}`);
  console.log(`\n== ${name}`);
  const started = performance.now();
  const counts = await run().catch((error): Counts => {
    console.error(error);
    return { passed: 0, failed: 1, remarks: [`failed: ${name}: ${error}`] };
  });
  results.push(counts);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${name}: ${counts.passed} good, ${counts.failed} bad, ${seconds} s`);
}
const { passed, failed, remarks = [] } = sum(results);
for (const remark of remarks) console.log(`\n${remark}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
