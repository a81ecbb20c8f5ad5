/** PEFT adapters made into GGUF: exact bytes on small cases, what is kept, and every refusal with its remedy. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperationError } from '../../../../../src/core/problem.ts';
import { type BaseShape, readBaseShape } from '../../../../../src/mochi/engine/peft/base-shape.ts';
import { floatsToHalves } from '../../../../../src/mochi/engine/peft/floats.ts';
import { readGgufHeader } from '../../../../../src/mochi/engine/peft/gguf-header.ts';
import { type PrepareOptions, prepareAdapter } from '../../../../../src/mochi/engine/peft/prepare-adapter.ts';
import {
  type Matrix,
  safetensorsOf,
  type TinyAdapterOptions,
  type TinyModel,
  writeTinyAdapter,
  writeTinyModel,
} from '../../../../support/tiny-models.ts';

let folder = '';
let qwen: { readonly model: TinyModel; readonly base: BaseShape };
let llama: { readonly model: TinyModel; readonly base: BaseShape };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mochi-adapter-'));
  const made = async (architecture: 'qwen2' | 'llama') => {
    const file = join(folder, `${architecture}.gguf`);
    const model = await writeTinyModel(file, { architecture, width: 16, heads: 2, keyHeads: 1, feedForward: 24 });
    return { model, base: await readBaseShape(file) };
  };
  qwen = await made('qwen2');
  llama = await made('llama');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
const aside = (name = 'own-'): Promise<string> => mkdtemp(join(folder, name));

async function prepared(
  { model, base }: typeof qwen,
  adapter: TinyAdapterOptions = {},
  options: Partial<PrepareOptions> = {},
) {
  const own = await aside();
  const made = await writeTinyAdapter(join(own, 'adapter'), model, { rank: 2, ...adapter });
  const result = await prepareAdapter(join(own, 'adapter'), {
    cacheFolder: join(own, 'kept'),
    base,
    signal,
    weights: 'f32',
    ...options,
  });
  return { own, made, result };
}

/** The values of a tensor of 32-bit floats. */
async function floatsOf(file: string, name: string): Promise<Float32Array> {
  const tensor = (await readGgufHeader(file)).tensors.get(name);
  if (tensor === undefined) throw new Error(`no ${name}`);
  expect(tensor.kind).toBe(0);
  const count = tensor.sizes.reduce((product, size) => product * size, 1);
  return new Float32Array(Uint8Array.from(await readFile(file)).buffer, tensor.start, count);
}

const row = ({ values, columns }: Matrix, at: number): number[] => [
  ...values.subarray(at * columns, (at + 1) * columns),
];

