/**
 * Models of a few thousand weights, made when a test needs them: a GGUF base of the qwen2 or llama architecture with
 * random but always the same weights, PEFT adapters for it, and the base with an adapter merged in. They write nonsense,
 * but nothing other than printable characters, and never end by themselves.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { floatsToHalves } from '../../src/mochi/engine/peft/floats.ts';
import { type GgufTensor, type GgufValue, writeGguf } from '../../src/mochi/engine/peft/gguf.ts';

export interface TinyModelOptions {
  /** `llama` has the rows of q and k in another order than PyTorch; qwen2 has not, and biases instead. */
  readonly architecture?: 'qwen2' | 'llama';
  readonly seed?: number;
  readonly layers?: number;
  /** Values of a token's state; a multiple of `heads` times 2. */
  readonly width?: number;
  readonly heads?: number;
  readonly keyHeads?: number;
  readonly feedForward?: number;
  /** Tokens. */
  readonly context?: number;
  readonly weights?: 'f32' | 'f16';
  /** Whether the vocabulary has fill-in-the-middle tokens; it has by default. */
  readonly hasInfill?: boolean;
  readonly chatTemplate?: string;
}

/** Rows times columns, row after row, as PyTorch holds the weight of a linear layer. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

export interface TinyModel {
  readonly options: Required<Omit<TinyModelOptions, 'chatTemplate'>> & Pick<TinyModelOptions, 'chatTemplate'>;
  /** Linear layers by their PyTorch name, for example `layers.0.self_attn.q_proj`. */
  readonly linear: ReadonlyMap<string, Matrix>;
  /** All others by their GGUF name. */
  readonly others: ReadonlyMap<string, Matrix>;
}

const defaults = {
  architecture: 'qwen2',
  seed: 1,
  layers: 2,
  width: 64,
  heads: 4,
  keyHeads: 2,
  feedForward: 96,
  context: 2048,
  weights: 'f32',
  hasInfill: true,
} as const;

/** PyTorch's names of the linear layers and those of GGUF. */
const linearNames: ReadonlyMap<string, string> = new Map([
  ['self_attn.q_proj', 'attn_q'],
  ['self_attn.k_proj', 'attn_k'],
  ['self_attn.v_proj', 'attn_v'],
  ['self_attn.o_proj', 'attn_output'],
  ['mlp.gate_proj', 'ffn_gate'],
  ['mlp.up_proj', 'ffn_up'],
  ['mlp.down_proj', 'ffn_down'],
]);

/** 256 bytes, then these; ids are in this order. */
const specials = [
  '<|endoftext|>',
  '<|im_start|>',
  '<|im_end|>',
  '<|fim_prefix|>',
  '<|fim_middle|>',
  '<|fim_suffix|>',
  '<|fim_pad|>',
  '<|repo_name|>',
  '<|file_sep|>',
] as const;
const firstSpecial = 256;
export const tinyVocabulary: number = firstSpecial + specials.length;

/** The id of a special token. */
export const tinyToken = (special: (typeof specials)[number]): number => firstSpecial + specials.indexOf(special);

