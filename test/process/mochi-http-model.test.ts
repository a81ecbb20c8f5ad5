/** Mochi as shipped with a model server behind it: asked through the protocol, alone and beside the embedded engine. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { FAULT_KEY } from '../../src/protocol/mochi.ts';
import { ROOT } from '../support/mochi-fixture/running.ts';
import { type OpenAiServer, openAiServer } from '../support/openai-server.ts';

const CLI = join(ROOT, 'dist', 'cli.mjs');
const SOON = { timeout: 30_000, interval: 100 };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function bench(...words: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'mochi-http-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'a.ts'),
    '/** Adds two amounts. */\nexport const add = (a: number, b: number) => a + b;\n',
  );
  const peer: OpenAiServer = await openAiServer({ models: [{ id: 'qwen2.5-coder' }, { id: 'ours' }] });
  ends.push(peer.close);
  const client = new Client({ name: 'test', version: '1' });
  ends.push(() => client.close());
  const key = ['a', 'key'].join('-');
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'serve', `--model-url=${peer.url}`, ...words],
      cwd: folder,
      env: { ...process.env, XDG_CACHE_HOME: join(folder, '.cache'), MOCHI_MODEL_KEY: key } as Record<string, string>,
      stderr: 'ignore',
    }),
  );
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args });
    const fault = (result._meta as Record<string, { status?: number; remedy?: string }> | undefined)?.[FAULT_KEY];
    const answer: Record<string, unknown> = { ...(result.structuredContent as object), fault };
    return answer;
  };
  return { peer, key, call };
}

describe('mochi serve with a model server', () => {
  it('answers by the served model with its own chances, and sends it what was learned', async () => {
    const { peer, key, call } = await bench('--engine=http', '--model=ours');
    peer.script({
      kind: 'tokens',
      tokens: [
        ['It ', Math.log(0.9)],
        ['adds.', Math.log(0.4)],
      ],
    });
    const ask = () => call('domain_query', { instruction: 'What does add do with two amounts?' });
    await expect.poll(async () => JSON.stringify((await ask())['passages'] ?? []), SOON).toContain('a.ts');
    expect(await ask()).toMatchObject({
      response: 'It adds.',
      confidence: expect.closeTo(0.6, 3),
      tokens_generated: 2,
      engine: 'http',
    });
    const asked = peer.asked.at(-1);
    expect(asked?.authorization).toBe(`Bearer ${key}`);
    expect(asked?.body['model']).toBe('ours');
    expect(String(asked?.body['prompt'])).toContain('export const add');
  });

  it('completes in the middle with the markers of the family, and hides no failure', async () => {
    const { peer, call } = await bench('--engine=http');
    peer.script({ kind: 'tokens', tokens: [['a + b', Math.log(0.8)]] });
    const complete = () => call('complete_code', { prefix: 'const c = ', suffix: ';\n', language: 'typescript' });
    await expect.poll(async () => (await complete())['completion'], SOON).toBe('a + b');
    expect(String(peer.asked.at(-1)?.body['prompt'])).toMatch(
      /^<\|fim_prefix\|>[\s\S]*<\|fim_suffix\|>;\n<\|fim_middle\|>const c = $/,
    );
    peer.script({ kind: 'refuse', status: 401 });
    expect((await complete())['fault']).toMatchObject({
      status: 500,
      remedy: expect.stringContaining('MOCHI_MODEL_KEY'),
    });
    await peer.close();
    expect((await complete())['fault']).toMatchObject({ status: 503 });
  });

  it('of itself goes on with the embedded engine when the server is gone', async () => {
    const { peer, call } = await bench();
    await peer.close();
    const ask = () => call('domain_query', { instruction: 'Adds two amounts' });
    await expect.poll(async () => String((await ask())['response'] ?? ''), SOON).toContain('a.ts');
    expect((await ask())['engine']).toBe('embedded');
  });
});
