/** The editor's own Mochi with real processes: what it answers, how it ends, and what it gets to see. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Companion, createCompanion } from '../../src/extension/companion.ts';
import type { MochiClient } from '../../src/node/mochi-client.ts';
import { silent } from '../support/mcp-servers.ts';
import { mochiProcesses } from '../support/mochi-processes.ts';

const never = new AbortController().signal;
const [program = '', thread = ''] = ['mochi.mjs', 'mochi-thread.cjs'].map((name) =>
  fileURLToPath(new URL(`../../dist/${name}`, import.meta.url)),
);
let base: string;
let folder: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mochi-editor-'));
  folder = join(base, 'code');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'oven.ts'),
    '/** Heats the oven. */\nexport function heatOven(degrees: number): void {}\n',
  );
  for (let at = 0; at < 12; at++)
    writeFileSync(
      join(folder, `dish-${at}.ts`),
      `/** Cooks dish number ${at} for some minutes. */\nexport function cookDish(minutes: number): number {\n  if (minutes < ${at}) throw new Error('raw');\n  return minutes;\n}\n`,
    );
});
afterEach(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));

function companionWith(more: Partial<Parameters<typeof createCompanion>[0]> = {}): Companion {
  return createCompanion({
    logger: silent,
    env: { ...process.env, XDG_CACHE_HOME: join(base, 'cache'), LOCALAPPDATA: join(base, 'cache') },
    platform: process.platform,
    home: join(base, 'home'),
    runtime: process.execPath,
    program,
    thread,
    clientInfo: { name: 'test', version: '1' },
    words: () => [],
    modelKey: async () => undefined,
    ...more,
  });
}

async function until<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (let left = 400; left > 0; left--) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`after 20 s: ${what}`);
}

