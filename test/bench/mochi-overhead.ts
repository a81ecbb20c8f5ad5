/**
 * What a tool call over standard streams costs beside the engine: `node test/bench/mochi.ts overhead`. The built server over
 * this repository's sources, the official client in one process; the engine's own time is what the answer says.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { root } from './mochi-corpus.ts';

const calls = 400;
const prefixes = [
  'export async function read(path: string): Promise<string> {\n  const ',
  "import { join } from 'node:path';\n\nfor (const file of ",
  'if (error instanceof ',
];

/** Prints a row; says so where there is no build. */
export async function measureOverhead(): Promise<void> {
  if (!existsSync(`${root}dist/mochi.mjs`)) {
    console.log('overhead: there is no dist/mochi.mjs; run npm run build');
    return;
  }
  const home = mkdtempSync(join(tmpdir(), 'mochi-overhead-'));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [`${root}dist/mochi.mjs`, `--workspace=${root}src`],
    env: { ...process.env, XDG_CACHE_HOME: home, HOME: home },
    stderr: 'ignore',
  });
  const client = new Client({ name: 'bench', version: '1.0.0' });
  try {
    await client.connect(transport);
    const rows: { readonly over: number; readonly engine: number }[] = [];
    for (let at = 0; at < calls; at += 1) {
      const prefix = prefixes[at % prefixes.length] ?? '';
      const start = performance.now();
      const { structuredContent } = await client.callTool({
        name: 'complete_code',
        arguments: { prefix, path: `bench-${at}.ts` },
      });
      const all = performance.now() - start;
      const engine = Number((structuredContent as { readonly inference_time_ms: number }).inference_time_ms);
      rows.push({ over: all - engine, engine });
    }
    // The first calls warm both sides.
    const warm = rows.slice(20);
    const at = (values: readonly number[], part: number): string =>
      ([...values].sort((one, two) => one - two)[Math.floor(values.length * part)] ?? 0).toFixed(2);
    const row = (key: 'over' | 'engine'): string =>
      [0.5, 0.95, 0.99]
        .map((part) =>
          at(
            warm.map((it) => it[key]),
            part,
          ),
        )
        .join('/');
    console.log(
      `a call over stdio, ${warm.length} calls: beside the engine p50/p95/p99 ${row('over')} ms; the engine ${row('engine')} ms`,
    );
  } finally {
    await client.close();
    rmSync(home, { recursive: true, force: true });
  }
}
