/** How many tests passed and failed, and how children are run to find out. It decides nothing about which tests. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** A line for each test a reader should look at: those that failed, and those that passed only when repeated. */
  readonly remarks?: readonly string[];
}

export function sum(counts: readonly Counts[]): Counts {
  return {
    passed: counts.reduce((total, { passed }) => total + passed, 0),
    failed: counts.reduce((total, { failed }) => total + failed, 0),
    remarks: counts.flatMap(({ remarks }) => remarks ?? []),
  };
}

/** What is wrong with a tier beyond its failed tests; a tier that looked at nothing is not a success. */
export function objection(counts: Counts, exitCode: number): string | undefined {
  if (counts.passed + counts.failed === 0) return 'it ran no test';
  if (exitCode !== 0 && counts.failed === 0) return `it ended with code ${exitCode} although no test failed`;
  return undefined;
}

/**
 * Runs a command to its end with its output shown and gives its exit code; 124 when it had to be ended because the
 * deadline (milliseconds) had passed. Its whole process group ends with it.
 */
export async function runToEnd(command: string, args: readonly string[], deadline: number): Promise<number> {
  const windows = process.platform === 'win32';
  const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: !windows, shell: windows });
  const endAll = () => {
    try {
      if (child.pid !== undefined) process.kill(windows ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      // Already gone.
    }
  };
  process.once('exit', endAll);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endAll();
  }, deadline);
  const code = await new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
  clearTimeout(timer);
  endAll();
  process.removeListener('exit', endAll);
  return late ? 124 : code;
}

/** Runs a Vitest project with the names of its tests shown. */
export async function runVitest(project: string, deadline: number): Promise<Counts> {
  const scratch = mkdtempSync(join(tmpdir(), 'mochi-counts-'));
  try {
    const file = join(scratch, 'counts.json');
    const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile.json=${file}`];
    const vitest = join('node_modules', 'vitest', 'vitest.mjs');
    const code = await runToEnd(process.execPath, [vitest, 'run', '--project', project, ...reporters], deadline);
    const counts = readCounts(file);
    const wrong = objection(counts, code);
    if (wrong === undefined) return counts;
    console.error(`${project}: ${wrong}.`);
    return sum([counts, { passed: 0, failed: 1, remarks: [`failed: ${project}: ${wrong}`] }]);
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

function readCounts(file: string): Counts {
  try {
    return countsOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return { passed: 0, failed: 0 };
  }
}

/** The part of Vitest's JSON report that is read here. */
export interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      /** Also there, with status `passed`, when a later try of the test was good. */
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

export function countsOf(report: VitestReport): Counts {
  const remarks = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ fullName, status, failureMessages = [] }) => {
      const verdict = status === 'failed' ? 'failed' : failureMessages.length > 0 ? 'passed when repeated' : undefined;
      const [reason = ''] = (failureMessages[0] ?? '').split('\n');
      return verdict === undefined ? [] : [`${verdict}: ${basename(name)}: ${fullName}: ${reason.slice(0, 300)}`];
    }),
  );
  return { passed: Number(report.numPassedTests), failed: Number(report.numFailedTests), remarks };
}