const learned = (client: MochiClient) =>
  until('nothing is learned', async () => {
    const stats = await client.readStats(never);
    return stats.learned ? stats : undefined;
  });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("the editor's own Mochi", () => {
  it('learns the folder, completes, answers and suggests, and is gone when it is stopped', async () => {
    const process = companionWith().open(folder);
    const client = await process.ready(never);
    expect(await learned(client)).toMatchObject({ files: 13, engine: 'embedded' });
    const prefix = 'export function cookDish(minutes: number): number {\n  if (minutes < 4) throw new Err';
    const completion = await client.complete(
      { prefix, suffix: '\n}\n', language: 'typescript', path: 'new.ts' },
      never,
    );
    expect(completion).toMatchObject({
      kind: 'answered',
      value: { completion: expect.stringMatching(/^or\('raw'\)/) },
    });
    const answer = await client.ask({ instruction: 'How is the oven heated?' }, never);
    expect(answer).toMatchObject({ kind: 'answered' });
    if (answer.kind === 'answered') expect(answer.value.passages.map(({ file }) => file)).toContain('oven.ts');
    expect(await client.suggest({ goal: 'throw an error' }, never)).toMatchObject({ kind: 'answered' });
    expect(await client.suggest({ goal: ' ' }, never)).toMatchObject({ kind: 'refused', fault: { kind: 'invalid' } });
    expect(mochiProcesses(folder)).toHaveLength(1);
    await process.stop();
    expect(mochiProcesses(folder)).toEqual([]);
  });

  it('knows a changed file as soon as it is told', async () => {
    const process = companionWith().open(folder);
    const client = await process.ready(never);
    await learned(client);
    writeFileSync(join(folder, 'fridge.ts'), '/** Cools the fridge down. */\nexport function coolFridge(): void {}\n');
    client.filesChanged(['fridge.ts']);
    await until('the file is not known', async () => {
      const answer = await client.ask({ instruction: 'How is the fridge cooled?' }, never);
      return answer.kind === 'answered' && answer.value.passages.some(({ file }) => file === 'fridge.ts')
        ? true
        : undefined;
    });
    await process.stop();
  });

  it('keeps its index where the next one finds it', async () => {
    const companion = companionWith();
    expect(await companion.isLearned(folder)).toBe(false);
    const process = companion.open(folder);
    await learned(await process.ready(never));
    await until('the index is not kept', async () => ((await companion.isLearned(folder)) ? true : undefined));
    await process.stop();
  });

  it("shows in Mochi's statistics how suggestions were taken", async () => {
    const companion = companionWith();
    await companion.addAcceptance(folder, new Map([['go', { shown: 3, accepted: 2, kept: 1 }]]));
    const process = companion.open(folder);
    const client = await process.ready(never);
    expect((await client.readStats(never)).suggestions).toEqual({ shown: 3, accepted: 2, kept: 1 });
    expect(await companion.acceptance(folder)).toEqual({ shown: 3, accepted: 2, kept: 1 });
    await process.stop();
  });

  it('is started again when it is killed in the middle of a call', async () => {
    const managed = companionWith().open(folder);
    const client = await managed.ready(never);
    await learned(client);
    const calls = Array.from({ length: 50 }, () => client.ask({ instruction: 'How is a dish cooked?' }, never));
    const outcomes = Promise.allSettled(calls);
    if (managed.state.kind === 'ready') process.kill(managed.state.pid, 'SIGKILL');
    const failures = (await outcomes).flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const failure of failures) expect(failure).toMatchObject({ kind: 'crashed' });
    expect(failures.length).toBeGreaterThan(0);
    const again = await until('it does not come back', () =>
      managed.state.kind === 'ready' && managed.state.connection !== client ? managed.state.connection : undefined,
    );
    expect(await learned(again)).toMatchObject({ files: 13 });
    await managed.stop();
  });

  it('is left alone after three failures, with the reason that it gave', async () => {
    const companion = companionWith({ words: () => ['--memory-limit=nonsense'] });
    const process = companion.open(folder);
    const failure = await process.ready(never).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'crashed' });
    expect(process.state.kind).toBe('failed');
    if (process.state.kind === 'failed') expect(companion.lastWords(process.state.output)).toContain('--memory-limit');
    expect(mochiProcesses(folder)).toEqual([]);
  });

  it('gets to see a short list of variables, and none that looks like a secret', async () => {
    const spy = join(base, 'spy.mjs');
    // Says under the name of Mochi which variables it has.
    writeFileSync(
      spy,
      `process.stdin.on('data', (data) => { const { id } = JSON.parse(String(data).split('\\n')[0]);
        if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {
          serverInfo: { name: 'mochi', version: Object.keys(process.env).sort().join(' ') } } })); });
      process.stdin.on('end', () => process.exit());`,
    );
    const secret = { ['GITHUB_' + 'TOKEN']: 'x', ANTHROPIC_API_KEY: 'x', AWS_SECRET_ACCESS_KEY: 'x', NODE_OPTIONS: '' };
    const authority = join(base, 'authority.pem');
    const env = { ...process.env, ...secret, XDG_CACHE_HOME: base, NODE_EXTRA_CA_CERTS: authority };
    const managed = companionWith({ program: spy, env }).open(folder);
    const { version } = await managed.ready(never);
    const keyed = companionWith({ program: spy, env, modelKey: async () => 'x' }).open(folder);
    expect((await keyed.ready(never)).version).toContain('MOCHI_MODEL_KEY');
    await keyed.stop();
    expect(version).toContain('ELECTRON_RUN_AS_NODE');
    expect(version).toContain('XDG_CACHE_HOME');
    expect(version).toContain('NODE_EXTRA_CA_CERTS');
    expect(version).not.toMatch(/TOKEN|KEY|SECRET|NODE_OPTIONS/);
    await managed.stop();
  });

  it('ends with the window, even if the window is killed', async () => {
    const host = fileURLToPath(new URL('./editor-mochi-child.ts', import.meta.url));
    const window = spawn(process.execPath, [host, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const pid = await new Promise<number>((resolve) => window.stdout.once('data', (text) => resolve(Number(text))));
    expect(isAlive(pid)).toBe(true);
    window.kill('SIGKILL');
    await until('it outlives the window', () => (isAlive(pid) ? undefined : true));
  });
});
