/** What VS Code calls in the extension host: runs the bundled test files beside it and writes what happened. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import loaded from 'mocha';
import { resultVariable, type SuiteResult, type TestOutcome } from '../bed/suite-result.ts';

// Older hosts give an ES module as a namespace, newer ones what it stands for.
const Mocha = ('default' in loaded ? loaded.default : loaded) as typeof loaded;

export async function run(): Promise<void> {
  const file = process.env[resultVariable];
  if (!file) throw new Error(`${resultVariable} is not set`);
  const outcomes: TestOutcome[] = [];
  const write = (state: Omit<SuiteResult, 'outcomes'>) => writeFileSync(file, JSON.stringify({ ...state, outcomes }));
  write({ finished: false });

  const mocha = new Mocha({ ui: 'bdd', color: false, timeout: 20_000, forbidOnly: true, forbidPending: true });
  for (const name of readdirSync(__dirname).sort())
    if (name.endsWith('.test.cjs')) mocha.addFile(join(__dirname, name));

  const failures = await new Promise<number>((resolve) => {
    const runner = mocha.run(resolve);
    runner.on('test', (test) => write({ finished: false, running: test.fullTitle() }));
    runner.on('pass', (test) => outcomes.push({ name: test.fullTitle() }));
    runner.on('fail', (test, error) =>
      outcomes.push({ name: test.fullTitle(), failure: error.stack ?? String(error) }),
    );
  });
  write({ finished: true });
  if (failures > 0) throw new Error(`${failures} failed`);
}
