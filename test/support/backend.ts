/**
 * The engine for models, for tests that run real ones: the version that is supported, for processors only, installed by
 * npm, which checks what it fetches, into a folder that is kept between runs. `MOCHI_BACKEND` names one that is there.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BACKEND_VERSION } from '../../src/mochi/engine/llama/backend.ts';
import { ROOT } from './mochi-fixture/running.ts';

/** The packages with what was built for processors, by platform. */
const BUILT: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};
const LIMIT_MS = 300_000;

/** The folder to give as `--backend`. Two that ask at once install twice, and one of them wins. */
export async function installedBackend(): Promise<string> {
  const given = process.env['MOCHI_BACKEND'];
  if (given !== undefined && given !== '') return given;
  const folder = join(ROOT, '.vscode-test', `backend-${BACKEND_VERSION}`);
  if (existsSync(folder)) return folder;
  const built = BUILT[`${process.platform}-${process.arch}`];
  if (built === undefined) throw new Error(`there is no engine for ${process.platform}-${process.arch}`);
  const aside = `${folder}.${process.pid}`;
  mkdirSync(aside, { recursive: true });
  writeFileSync(join(aside, 'package.json'), '{"private":true}\n');
  const packages = [`node-llama-cpp@${BACKEND_VERSION}`, `@node-llama-cpp/${built}@${BACKEND_VERSION}`];
  const options = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'];
  await promisify(execFile)('npm', ['install', ...options, ...packages], {
    cwd: aside,
    timeout: LIMIT_MS,
    shell: process.platform === 'win32',
  });
  // The sources, for those who build.
  rmSync(join(aside, 'node_modules', 'node-llama-cpp', 'llama', 'gitRelease.bundle'), { force: true });
  try {
    renameSync(aside, folder);
  } catch (error) {
    rmSync(aside, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
