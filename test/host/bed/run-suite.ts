/**
 * Runs the Mocha suite in a real extension host: in a downloaded desktop VS Code where its download host can be
 * reached and there is a display, else in VS Code's web workbench. `WORKBENCH=desktop|web` chooses, `VSCODE_EXECUTABLE` names an installed
 * VS Code, `WORKBENCH_VERBOSE=1` shows the workbench's console.
 */
import { lookup } from 'node:dns/promises';
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { format, stripVTControlCharacters } from 'node:util';
import esbuild from 'esbuild';
import { cache, root } from './fetched-parts.ts';
import { outcomesOf, resultVariable, type SuiteResult, type TestOutcome } from './suite-result.ts';
import { openWorkbench } from './workbench-page.ts';
import { startWorkbenchServer } from './workbench-server.ts';

const suiteDeadline = 4 * 60_000;
const workspaceFolder = join(root, 'test', 'host', 'workspaces', 'plain');

type Where = 'desktop' | 'web';

async function chosenWorkbench(): Promise<Where> {
  const wanted = process.env['WORKBENCH'];
  if (wanted === 'desktop' || wanted === 'web') return wanted;
  if (wanted !== undefined && wanted !== '') throw new Error(`WORKBENCH is desktop or web, not ${wanted}`);
  if (process.env['VSCODE_EXECUTABLE']) return 'desktop';
  const { platform, env } = process;
  if (platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return 'web';
  const found = await within(10_000, lookup('update.code.visualstudio.com')).catch(() => undefined);
  return found ? 'desktop' : 'web';
}

/** Bundles the suite, a file per test file, outside `dist`: nothing of it is ever packaged. */
async function bundleSuite(): Promise<string> {
  const folder = join(cache, 'suite');
  rmSync(folder, { recursive: true, force: true });
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['test/host/suite/run.ts', ...globSync('test/host/suite/*.test.ts', { cwd: root })],
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    entryNames: '[name]',
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['vscode', 'mocha'],
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return join(folder, 'run.cjs');
}

function readWorkspace(): Record<string, string> {
  const entries = readdirSync(workspaceFolder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.map((file) => [relative(workspaceFolder, file), readFileSync(file, 'utf8')]));
}

/** Needs a finished build. Never throws for a suite that fails: that is an outcome. */
export async function runSuite(): Promise<{ readonly where: Where; readonly outcomes: readonly TestOutcome[] }> {
  const where = await chosenWorkbench();
  const tests = await bundleSuite();
  const scratch = mkdtempSync(join(tmpdir(), 'mochi-suite-'));
  const resultFile = join(scratch, 'result.json');
  try {
    await (where === 'web' ? runOnWeb(tests, resultFile) : runOnDesktop(tests, scratch, resultFile)).catch((error) =>
      console.error(error),
    );
    return { where, outcomes: outcomesOf(readResult(resultFile)) };
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

function readResult(file: string): SuiteResult | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SuiteResult;
  } catch {
    return undefined;
  }
}

async function runOnWeb(tests: string, resultFile: string): Promise<void> {
  const server = await startWorkbenchServer({ files: readWorkspace(), env: { [resultVariable]: resultFile } });
  const lines: string[] = [];
  try {
    let end = (_code: number) => {};
    const ended = new Promise<number>((resolve) => {
      end = resolve;
    });
    const workbench = await openWorkbench(server, {
      extension: root,
      tests,
      onLog: (_level, values) => {
        lines.push(stripVTControlCharacters(format(...values)));
        if (process.env['WORKBENCH_VERBOSE']) console.log(lines.at(-1));
      },
      onExit: end,
    });
    try {
      const code = await within(suiteDeadline, ended);
      if (code !== 0) console.error(`The extension host ended with ${code}.`);
    } finally {
      await workbench.close();
    }
  } catch (error) {
    console.error(`${lines.slice(-40).join('\n')}\n${server.log().slice(-4000)}`);
    throw error;
  } finally {
    await server.stop();
  }
}

async function runOnDesktop(tests: string, scratch: string, resultFile: string): Promise<void> {
  const { runTests } = await import('@vscode/test-electron');
  const workspace = join(scratch, basename(workspaceFolder));
  for (const [name, text] of Object.entries(readWorkspace())) {
    mkdirSync(join(workspace, name, '..'), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  const executable = process.env['VSCODE_EXECUTABLE'];
  const running = runTests({
    extensionDevelopmentPath: root,
    extensionTestsPath: tests,
    ...(executable ? { vscodeExecutablePath: executable } : { version: process.env['VSCODE_VERSION'] ?? 'stable' }),
    extensionTestsEnv: { [resultVariable]: resultFile },
    launchArgs: [workspace, '--disable-extensions', '--disable-workspace-trust', `--user-data-dir=${scratch}/user`],
  });
  // The first run downloads VS Code.
  await within(2 * suiteDeadline, running);
}

async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No result within ${milliseconds / 1000} s`)), milliseconds);
  });
  return await Promise.race([work, late]).finally(() => clearTimeout(timer));
}