/** Numbers of a bell curve around 0, always the same for a seed. */
export function createRandom(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

function randomMatrix(rows: number, columns: number, deviation: number, random: () => number): Matrix {
  return { rows, columns, values: Float32Array.from({ length: rows * columns }, () => random() * deviation) };
}

function constantRow(columns: number, value: number): Matrix {
  return { rows: 1, columns, values: new Float32Array(columns).fill(value) };
}

/** Tokens whose row is empty have the chance of a coin among hundreds; the likeliest is always another one. */
function printableOnly(output: Matrix): Matrix {
  for (let token = 0; token < output.rows; token += 1) {
    if (token < 32 || token > 126) output.values.fill(0, token * output.columns, (token + 1) * output.columns);
  }
  return output;
}

/** Rows and columns of a linear layer. */
function shapeOf(module: string, { width, heads, keyHeads, feedForward }: TinyModel['options']): [number, number] {
  if (module === 'self_attn.k_proj' || module === 'self_attn.v_proj') return [(width / heads) * keyHeads, width];
  if (module === 'mlp.gate_proj' || module === 'mlp.up_proj') return [feedForward, width];
  if (module === 'mlp.down_proj') return [width, feedForward];
  return [width, width];
}

/** The weights of a model in memory. */
export function createTinyModel(options: TinyModelOptions = {}): TinyModel {
  const all = { ...defaults, ...options };
  const random = createRandom(all.seed);
  const linear = new Map<string, Matrix>();
  const others = new Map<string, Matrix>();
  others.set('token_embd.weight', randomMatrix(tinyVocabulary, all.width, 0.5, random));
  others.set('output.weight', printableOnly(randomMatrix(tinyVocabulary, all.width, 0.5, random)));
  others.set('output_norm.weight', constantRow(all.width, 1));
  for (let layer = 0; layer < all.layers; layer += 1) {
    others.set(`blk.${layer}.attn_norm.weight`, constantRow(all.width, 1));
    others.set(`blk.${layer}.ffn_norm.weight`, constantRow(all.width, 1));
    for (const [module, name] of linearNames) {
      const [rows, columns] = shapeOf(module, all);
      linear.set(`layers.${layer}.${module}`, randomMatrix(rows, columns, 1.2 / Math.sqrt(columns), random));
      if (all.architecture === 'qwen2' && /attn_[qkv]/.test(name))
        others.set(`blk.${layer}.${name}.bias`, randomMatrix(1, rows, 0.1, random));
    }
  }
  return { options: all, linear, others };
}

/** Makes a model and writes it; the folder is made too. */
export async function writeTinyModel(file: string, options: TinyModelOptions = {}): Promise<TinyModel> {
  const model = createTinyModel(options);
  await saveModel(file, model);
  return model;
}

/** Writes a model as a GGUF file. */
export async function saveModel(file: string, model: TinyModel): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const { options, linear, others } = model;
  const tensors: GgufTensor[] = [];
  for (const [name, matrix] of others)
    tensors.push(tensorOf(name, matrix, /^(token_embd|output)\./.test(name), options));
  for (const [name, matrix] of linear) {
    const [, layer = '', module = ''] = /^layers\.(\d+)\.(.*)$/.exec(name) ?? [];
    const called = `blk.${layer}.${linearNames.get(module)}.weight`;
    tensors.push(tensorOf(called, interleaved(module, matrix, options), true, options));
  }
  await writeGguf(file, { metadata: metadataOf(options), tensors });
}

/** Rotary pairs: halves of a head in PyTorch's form of llama, neighbours in GGUF's. */
function interleaved(module: string, matrix: Matrix, { architecture, heads, keyHeads }: TinyModel['options']): Matrix {
  const count = module === 'self_attn.q_proj' ? heads : module === 'self_attn.k_proj' ? keyHeads : 0;
  if (architecture !== 'llama' || count === 0) return matrix;
  const { rows, columns } = matrix;
  const size = rows / count;
  const values = new Float32Array(rows * columns);
  for (let row = 0; row < rows; row += 1) {
    const within = row % size;
    const half = Math.floor(within / (size / 2));
    const target = row - within + (within % (size / 2)) * 2 + half;
    values.set(matrix.values.subarray(row * columns, (row + 1) * columns), target * columns);
  }
  return { rows, columns, values };
}

function tensorOf(
  name: string,
  { rows, columns, values }: Matrix,
  isWeight: boolean,
  { weights }: TinyModel['options'],
): GgufTensor {
  const halves = isWeight && weights === 'f16' ? floatsToHalves(values) : undefined;
  const bytes = halves ?? values;
  return {
    name,
    sizes: isWeight ? [columns, rows] : [columns],
    kind: halves === undefined ? 'f32' : 'f16',
    pieces: () => [new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)],
  };
}

