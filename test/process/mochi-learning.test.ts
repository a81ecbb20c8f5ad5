/** Mochi as shipped while it learns: it answers meanwhile, keeps what changes, and shares its index with another. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHANGED_NOTIFICATION } from '../../src/protocol/mochi.ts';
import { SHIPPED } from '../support/mochi-fixture/running.ts';

const SOON = { timeout: 40_000 };
let top = '';
let root = '';
const clients: Client[] = [];
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'mochi-learning-'));
  root = join(top, 'workspace');
  mkdirSync(root);
  writeFileSync(join(root, 'zebra.ts'), source('Zebra'));
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  rmSync(top, { recursive: true, force: true });
});

const source = (name: string): string =>
  `/** Reads the ${name} ledger. */\nexport function read${name}Ledger(path: string): string {\n  return load${name}(path);\n}\n`;
/** Files with so many words that learning them takes a good while. */
function writeMany(files: number): void {
  for (let file = 0; file < files; file++) {
    const lines = Array.from({ length: 300 }, (_, at) => `const v${file}_${at} = call${at % 40}(v${at}, ${at}, 'x');`);
    writeFileSync(join(root, `many${file}.ts`), lines.join('\n'));
  }
}

async function mochi() {
  const client = new Client({ name: 'mochi-test', version: '1.0.0' });
  clients.push(client);
  const env = { ...process.env, XDG_CACHE_HOME: top, LOCALAPPDATA: top } as Record<string, string>;
  const args = [SHIPPED, '--workspace', root];
  const wire = new StdioClientTransport({ command: process.execPath, args, cwd: root, env, stderr: 'pipe' });
  let log = '';
  wire.stderr?.on('data', (data) => {
    log += String(data);
  });
  await client.connect(wire);
  const answered = async (instruction: string): Promise<string> => {
    const result = await client.callTool({ name: 'domain_query', arguments: { instruction } });
    return JSON.stringify(
      result.isError === true ? 'refused' : (result.structuredContent as { passages: unknown }).passages,
    );
  };
  return {
    client,
    pid: wire.pid ?? 0,
    log: () => log,
    answered,
    knows: (name: string) =>
      expect.poll(() => answered(`read${name}Ledger`), SOON).toContain(`function read${name}Ledger`),
    changed: (...paths: readonly string[]) =>
      client.notification({ method: CHANGED_NOTIFICATION, params: paths.length === 0 ? {} : { paths } }),
  };
}
const learned = (): string => join(top, 'mochi', 'learned');
const kept = (ending: string): readonly string[] => readdirSync(learned()).filter((name) => name.endsWith(ending));

describe('while Mochi learns everything again', () => {
  it('pings, lists, completions and answers from what it knew come before it is done', async () => {
    const { client, log, knows, changed, answered } = await mochi();
    await knows('Zebra');
    writeMany(300);
    writeFileSync(join(root, 'yak.ts'), source('Yak'));
    await changed();
    await expect.poll(log, { ...SOON, interval: 5 }).toContain('learning: sorting, 302 of 302 files');
    const order: string[] = [];
    const note = (what: string) => (): void => {
      order.push(log().includes('learned everything: 302 files') ? `${what} too late` : what);
    };
    await Promise.all([
      client.ping().then(note('ping')),
      client.listTools().then(note('list')),
      client
        .callTool({ name: 'complete_code', arguments: { prefix: 'export function readZebra' } })
        .then(({ structuredContent }) =>
          note(`completes ${(structuredContent as { completion: string }).completion.slice(0, 6)}`)(),
        ),
      // What is being sorted just now knows the yak already; what answers meanwhile does not.
      answered('readYakLedger').then((text) => note(text.includes('yak.ts') ? 'waited for the new' : 'answers')()),
    ]);
    expect(order.sort()).toEqual(['answers', 'completes Ledger', 'list', 'ping']);
    await expect.poll(log, SOON).toContain('learned everything: 302 files');
    await knows('Yak');
  });
});

describe('what changes while Mochi serves', () => {
  it('is learned when a client says so, and kept for the next start', async () => {
    const first = await mochi();
    await first.knows('Zebra');
    writeFileSync(join(root, 'yak.ts'), source('Yak'));
    await first.changed('yak.ts', '../elsewhere.ts');
    await first.knows('Yak');
    expect(kept('.changes')).toEqual([]);
    await first.client.close();
    expect(kept('.changes')).toHaveLength(1);
    const second = await mochi();
    await second.knows('Yak');
    expect(second.log()).not.toContain('learned');
  });

  it('is kept within seconds, also for a start after kill -9', async () => {
    const first = await mochi();
    await first.knows('Zebra');
    writeFileSync(join(root, 'yak.ts'), source('Yak'));
    await first.changed();
    await expect.poll(() => kept('.changes').length, SOON).toBe(1);
    process.kill(first.pid, 'SIGKILL');
    const second = await mochi();
    await second.knows('Yak');
    expect(second.log()).not.toContain('learned');
  });

  it('survives kill -9 at any moment of keeping it', async () => {
    for (let round = 0; round < 4; round++) {
      const { pid, knows, changed, client } = await mochi();
      await knows('Zebra');
      for (let file = 0; file < 20; file++) writeFileSync(join(root, `f${file}.ts`), source(`Round${round}of${file}`));
      await changed();
      await knows(`Round${round}of19`);
      if (round % 2 === 0) process.kill(pid, 'SIGKILL');
      else await Promise.all([client.close(), new Promise((done) => setTimeout(done, 5 * round))]);
    }
    const last = await mochi();
    await last.knows('Round3of19');
    await last.knows('Zebra');
  });
});

describe('two Mochis over one workspace', () => {
  it('learn it once when they start at once', async () => {
    writeMany(60);
    const both = await Promise.all([mochi(), mochi()]);
    for (const { knows } of both) await knows('Zebra');
    expect(both.filter(({ log }) => log().includes('learning: sorting'))).toHaveLength(1);
  });

  it('share the index: what one learned anew and kept, the other takes up without learning it', async () => {
    const one = await mochi();
    await one.knows('Zebra');
    await expect.poll(() => kept('.index').length, SOON).toBe(1);
    const two = await mochi();
    await two.knows('Zebra');
    const before = statSync(join(learned(), kept('.index')[0] ?? '')).ino;
    writeMany(150);
    writeFileSync(join(root, 'yak.ts'), source('Yak'));
    await one.changed();
    await one.knows('Yak');
    await expect.poll(() => statSync(join(learned(), kept('.index')[0] ?? '')).ino, SOON).not.toBe(before);
    await expect.poll(() => kept('.tmp'), SOON).toEqual([]);
    await two.changed();
    await two.knows('Yak');
    expect(one.log()).toContain('learned everything: 152 files');
    expect(two.log()).not.toContain('learned everything: 152 files');
  });
});
