/**
 * Converted adapters in the real engine: it computes what the same weights merged into the base give, for an architecture
 * whose rows of q and k change places and for one whose do not, as PEFT and as MLX.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBaseShape } from '../../src/mochi/engine/peft/base-shape.ts';
import { prepareAdapter } from '../../src/mochi/engine/peft/prepare-adapter.ts';
import {
  type Matrix,
  merged,
  safetensorsOf,
  saveModel,
  type TinyAdapter,
  type TinyAdapterOptions,
  writeTinyAdapter,
  writeTinyModel,
} from '../support/tiny-models.ts';
import {
  type Applied,
  type Backend,
  largestDifference,
  logs,
  nextTokens,
  openBackend,
} from '../support/token-chances.ts';

let folder = '';
let backend: Backend;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mochi-peft-'));
  backend = await openBackend();
}, 300_000);
afterAll(async () => {
  await backend.dispose();
  await rm(folder, { recursive: true, force: true });
});

const { signal } = new AbortController();
const tokens = Array.from({ length: 40 }, (_, place) => 32 + ((place * 37) % 90));

/** The logarithms of the chances of each next token. */
async function chances(modelPath: string, adapter?: Applied): Promise<ReadonlyMap<number, number>> {
  const model = await backend.loadModel({ modelPath });
  try {
    return logs((await nextTokens(model, tokens, adapter, (place) => place === tokens.length - 1)).at(-1));
  } finally {
    await model.dispose();
  }
}

async function files(architecture: 'qwen2' | 'llama', options: TinyAdapterOptions = {}) {
  const own = await mkdtemp(join(folder, `${architecture}-`));
  const base = join(own, 'base.gguf');
  const model = await writeTinyModel(base, { architecture });
  const adapter = await writeTinyAdapter(join(own, 'adapter'), model, options);
  const convert = async (from: string, weights: 'f16' | 'f32' = 'f32') =>
    (await prepareAdapter(from, { base: await readBaseShape(base), cacheFolder: join(own, 'kept'), signal, weights }))
      .file;
  const mergedWith = async (scale: number): Promise<string> => {
    const file = join(own, `merged-${scale}.gguf`);
    await saveModel(file, merged(model, adapter, scale));
    return file;
  };
  return { own, base, adapter, convert, mergedWith };
}

/** Rounding of 32-bit sums; what an adapter changes is a thousand times more. */
const SAME = 1e-3;
const OTHER = 1;

describe.each(['qwen2', 'llama'] as const)('an adapter on %s', (architecture) => {
  it.each<readonly [string, TinyAdapterOptions]>([
    ['as it is', {}],
    ['with another rank and alpha', { rank: 8, alpha: 4 }],
    ['of a rank-stabilized training', { rank: 4, alpha: 2, isRankStabilized: true }],
    ['of some modules only', { modules: ['q_proj', 'k_proj'] }],
  ])('answers as merged weights do, %s', async (_what, options) => {
    const { base, own, convert, mergedWith } = await files(architecture, options);
    const applied = await chances(base, { filePath: await convert(join(own, 'adapter')), scale: 1 });
    expect(applied.size).toBeGreaterThan(200);
    expect(largestDifference(await chances(await mergedWith(1)), applied)).toBeLessThan(SAME);
    expect(largestDifference(await chances(base), applied)).toBeGreaterThan(OTHER);
  });

  it('is as strong as its scale says, and nothing at all at scale 0', async () => {
    const { base, own, convert, mergedWith } = await files(architecture);
    const filePath = await convert(join(own, 'adapter'));
    expect(
      largestDifference(await chances(await mergedWith(0.5)), await chances(base, { filePath, scale: 0.5 })),
    ).toBeLessThan(SAME);
    expect(largestDifference(await chances(base), await chances(base, { filePath, scale: 0 }))).toBe(0);
  });

  it('of halves is as good', async () => {
    const { base, own, convert, mergedWith } = await files(architecture);
    const filePath = await convert(join(own, 'adapter'), 'f16');
    const difference = largestDifference(
      await chances(await mergedWith(1)),
      await chances(base, { filePath, scale: 1 }),
    );
    expect(difference).toBeLessThan(0.1);
  });

  it('of MLX answers as that of PEFT', async () => {
    const { base, own, adapter, convert } = await files(architecture);
    await saveAsMlx(join(own, 'mlx'), adapter);
    const [peft, mlx] = [await convert(join(own, 'adapter')), await convert(join(own, 'mlx'))];
    const [one, two] = [
      await chances(base, { filePath: peft, scale: 1 }),
      await chances(base, { filePath: mlx, scale: 1 }),
    ];
    expect(largestDifference(one, two)).toBe(0);
  });
});

const turned = ({ rows, columns, values }: Matrix): Matrix => ({
  rows: columns,
  columns: rows,
  values: values.map((_, at) => values[(at % rows) * columns + Math.floor(at / rows)] ?? 0),
});

async function saveAsMlx(to: string, { layers, scaling }: TinyAdapter): Promise<void> {
  const tensors = [...layers].flatMap(([name, { a, b }]) => [
    { name: `model.${name}.lora_a`, matrix: turned(a) },
    { name: `model.${name}.lora_b`, matrix: turned(b) },
  ]);
  await mkdir(to);
  await writeFile(join(to, 'adapters.safetensors'), safetensorsOf(tensors));
  const config = { fine_tune_type: 'lora', lora_parameters: { rank: 4, scale: scaling } };
  await writeFile(join(to, 'adapter_config.json'), JSON.stringify(config));
}
