/**
 * From a folder as PEFT saves it to a GGUF file that the llama engine loads: checked against the base, converted piece
 * by piece, and kept by what went into it, so that it is done once. It loads no model.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { type AdapterConfig, readAdapterConfig } from './adapter-config.ts';
import { type AdaptedLayer, type AdapterLayers, layersOf } from './adapter-layers.ts';
import { type AdapterSettings, readAdapterSettings } from './adapter-settings.ts';
import type { BaseShape } from './base-shape.ts';
import { firstNotFinite, floatsToHalves } from './floats.ts';
import { type GgufTensor, type GgufValue, writeGguf } from './gguf.ts';
import { readGgufHeader } from './gguf-header.ts';
import { openSafetensors, type Safetensors } from './safetensors.ts';

export interface PrepareOptions {
  /** Where converted adapters are kept; made where it is missing. */
  readonly cacheFolder: string;
  readonly base: BaseShape;
  readonly signal: AbortSignal;
  /** What weights are written as; what is too large for a half is written as floats anyway. */
  readonly weights?: 'f16' | 'f32';
}

export interface PreparedAdapter {
  /** The folder's name. */
  readonly name: string;
  /** The GGUF file. */
  readonly file: string;
  /** How strongly to apply it, from its settings. */
  readonly scale: number;
  readonly settings: AdapterSettings;
  readonly rank: number;
  readonly alpha: number;
  /** Layers of the base that it changes. */
  readonly layers: number;
  /** The base as the training called it; empty where it did not. */
  readonly baseModel: string;
  /** Whether it had been converted before. */
  readonly isKept: boolean;
}

/** Part of the name of what is kept; another number makes everything be converted again. */
const CONVERTER_VERSION = 1;
/** Converted adapters that are kept; the longest unused go first. */
const MOST_KEPT = 8;
/** Values in memory at once. */
const PIECE = 1 << 18;
/** Milliseconds after which nobody still writes a file. */
const ABANDONED_MS = 3_600_000;
/** How the file with the weights is called, by who wrote it. */
const WEIGHTS = { peft: 'adapter_model.safetensors', mlx: 'adapters.safetensors' } as const;
const SOURCE_KEY = 'mochi.adapter.source';

/**
 * Throws OperationError: `not-found`, `io` or `usage` with the file, what is wrong and what to do; rejects with the
 * signal's reason once that is aborted. Nothing half-done is ever left.
 */
export async function prepareAdapter(folder: string, options: PrepareOptions): Promise<PreparedAdapter> {
  const { cacheFolder, base, signal } = options;
  signal.throwIfAborted();
  const names = await namesIn(folder);
  const config = await readAdapterConfig(join(folder, 'adapter_config.json'));
  const settings = await readAdapterSettings(join(folder, 'mochi.json'));
  const weightsFile = join(folder, WEIGHTS[config.layout]);
  checkWeights(folder, names, WEIGHTS[config.layout]);
  const weights = await openSafetensors(weightsFile);
  try {
    const plan = layersOf(weights.tensors, config, base, weightsFile);
    const before = await stat(weightsFile);
    const source = await sourceOf(weightsFile, config, options);
    await mkdir(cacheFolder, { recursive: true });
    const file = join(cacheFolder, `adapter-${source.slice(0, 32)}.gguf`);
    const isKept = await isWhole(file, source);
    if (!isKept) {
      await convert(file, weights, plan, source, options);
      const after = await stat(weightsFile);
      if (after.size !== before.size || after.mtimeMs !== before.mtimeMs) {
        await rm(file, { force: true });
        throw new OperationError('conflict', `${weightsFile} changed while it was read.`, {
          remedy: 'Wait until the adapter is saved, and load it again.',
        });
      }
      await prune(cacheFolder, file);
    }
    return {
      name: basename(resolve(folder)),
      file,
      scale: settings.scale,
      settings,
      rank: config.rank,
      alpha: config.alpha,
      layers: plan.layers.length,
      baseModel: config.baseModel,
      isKept,
    };
  } finally {
    await weights.close();
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((cause: unknown) => {
    throw new OperationError('not-found', `The adapter folder ${folder} cannot be read.`, {
      remedy: 'Give the folder that PEFT saved: adapter_config.json and adapter_model.safetensors.',
      cause,
    });
  });
}

/** Says what else the folder may be, before a missing file is all that can be said. */
function checkWeights(folder: string, names: readonly string[], wanted: string): void {
  if (names.includes(wanted)) return;
  if (names.includes('adapter_model.bin'))
    throw new OperationError('usage', `${folder}: adapter_model.bin can run code when it is read and is not.`, {
      remedy: 'Save the adapter again with save_pretrained(..., safe_serialization=True).',
    });
  throw new OperationError('not-found', `${folder}: there is no ${wanted}.`, {
    remedy: 'Give the folder that PEFT saved: adapter_config.json and adapter_model.safetensors.',
  });
}

/** A digest of all that decides what the file will hold. */
async function sourceOf(file: string, config: AdapterConfig, options: PrepareOptions): Promise<string> {
  const hash = createHash('sha256');
  const { rankPatterns, alphaPatterns } = config;
  const patterns = [...rankPatterns, ...alphaPatterns].map(([pattern, value]) => [pattern.source, value]);
  hash.update(
    JSON.stringify([
      CONVERTER_VERSION,
      options.weights ?? 'f16',
      options.base.digest,
      config.layout,
      config.rank,
      config.alpha,
      config.isRankStabilized,
      rankPatterns.length,
      patterns,
    ]),
  );
  await hashFile(hash, file, options.signal);
  return hash.digest('hex');
}

async function hashFile(hash: Hash, file: string, signal: AbortSignal): Promise<void> {
  for await (const piece of createReadStream(file, { highWaterMark: 2 ** 20 })) {
    signal.throwIfAborted();
    hash.update(piece);
  }
}

/** Whether a kept file is there and what its name says; it becomes the latest used. */
async function isWhole(file: string, source: string): Promise<boolean> {
  if ((await stat(file).catch(() => undefined)) === undefined) return false;
  const header = await readGgufHeader(file).catch(() => undefined);
  const kept = header?.metadata.get(SOURCE_KEY);
  if (kept?.kind !== 'string' || kept.value !== source) return false;
  const now = new Date();
  await utimes(file, now, now).catch(() => undefined);
  return true;
}

class TooLargeForHalves extends Error {}

async function convert(
  file: string,
  weights: Safetensors,
  plan: AdapterLayers,
  source: string,
  { base, signal, weights: wanted = 'f16' }: PrepareOptions,
): Promise<void> {
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', { kind: 'string', value: base.architecture }],
    ['general.type', { kind: 'string', value: 'adapter' }],
    ['adapter.type', { kind: 'string', value: 'lora' }],
    ['adapter.lora.alpha', { kind: 'f32', value: plan.alpha }],
    [SOURCE_KEY, { kind: 'string', value: source }],
  ]);
  const write = (kind: 'f16' | 'f32'): Promise<void> =>
    writeGguf(file, { metadata, tensors: plan.layers.flatMap((layer) => tensorsOf(layer, weights, kind)) }, signal);
  try {
    await write(wanted);
  } catch (error) {
    if (!(error instanceof TooLargeForHalves)) throw error;
    await write('f32');
  }
}

