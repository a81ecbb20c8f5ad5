/** Whether a model fits. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkFits, estimated, type MemoryNeed } from '../../../../../src/mochi/engine/llama/memory-plan.ts';
import { unseenBytes } from '../../../../../src/mochi/engine/llama/unseen-bytes.ts';
import { type GgufTensor, type TensorKind, writeGguf } from '../../../../../src/mochi/engine/peft/gguf.ts';
import { MochiFault } from '../../../../../src/mochi/limits.ts';

const GIB = 2 ** 30;
const need: MemoryNeed = { weights: GIB, unseen: 0, contexts: GIB / 4, adapters: 0, process: GIB / 10 };

describe('the memory of a model', () => {
  it('is all of its parts, and more than their sum', () => {
    const parts = Object.values(need).reduce((sum, part) => sum + part, 0);
    expect(estimated(need)).toBeGreaterThan(parts);
    expect(estimated({ ...need, unseen: GIB }) - estimated(need)).toBe(GIB);
    expect(estimated({ ...need, adapters: GIB }) - estimated(need)).toBe(GIB);
  });

  it.each([
    ['fits', 2 * GIB, 8 * GIB, undefined],
    ['is more than it may use', GIB, 8 * GIB, /it may use 1.00 GiB/],
    ['is more than is free', 2 * GIB, GIB, /1.00 GiB are free/],
    ['leaves nothing free', 2 * GIB, 1.27 * GIB, /are free/],
  ] as const)('%s', (_, limit, free, message) => {
    const check = (): void => checkFits(need, limit, free);
    if (message === undefined) return expect(check).not.toThrow();
    expect(check).toThrow(message);
    expect(check).toThrow(MochiFault);
  });
});

describe('what no estimate counts', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mochi-memory-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const tensor = (name: string, kind: TensorKind): GgufTensor => ({
    ...{ name, kind, sizes: [32, 10] },
    pieces: () => [new Uint8Array(kind === 'q8_0' ? 340 : 1_280)],
  });
  async function unseen(
    kind: TensorKind,
    names: readonly string[],
    architecture: NodeJS.Architecture,
  ): Promise<number> {
    const file = join(folder, 'model.gguf');
    const values = Array.from({ length: 10 }, (_, at) => `w${at}`);
    const metadata = new Map([['tokenizer.ggml.tokens', { kind: 'array', of: 'string', values } as const]]);
    const tensors = [tensor('token_embd.weight', kind), ...names.map((name) => tensor(name, 'f32'))];
    await writeGguf(file, { metadata, tensors }, new AbortController().signal);
    return unseenBytes(file, true, architecture);
  }

  it('is the tokenizer, and a table for two purposes where it is laid out anew', async () => {
    const words = await unseen('f32', [], 'arm64');
    expect(words).toBe(4_400);
    expect(await unseen('q8_0', [], 'x64')).toBe(words);
    const twice = await unseen('q8_0', ['output_norm.weight'], 'arm64');
    expect(twice).toBeGreaterThanOrEqual(words + 340);
    expect(twice).toBeLessThan(words + 400);
    expect(await unseen('q8_0', ['output.weight'], 'arm64')).toBe(words);
  });
});