describe('a converted adapter', () => {
  it('says what it is, and has both matrices of each layer under the name of the base tensor', async () => {
    const { result } = await prepared(qwen, { alpha: 6 });
    const { metadata, tensors } = await readGgufHeader(result.file);
    expect(metadata.get('general.architecture')).toEqual({ kind: 'string', value: 'qwen2' });
    expect(metadata.get('general.type')).toEqual({ kind: 'string', value: 'adapter' });
    expect(metadata.get('adapter.type')).toEqual({ kind: 'string', value: 'lora' });
    expect(metadata.get('adapter.lora.alpha')).toEqual({ kind: 'f32', value: 6 });
    expect(tensors.size).toBe(2 * 7 * 2);
    expect(tensors.get('blk.1.ffn_down.weight.lora_a')?.sizes).toEqual([24, 2]);
    expect(tensors.get('blk.1.ffn_down.weight.lora_b')?.sizes).toEqual([2, 16]);
    expect(result).toMatchObject({ name: 'adapter', rank: 2, alpha: 6, layers: 14, baseModel: 'tiny', scale: 1 });
  });

  it('of qwen2 holds every value as it was', async () => {
    const { made, result } = await prepared(qwen);
    const layer = made.layers.get('layers.1.self_attn.q_proj');
    expect(await floatsOf(result.file, 'blk.1.attn_q.weight.lora_a')).toEqual(layer?.a.values);
    expect(await floatsOf(result.file, 'blk.1.attn_q.weight.lora_b')).toEqual(layer?.b.values);
  });

  it.each([
    ['q_proj', 'attn_q', [0, 4, 1, 5, 2, 6, 3, 7, 8, 12, 9, 13, 10, 14, 11, 15]],
    ['k_proj', 'attn_k', [0, 4, 1, 5, 2, 6, 3, 7]],
    ['v_proj', 'attn_v', [0, 1, 2, 3, 4, 5, 6, 7]],
  ])('of llama has the rows of B of %s in the order of rotary pairs', async (module, name, order) => {
    const { made, result } = await prepared(llama);
    const layer = made.layers.get(`layers.0.self_attn.${module}`);
    if (layer === undefined) throw new Error('no layer');
    const values = await floatsOf(result.file, `blk.0.${name}.weight.lora_b`);
    expect([...values]).toEqual(order.flatMap((at) => row(layer.b, at)));
    expect(await floatsOf(result.file, `blk.0.${name}.weight.lora_a`)).toEqual(layer.a.values);
  });

  it('is of halves unless floats are asked for', async () => {
    const { made, result } = await prepared(qwen, {}, { weights: 'f16' });
    const tensor = (await readGgufHeader(result.file)).tensors.get('blk.0.ffn_up.weight.lora_b');
    const values = made.layers.get('layers.0.mlp.up_proj')?.b.values ?? new Float32Array();
    const bytes = Uint8Array.from(await readFile(result.file));
    expect(tensor?.kind).toBe(1);
    expect(new Uint16Array(bytes.buffer, tensor?.start, values.length)).toEqual(floatsToHalves(values));
  });

  it('is of floats where a value is too large for halves', async () => {
    const { made, result } = await prepared(qwen, { strength: 1e6 }, { weights: 'f16' });
    expect(await floatsOf(result.file, 'blk.0.attn_v.weight.lora_b')).toEqual(
      made.layers.get('layers.0.self_attn.v_proj')?.b.values,
    );
  });

  it.each(['F16', 'BF16'] as const)('is made of %s weights too', async (weights) => {
    const { made, result } = await prepared(qwen, { weights });
    const values = await floatsOf(result.file, 'blk.0.attn_output.weight.lora_a');
    const wanted = made.layers.get('layers.0.self_attn.o_proj')?.a.values ?? new Float32Array();
    expect(values).toHaveLength(wanted.length);
    for (const [place, value] of wanted.entries()) expect(values[place]).toBeCloseTo(value, 1);
  });

  it('of a rank-stabilized training has alpha times the root of the rank', async () => {
    const { made, result } = await prepared(qwen, { rank: 4, alpha: 8, isRankStabilized: true });
    expect((await readGgufHeader(result.file)).metadata.get('adapter.lora.alpha')).toEqual({ kind: 'f32', value: 16 });
    expect(made.scaling).toBe(4);
    expect(await floatsOf(result.file, 'blk.0.attn_q.weight.lora_b')).toEqual(
      made.layers.get('layers.0.self_attn.q_proj')?.b.values,
    );
  });

  it.each([
    [false, 0.5],
    [true, 0.5],
  ])('has an alpha of its own of some layers within B (rank-stabilized: %s)', async (isRankStabilized, factor) => {
    const config = { alpha_pattern: { 'layers.0.self_attn.q_proj': 4, 'mlp\\.up_proj': 4 } };
    const { made, result } = await prepared(qwen, { alpha: 8, config, isRankStabilized });
    const expected = (name: string, by: number) =>
      (made.layers.get(name)?.b.values ?? new Float32Array()).map((one) => one * by);
    const check = async (tensor: string, name: string, by: number) =>
      expect(await floatsOf(result.file, `${tensor}.weight.lora_b`)).toEqual(expected(name, by));
    await check('blk.0.attn_q', 'layers.0.self_attn.q_proj', factor);
    await check('blk.1.attn_q', 'layers.1.self_attn.q_proj', 1);
    await check('blk.1.ffn_up', 'layers.1.mlp.up_proj', factor);
  });

  it('may have another rank in some layers', async () => {
    const own = await aside();
    const matrix = (rows: number, columns: number): Matrix => ({
      rows,
      columns,
      values: new Float32Array(rows * columns).fill(1),
    });
    const name = (module: string, side: string) => `base_model.model.model.layers.0.${module}.lora_${side}.weight`;
    const bytes = safetensorsOf([
      { name: name('self_attn.q_proj', 'A'), matrix: matrix(2, 16) },
      { name: name('self_attn.q_proj', 'B'), matrix: matrix(16, 2) },
      { name: name('mlp.up_proj', 'A'), matrix: matrix(8, 16) },
      { name: name('mlp.up_proj', 'B'), matrix: matrix(24, 8) },
    ]);
    await writeFile(join(own, 'adapter_model.safetensors'), bytes);
    const config = { peft_type: 'LORA', r: 2, lora_alpha: 4, rank_pattern: { up_proj: 8 }, use_rslora: true };
    await writeFile(join(own, 'adapter_config.json'), JSON.stringify(config));
    const options = { cacheFolder: join(own, 'kept'), base: qwen.base, signal, weights: 'f32' } as const;
    const { file } = await prepareAdapter(own, options);
    // The engine multiplies with 4 * root 2 by 8; wanted is 4 by root 8.
    expect((await floatsOf(file, 'blk.0.ffn_up.weight.lora_b'))[0]).toBeCloseTo(2, 6);
    expect((await floatsOf(file, 'blk.0.attn_q.weight.lora_b'))[0]).toBe(1);
  });
});