function tensorsOf(layer: AdaptedLayer, weights: Safetensors, kind: 'f16' | 'f32'): readonly GgufTensor[] {
  const { name, a, b, rank } = layer;
  return [
    {
      name: `${name}.lora_a`,
      sizes: [a.shape[1] ?? 0, rank],
      kind,
      pieces: () => piecesOf(weights, a, { width: a.shape[1] ?? 0, headSize: 0, factor: 1 }, kind),
    },
    {
      name: `${name}.lora_b`,
      sizes: [rank, b.shape[0] ?? 0],
      kind,
      pieces: () => piecesOf(weights, b, { width: rank, headSize: layer.headSize, factor: layer.factor }, kind),
    },
  ];
}

interface Change {
  /** Values of a row. */
  readonly width: number;
  readonly headSize: number;
  readonly factor: number;
}

async function* piecesOf(
  weights: Safetensors,
  tensor: AdaptedLayer['a'],
  { width, headSize, factor }: Change,
  kind: 'f16' | 'f32',
): AsyncGenerator<Uint8Array> {
  const count = tensor.shape.reduce((product, size) => product * size, 1);
  // Whole heads, because their rows change places among each other.
  const unit = width * Math.max(1, headSize);
  const atOnce = tensor.isTransposed === true ? count : unit * Math.max(1, Math.floor(PIECE / unit));
  for (let at = 0; at < count; at += atOnce) {
    const stands = await weights.read(tensor, at, Math.min(atOnce, count - at));
    const read = tensor.isTransposed === true ? rowsOfColumns(stands, width) : stands;
    const values = headSize === 0 ? read : neighboursOfHalves(read, width, headSize);
    if (factor !== 1) {
      for (let place = 0; place < values.length; place += 1) values[place] = (values[place] ?? 0) * factor;
      if (firstNotFinite(values) >= 0)
        throw new OperationError('io', `The tensor ${tensor.name} grows beyond all numbers with its alpha.`, {
          remedy: 'The training went wrong; use an earlier checkpoint.',
        });
    }
    const stored = kind === 'f32' ? values : floatsToHalves(values);
    if (stored === undefined) throw new TooLargeForHalves();
    yield new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
  }
}

/** Rows of `width` values, of as many columns. */
function rowsOfColumns(values: Float32Array, width: number): Float32Array {
  const rows = values.length / width;
  const result = new Float32Array(values.length);
  for (let column = 0; column < width; column += 1)
    for (let row = 0; row < rows; row += 1) result[row * width + column] = values[column * rows + row] ?? 0;
  return result;
}

/** Row j of a head's first half becomes its row 2j, of its second half 2j + 1: how GGUF has llama's rotary pairs. */
function neighboursOfHalves(values: Float32Array, width: number, headSize: number): Float32Array {
  const half = headSize / 2;
  const result = new Float32Array(values.length);
  const rows = values.length / width;
  for (let row = 0; row < rows; row += 1) {
    const within = row % headSize;
    const target = row - within + (within % half) * 2 + (within < half ? 0 : 1);
    result.set(values.subarray(row * width, (row + 1) * width), target * width);
  }
  return result;
}

/**
 * Takes away what was not used for longest, and what a killed process left half-written. A file that cannot be removed
 * is in use, and stays.
 */
async function prune(folder: string, latest: string): Promise<void> {
  const all = await readdir(folder);
  for (const name of all.filter((one) => /^adapter-[0-9a-f]{32}\.gguf\.[0-9a-f-]{36}\.part$/.test(one))) {
    const left = await stat(join(folder, name)).catch(() => undefined);
    if (left !== undefined && Date.now() - left.mtimeMs > ABANDONED_MS)
      await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
  const names = all.filter((name) => /^adapter-[0-9a-f]{32}\.gguf$/.test(name));
  const others = names.map((name) => join(folder, name)).filter((file) => file !== latest);
  const used = await Promise.all(
    others.map(async (file) => ({ file, at: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  used.sort((one, two) => two.at - one.at);
  for (const { file } of used.slice(MOST_KEPT - 1)) await rm(file, { force: true }).catch(() => undefined);
}
