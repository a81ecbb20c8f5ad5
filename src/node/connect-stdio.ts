/**
 * One child process that speaks JSON lines: starts it without a shell, frames what it prints, keeps the end of
 * its standard error, and ends its whole tree. Knows nothing of MCP, and starts a process exactly once.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Endpoint } from '#core/model.ts';
import { OperationError } from '#core/problem.ts';
import { type CommandFailure, type CommandPlan, planCommand } from './connect-command.ts';
import { childEnvironment } from './connect-env.ts';
import { OUTPUT_KEPT, type ProcessEnd } from './connect-errors.ts';
import { rememberGroup } from './process-groups.ts';
import { DEFAULT_GRACES, endProcessTree, type Graces } from './process-tree.ts';

/** A running process to which messages can be sent. */
export interface StdioLink {
  readonly pid: number;
  /** Writes one message; resolves when the pipe took it. A pipe that broke is no error: {@link ended} tells why. */
  send(message: unknown): Promise<void>;
  /** Hands every JSON value that the process prints to `listener`, which replaces the one before. */
  listen(listener: (value: unknown) => void): void;
  /** Resolves when the process is gone or has sent what cannot be read. */
  readonly ended: Promise<ProcessEnd>;
  /** How it ended; undefined while it runs. */
  end(): ProcessEnd | undefined;
  /** The last of what it wrote to standard error. */
  stderr(): string;
  /** Ends the process and all it started; resolves when they are gone. May be called more than once. */
  close(): Promise<void>;
}

export interface StdioLinkOptions {
  /** The server's name, for messages. */
  readonly server: string;
  readonly endpoint: Extract<Endpoint, { kind: 'stdio' }>;
  /** The host's environment, of which a short list is inherited. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute; the folder to start in and the file of variables are relative to it. */
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** {@link MAX_LINE} unless given. */
  readonly maxLine?: number;
  readonly graces?: Graces;
  /** Hears what the process writes to standard error, chunk by chunk. */
  readonly onErrorOutput?: (chunk: Buffer) => void;
}

/** Bytes of one line. The largest real tool list known is 581 kB. */
export const MAX_LINE = 64_000_000;
const MAX_ENV_FILE = 1_000_000;

/** Starts the process. Throws OperationError `not-found` or `crashed` when that fails. */
export async function openStdioLink(options: StdioLinkOptions): Promise<StdioLink> {
  const { endpoint, platform } = options;
  const cwd = resolve(options.cwd, endpoint.cwd ?? '.');
  const env = childEnvironment(options.env, endpoint, platform, await readVariables(endpoint.envFile, options));
  const plan = await planCommand({
    command: endpoint.command,
    args: endpoint.args,
    env,
    cwd,
    platform,
    isProgram: (path) => isProgram(path, platform),
  });
  if ('reason' in plan) throw noProgram(plan, options);
  const child = await start(plan, { cwd, env }, options);
  if (platform !== 'win32') rememberGroup(child.pid);
  return createLink(child.process, child.pid, options);
}