describe('what is kept', () => {
  it('is used again for the same adapter and base, and not for another of either', async () => {
    const { own, result } = await prepared(qwen);
    const options = { cacheFolder: join(own, 'kept'), base: qwen.base, signal, weights: 'f32' } as const;
    expect(result.isKept).toBe(false);
    expect(await prepareAdapter(join(own, 'adapter'), options)).toMatchObject({ file: result.file, isKept: true });
    const other = await prepareAdapter(join(own, 'adapter'), { ...options, base: { ...qwen.base, digest: 'other' } });
    expect(other).toMatchObject({ isKept: false });
    expect(other.file).not.toBe(result.file);
    await writeTinyAdapter(join(own, 'adapter'), qwen.model, { rank: 2, seed: 99 });
    expect((await prepareAdapter(join(own, 'adapter'), options)).file).not.toBe(result.file);
    expect((await prepareAdapter(join(own, 'adapter'), { ...options, weights: 'f16' })).isKept).toBe(false);
  });

  it('is the same file for another folder and other settings of the same weights', async () => {
    const { own, result } = await prepared(qwen);
    await cp(join(own, 'adapter'), join(own, 'copy'), { recursive: true });
    await writeFile(join(own, 'copy', 'mochi.json'), '{"scale": 0.5}');
    const options = { cacheFolder: join(own, 'kept'), base: qwen.base, signal, weights: 'f32' } as const;
    expect(await prepareAdapter(join(own, 'copy'), options)).toMatchObject({
      name: 'copy',
      file: result.file,
      isKept: true,
      scale: 0.5,
    });
  });

  it('is made again where it was damaged', async () => {
    const { own, result } = await prepared(qwen);
    const whole = await readFile(result.file);
    await writeFile(result.file, whole.subarray(0, whole.length - 1000));
    const options = { cacheFolder: join(own, 'kept'), base: qwen.base, signal, weights: 'f32' } as const;
    expect((await prepareAdapter(join(own, 'adapter'), options)).isKept).toBe(false);
    expect(await readFile(result.file)).toEqual(whole);
  });

  it('is made again where another adapter has its name', async () => {
    const { own, result } = await prepared(qwen);
    const whole = await readFile(result.file);
    const other = await prepared(qwen, { seed: 3 });
    await cp(other.result.file, result.file);
    const options = { cacheFolder: join(own, 'kept'), base: qwen.base, signal, weights: 'f32' } as const;
    expect((await prepareAdapter(join(own, 'adapter'), options)).isKept).toBe(false);
    expect(await readFile(result.file)).toEqual(whole);
  });

  it('is not more than a few, and never what somebody else put there', async () => {
    const { own, result } = await prepared(qwen);
    const kept = join(own, 'kept');
    const old = (place: number): string => join(kept, `adapter-${String(place).padStart(32, '0')}.gguf`);
    for (let place = 0; place < 12; place += 1) {
      await writeFile(old(place), 'old');
      await utimes(old(place), place, place);
    }
    await writeFile(join(kept, 'mine.gguf'), 'mine');
    await writeFile(`${old(0)}.00000000-0000-0000-0000-000000000000.part`, 'left');
    await utimes(`${old(0)}.00000000-0000-0000-0000-000000000000.part`, 1, 1);
    await writeTinyAdapter(join(own, 'adapter'), qwen.model, { rank: 2, seed: 5 });
    const latest = await prepareAdapter(join(own, 'adapter'), {
      cacheFolder: kept,
      base: qwen.base,
      signal,
      weights: 'f32',
    });
    const names = await readdir(kept);
    expect(names).toHaveLength(9);
    expect(names).toContain('mine.gguf');
    for (const file of [latest.file, result.file, old(11)]) expect((await stat(file)).isFile()).toBe(true);
    expect(names.some((name) => name.endsWith('.part'))).toBe(false);
  });

  it('is nothing when it is cancelled', async () => {
    const reason = new Error('enough');
    await expect(prepared(qwen, {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('settings beside an adapter', () => {
  it('have defaults', async () => {
    const { result } = await prepared(qwen);
    expect(result.settings).toEqual({ prompt: 'alpaca', fim: 'auto', scale: 1, description: '' });
  });

  it('are taken as written', async () => {
    const settings = { $schema: 'x', prompt: 'chatml', fim: 'off', scale: 0.7, description: 'Ours' };
    const { result } = await prepared(qwen, { settings });
    expect(result.scale).toBe(0.7);
    expect(result.settings).toEqual({ prompt: 'chatml', fim: 'off', scale: 0.7, description: 'Ours' });
  });

  it.each([
    [{ prompt: 'alpacca' }, /mochi\.json: prompt: .*alpaca/],
    [{ fim: true }, /mochi\.json: fim: /],
    [{ scale: -1 }, /mochi\.json: scale: /],
    [{ scale: 'much' }, /mochi\.json: scale: /],
    [{ model: 'x' }, /mochi\.json: .*model/],
    [[], /mochi\.json: /],
  ])('%j are refused with the field', async (settings, says) => {
    await refused(() => prepared(qwen, { settings }), says, 'usage');
  });
});

async function refused(work: () => Promise<unknown>, says: RegExp, kind: string): Promise<void> {
  const error = await work().then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(OperationError.is(error)).toBe(true);
  expect(error).toMatchObject({ kind, message: expect.stringMatching(says), remedy: expect.stringMatching(/\w/) });
}

describe('a config is refused by name', () => {
  it.each<readonly [string, Record<string, unknown>, RegExp]>([
    ['IA3', { peft_type: 'IA3' }, /of the type IA3/],
    ['AdaLoRA', { peft_type: 'ADALORA' }, /of the type ADALORA/],
    ['another task', { task_type: 'SEQ_CLS' }, /trained for SEQ_CLS/],
    ['DoRA', { use_dora: true }, /DoRA/],
    ['saved modules', { modules_to_save: ['lm_head'] }, /modules_to_save: lm_head/],
    ['embeddings', { target_modules: ['q_proj', 'embed_tokens'] }, /embeddings \(embed_tokens/],
    ['the head', { target_modules: ['lm_head'] }, /embeddings \(lm_head/],
    ['biases', { bias: 'lora_only' }, /biases \(bias: lora_only/],
    ['LoRA biases', { lora_bias: true }, /biases/],
    ['transposed layers', { fan_in_fan_out: true }, /fan_in_fan_out/],
    ['PiSSA', { init_lora_weights: 'pissa_niter_16' }, /init_lora_weights: pissa_niter_16/],
    ['LoftQ', { init_lora_weights: 'loftq' }, /init_lora_weights: loftq/],
    ['trained tokens', { trainable_token_indices: [1] }, /trainable_token_indices/],
    ['replicated layers', { layer_replication: [[0, 1]] }, /layer_replication/],
    ['what is not known', { use_qalora: true }, /use_qalora/],
    ['rank 0', { r: 0 }, /: r cannot be read/],
    ['a huge rank', { r: 100_000 }, /: r cannot be read/],
    ['a rank that is a word', { r: 'eight' }, /: r cannot be read/],
    ['alpha 0', { lora_alpha: 0 }, /: lora_alpha cannot be read/],
    ['a rank of 0 in a pattern', { rank_pattern: { q_proj: 0 } }, /: rank_pattern\.q_proj cannot be read/],
    ['a pattern that repeats itself', { alpha_pattern: { '(a+)+b': 1 } }, /alpha_pattern is no pattern/],
    ['a pattern that is none', { rank_pattern: { '(': 1 } }, /rank_pattern is no pattern/],
  ])('%s', async (_what, config, says) => {
    await refused(() => prepared(qwen, { config }), says, 'usage');
  });

  it('but not for fields that hold nothing, or that say how it was trained', async () => {
    const config = {
      use_dora: false,
      modules_to_save: null,
      trainable_token_indices: null,
      layer_replication: null,
      loftq_config: {},
      lora_dropout: 0.1,
      init_lora_weights: true,
      task_type: null,
      rank_pattern: {},
      megatron_core: 'megatron.core',
      inference_mode: true,
    };
    await expect(prepared(qwen, { config })).resolves.toBeDefined();
  });

  it.each([
    ['is no JSON', '{"peft_type": ', /not valid JSON/, 'io'],
    ['is no object', '[]', /cannot be read/, 'usage'],
    ['is missing', undefined, /There is no .*adapter_config\.json/, 'not-found'],
  ])('where it %s', async (_what, text, says, kind) => {
    const { own } = await prepared(qwen);
    const file = join(own, 'adapter', 'adapter_config.json');
    await rm(file);
    if (text !== undefined) await writeFile(file, text);
    const options = { cacheFolder: join(own, 'kept'), base: qwen.base, signal };
    await refused(() => prepareAdapter(join(own, 'adapter'), options), says, kind);
  });
});

describe('an adapter of MLX', () => {
  /** As `mlx_lm.lora` saves it: rows as columns, a scale in place of alpha. */
  async function mlxFolder(config: Record<string, unknown> = {}, more: Parameters<typeof safetensorsOf>[0] = []) {
    const own = await aside();
    const made = await writeTinyAdapter(join(own, 'peft'), llama.model, {
      rank: 2,
      alpha: 6,
      modules: ['q_proj', 'up_proj'],
    });
    const tensors = [...made.layers].flatMap(([name, { a, b }]) => [
      { name: `model.${name}.lora_a`, matrix: turned(a) },
      { name: `model.${name}.lora_b`, matrix: turned(b) },
    ]);
    await mkdir(join(own, 'mlx'));
    await writeFile(join(own, 'mlx', 'adapters.safetensors'), safetensorsOf([...tensors, ...more]));
    const all = {
      fine_tune_type: 'lora',
      num_layers: 2,
      lora_parameters: { rank: 2, scale: 3, dropout: 0 },
      ...config,
    };
    await writeFile(join(own, 'mlx', 'adapter_config.json'), JSON.stringify(all));
    return own;
  }
  const turned = ({ rows, columns, values }: Matrix): Matrix => ({
    rows: columns,
    columns: rows,
    values: values.map((_, at) => values[(at % rows) * columns + Math.floor(at / rows)] ?? 0),
  });
  const options = (own: string) =>
    ({ cacheFolder: join(own, 'kept'), base: llama.base, signal, weights: 'f32' }) as const;

  it('becomes the same as the same adapter of PEFT', async () => {
    const own = await mlxFolder({ model: 'Some/Base' });
    const [peft, mlx] = [
      await prepareAdapter(join(own, 'peft'), options(own)),
      await prepareAdapter(join(own, 'mlx'), options(own)),
    ];
    expect(mlx).toMatchObject({ rank: 2, alpha: 6, layers: 4, baseModel: 'Some/Base' });
    expect(mlx.file).not.toBe(peft.file);
    for (const name of (await readGgufHeader(peft.file)).tensors.keys())
      expect(await floatsOf(mlx.file, name)).toEqual(await floatsOf(peft.file, name));
    expect((await readGgufHeader(mlx.file)).metadata.get('adapter.lora.alpha')).toEqual({ kind: 'f32', value: 6 });
  });

  it.each<readonly [string, Record<string, unknown>, RegExp]>([
    ['DoRA', { fine_tune_type: 'dora' }, /of the type dora/],
    ['a full training', { fine_tune_type: 'full' }, /of the type full/],
    ['another rank', { lora_parameters: { rank: 8, scale: 1 } }, /rank 2 where the config says 8/],
    ['no scale', { lora_parameters: { rank: 2 } }, /lora_parameters\.scale cannot be read/],
  ])('is refused for %s', async (_what, config, says) => {
    const own = await mlxFolder(config);
    await refused(() => prepareAdapter(join(own, 'mlx'), options(own)), says, 'usage');
  });

  it('is refused for an embedding, and for weights that are quantized', async () => {
    const matrix = { rows: 2, columns: 2, values: new Float32Array(4) };
    const embedded = await mlxFolder({}, [{ name: 'model.embed_tokens.lora_a', matrix }]);
    await refused(() => prepareAdapter(join(embedded, 'mlx'), options(embedded)), /adapted embedding/, 'usage');
    const quantized = await mlxFolder({}, [{ name: 'model.layers.0.mlp.up_proj.lora_a_scales', matrix }]);
    await refused(() => prepareAdapter(join(quantized, 'mlx'), options(quantized)), /lora_a_scales/, 'usage');
  });
});

describe('a folder is refused', () => {
  it.each([
    ['that is not there', undefined, /cannot be read/, 'not-found'],
    ['without weights', 'notes.txt', /no adapter_model\.safetensors/, 'not-found'],
    ['with pickled weights', 'adapter_model.bin', /adapter_model\.bin can run code/, 'usage'],
  ])('%s', async (_what, name, says, kind) => {
    const own = join(await aside(), 'adapter');
    if (name !== undefined) {
      await mkdir(own);
      await writeFile(join(own, name), '');
      await writeFile(join(own, 'adapter_config.json'), '{"peft_type":"LORA","r":2,"lora_alpha":4}');
    }
    await refused(() => prepareAdapter(own, { cacheFolder: folder, base: qwen.base, signal }), says, kind);
  });
});

const plain = (name: string, rows: number, columns: number) => ({
  name: name.startsWith('base_model') ? name : `base_model.model.model.layers.0.${name}.weight`,
  matrix: { rows, columns, values: new Float32Array(rows * columns).fill(0.5) },
});

async function withTensors(
  tensors: readonly ReturnType<typeof plain>[],
  config: Record<string, unknown> = {},
  base: BaseShape = qwen.base,
): Promise<unknown> {
  const own = await aside();
  await writeFile(join(own, 'adapter_model.safetensors'), safetensorsOf(tensors));
  const all = { peft_type: 'LORA', r: 2, lora_alpha: 4, base_model_name_or_path: 'Some/Base-1B', ...config };
  await writeFile(join(own, 'adapter_config.json'), JSON.stringify(all));
  return prepareAdapter(own, { cacheFolder: join(own, 'kept'), base, signal });
}

describe('weights are refused by name', () => {
  const good = [plain('self_attn.q_proj.lora_A', 2, 16), plain('self_attn.q_proj.lora_B', 16, 2)];
  const layer = 'base_model.model.model.layers';

  const cases: readonly (readonly [string, readonly ReturnType<typeof plain>[], RegExp, Record<string, unknown>?])[] = [
    ['none at all', [], /holds no weights/],
    ['DoRA', [...good, plain(`${layer}.0.self_attn.q_proj.lora_magnitude_vector`, 1, 16)], /a DoRA magnitude/],
    [
      'an embedding',
      [...good, plain('base_model.model.model.embed_tokens.lora_embedding_A', 2, 9)],
      /adapted embedding/,
    ],
    ['the head', [...good, plain('base_model.model.lm_head.lora_A.weight', 2, 16)], /lm_head.* adapted embedding/],
    [
      'a saved module',
      [...good, plain('base_model.model.score.modules_to_save.weight', 2, 16)],
      /a whole saved module/,
    ],
    ['a bias', [...good, plain(`${layer}.0.self_attn.q_proj.bias`, 1, 16)], /is a bias/],
    ['IA3', [...good, plain(`${layer}.0.mlp.down_proj.ia3_l`, 1, 16)], /an IA3 vector/],
    ['an unknown module', [...good, plain('mlp.router.lora_A', 2, 16)], /mlp\.router.* no layer that can be adapted/],
    ['half a pair', [plain('self_attn.q_proj.lora_A', 2, 16)], /only one of its two tensors/],
    ['a pair twice', [...good, plain(`${layer}.0.self_attn.q_proj.lora_A.default.weight`, 2, 16)], /two tensors A/],
    ['another rank', good, /rank 2 where the config says 8/, { r: 8 }],
    [
      'ranks that differ',
      [plain('self_attn.q_proj.lora_A', 2, 16), plain('self_attn.q_proj.lora_B', 16, 3)],
      /rank 2 in A and 3 in B/,
    ],
    ['a target without weights', good, /no weights for v_proj/, { target_modules: ['q_proj', 'v_proj'] }],
    [
      'weights of no target',
      [...good, plain('mlp.up_proj.lora_A', 2, 16), plain('mlp.up_proj.lora_B', 24, 2)],
      /mlp\.up_proj .* not among target_modules/,
      { target_modules: ['q_proj'] },
    ],
    [
      'a layer beyond the base',
      [plain(`${layer}.7.mlp.up_proj.lora_A.weight`, 2, 16), plain(`${layer}.7.mlp.up_proj.lora_B.weight`, 24, 2)],
      /base has 2 layers; it was trained on Some\/Base-1B/,
    ],
    [
      'another width',
      [plain('mlp.up_proj.lora_A', 2, 32), plain('mlp.up_proj.lora_B', 24, 2)],
      /for 32 to 24 values, and the base has 16 to 24; it was trained on Some\/Base-1B/,
    ],
    [
      'another inner width',
      [plain('mlp.up_proj.lora_A', 2, 16), plain('mlp.up_proj.lora_B', 48, 2)],
      /for 16 to 48 values, and the base has 16 to 24/,
    ],
  ];

  it.each(cases.map(([what, tensors, says, config]) => ({ what, tensors, says, config })))(
    '$what',
    async ({ tensors, says, config }) => {
      await refused(() => withTensors(tensors, config), says, 'usage');
    },
  );

  it('of convolutions', async () => {
    const own = await aside();
    const name = 'base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight';
    const header = JSON.stringify({ [name]: { dtype: 'F32', shape: [2, 2, 1, 1], data_offsets: [0, 16] } });
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(header.length));
    await writeFile(
      join(own, 'adapter_model.safetensors'),
      Buffer.concat([length, Buffer.from(header), Buffer.alloc(16)]),
    );
    await writeFile(join(own, 'adapter_config.json'), '{"peft_type":"LORA","r":2,"lora_alpha":4}');
    const options = { cacheFolder: join(own, 'kept'), base: qwen.base, signal };
    await refused(() => prepareAdapter(own, options), /4 dimensions, as of a convolution/, 'usage');
  });

  it('that are not numbers, and nothing is left', async () => {
    const [a, b] = good;
    if (a === undefined || b === undefined) throw new Error('no pair');
    const odd = { ...b, matrix: { ...b.matrix, values: Float32Array.from(b.matrix.values).fill(Number.NaN, 5, 6) } };
    const own = await aside();
    await writeFile(join(own, 'adapter_model.safetensors'), safetensorsOf([a, odd]));
    await writeFile(join(own, 'adapter_config.json'), '{"peft_type":"LORA","r":2,"lora_alpha":4}');
    const options = { cacheFolder: join(own, 'kept'), base: qwen.base, signal };
    await refused(() => prepareAdapter(own, options), /value 5 of tensor .*q_proj/, 'io');
    expect(await readdir(join(own, 'kept'))).toEqual([]);
  });

  it('for a base of an architecture that is not known', async () => {
    const base = { ...qwen.base, architecture: 'gemma3' };
    await refused(() => withTensors(good, {}, base), /architecture gemma3/, 'usage');
  });

  it('for a base of one fused layer', async () => {
    const base = { ...qwen.base, linear: new Map() };
    await refused(() => withTensors(good, {}, base), /which the base does not have/, 'usage');
  });

  it('for a llama base whose heads are not known', async () => {
    const base = { ...llama.base, heads: 0 };
    await refused(() => withTensors(good, {}, base), /cannot be split into the base's 0 heads/, 'usage');
  });
});

describe('the shape of a base', () => {
  it('is read from its file', () => {
    expect(llama.base).toMatchObject({
      architecture: 'llama',
      name: 'tiny',
      layers: 2,
      heads: 2,
      keyHeads: 1,
      context: 2048,
      vocabulary: 265,
      hasInfill: true,
      hasChatTemplate: false,
    });
    expect(llama.base.linear.size).toBe(14);
    expect(llama.base.linear.get('blk.1.attn_k.weight')).toEqual({ inputs: 16, outputs: 8 });
    expect(llama.base.digest).not.toBe(qwen.base.digest);
  });

  it('says whether the vocabulary can fill in the middle', async () => {
    const file = join(await aside(), 'plain.gguf');
    await writeTinyModel(file, { hasInfill: false, chatTemplate: '{{ messages }}' });
    expect(await readBaseShape(file)).toMatchObject({ hasInfill: false, hasChatTemplate: true });
  });

  it('is not read from an adapter', async () => {
    const { result } = await prepared(qwen);
    await refused(() => readBaseShape(result.file), /of the type "adapter"/, 'usage');
  });
});
