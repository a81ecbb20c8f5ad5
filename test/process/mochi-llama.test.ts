/** A real model behind `mochi serve`: tiny ones made here, run by the real engine in its own process. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_KEY } from '../../src/protocol/mochi.ts';
import { installedBackend } from '../support/backend.ts';
import { ROOT, SHIPPED } from '../support/mochi-fixture/running.ts';
import { type TinyModel, writeTinyAdapter, writeTinyModel } from '../support/tiny-models.ts';

const CLI = join(ROOT, 'dist', 'cli.mjs');
/** On a busy machine a child takes its time. */
const SOON = { timeout: 45_000, interval: 100 };
const question = { instruction: 'Where is the ledger read?', max_tokens: 24 };
let folder = '';
let backend = '';
let qwen: TinyModel;
const clients: Client[] = [];
const at = (...parts: readonly string[]): string => join(folder, ...parts);

beforeAll(async () => {
  backend = await installedBackend();
  folder = mkdtempSync(join(tmpdir(), 'mochi-llama-'));
  for (const name of ['empty', 'code', 'cache']) mkdirSync(at(name));
  writeFileSync(at('code', 'ledger.ts'), '/** Reads the ledger. */\nexport function readLedger() {\n  return 1;\n}\n');
  qwen = await writeTinyModel(at('qwen2.gguf'));
  const llama = await writeTinyModel(at('llama.gguf'), { architecture: 'llama', hasInfill: false });
  await writeTinyAdapter(at('qwen2'), qwen, { strength: 0.4 });
  await writeTinyAdapter(at('llama'), llama, { strength: 0.4 });
  await writeTinyAdapter(at('chat'), qwen, { strength: 0.4, settings: { prompt: 'chatml' } });
}, 320_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

interface Serving {
  readonly client: Client;
  /** The process of the server. */
  readonly pid: number;
  /** What the server has logged. */
  readonly log: () => string;
}

async function serve(words: readonly string[], workspace = 'empty', program = [CLI, 'serve']): Promise<Serving> {
  const client = new Client({ name: 'mochi-test', version: '1.0.0' });
  clients.push(client);
  const home = { XDG_CACHE_HOME: at('cache'), XDG_DATA_HOME: at('cache'), LOCALAPPDATA: at('cache') };
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [...program, '--log-level=debug', `--workspace=${at(workspace)}`, ...words],
    env: { ...process.env, ...home } as Record<string, string>,
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (data) => {
    log += String(data);
  });
  await client.connect(transport);
  return { client, pid: transport.pid ?? Number.NaN, log: () => log };
}

const llama = (model: string, ...words: readonly string[]): Promise<Serving> =>
  serve(['--engine=llama', `--model=${at(model)}`, `--backend=${backend}`, ...words]);
const ask = ({ client }: Serving, more: object = {}) =>
  client.callTool({ name: 'domain_query', arguments: { ...question, ...more } });
type Result = Awaited<ReturnType<typeof ask>>;
const faultOf = (result: Result): { status?: number; kind?: string; message?: string; remedy?: string } =>
  (result._meta as Record<string, object> | undefined)?.[FAULT_KEY] ?? {};
const answerOf = (result: Result): { response: string; confidence: number; engine: string; is_partial?: boolean } =>
  result.structuredContent as never;

async function isReady(serving: Serving): Promise<void> {
  await expect.poll(async () => faultOf(await ask(serving, { max_tokens: 1 })), SOON).toEqual({});
}

/** The answer of the model of this file with these adapters. */
async function answered(model: string, ...adapters: readonly string[]): Promise<string> {
  const serving = await llama(model, ...adapters.map((one) => `--adapter=${at(one)}`));
  await isReady(serving);
  const result = await ask(serving);
  expect(answerOf(result)).toMatchObject({ engine: 'llama' });
  expect(answerOf(result).confidence).toBeGreaterThan(0);
  return answerOf(result).response;
}

/** The process that runs the model, by its number. */
const modelProcess = ({ log }: Serving): number =>
  Number([...log().matchAll(/model runs in process (\d+)/g)].at(-1)?.[1] ?? Number.NaN);