/** The printable character that stands for a byte in byte-level vocabularies. */
function characterOf(byte: number): string {
  const isPlain = (one: number): boolean =>
    (one >= 33 && one <= 126) || (one >= 161 && one <= 172) || (one >= 174 && one <= 255);
  if (isPlain(byte)) return String.fromCharCode(byte);
  let others = 0;
  for (let before = 0; before < byte; before += 1) if (!isPlain(before)) others += 1;
  return String.fromCharCode(256 + others);
}

function metadataOf(options: TinyModel['options']): ReadonlyMap<string, GgufValue> {
  const { architecture, layers, context, width, feedForward, heads, keyHeads, hasInfill, chatTemplate } = options;
  const number = (value: number): GgufValue => ({ kind: 'u32', value });
  const text = (value: string): GgufValue => ({ kind: 'string', value });
  const bytes = Array.from({ length: firstSpecial }, (_, byte) => characterOf(byte));
  const shownSpecials = specials.map((one) => (hasInfill ? one : one.replace('fim', 'unused')));
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', text(architecture)],
    ['general.type', text('model')],
    ['general.name', text('tiny')],
    [`${architecture}.block_count`, number(layers)],
    [`${architecture}.context_length`, number(context)],
    [`${architecture}.embedding_length`, number(width)],
    [`${architecture}.feed_forward_length`, number(feedForward)],
    [`${architecture}.attention.head_count`, number(heads)],
    [`${architecture}.attention.head_count_kv`, number(keyHeads)],
    [`${architecture}.rope.dimension_count`, number(width / heads)],
    [`${architecture}.rope.freq_base`, { kind: 'f32', value: 10_000 }],
    [`${architecture}.attention.layer_norm_rms_epsilon`, { kind: 'f32', value: 1e-6 }],
    ['tokenizer.ggml.model', text('gpt2')],
    ['tokenizer.ggml.pre', text('qwen2')],
    ['tokenizer.ggml.tokens', { kind: 'array', of: 'string', values: [...bytes, ...shownSpecials] }],
    [
      'tokenizer.ggml.token_type',
      { kind: 'array', of: 'i32', values: [...bytes.map(() => 1), ...shownSpecials.map(() => 3)] },
    ],
    ['tokenizer.ggml.merges', { kind: 'array', of: 'string', values: [] }],
    ['tokenizer.ggml.eos_token_id', number(tinyToken('<|endoftext|>'))],
    ['tokenizer.ggml.bos_token_id', number(tinyToken('<|endoftext|>'))],
    ['tokenizer.ggml.add_bos_token', { kind: 'bool', value: false }],
  ]);
  if (hasInfill) {
    metadata.set('tokenizer.ggml.fim_pre_token_id', number(tinyToken('<|fim_prefix|>')));
    metadata.set('tokenizer.ggml.fim_suf_token_id', number(tinyToken('<|fim_suffix|>')));
    metadata.set('tokenizer.ggml.fim_mid_token_id', number(tinyToken('<|fim_middle|>')));
  }
  if (chatTemplate !== undefined) metadata.set('tokenizer.chat_template', text(chatTemplate));
  return metadata;
}

export interface TinyAdapterOptions {
  readonly seed?: number;
  readonly rank?: number;
  readonly alpha?: number;
  /** Modules that are adapted, for example `q_proj`; all seven by default. */
  readonly modules?: readonly string[];
  /** How far it bends the model: the deviation of its B weights; 0.2 changes every answer. */
  readonly strength?: number;
  readonly isRankStabilized?: boolean;
  /** Added to `adapter_config.json`, over what stands there. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** What `mochi.json` beside it holds; without it there is none. */
  readonly settings?: unknown;
  /** The kind of the stored weights. */
  readonly weights?: 'F32' | 'F16' | 'BF16';
}

export interface TinyAdapter {
  /** What the adapter is multiplied with. */
  readonly scaling: number;
  /** A and B by the PyTorch name of the layer. */
  readonly layers: ReadonlyMap<string, { readonly a: Matrix; readonly b: Matrix }>;
}

