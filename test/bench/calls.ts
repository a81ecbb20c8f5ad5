/**
 * What a call costs beside other callers, all measured in turns in one run: cold over stdio, cold over HTTP, warm in
 * a session. `npm run bench -- calls`. Whole processes are timed; the floor is the server itself, spoken to by hand.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { findPython } from '../support/call-servers/find-python.ts';
import { makeSkillFolder, type SkillFolder } from '../support/call-servers/skill-folder.ts';

const ROUNDS = 7;
const DEADLINE_MS = 60_000;
const root = fileURLToPath(new URL('../../', import.meta.url));
const EVERYTHING = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const ARGS = '{"message":"hello"}';
const ECHO = {
  name: 'echo',
  description: 'Echoes back the input string',
  inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
};

interface Caller {
  readonly name: string;
  /** One call; milliseconds. */
  readonly run: () => Promise<number>;
}

/** Runs a program to its end and checks that it printed the echo. */
function timed(command: string, args: readonly string[], cwd: string, env = process.env): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, [...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(timer);
      const ms = performance.now() - started;
      if (output.includes('Echo: hello')) resolve(ms);
      else reject(new Error(`${command} ${args.join(' ')}: ${output.slice(0, 300)}`));
    });
  });
}

const HELLO = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'echo', arguments: { message: 'hello' } } },
].map((message) => JSON.stringify({ jsonrpc: '2.0', ...message }));

/** The server's own start, one call and its end, over bare pipes: no caller can be quicker. */
function floorStdio(): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(process.execPath, [EVERYTHING, 'stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const first = output === '';
      output += chunk.toString('utf8');
      if (first) child.stdin.write(`${HELLO.slice(1).join('\n')}\n`);
      if (output.includes('Echo: hello')) child.stdin.end();
    });
    child.on('error', reject);
    child.on('close', () => resolve(performance.now() - started));
    child.stdin.write(`${HELLO[0]}\n`);
  });
}

/** The same requests over HTTP from a process that runs already. */
async function floorHttp(url: string): Promise<number> {
  const started = performance.now();
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  for (const body of HELLO) {
    const response = await fetch(url, { method: 'POST', headers, body });
    const session = response.headers.get('mcp-session-id');
    if (session !== null) headers['mcp-session-id'] = session;
    await response.text();
  }
  await fetch(url, { method: 'DELETE', headers });
  return performance.now() - started;
}

/** A program of nine lines on the official SDK, the least that anybody would write. */
const DIRECT = `
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
const [kind, target] = process.argv.slice(2);
const client = new Client({ name: 'direct', version: '1' });
const transport = kind === 'http' ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: process.execPath, args: [target, 'stdio'], stderr: 'ignore' });
await client.connect(transport);
console.log((await client.callTool({ name: 'echo', arguments: { message: 'hello' } })).content[0].text);
if (kind === 'http') await transport.terminateSession();
await client.close();
process.exit(0);
`;

/** A peer's program, where it happens to be installed; nothing is fetched. */
function findPeer(name: string): string | undefined {
  const named = process.env[`MOCHI_BENCH_${name.toUpperCase().replace(/-/g, '_')}`];
  const folders = [join(root, 'node_modules/.bin'), ...(process.env['PATH'] ?? '').split(delimiter)];
  return [...(named === undefined ? [] : [named]), ...folders.map((folder) => join(folder, name))].find(existsSync);
}

interface Bench {
  readonly folders: readonly SkillFolder[];
  readonly work: string;
  readonly url: string;
  readonly server: ChildProcess;
  /** Our scripts that can be run here: name, program, script by transport. */
  readonly scripts: readonly {
    readonly name: string;
    readonly program: string;
    readonly stdio: string;
    readonly http: string;
  }[];
}

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function prepare(): Promise<Bench> {
  execFileSync(process.execPath, ['esbuild.mjs'], { cwd: root, stdio: 'inherit' });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const env = { ...process.env, PORT: String(port) };
  const server = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], { env, stdio: 'ignore' });
  const folders: SkillFolder[] = [];
  const skill = (script: string, definition: object): string => {
    const config = { mcpServers: { everything: definition } };
    const folder = makeSkillFolder({ script, config, tools: [ECHO], form: 'lazy' });
    folders.push(folder);
    return folder.script;
  };
  const stdio = { type: 'stdio', command: process.execPath, args: [EVERYTHING, 'stdio'] };
  const http = { type: 'http', url };
  const candidates = [
    { name: 'our Node script', file: 'dist/scripts/mcp_async_call.mjs', program: () => process.execPath },
    { name: 'our Python script', file: 'src/scripts/mcp_async_call.py', program: findPython },
  ];
  const scripts = candidates.flatMap(({ name, file, program }) => {
    const path = join(root, file);
    if (!existsSync(path)) return [];
    return [{ name, program: program(), stdio: skill(path, stdio), http: skill(path, http) }];
  });
  const work = mkdtempSync(join(tmpdir(), 'mochi-bench-calls-'));
  // Inside the repository's reach for its modules, outside of its files.
  const modules = join(root, 'node_modules', '.cache');
  mkdirSync(modules, { recursive: true });
  writeFileSync(join(modules, 'bench-direct.mjs'), DIRECT);
  const end = performance.now() + 10_000;
  while (
    performance.now() < end &&
    !(await fetch(url).then(
      () => true,
      () => false,
    ))
  ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { folders, work, url, server, scripts };
}

