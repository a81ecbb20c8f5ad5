/** Runs the built command line as a person would, in a workspace of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CLI = join(ROOT, 'dist', 'cli.mjs');

/** The program of a server that is installed for tests. */
export function serverProgram(name: 'everything' | 'filesystem' | 'memory'): string {
  return join(ROOT, 'node_modules', '@modelcontextprotocol', `server-${name}`, 'dist', 'index.js');
}

export interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Workspace {
  readonly folder: string;
  write(path: string, text: string): void;
  /** Runs `mochi` there and waits for its end. */
  mochi(...args: readonly string[]): Promise<Run>;
  /** The same, with the child in hand. */
  start(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): { readonly child: ChildProcess; readonly ended: Promise<Run> };
  remove(): void;
}

export function createWorkspace(files: Readonly<Record<string, string>> = {}): Workspace {
  const folder = mkdtempSync(join(tmpdir(), 'mochi-cli-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const start: Workspace['start'] = (args, env = {}) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: folder,
      env: { ...process.env, LANG: 'C', NO_COLOR: '1', XDG_CACHE_HOME: join(folder, '.cache'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => {
      out += String(data);
    });
    child.stderr.on('data', (data) => {
      err += String(data);
    });
    const ended = new Promise<Run>((resolve) => child.on('close', (code) => resolve({ code, out, err })));
    return { child, ended };
  };
  return {
    folder,
    write,
    start,
    mochi: (...args) => start(args).ended,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** A `.mcp.json` with the servers given by name. */
export function mcpJson(servers: Readonly<Record<string, object>>): string {
  return `${JSON.stringify({ mcpServers: servers }, undefined, 2)}\n`;
}