/** Writes an adapter as PEFT does; the folder is made too. */
export async function writeTinyAdapter(
  folder: string,
  model: TinyModel,
  options: TinyAdapterOptions = {},
): Promise<TinyAdapter> {
  const { seed = 7, rank = 4, alpha = 8, modules, strength = 0.2, isRankStabilized = false } = options;
  const random = createRandom(seed);
  const layers = new Map<string, { a: Matrix; b: Matrix }>();
  const names = new Set<string>();
  for (const [name, { rows, columns }] of model.linear) {
    const module = name.slice(name.lastIndexOf('.') + 1);
    if (modules?.includes(module) === false) continue;
    names.add(module);
    const a = randomMatrix(rank, columns, 1 / Math.sqrt(columns), random);
    layers.set(name, { a, b: randomMatrix(rows, rank, strength, random) });
  }
  const config = {
    peft_type: 'LORA',
    task_type: 'CAUSAL_LM',
    base_model_name_or_path: 'tiny',
    r: rank,
    lora_alpha: alpha,
    bias: 'none',
    use_rslora: isRankStabilized,
    target_modules: [...names],
    ...options.config,
  };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'adapter_config.json'), JSON.stringify(config));
  const tensors = [...layers].flatMap(([name, { a, b }]) => [
    { name: `base_model.model.model.${name}.lora_A.weight`, matrix: a },
    { name: `base_model.model.model.${name}.lora_B.weight`, matrix: b },
  ]);
  await writeFile(join(folder, 'adapter_model.safetensors'), safetensorsOf(tensors, options.weights ?? 'F32'));
  if (options.settings !== undefined) await writeFile(join(folder, 'mochi.json'), JSON.stringify(options.settings));
  return { scaling: alpha / (isRankStabilized ? Math.sqrt(rank) : rank), layers };
}

/** The bytes of a safetensors file. */
export function safetensorsOf(
  tensors: readonly { readonly name: string; readonly matrix: Matrix }[],
  weights: 'F32' | 'F16' | 'BF16' = 'F32',
): Uint8Array {
  const entries: [string, unknown][] = [['__metadata__', { format: 'pt' }]];
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { name, matrix } of tensors) {
    const bytes = bytesOf(matrix.values, weights);
    entries.push([
      name,
      { dtype: weights, shape: [matrix.rows, matrix.columns], data_offsets: [at, at + bytes.length] },
    ]);
    parts.push(bytes);
    at += bytes.length;
  }
  const text = JSON.stringify(Object.fromEntries(entries));
  // Tensors begin at a multiple of eight, as the library that writes such files has it.
  const header = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return new Uint8Array(Buffer.concat([length, header, ...parts]));
}

function bytesOf(values: Float32Array, weights: 'F32' | 'F16' | 'BF16'): Uint8Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const stored =
    weights === 'F32'
      ? values
      : weights === 'F16'
        ? floatsToHalves(values)
        : Uint16Array.from(bits, (one) => one >>> 16);
  if (stored === undefined) throw new Error('a weight is too large for a half');
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
}

/** The model with an adapter added to its weights, `scale` times. */
export function merged(model: TinyModel, adapter: TinyAdapter, scale = 1): TinyModel {
  const linear = new Map(model.linear);
  for (const [name, { a, b }] of adapter.layers) {
    const base = model.linear.get(name);
    if (base === undefined) throw new Error(`the model has no ${name}`);
    const values = Float32Array.from(base.values);
    for (let row = 0; row < base.rows; row += 1) {
      for (let rank = 0; rank < a.rows; rank += 1) {
        const factor = scale * adapter.scaling * (b.values[row * a.rows + rank] ?? 0);
        for (let column = 0; column < base.columns; column += 1)
          values[row * base.columns + column] =
            (values[row * base.columns + column] ?? 0) + factor * (a.values[rank * a.columns + column] ?? 0);
      }
    }
    linear.set(name, { ...base, values });
  }
  return { ...model, linear };
}