function coldCallers(bench: Bench, kind: 'stdio' | 'http'): readonly Caller[] {
  const { work, url, scripts } = bench;
  const direct = join(root, 'node_modules/.cache/bench-direct.mjs');
  const callers: Caller[] = [
    { name: 'floor: the server alone', run: () => (kind === 'stdio' ? floorStdio() : floorHttp(url)) },
    {
      name: 'SDK client, nine lines',
      run: () => timed(process.execPath, [direct, kind, kind === 'stdio' ? EVERYTHING : url], work),
    },
    ...scripts.map(({ name, program, [kind]: script }) => ({
      name,
      run: () => timed(program, [script, 'echo', ARGS], work),
    })),
  ];
  const inspector = findPeer('mcp-inspector');
  if (inspector !== undefined) {
    const call = ['--cli', '--method', 'tools/call', '--tool-name', 'echo', '--tool-args-json', ARGS, '-q'];
    const where =
      kind === 'stdio' ? ['--', process.execPath, EVERYTHING, 'stdio'] : ['--server-url', url, '--transport', 'http'];
    callers.push({ name: 'Inspector CLI', run: () => timed(inspector, [...call, ...where], work) });
  }
  const mcporter = findPeer('mcporter');
  if (mcporter !== undefined) {
    const where =
      kind === 'stdio' ? ['--stdio', `${process.execPath} ${EVERYTHING} stdio`] : ['--http-url', url, '--allow-http'];
    callers.push({ name: 'mcporter', run: () => timed(mcporter, ['call', ...where, 'echo', 'message=hello'], work) });
  }
  return callers;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Takes turns, so that whatever else the machine does hits every caller. */
async function measure(title: string, callers: readonly Caller[]): Promise<void> {
  console.log(`\n${title} (medians of ${ROUNDS} in turns, milliseconds, whole process)`);
  const times = new Map<string, number[]>(callers.map(({ name }) => [name, []]));
  const failed = new Map<string, string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, run } of callers) {
      if (failed.has(name)) continue;
      try {
        times.get(name)?.push(await run());
      } catch (error) {
        failed.set(name, error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
      }
    }
  }
  const floor = median(times.get(callers[0]?.name ?? '') ?? []);
  for (const [name, values] of times) {
    const problem = failed.get(name);
    if (problem !== undefined) {
      console.log(`  ${name.padEnd(26)} not measured: ${problem}`);
      continue;
    }
    const ms = median(values);
    console.log(
      `  ${name.padEnd(26)}${ms.toFixed(0).padStart(7)}${`+${Math.max(0, ms - floor).toFixed(0)}`.padStart(8)}${(ms / floor).toFixed(2).padStart(8)}×`,
    );
  }
}

function memoryOf(pid: number): string {
  try {
    return `${(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024).toFixed(0)} MB`;
  } catch {
    return 'unknown';
  }
}

async function warm(bench: Bench): Promise<void> {
  const session = ['--session', 'bench'];
  for (const { program, stdio } of bench.scripts) await timed(program, [stdio, 'echo', ARGS, ...session], bench.work);
  try {
    await measure('Warm call in a session over stdio', [
      { name: 'floor: node --version', run: () => bare() },
      ...bench.scripts.map(({ name, program, stdio }) => ({
        name,
        run: () => timed(program, [stdio, 'echo', ARGS, ...session], bench.work),
      })),
    ]);
    for (const { name, program, stdio } of bench.scripts) {
      const text = execFileSync(program, [stdio, '--session-list', '--json'], { cwd: bench.work, encoding: 'utf8' });
      for (const { pid } of JSON.parse(text).sessions)
        console.log(`  memory of the session of ${name}: ${memoryOf(pid)} (without the server)`);
    }
  } finally {
    for (const { program, stdio } of bench.scripts) {
      execFileSync(program, [stdio, '--session-stop', 'bench'], { cwd: bench.work, stdio: 'ignore' });
    }
  }
}

async function bare(): Promise<number> {
  const started = performance.now();
  execFileSync(process.execPath, ['-e', '0']);
  return performance.now() - started;
}

/** Runs the whole comparison and prints it. */
export async function benchCalls(): Promise<void> {
  const bench = await prepare();
  try {
    for (const [name, program] of [
      ['mcporter', findPeer('mcporter')],
      ['Inspector CLI', findPeer('mcp-inspector')],
    ] as const) {
      if (program === undefined) console.log(`${name} is not installed here and was not measured.`);
    }
    await measure('Cold call over stdio', coldCallers(bench, 'stdio'));
    await measure('Cold call over streamable HTTP', coldCallers(bench, 'http'));
    await warm(bench);
  } finally {
    bench.server.kill();
    for (const folder of bench.folders) folder.dispose();
    rmSync(bench.work, { recursive: true, force: true });
    rmSync(join(root, 'node_modules/.cache/bench-direct.mjs'), { force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchCalls();