const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('a model behind mochi serve', () => {
  it.each(['qwen2', 'llama'])(
    'of the architecture %s answers, otherwise with its adapter, and the same with it off',
    async (name) => {
      const base = await answered(`${name}.gguf`);
      expect(base).not.toBe('');
      expect(await answered(`${name}.gguf`, name)).not.toBe(base);
      expect(await answered(`${name}.gguf`, `${name}:0`)).toBe(base);
    },
  );

  it('is asked in the form that its adapter says', async () => {
    expect(await answered('qwen2.gguf', 'chat')).not.toBe(await answered('qwen2.gguf', 'qwen2'));
  });

  it('takes up an adapter that was trained anew, in the same process, and keeps the old one where the new is no good', async () => {
    await writeTinyAdapter(at('again'), qwen, { strength: 0.4, seed: 11 });
    const serving = await llama('qwen2.gguf', `--adapter=${at('again')}`);
    await isReady(serving);
    const [before, pid] = [answerOf(await ask(serving)).response, modelProcess(serving)];
    writeFileSync(at('again', 'adapter_model.safetensors'), 'no weights');
    await expect.poll(serving.log, SOON).toContain('the adapters stay as they were');
    expect(answerOf(await ask(serving)).response).toBe(before);
    await writeTinyAdapter(at('again'), qwen, { strength: 0.4, seed: 12 });
    await expect.poll(async () => answerOf(await ask(serving)).response, SOON).not.toBe(before);
    expect(modelProcess(serving)).toBe(pid);
  });

  it('completes code and says where the completion may be cut', async () => {
    const serving = await llama('qwen2.gguf');
    await isReady(serving);
    const result = await serving.client.callTool({
      name: 'complete_code',
      arguments: { prefix: 'export function add(a, b) {\n  return ', suffix: '\n}\n', facts: ['sum'] },
    });
    const { completion, steps, engine } = result.structuredContent as {
      completion: string;
      steps: { end: number; confidence: number }[];
      engine: string;
    };
    expect(engine).toBe('llama');
    expect(completion).not.toBe('');
    expect(steps.at(-1)?.end).toBeLessThanOrEqual(completion.length);
    for (const [at, { confidence }] of steps.entries())
      expect(confidence).toBeLessThanOrEqual(steps[at - 1]?.confidence ?? 1);
  });

  it('under auto answers beside the embedded engine, and is not in its way', async () => {
    const serving = await serve([`--model=${at('qwen2.gguf')}`, `--backend=${backend}`], 'code');
    await expect.poll(serving.log, SOON).toContain('the model is ready');
    await expect.poll(serving.log, SOON).toContain('learned everything');
    const { engine, passages } = (await ask(serving)).structuredContent as { engine: string; passages: object[] };
    // Whoever is surer; what it rests on is found in the workspace either way.
    expect(['embedded', 'llama']).toContain(engine);
    expect(passages).toMatchObject([{ file: 'ledger.ts' }]);
    const code = await serving.client.callTool({
      name: 'complete_code',
      arguments: { prefix: 'export function read' },
    });
    expect(['embedded', 'llama']).toContain((code.structuredContent as { engine: string }).engine);
  });

  it('keeps the deadline among many long questions, and says which answers it cut', async () => {
    await writeTinyModel(at('slow.gguf'), { layers: 8, width: 256, feedForward: 1024 });
    const serving = await llama('slow.gguf');
    await isReady(serving);
    const results = await Promise.all(Array.from({ length: 24 }, () => ask(serving, { max_tokens: 4_096 })));
    expect(results.some((result) => result.isError !== true && answerOf(result).is_partial === true)).toBe(true);
    for (const result of results) if (result.isError === true) expect(faultOf(result)).toMatchObject({ status: 504 });
    expect(faultOf(await ask(serving))).toEqual({});
  });

  it('costs one answer where its process dies in the middle, and is started again on the next use', async () => {
    await writeTinyModel(at('slow.gguf'), { layers: 8, width: 256, feedForward: 1024 });
    const serving = await llama('slow.gguf');
    await isReady(serving);
    const first = modelProcess(serving);
    const dying = Promise.all(Array.from({ length: 8 }, () => ask(serving, { max_tokens: 4_096 })));
    // Each message is handled in order, so that what is asked next comes after the questions have begun.
    await serving.client.listTools();
    process.kill(first, 'SIGKILL');
    const faults = (await dying).map(faultOf).filter(({ status }) => status === 500);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]?.message).toMatch(/process of the model ended/);
    expect(faults[0]?.remedy).toMatch(/Ask again/);
    await isReady(serving);
    expect(modelProcess(serving)).not.toBe(first);
    expect(answerOf(await ask(serving)).response).not.toBe('');
  });

  it.each(['closed', 'killed'])('ends with the server, when that is %s', async (how) => {
    const words = ['--engine=llama', `--model=${at('qwen2.gguf')}`, `--backend=${backend}`];
    const serving = await serve(words, 'empty', [SHIPPED]);
    await isReady(serving);
    const pid = modelProcess(serving);
    expect(isThere(pid)).toBe(true);
    if (how === 'closed') await serving.client.close();
    else process.kill(serving.pid, 'SIGKILL');
    await expect.poll(() => isThere(pid), SOON).toBe(false);
  });
});

