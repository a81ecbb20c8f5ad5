/** Calls every tool of real servers from npm with a call script. Both runtimes are put through it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { corpusCatalog } from '../corpus.ts';
import { callEnvironment, execute, type Ran, type Runtime } from './run-case.ts';
import { makeSkillFolder, type SkillFolder } from './skill-folder.ts';

const require = createRequire(import.meta.url);

export function program(name: string): string {
  return join(dirname(require.resolve(`@modelcontextprotocol/${name}/package.json`)), 'dist', 'index.js');
}

const stdio = (name: string, ...args: readonly string[]) => ({
  type: 'stdio',
  command: process.execPath,
  args: [program(name), ...args],
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Starts server-everything over HTTP and waits until it says that it listens. */
export async function everythingOverHttp(
  transport: 'streamableHttp' | 'sse',
): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(process.execPath, [program('server-everything'), transport], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (chunk: Buffer) => {
      if (/listening|running/.test(chunk.toString('utf8'))) resolve();
    });
    child.on('exit', () => reject(new Error(`server-everything ${transport} ended`)));
  });
  return { port, child };
}

/** Tool, arguments, a part of what must be printed. Every tool of server-everything is here. */
const EVERYTHING: readonly (readonly [string, object, RegExp])[] = [
  ['echo', { message: 'hé 😀' }, /^Echo: hé 😀\n$/],
  [
    'get-annotated-message',
    { messageType: 'error', includeImage: true },
    /saved: output[\\/]get-annotated-message_\d\.png/,
  ],
  ['get-env', {}, /"PATH"|PATH/],
  [
    'get-resource-links',
    { count: 2 },
    /saved: .+ bytes\) from demo:\/\/resource\/dynamic\/[\s\S]*\nsaved: .+ bytes\) from demo:\/\/resource\/dynamic\//,
  ],
  [
    'get-resource-reference',
    { resourceType: 'Text', resourceId: 1 },
    /resource: demo:\/\/resource\/dynamic\/text\/1\n/,
  ],
  ['get-resource-reference', { resourceType: 'Blob', resourceId: 1 }, /saved: output[\\/]get-resource-reference_\d\./],
  ['get-structured-content', { location: 'Chicago' }, /temperature/],
  ['get-sum', { a: 2, b: 40.5 }, /42\.5/],
  ['get-tiny-image', {}, /saved: output[\\/]get-tiny-image_\d\.png \(image\/png, \d+ bytes\)/],
  [
    'gzip-file-as-resource',
    { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' },
    /saved: output[\\/]gzip-file-as-resource_\d\.gz/,
  ],
  [
    'gzip-file-as-resource',
    { name: 'b.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' },
    /saved: output[\\/]b\.gz \(application\/gzip, \d+ bytes\) from demo:\/\/resource\/session\/b\.gz/,
  ],
  ['toggle-simulated-logging', {}, /logging/],
  ['toggle-subscriber-updates', {}, /updates|update/],
  ['trigger-long-running-operation', { duration: 0.3, steps: 3 }, /completed/],
  ['simulate-research-query', { topic: 'tea' }, /tea/],
];

/** Registers the tests; `runtime` is the script to call with. */
export function describeRealServers(runtime: Runtime): void {
  let folder: SkillFolder | undefined;
  afterEach(() => folder?.dispose());

  function skill(catalog: string, definition: object): (...argv: readonly string[]) => Promise<Ran> {
    const config = { mcpServers: { [catalog]: definition } };
    const made = makeSkillFolder({ script: runtime.script, config, tools: corpusCatalog(catalog).tools, form: 'lazy' });
    folder = made;
    const env = callEnvironment(made.root);
    return (...argv) => execute(runtime.interpreter, [made.script, ...argv], { cwd: made.root, env });
  }

  const started: ChildProcess[] = [];
  const ports = new Map<string, number>();
  beforeAll(async () => {
    for (const transport of ['streamableHttp', 'sse'] as const) {
      const { port, child } = await everythingOverHttp(transport);
      started.push(child);
      ports.set(transport, port);
    }
  });
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
  });

  const transports: readonly (readonly [string, () => object])[] = [
    ['stdio', () => stdio('server-everything', 'stdio')],
    ['streamable HTTP', () => ({ type: 'http', url: `http://127.0.0.1:${ports.get('streamableHttp')}/mcp` })],
    ['legacy SSE', () => ({ type: 'http', url: `http://127.0.0.1:${ports.get('sse')}/sse` })],
  ];

  describe.each(transports)('server-everything over %s', (_label, definition) => {
    test.each(EVERYTHING)('%s %o', async (tool, args, printed) => {
      const call = skill('everything', definition());
      const ran = await call('--tool', tool, '--args', JSON.stringify(args));
      expect(ran.exit, `${ran.stdout}\n${ran.stderr}`).toBe(0);
      expect(ran.stdout).toMatch(printed);
      expect(ran.stdout).not.toMatch(/[A-Za-z0-9+/]{200}/);
      expect(ran.stderr).toBe('');
    });

    test('No tool is left out of the table', () => {
      const names = new Set(EVERYTHING.map(([tool]) => tool));
      expect(corpusCatalog('everything').tools.filter((tool) => !names.has(tool.name))).toEqual([]);
    });
  });

  test('server-filesystem writes, edits and reads files', async () => {
    const call = skill('filesystem', stdio('server-filesystem', '${workspaceFolder}/data'));
    const data = join(folder?.root ?? '', 'data');
    mkdirSync(data);
    const path = join(data, 'note.txt');
    const text = 'line one\n"quoted" \\ é😀\n';
    const wrote = await call('write_file', JSON.stringify({ path, content: text }));
    expect(wrote.exit, wrote.stderr).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(text);
    const edits = [{ oldText: 'line one', newText: 'line 1' }];
    expect((await call('edit_file', JSON.stringify({ path, edits }))).exit).toBe(0);
    const read = await call('read_text_file', JSON.stringify({ path }));
    expect(read.stdout).toBe(`line 1\n"quoted" \\ é😀\n`);
    const outside = await call('read_text_file', JSON.stringify({ path: '/etc/hostname' }));
    expect(outside.exit).toBe(1);
    const wrong = await call('edit_file', JSON.stringify({ path, edits: [{ oldText: 5, newText: '' }] }));
    expect(wrong.stderr).toBe('error: edits[0].oldText: expected string, got number 5. See --describe edit_file\n');
  });

  test('server-memory remembers across the calls of a session', async () => {
    const call = skill('memory', {
      ...stdio('server-memory'),
      env: { MEMORY_FILE_PATH: '${workspaceFolder}/memory.json' },
    });
    const entities = [{ name: 'Mochi', entityType: 'cake', observations: ['soft'] }];
    try {
      const made = await call('create_entities', JSON.stringify({ entities }), '--session', 'm');
      expect(made.exit, made.stderr).toBe(0);
      const found = await call('search_nodes', '{"query":"soft"}', '--session', 'm');
      expect(found.stdout).toContain('Mochi');
      const list = await call('--session-list');
      expect(list.stdout).toContain('memory');
    } finally {
      expect((await call('--session-stop', 'm')).exit).toBe(0);
    }
  });
}
