/** Mochi as shipped over a code base with secrets in it: whatever it is asked, it shows none and keeps none on disk. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SHIPPED } from '../support/mochi-fixture/running.ts';
import { PLANTED, plant } from '../support/planted-source.ts';

let top = '';
let root = '';
let client: Client;
beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), 'mochi-secrets-'));
  root = join(top, 'workspace');
  mkdirSync(root);
  plant(root);
  client = new Client({ name: 'mochi-test', version: '1.0.0' });
  const env = { ...process.env, XDG_CACHE_HOME: top, LOCALAPPDATA: top } as Record<string, string>;
  const args = [SHIPPED, '--workspace', root];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, env, stderr: 'ignore' }));
});
afterEach(async () => {
  await client.close();
  rmSync(top, { recursive: true, force: true });
});

const leaked = (text: string): string[] => PLANTED.filter((secret) => text.includes(secret));
const ask = async (name: string, args: Record<string, unknown>): Promise<string> =>
  JSON.stringify(await client.callTool({ name, arguments: args }));

it('quotes code without the secrets that stand in it', async () => {
  const connects = await ask('domain_query', { instruction: 'connects to the zebra database' });
  expect(connects).toContain('connect_zebra');
  expect(connects).toContain('[secret]');
  const logs = await ask('suggest_pattern', { goal: 'login zebra' });
  expect(logs).toContain('def login_zebra');
  const patterns = await ask('suggest_pattern', { goal: 'error handling' });
  expect(patterns).toContain("secret: '[secret]'");
  const pages: string[] = [];
  for (const { uri } of (await client.listResources()).resources)
    pages.push(JSON.stringify(await client.readResource({ uri })));
  expect(pages.join('\n')).toContain('catch (error)');
  const others = await Promise.all(
    ['login_zebra', 'openZebra1', 'password', 'token zebra'].map((instruction) => ask('domain_query', { instruction })),
  );
  expect(leaked([connects, logs, patterns, ...pages, ...others].join('\n'))).toEqual([]);
});

it('completes no secret', async () => {
  const prefixes = [
    'password = ',
    'key = ',
    'password = "',
    'def login_zebra(user: str, password: str = ',
    '    token = ',
  ];
  const answers = await Promise.all(
    prefixes.map((prefix) => ask('complete_code', { prefix, language: 'python', path: 'shop/new.py' })),
  );
  answers.push(
    await ask('complete_code', { prefix: "await store.open({ user: 'zebra', password: ", language: 'typescript' }),
  );
  expect(leaked(answers.join('\n'))).toEqual([]);
  expect(await ask('complete_code', { prefix: 'return open_zebra(url, ', language: 'python' })).toContain('password');
});

it('keeps none on disk', async () => {
  await ask('domain_query', { instruction: 'zebra' });
  const folder = join(top, 'mochi', 'learned');
  await expect
    .poll(() => readdirSync(top).includes('mochi') && readdirSync(folder).some((name) => name.endsWith('.index')), {
      timeout: 20_000,
    })
    .toBe(true);
  for (const name of readdirSync(folder)) expect(leaked(readFileSync(join(folder, name), 'latin1')), name).toEqual([]);
});
