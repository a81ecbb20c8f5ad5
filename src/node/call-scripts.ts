/** The call scripts as they are shipped beside the programs, and which of them this machine can run. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Runtime } from '#core/model.ts';
import { OperationError } from '#core/problem.ts';

const FILES: Record<Runtime, string> = { python: 'mcp_async_call.py', node: 'mcp_async_call.mjs' };

/** The text of the script that is written into skills; `folder` is the `scripts` folder of the built programs. */
export async function readCallScript(folder: string, runtime: Runtime): Promise<string> {
  try {
    return await readFile(join(folder, FILES[runtime]), 'utf8');
  } catch (error) {
    throw new OperationError('io', `The call script ${FILES[runtime]} is missing from this installation.`, {
      remedy: 'Install Mochi again, or run "npm run build" in a checkout.',
      cause: error,
    });
  }
}

const run = promisify(execFile);
/** A cold Python on a busy machine answers within a second or two. */
const DEADLINE_MS = 10_000;

/** Python where one of at least 3.9 answers under the name that skills call it by, else Node. */
export async function detectRuntime(env: NodeJS.ProcessEnv): Promise<Runtime> {
  try {
    const { stdout } = await run('python3', ['--version'], { env, timeout: DEADLINE_MS });
    const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
    return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 9) ? 'python' : 'node';
  } catch {
    return 'node';
  }
}
