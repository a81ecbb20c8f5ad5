/** The call scripts as they are shipped beside the programs, and which of them this machine can run. */
import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { basename, isAbsolute, join } from 'node:path';
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

export interface Machine {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/**
 * Python where one of at least 3.9 lies in the search path under the name that skills call it by, else Node. Nothing is
 * run to find out: the extension shows a skill before anybody agreed to run anything, and both programs have to choose
 * alike. A Python whose files do not tell its version counts as a new one.
 */
export async function detectRuntime({ env, platform }: Machine): Promise<Runtime> {
  const [separator, name] = platform === 'win32' ? [';', 'python3.exe'] : [':', 'python3'];
  for (const folder of (env['PATH'] ?? env['Path'] ?? '').split(separator)) {
    // A relative folder means another place in every shell.
    if (!isAbsolute(folder)) continue;
    const path = join(folder, name);
    const minor = await minorOf(path);
    if (minor === 'none' || (await isStub(path, platform))) continue;
    return minor === 'unknown' || minor >= 9 ? 'python' : 'node';
  }
  return 'node';
}

/** The second figure of the version, as the file's real name or its folders spell it. */
async function minorOf(path: string): Promise<number | 'unknown' | 'none'> {
  try {
    const real = await realpath(path);
    if (!(await stat(real)).isFile()) return 'none';
    await access(real, constants.X_OK);
    const found =
      /python[-_.]?3[.]?(\d{1,2})\b/i.exec(basename(real)) ?? /[\\/@-]3\.(\d{1,2})(?:\.\d+)?[\\/]/.exec(real);
    return found === null ? 'unknown' : Number(found[1]);
  } catch {
    return 'none';
  }
}

/** Programs that only offer to install Python: what Windows lends its name to, and Apple's without its tools. */
async function isStub(path: string, platform: NodeJS.Platform): Promise<boolean> {
  if (platform === 'win32') return /[\\/]WindowsApps[\\/]/i.test(path);
  if (platform !== 'darwin' || path !== '/usr/bin/python3') return false;
  const tools = ['/Library/Developer/CommandLineTools', '/Applications/Xcode.app'];
  const there = await Promise.all(tools.map((tool) => stat(tool).catch(() => undefined)));
  return there.every((found) => found === undefined);
}
