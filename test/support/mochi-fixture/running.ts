/** Starts Mochi's programs for tests, as children that end with the test, and connects the official client to them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** What is shipped. */
export const SHIPPED = join(ROOT, 'dist', 'mochi.mjs');
/** The same wiring with a scripted engine. */
export const TINY = join(ROOT, 'test', 'support', 'mochi-fixture', 'tiny-server.ts');

export type Era = 'legacy' | 'modern';
export interface Way {
  readonly transport: 'stdio' | 'http' | 'sse';
  readonly era: Era;
}
export const WAYS: readonly Way[] = [
  { transport: 'stdio', era: 'legacy' },
  { transport: 'stdio', era: 'modern' },
  { transport: 'http', era: 'legacy' },
  { transport: 'http', era: 'modern' },
  { transport: 'sse', era: 'legacy' },
];

export interface Running {
  readonly child: ChildProcess;
  /** Everything on standard output and standard error so far. */
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<number | null>;
  /** The address of `/mcp`, once it listens. */
  readonly url: () => Promise<string>;
  write(text: string): void;
}

const children = new Set<ChildProcess>();
const clients = new Set<Client>();

export function start(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd = ROOT,
): Running {
  const child = spawn(process.execPath, [program, ...words], { cwd, env: { ...process.env, ...env } });
  children.add(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => {
    out += String(data);
  });
  child.stderr.on('data', (data) => {
    err += String(data);
  });
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  ended.then(() => children.delete(child));
  const url = async (): Promise<string> => {
    for (;;) {
      const found = /listening on (http:[^"\s]+)/.exec(err)?.[1];
      if (found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${err}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  return { child, out: () => out, err: () => err, ended, url, write: (text) => void child.stdin.write(text) };
}

export interface Connected {
  readonly client: Client;
  /** The process number of the server. */
  readonly pid: number;
}

/** A client of this era over this transport, with a server of its own. */
export async function connect(
  { transport, era }: Way,
  program: string = TINY,
  words: readonly string[] = [],
  headers: Readonly<Record<string, string>> = {},
): Promise<Connected> {
  const client = new Client(
    { name: 'mochi-test', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  clients.add(client);
  if (transport === 'stdio') {
    const wire = new StdioClientTransport({
      command: process.execPath,
      args: [program, ...words],
      cwd: ROOT,
      env: { ...process.env, PATH: process.env['PATH'] ?? '' } as Record<string, string>,
      stderr: 'ignore',
    });
    await client.connect(wire);
    return { client, pid: wire.pid ?? 0 };
  }
  const server = start(program, ['--transport', 'http', '--port', '0', ...words]);
  const url = new URL(await server.url());
  const requestInit = { headers: { ...headers } };
  if (transport === 'sse') url.pathname = '/sse';
  await client.connect(
    transport === 'sse'
      ? new SSEClientTransport(url, { requestInit })
      : new StreamableHTTPClientTransport(url, { requestInit }),
  );
  return { client, pid: server.child.pid ?? 0 };
}

/** Ends every client and child that a test left behind. */
export async function endAll(): Promise<void> {
  await Promise.all([...clients].map((client) => client.close().catch(() => {})));
  clients.clear();
  for (const child of children) child.kill('SIGKILL');
  children.clear();
}
