/** Damaged files: whatever byte of a header is wrong, reading ends with an error that explains, or with what is there. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperationError } from '../../../../../src/core/problem.ts';
import { readBaseShape } from '../../../../../src/mochi/engine/peft/base-shape.ts';
import { prepareAdapter } from '../../../../../src/mochi/engine/peft/prepare-adapter.ts';
import { createRandom, writeTinyAdapter, writeTinyModel } from '../../../../support/tiny-models.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mochi-damaged-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The file with some bytes changed, and sometimes cut, always the same for a number. */
function damaged(bytes: Buffer, header: number, turn: number): Buffer {
  const random = createRandom(turn + 1);
  const draw = (most: number): number => Math.floor(Math.abs(random() * 1_000)) % most;
  const copy = Buffer.from(bytes);
  for (let times = 0; times <= turn % 3; times += 1) copy[draw(header)] = turn % 2 === 0 ? draw(256) : 255;
  return turn % 10 === 0 ? copy.subarray(0, draw(copy.length)) : copy;
}

async function explained(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    return OperationError.is(error) && error.message !== '' && error.remedy !== undefined;
  }
}

describe('a damaged file', () => {
  it('of a model is explained or read', async () => {
    const file = join(folder, 'model.gguf');
    await writeTinyModel(file, { width: 16, heads: 2, keyHeads: 1, feedForward: 24, layers: 1 });
    const bytes = await readFile(file);
    for (let turn = 0; turn < 600; turn += 1) {
      await writeFile(file, damaged(bytes, 4_000, turn));
      expect(await explained(() => readBaseShape(file)), `turn ${turn}`).toBe(true);
    }
  });

  it('of an adapter is explained or read', async () => {
    const model = await writeTinyModel(join(folder, 'base.gguf'), { width: 16, heads: 2, keyHeads: 1, layers: 1 });
    const options = {
      base: await readBaseShape(join(folder, 'base.gguf')),
      cacheFolder: join(folder, 'kept'),
      signal: new AbortController().signal,
    };
    await writeTinyAdapter(join(folder, 'adapter'), model, { rank: 2 });
    for (const [name, header] of [
      ['adapter_model.safetensors', 1_900],
      ['adapter_config.json', 250],
    ] as const) {
      const file = join(folder, 'adapter', name);
      const bytes = await readFile(file);
      for (let turn = 0; turn < 400; turn += 1) {
        await writeFile(file, damaged(bytes, Math.min(header, bytes.length), turn));
        expect(await explained(() => prepareAdapter(join(folder, 'adapter'), options)), `${name}, turn ${turn}`).toBe(
          true,
        );
      }
      await writeFile(file, bytes);
    }
  });
});
