/** Runs one row of the shared table of calls against a runtime, and holds what happened against what it expects. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { CallCase, Expectation, Step } from '../../process/calls/case.ts';
import { makeSkillFolder, type SkillFolder } from './skill-folder.ts';
import { TOOLS } from './tool-box.ts';

/** One of the two call scripts. */
export interface Runtime {
  readonly name: 'python' | 'node';
  /** The script as it is shipped, absolute. */
  readonly script: string;
  /** The interpreter, absolute. */
  readonly interpreter: string;
}

export interface Ran {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const STDIO_SERVER = fileURLToPath(new URL('./stdio-server.ts', import.meta.url));
const WAIT = 50_000;

/** Runs a program to its end. A deadline of its own, so that a hanging script is an exit code and not a hung test. */
export function execute(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly stdin?: string },
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args], { cwd: options.cwd, env: options.env, stdio: 'pipe' });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const timer = setTimeout(() => child.kill('SIGKILL'), WAIT);
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (exit) => {
      clearTimeout(timer);
      resolve({ exit, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(options.stdin ?? '');
  });
}

/** The environment of a call: what a shell has, the home of the test, sockets in the project's own folder. */
export function callEnvironment(root: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const runtimeFolder = join(root, 'run');
  mkdirSync(runtimeFolder, { recursive: true, mode: 0o700 });
  const env: Record<string, string> = { XDG_RUNTIME_DIR: runtimeFolder, ...more };
  for (const name of ['PATH', 'HOME', 'USERPROFILE', 'SYSTEMROOT', 'TEMP'])
    if (process.env[name] !== undefined) env[name] ??= process.env[name];
  return env;
}

type Words = ReadonlyMap<string, string>;

function fill(text: string, words: Words): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => words.get(name) ?? whole);
}

function fillAll<T>(value: T, words: Words): T {
  return JSON.parse(
    fill(
      JSON.stringify(value),
      new Map([...words].map(([name, word]) => [name, JSON.stringify(word).slice(1, -1)] as const)),
    ),
  ) as T;
}

function server(row: CallCase): object {
  const { server } = row;
  if (server.kind === 'stdio')
    return { type: 'stdio', command: '{{node}}', args: [STDIO_SERVER, ...(server.args ?? [])], ...server.more };
  if (server.kind === 'command') return { type: 'stdio', ...server.definition };
  return { type: server.kind, url: `{{http}}${server.path}`, ...server.more };
}

function matches(text: string, wanted: string | RegExp, words: Words = new Map()): boolean {
  return typeof wanted === 'string' ? text.includes(fill(wanted, words)) : wanted.test(text);
}

function allFiles(folder: string, prefix = ''): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory() ? allFiles(join(folder, entry.name), `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
    )
    .sort();
}

function check(step: Step, ran: Ran, root: string, words: Words): void {
  const wanted: Expectation = step.expect;
  const story = `${step.argv?.join(' ') ?? step.shell}\nstdout: ${ran.stdout.slice(0, 2000)}\nstderr: ${ran.stderr.slice(0, 2000)}`;
  expect(ran.exit, story).toBe(wanted.exit);
  if (wanted.is !== undefined) expect(ran.stdout, story).toBe(`${fill(wanted.is, words)}\n`);
  for (const part of wanted.stdout ?? []) expect(matches(ran.stdout, part, words), `${part}\n${story}`).toBe(true);
  for (const part of wanted.stderr ?? []) expect(matches(ran.stderr, part, words), `${part}\n${story}`).toBe(true);
  if (wanted.exit !== 0 && !(step.argv ?? []).includes('--json'))
    expect(ran.stderr, `one line of error\n${story}`).toMatch(/^(?:session [^\n]*\n)*error: [^\n]+\n$/);
  for (const part of wanted.absent ?? [])
    expect(`${ran.stdout}${ran.stderr}`.includes(fill(part, words)), `must not show ${part}\n${story}`).toBe(false);
  if (wanted.json !== undefined) expect(JSON.parse(ran.stdout), story).toMatchObject(fillAll(wanted.json, words));
  for (const [path, content] of Object.entries(wanted.files ?? {})) {
    const file = join(root, fill(path, words));
    expect(existsSync(file), `${path}\n${story}\nfiles: ${allFiles(join(root, 'output')).join(', ')}`).toBe(true);
    if (typeof content === 'number') expect(readFileSync(file).length, path).toBe(content);
    else
      expect(matches(readFileSync(file, 'utf8'), content), `${path}: ${readFileSync(file, 'utf8').slice(0, 500)}`).toBe(
        true,
      );
  }
  if (wanted.output !== undefined) {
    const files = allFiles(join(root, 'output'));
    expect(files.length, `${files.join(', ')}\n${story}`).toBe(wanted.output.length);
    for (const [index, name] of wanted.output.entries())
      expect(matches(files[index] ?? '', name), `${files.join(', ')} has not ${name}`).toBe(true);
  }
}

async function runStep(runtime: Runtime, folder: SkillFolder, step: Step, env: Record<string, string>, words: Words) {
  const options = { cwd: folder.root, env, ...(step.stdin === undefined ? {} : { stdin: fill(step.stdin, words) }) };
  if (step.shell !== undefined) return execute('/bin/sh', ['-c', fill(step.shell, words)], options);
  return execute(runtime.interpreter, [folder.script, ...(step.argv ?? []).map((word) => fill(word, words))], options);
}

/** Makes the case's project, runs its steps one after another, and ends every session it may have left. */
export async function runCase(row: CallCase, runtime: Runtime, http: string): Promise<void> {
  const words = new Map([
    ['http', http],
    ['port', new URL(http).port],
    ['node', process.execPath],
    ['runtime', runtime.name],
  ]);
  const config = { mcpServers: { scripted: fillAll(server(row), words) } };
  const folder = makeSkillFolder({ script: runtime.script, config, tools: TOOLS, form: row.form ?? 'lazy' });
  words.set('root', folder.root);
  words.set('skill', folder.skill);
  for (const [path, text] of Object.entries(row.files ?? {})) {
    mkdirSync(dirname(join(folder.root, path)), { recursive: true });
    writeFileSync(join(folder.root, path), fill(text, words));
  }
  const more = Object.entries(row.env ?? {}).map(([name, value]) => [name, fill(value, words)] as const);
  const env = callEnvironment(folder.root, Object.fromEntries(more));
  try {
    for (const step of row.steps) {
      const ran = await runStep(runtime, folder, step, env, words);
      check(step, ran, folder.root, words);
      const captured = step.expect.capture?.exec(`${ran.stdout}${ran.stderr}`);
      if (step.expect.capture !== undefined) expect(captured, ran.stdout).not.toBeNull();
      for (const [name, value] of Object.entries(captured?.groups ?? {})) words.set(name, value);
    }
  } finally {
    for (const name of row.sessions ?? [])
      await execute(runtime.interpreter, [folder.script, '--session-stop', name], { cwd: folder.root, env });
    folder.dispose();
  }
}