async function start(
  plan: CommandPlan,
  place: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  options: StdioLinkOptions,
): Promise<{ readonly process: ChildProcess; readonly pid: number }> {
  try {
    const child = spawn(plan.file, [...plan.args], {
      ...place,
      stdio: 'pipe',
      shell: false,
      windowsHide: true,
      windowsVerbatimArguments: plan.verbatim,
      // Its own process group, so that all it starts can be ended with it.
      detached: options.platform !== 'win32',
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.on('error', () => {});
    if (child.pid === undefined) throw new Error('The process has no number.');
    return { process: child, pid: child.pid };
  } catch (error) {
    throw await startFailure(error, place.cwd, options);
  }
}

function createLink(child: ChildProcess, pid: number, options: StdioLinkOptions): StdioLink {
  let listener: ((value: unknown) => void) | undefined;
  let early: unknown[] = [];
  let end: ProcessEnd | undefined;
  let stderr = Buffer.alloc(0);
  let closing: Promise<void> | undefined;
  let settle: (end: ProcessEnd) => void = () => {};
  const ended = new Promise<ProcessEnd>((resolve) => {
    settle = resolve;
  });
  const finish = (how: ProcessEnd): void => {
    end ??= how;
    settle(end);
  };

  const maxLine = options.maxLine ?? MAX_LINE;
  const take = createLineReader(maxLine, (line) => {
    const value = parseLine(line);
    if (value === undefined) return;
    // A batch is a list of messages (revision 2025-03-26).
    for (const message of Array.isArray(value) ? value : [value]) {
      if (listener === undefined) early.push(message);
      else listener(message);
    }
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    if (end !== undefined || take(chunk)) return;
    child.stdout?.destroy();
    finish({ kind: 'line-too-long', limit: maxLine });
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-OUTPUT_KEPT);
    options.onErrorOutput?.(chunk);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => {});
  child.once('exit', (code, signal) => {
    // What it printed last may still be in the pipes; a grandchild can hold them open for ever.
    const timer = setTimeout(() => finish({ kind: 'exit', code, signal }), 250);
    child.once('close', () => {
      clearTimeout(timer);
      finish({ kind: 'exit', code, signal });
    });
  });

  return {
    pid,
    ended,
    end: () => end,
    stderr: () => stderr.toString('utf8'),
    listen(next) {
      listener = next;
      const waiting = early;
      early = [];
      for (const value of waiting) next(value);
    },
    send: (message) =>
      new Promise((resolve) => {
        if (child.stdin === null || !child.stdin.writable) resolve();
        else child.stdin.write(`${JSON.stringify(message)}\n`, () => resolve());
      }),
    close() {
      closing ??= endProcessTree(child, options.graces ?? DEFAULT_GRACES).finally(() => {
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      });
      return closing;
    },
  };
}

/** Cuts chunks into lines; the returned function says false once a line exceeds `limit` bytes. */
export function createLineReader(limit: number, onLine: (line: string) => void): (chunk: Buffer) => boolean {
  let parts: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      if (size + at - from > limit) return false;
      parts.push(chunk.subarray(from, at));
      onLine(Buffer.concat(parts).toString('utf8'));
      parts = [];
      size = 0;
      from = at + 1;
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    return size <= limit;
  };
}

/** Undefined for noise: some servers greet people, or print JSON of their own, on standard output. */
function parseLine(line: string): unknown {
  const text = line.trim();
  if (!text.startsWith('{') && !text.startsWith('[')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

async function readVariables(file: string | undefined, { server, cwd }: StdioLinkOptions): Promise<string> {
  if (file === undefined) return '';
  const path = resolve(cwd, file);
  try {
    const { size } = await stat(path);
    if (size > MAX_ENV_FILE) throw new Error('too large');
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new OperationError('io', `The file of variables of server "${server}" cannot be read.`, {
      remedy: 'Check the path under "envFile".',
      cause: error,
    });
  }
}

async function isProgram(path: string, platform: NodeJS.Platform): Promise<boolean> {
  try {
    if (!(await stat(path)).isFile()) return false;
    if (platform !== 'win32') await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function noProgram(failure: CommandFailure, { endpoint, server }: StdioLinkOptions): OperationError {
  const { command } = endpoint;
  switch (failure.reason) {
    case 'missing':
      return new OperationError('not-found', `The program "${command}" of server "${server}" was not found.`, {
        remedy: 'Install it, or give its full path as "command".',
      });
    case 'only-relative-path':
      return new OperationError(
        'not-found',
        `The program "${command}" of server "${server}" was found only through a relative folder in PATH, which is not used.`,
        { remedy: `Give its full path as "command", or "./${command}" if the one in the folder is meant.` },
      );
    case 'unsafe-argument':
      return new OperationError(
        'usage',
        `An argument of server "${server}" holds a line break, which Windows cannot pass on.`,
        {
          remedy: 'Put the value into a variable of "env".',
        },
      );
    default:
      return failure.reason satisfies never;
  }
}

async function startFailure(
  error: unknown,
  cwd: string,
  { endpoint, server }: StdioLinkOptions,
): Promise<OperationError> {
  const folder = await stat(cwd).catch(() => undefined);
  if (folder?.isDirectory() !== true) {
    return new OperationError('not-found', `The working folder of server "${server}" does not exist.`, {
      remedy: 'Correct "cwd" in its definition.',
      cause: error,
    });
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return new OperationError(
    missing ? 'not-found' : 'crashed',
    `The program "${endpoint.command}" of server "${server}" could not be started${code}.`,
    { remedy: 'Check that the file is a program for this system and may be run.', cause: error },
  );
}
