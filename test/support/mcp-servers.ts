/** What the process tests of the MCP client share: definitions of servers, clients, and who is still alive. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Endpoint, Server } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { createMcpClient, type McpClient, type McpClientOptions } from '../../src/node/mcp-client.ts';

const FAKE = fileURLToPath(new URL('./fake-mcp-server.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const silent: Logger = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

export function serverOf(name: string, endpoint: Endpoint, more: Partial<Server> = {}): Server {
  return {
    id: `test#${name}`,
    name,
    source: {
      id: 'test',
      dialect: 'test',
      label: 'Test',
      path: '/test.json',
      display: 'test.json',
      scope: 'folder',
      folder: ROOT,
    },
    at: { file: 'test.json' },
    endpoint,
    disabled: false,
    inputs: [],
    ...more,
  };
}

export function stdio(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Endpoint {
  return { kind: 'stdio', command, args, env };
}

/** A real server from npm, by its file under `node_modules`. */
export function realServer(path: string, ...args: readonly string[]): Endpoint {
  return stdio(process.execPath, [join(ROOT, 'node_modules', path), ...args]);
}

export function createClient(options: Partial<McpClientOptions> = {}): McpClient {
  return createMcpClient({
    env: process.env,
    cwd: ROOT,
    resolveEndpoint: async (server) => server.endpoint,
    logger: silent,
    clientInfo: { name: 'mochi-test', version: '0' },
    deadlineMs: 30_000,
    graces: { afterStdin: 1_000, afterTerm: 1_000, afterKill: 2_000 },
    ...options,
  });
}

/** One run of the fake server: its endpoint, and the process numbers it wrote down. */
export interface FakeRun {
  readonly server: Server;
  readonly starts: () => readonly string[];
  readonly alive: () => readonly number[];
  readonly remove: () => void;
}

export function fake(scenario: string, env: Readonly<Record<string, string>> = {}): FakeRun {
  const folder = mkdtempSync(join(tmpdir(), 'mochi-fake-'));
  const file = join(folder, 'starts');
  const starts = (): readonly string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  return {
    server: serverOf(scenario, stdio(process.execPath, [FAKE, scenario], { ...env, FAKE_STARTS: file })),
    starts,
    alive: () => starts().map(Number).filter(isRunning),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A fake over HTTP, started here and ended by `stop`. */
export async function fakeHttp(
  scenario: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const child = spawn(process.execPath, [FAKE, scenario], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  const port = await waitFor(child, /port (\d+)/);
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(child) };
}

/** Resolves with the first group of `pattern` in what a child writes to standard error or output. */
export function waitFor(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const read = (chunk: Buffer): void => {
      text += chunk.toString();
      const match = pattern.exec(text);
      if (match !== null) resolve(match[1] ?? match[0]);
    };
    child.stderr?.on('data', read);
    child.stdout?.on('data', read);
    child.once('exit', () => reject(new Error(`The server ended: ${text}`)));
  });
}

export function stop(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

/** False for processes that are gone, and for those that only wait to be collected. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
