/** What a person sees before saying yes: the command as it would run, secrets by name. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Context } from '../../../src/cli/context.ts';
import { finderFor } from '../../../src/cli/finder.ts';
import { gateway } from '../../../src/cli/gateway.ts';
import { translator } from '../../../src/cli/messages.ts';
import { askToStart, findServers, selectServers } from '../../../src/cli/workspace.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** A key as a provider makes them; never a whole one in this file. */
const KEY = ['gh', 'p_', 'Ab3'.repeat(12)].join('');

async function asked(server: object, env: Readonly<Record<string, string>> = {}, dotEnv = '') {
  const folder = mkdtempSync(join(tmpdir(), 'mochi-consent-'));
  folders.push(folder);
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { one: server } }));
  if (dotEnv !== '') writeFileSync(join(folder, '.env'), dotEnv);
  const notes: string[] = [];
  const context = {
    args: { workspace: [], configs: [], servers: [], user: false, onlyConfigs: false, yes: false, approve: true },
    terminal: {
      note: (line: string) => notes.push(line),
      noteStyle: (_: string, text: string) => text,
      confirm: async () => true,
      canAsk: true,
    },
    t: translator('en'),
    language: 'en',
    signal: new AbortController().signal,
    host: { env: { XDG_CACHE_HOME: folder, ...env }, cwd: folder, platform: 'linux' },
    platform: 'linux',
    home: join(folder, 'home'),
    folders: [folder],
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  } as unknown as Context;
  return { context, folder, notes };
}

async function shown(server: object, env: Readonly<Record<string, string>> = {}, dotEnv = ''): Promise<string> {
  const { context, folder, notes } = await asked(server, env, dotEnv);
  const servers = selectServers((await findServers(context)).value.servers, context);
  await askToStart(servers, context, await finderFor(servers, context.signal));
  return (notes[1] ?? '').trim().replaceAll(folder, '<folder>');
}

describe('the question before a server is started', () => {
  it.each([
    [
      'its variables have the values they would have',
      { command: '${RUNNER:-node}', args: ['--root', '${ROOT}', '${MODE:-fast}'], env: { LEVEL: '${LEVEL}' } },
      { ROOT: '/srv/data', LEVEL: '3' },
      '',
      'LEVEL=3 node --root /srv/data fast',
    ],
    ['those of the .env file, too', { command: 'node', args: ['${WHAT}'] }, {}, 'WHAT=evil.js\n', 'node evil.js'],
    [
      'the person’s secrets stand there by name',
      { command: 'node', env: { TOKEN: '${API_TOKEN}' } },
      { API_TOKEN: 'abc' },
      '',
      'TOKEN=${API_TOKEN} node',
    ],
    [
      'a secret that comes by another name is not shown either',
      { command: 'node', args: ['--use', '${WHAT}'] },
      { WHAT: KEY },
      '',
      expect.not.stringContaining(KEY),
    ],
    [
      'where a value is missing it is shown as it is spelt',
      { command: 'node', args: ['${NONE_SUCH}'] },
      {},
      '',
      'node ${NONE_SUCH}',
    ],
  ])('%s', async (_, server, env, dotEnv, expected) => expect(await shown(server, env, dotEnv)).toEqual(expected));
});

describe('mochi gateway --approve', () => {
  it('does not ask about a server that lacks a value, says which, and approves nothing of it', async () => {
    const { context, notes } = await asked({ command: 'node', args: ['${NONE_SUCH}'] });
    expect(await gateway(context)).toBe(1);
    expect(notes.join('\n')).toMatch(/one: lacks a value\n.*Server "one" needs \$\{NONE_SUCH\}\.\n.*Set each in/);
    expect(notes.at(-1)).toBe('Nothing was approved.');
    expect(notes.join('\n')).not.toContain('wants to start');
  });
});
