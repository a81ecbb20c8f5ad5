/**
 * A kiri server beside Mochi, replayed from a recorded exchange with kiri 0.10: its findings join the answers, and its
 * absence, slowness, failure or malice change nothing.
 */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, SHIPPED } from '../support/mochi-fixture/running.ts';

const SERVER = join(ROOT, 'test', 'support', 'mochi-fixture', 'kiri-server.ts');
const SOON = { timeout: 30_000 };
let folder = '';
let outside = '';
const clients: Client[] = [];
beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), 'mochi-kiri-'));
  folder = join(outside, 'workspace');
  for (const name of ['src', 'docs']) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(
    join(folder, 'src', 'gamma.ts'),
    '/** Reads the gamma ledger. */\nexport function readGammaLedger() {}\n',
  );
  writeFileSync(join(folder, 'docs', 'ledgers.md'), '# Ledgers\n\nA ledger has rows.\n\nreadGammaLedger reads one.\n');
  writeFileSync(join(folder, '.env'), 'A=hidden\n');
  writeFileSync(join(outside, 'outside.txt'), 'hidden\n');
  symlinkSync(join(outside, 'outside.txt'), join(folder, 'link.md'));
});
afterAll(() => rmSync(outside, { recursive: true, force: true }));
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

interface Asked {
  readonly passages: readonly { file: string; line: number; text: string; source?: string }[];
  readonly response: string;
}

async function mochi(...kiri: readonly string[]) {
  const client = new Client({ name: 'mochi-test', version: '1.0.0' });
  clients.push(client);
  const env = { ...process.env, XDG_CACHE_HOME: join(outside, 'cache') } as Record<string, string>;
  const args = [SHIPPED, '--workspace', folder, ...kiri];
  let log = '';
  const wire = new StdioClientTransport({ command: process.execPath, args, cwd: folder, env, stderr: 'pipe' });
  wire.stderr?.on('data', (data) => {
    log += String(data);
  });
  await client.connect(wire);
  const ask = async (instruction: string): Promise<Asked | undefined> => {
    const result = await client.callTool({ name: 'domain_query', arguments: { instruction } });
    return result.isError === true ? undefined : (result.structuredContent as never);
  };
  await expect.poll(() => ask('ledger'), SOON).toBeDefined();
  return { ask, log: () => log };
}
const scripted = (scenario: string) => `"${process.execPath}" "${SERVER}" ${scenario}`;
const found = (answer: Asked | undefined) => answer?.passages.filter(({ source }) => source === 'kiri') ?? [];

describe('kiri', () => {
  it('adds what it finds, as it stands in the workspace', async () => {
    const { ask } = await mochi('--kiri', scripted('ok'));
    await expect.poll(async () => found(await ask('Where is the gamma ledger read?')).length, SOON).toBe(1);
    const answer = await ask('Where is readGammaLedger used?');
    expect(answer?.passages[0]).toMatchObject({ file: 'src/gamma.ts' });
    expect(found(answer).map(({ line, text }) => [line, text])).toEqual([
      [5, 'readGammaLedger reads one.\n'],
      [2, '\nA ledger has rows.'],
    ]);
    expect(answer?.response).toContain('Also found by kiri:\ndocs/ledgers.md:5');
  });

  it('is not asked again for a while when it takes too long', async () => {
    const { ask, log } = await mochi('--kiri', scripted('slow'));
    await expect.poll(log, SOON).toContain('kiri: connected');
    await ask('Where is the ledger read?');
    expect(log()).toMatch(/kiri: no answer within \d+ ms; asked again in 60 s/);
    expect(found(await ask('Where is the ledger read?'))).toEqual([]);
    expect(log().match(/no answer within/g)).toHaveLength(1);
  });

  it.each(['broken', 'hostile'])('changes nothing when it is %s', async (scenario) => {
    const { ask, log } = await mochi('--kiri', scripted(scenario));
    const alone = await mochi();
    await expect.poll(log, SOON).toContain('kiri: connected');
    const [one, two] = [await ask('Where is the ledger read?'), await alone.ask('Where is the ledger read?')];
    expect(one?.passages).toEqual(two?.passages);
    expect(one?.response).toBe(two?.response);
    expect(JSON.stringify(one)).not.toContain('hidden');
  });

  it('may be gone, or never have been there', async () => {
    for (const command of [scripted('gone'), 'no-such-program-anywhere']) {
      const { ask, log } = await mochi('--kiri', command);
      await expect.poll(log, SOON).toContain('kiri: not connected');
      expect(found(await ask('Where is the ledger read?'))).toEqual([]);
    }
  });
});