describe('a model that cannot be served', () => {
  const whole = (): Buffer => readFileSync(at('qwen2.gguf'));
  const cases: readonly (readonly [
    string,
    (file: string) => Promise<readonly string[]> | readonly string[],
    RegExp,
  ])[] = [
    ['is not there', () => [], /cannot be opened/],
    ['is cut off', (file) => write(file, whole().subarray(0, 20_000)), /no whole GGUF file/],
    [
      'begins as something else',
      (file) => write(file, Buffer.concat([Buffer.from('XXXX'), whole().subarray(4)])),
      /does not begin/,
    ],
    ['claims more entries than can be', (file) => write(file, withCount(whole())), /not possible/],
    ['is empty', (file) => write(file, Buffer.alloc(0)), /too short/],
    ['is cut off among its weights', (file) => write(file, whole().subarray(0, -64)), /ends beyond it/],
    ['has an adapter of another base', other, /does not fit|shape|base/],
    ['has an adapter with values that are no numbers', notNumbers, /is not a number/],
    [
      'has an adapter that is not there',
      (file) => [...write(file, whole()), `--adapter=${at('none')}`],
      /adapter folder/,
    ],
  ];

  const write = (file: string, bytes: Buffer): readonly string[] => {
    writeFileSync(file, bytes);
    return [];
  };
  /** The number of tensors stands after magic and version. */
  function withCount(bytes: Buffer): Buffer {
    const changed = Buffer.from(bytes);
    changed.writeBigUInt64LE(2n ** 60n, 8);
    return changed;
  }
  async function other(file: string): Promise<readonly string[]> {
    await writeTinyModel(file, { width: 32 });
    return [`--adapter=${at('qwen2')}`];
  }
  async function notNumbers(file: string): Promise<readonly string[]> {
    write(file, whole());
    await writeTinyAdapter(at('nan'), qwen);
    const weights = at('nan', 'adapter_model.safetensors');
    const bytes = readFileSync(weights);
    bytes.writeFloatLE(Number.NaN, bytes.length - 4);
    writeFileSync(weights, bytes);
    return [`--adapter=${at('nan')}`];
  }

  it.each(cases)('because it %s is refused with the reason', async (_, make, reason) => {
    rmSync(at('broken.gguf'), { force: true });
    const words = await make(at('broken.gguf'));
    const serving = await llama('broken.gguf', ...words);
    await expect.poll(async () => faultOf(await ask(serving)).message, SOON).toMatch(reason);
    const fault = faultOf(await ask(serving));
    expect(fault).toMatchObject({ status: 503, kind: 'not-ready' });
    expect(fault.remedy).toBeTruthy();
  });

  it('because it would take more memory than it may is refused before it is loaded', async () => {
    const serving = await llama('qwen2.gguf', '--memory-limit=0.15');
    await expect.poll(async () => faultOf(await ask(serving)).kind, SOON).toBe('memory');
    expect(faultOf(await ask(serving))).toMatchObject({
      status: 507,
      remedy: expect.stringContaining('--memory-limit'),
    });
    expect(serving.log()).not.toContain('loading the model');
  });

  it('because what runs models is not installed is refused with the way to get it', async () => {
    const serving = await serve(['--engine=llama', `--model=${at('qwen2.gguf')}`, `--backend=${at('empty')}`]);
    await expect.poll(async () => faultOf(await ask(serving)).message, SOON).toMatch(/not installed/);
    expect(faultOf(await ask(serving)).remedy).toMatch(/mochi model pull/);
  });

  it('says 503 and how far it is while it loads', async () => {
    const serving = await llama('qwen2.gguf');
    expect(faultOf(await ask(serving))).toMatchObject({
      status: 503,
      message: expect.stringMatching(/model is loading/),
    });
    await isReady(serving);
  });
});
