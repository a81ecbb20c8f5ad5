/**
 * What the gateway costs, all measured in one run: the time it adds to a call over a direct connection, the time to
 * list ten servers of a hundred tools, and the tokens of the lazy listing. `npm run bench -- gateway`; needs `dist/`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { lazyTools, listingLine } from '../../src/gateway/lazy-tools.ts';
import { publicNames } from '../../src/gateway/names.ts';
import type { ShownTool } from '../../src/gateway/shelf.ts';
import type { Upstream } from '../../src/gateway/upstream.ts';
import { createOfflineCounter } from '../../src/node/token-counter.ts';
import { corpusCatalog } from '../support/corpus.ts';
import { serverOf, stdio } from '../support/mcp-servers.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const EVERYTHING = join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const CALLS = 400;

async function connect(args: readonly string[], cwd: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1' });
  const env = { ...process.env, XDG_CACHE_HOME: join(cwd, '.cache') } as Record<string, string>;
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [...args], cwd, env, stderr: 'ignore' }),
  );
  return client;
}

const gatewayArgs = (mode: string): readonly string[] => [
  join(root, 'dist/cli.mjs'),
  'gateway',
  '--yes',
  '--mode',
  mode,
];

function quantile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function latency(folder: string): Promise<void> {
  writeFileSync(
    join(folder, '.mcp.json'),
    JSON.stringify({ mcpServers: { everything: { command: process.execPath, args: [EVERYTHING, 'stdio'] } } }),
  );
  const direct = await connect([EVERYTHING, 'stdio'], folder);
  const compact = await connect(gatewayArgs('compact'), folder);
  const lazy = await connect(gatewayArgs('lazy'), folder);
  const echo = { message: 'hello' };
  const ways = [
    { name: 'direct', run: () => direct.callTool({ name: 'echo', arguments: echo }), times: [] as number[] },
    {
      name: 'compact',
      run: () => compact.callTool({ name: 'everything__echo', arguments: echo }),
      times: [] as number[],
    },
    {
      name: 'lazy',
      run: () => lazy.callTool({ name: 'call_tool', arguments: { name: 'everything__echo', arguments: echo } }),
      times: [] as number[],
    },
  ];
  for (const way of ways) for (let call = 0; call < 50; call++) await way.run();
  for (let call = 0; call < CALLS; call++) for (const way of ways) way.times.push(await timed(way.run));
  console.log(`One call of echo, ${CALLS} in turns, milliseconds:`);
  const base = quantile(ways[0]?.times ?? [], 0.5);
  for (const { name, times } of ways) {
    const p50 = quantile(times, 0.5);
    console.log(
      `  ${name.padEnd(9)} p50 ${p50.toFixed(2)}  p95 ${quantile(times, 0.95).toFixed(2)}  added p50 ${(p50 - base).toFixed(2)}`,
    );
  }
  for (const client of [direct, compact, lazy]) await client.close();
}

/** A server of a hundred tools in one line, so that ten of them start quickly. */
const HUNDRED = `
const tools = Array.from({ length: 100 }, (_, i) => ({ name: 'tool_' + i, description: 'Does the thing number ' + i + ' of a hundred. Keywords: thing',
  inputSchema: { type: 'object', required: ['path'], properties: { path: { type: 'string', description: 'Where it is.', minLength: 1 },
    options: { type: 'object', properties: { deep: { type: 'boolean', default: false }, mode: { enum: ['a', 'b', 'c'] } } } } } }));
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize' ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'h', version: '1' } }
    : method === 'tools/list' ? { tools } : undefined;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error: { code: -32601, message: 'no' } }) }) + '\\n');
}).on('close', () => process.exit(0));`;

async function listing(folder: string): Promise<void> {
  const server = { command: process.execPath, args: ['-e', HUNDRED] };
  const names = Array.from({ length: 10 }, (_, index) => `server${index}`);
  writeFileSync(
    join(folder, '.mcp.json'),
    JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, server])) }),
  );
  console.log('Listing ten servers of a hundred tools, milliseconds:');
  for (const mode of ['compact', 'lazy', 'normal']) {
    const client = await connect(gatewayArgs(mode), folder);
    // One message back and forth, so that the start of the process is not part of the first list.
    await client.ping();
    const first = await timed(() => client.request({ method: 'tools/list', params: {} }));
    const warm: number[] = [];
    for (let list = 0; list < 20; list++)
      warm.push(await timed(() => client.request({ method: 'tools/list', params: {} })));
    console.log(`  ${mode.padEnd(9)} first ${first.toFixed(0)}  warm p50 ${quantile(warm, 0.5).toFixed(1)}`);
    await client.close();
  }
}

/** Tokens of mcp-compressor's medium level for the same lists, by its format; its wrapper tools are not counted. */
const COMPRESSOR: Readonly<Record<string, number>> = { everything: 407, filesystem: 583, github: 981 };

async function tokens(): Promise<void> {
  const counter = createOfflineCounter();
  console.log(
    `Tokens by ${counter.name}: all lines, the listing in the description, the three whole tools, compressor:`,
  );
  for (const name of ['everything', 'filesystem', 'github', 'memory']) {
    const none = (): Promise<never> => Promise.reject(new Error('only named'));
    const upstream: Upstream = {
      server: serverOf(name, stdio('x', [])),
      recorded: async () => undefined,
      catalog: none,
      call: none,
      wake: none,
      request: none,
      offers: () => false,
      close: none,
    };
    const { tools } = corpusCatalog(name);
    const names = publicNames(tools.map((tool) => ({ server: name, name: tool.name })));
    const shown: readonly ShownTool[] = tools.map((tool, index) => ({ tool, upstream, name: names[index] ?? '' }));
    const lazy = lazyTools(shown);
    const counts = await counter.count([
      shown.map(listingLine).join('\n'),
      lazy[0]?.description ?? '',
      JSON.stringify(
        lazy.map(({ name: tool, description, inputSchema }) => ({ name: tool, description, inputSchema })),
      ),
    ]);
    console.log(
      `  ${name.padEnd(11)}${String(tools.length).padStart(4)} tools ${counts.map((count) => String(count).padStart(6)).join('')}  ${COMPRESSOR[name] ?? '–'}`,
    );
  }
}

const folder = mkdtempSync(join(tmpdir(), 'mochi-bench-'));
try {
  await latency(folder);
  await listing(folder);
  await tokens();
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
