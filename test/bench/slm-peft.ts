/**
 * PEFT adapters in GGUF form: is what the engine computes with them what PyTorch and merged weights give, and how long
 * does the conversion take? Prints; asserts nothing. `slm.ts` runs it too.
 */
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readBaseShape } from '../../src/mochi/engine/peft/base-shape.ts';
import type { GgufTensor } from '../../src/mochi/engine/peft/gguf.ts';
import { writeGguf } from '../../src/mochi/engine/peft/gguf.ts';
import { readGgufHeader } from '../../src/mochi/engine/peft/gguf-header.ts';
import { prepareAdapter } from '../../src/mochi/engine/peft/prepare-adapter.ts';
import { merged, saveModel, writeTinyAdapter, writeTinyModel } from '../support/tiny-models.ts';
import {
  type Backend,
  largestDifference,
  logs,
  logsOfLogits,
  lossOf,
  nextTokens,
  openBackend,
} from '../support/token-chances.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const fixture = process.env['TINY_SLM'] ?? `${root}../shared/fixtures/tiny-slm`;
const signal = new AbortController().signal;
const show = (value: number): string => value.toExponential(1);

export async function benchPeft(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mochi-peft-'));
  try {
    await conversionTime(folder);
    const backend = await openBackend();
    for (const architecture of ['qwen2', 'llama'] as const) await againstMerged(backend, folder, architecture);
    await againstReference(backend, folder);
    await losses(backend, folder);
    await backend.dispose();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All seven linear layers of the 1.5 B shape with random weights. */
async function conversionTime(folder: string): Promise<void> {
  const shapes: readonly (readonly [string, string, number, number])[] = [
    ['self_attn.q_proj', 'attn_q', 1536, 1536],
    ['self_attn.k_proj', 'attn_k', 1536, 256],
    ['self_attn.v_proj', 'attn_v', 1536, 256],
    ['self_attn.o_proj', 'attn_output', 1536, 1536],
    ['mlp.gate_proj', 'ffn_gate', 1536, 8960],
    ['mlp.up_proj', 'ffn_up', 1536, 8960],
    ['mlp.down_proj', 'ffn_down', 8960, 1536],
  ];
  const [layers, rank] = [28, 16];
  const adapter = join(folder, 'large');
  await mkdir(adapter);
  const entries: Record<string, unknown> = {};
  let at = 0;
  for (let layer = 0; layer < layers; layer += 1) {
    for (const [module, , inputs, outputs] of shapes) {
      for (const [side, shape] of [
        ['A', [rank, inputs]],
        ['B', [outputs, rank]],
      ] as const) {
        const bytes = shape[0] * shape[1] * 4;
        const name = `base_model.model.model.layers.${layer}.${module}.lora_${side}.weight`;
        entries[name] = { dtype: 'F32', shape, data_offsets: [at, at + bytes] };
        at += bytes;
      }
    }
  }
  const header = Buffer.from(JSON.stringify(entries));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const values = Float32Array.from({ length: at / 4 }, (_, place) => Math.sin(place) * 0.01);
  await writeFile(
    join(adapter, 'adapter_model.safetensors'),
    Buffer.concat([length, header, Buffer.from(values.buffer)]),
  );
  await writeFile(
    join(adapter, 'adapter_config.json'),
    JSON.stringify({
      peft_type: 'LORA',
      r: rank,
      lora_alpha: 32,
      target_modules: shapes.map(([module]) => module.slice(module.indexOf('.') + 1)),
    }),
  );
  const base = {
    file: 'none',
    size: 0,
    architecture: 'qwen2',
    name: '',
    layers,
    heads: 12,
    keyHeads: 2,
    context: 0,
    vocabulary: 0,
    hasInfill: false,
    hasChatTemplate: false,
    linear: new Map(
      Array.from({ length: layers }, (_, layer) =>
        shapes.map(([, name, inputs, outputs]) => [`blk.${layer}.${name}.weight`, { inputs, outputs }] as const),
      ).flat(),
    ),
    digest: 'bench',
  };
  const cacheFolder = join(folder, 'large-kept');
  const before = process.memoryUsage.rss();
  let most = before;
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  const first = await timed(() => prepareAdapter(adapter, { cacheFolder, base, signal }));
  clearInterval(look);
  const again = await timed(() => prepareAdapter(adapter, { cacheFolder, base, signal }));
  console.log(
    `conversion, 1.5 B shape, r = 16: ${(at / 1e6).toFixed(0)} MB in ${first.toFixed(2)} s (target < 5), ` +
      `kept ${again.toFixed(2)} s, memory + ${((most - before) / 1e6).toFixed(0)} MB`,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

async function againstMerged(backend: Backend, folder: string, architecture: 'qwen2' | 'llama'): Promise<void> {
  const file = join(folder, `${architecture}.gguf`);
  const model = await writeTinyModel(file, { architecture });
  const adapterFolder = join(folder, `${architecture}-adapter`);
  const adapter = await writeTinyAdapter(adapterFolder, model, { rank: 4 });
  const mergedFile = join(folder, `${architecture}-merged.gguf`);
  await saveModel(mergedFile, merged(model, adapter));
  const options = {
    base: await readBaseShape(file),
    cacheFolder: join(folder, 'kept'),
    signal,
    weights: 'f32',
  } as const;
  const { file: converted } = await prepareAdapter(adapterFolder, options);
  // The same weights for an architecture whose rows keep their order: what happens to llama without reordering.
  const plain = await unordered(folder, adapterFolder, options);
  const tokens = Array.from({ length: 60 }, (_, place) => 32 + ((place * 37) % 90));
  const last = (place: number): boolean => place === tokens.length - 1;
  const base = await backend.loadModel({ modelPath: file });
  const ask = async (path: string | undefined, scale = 1) =>
    logs((await nextTokens(base, tokens, path === undefined ? undefined : { filePath: path, scale }, last)).at(-1));
  const alone = await ask(undefined);
  const applied = await ask(converted);
  const none = await ask(converted, 0);
  const odd = plain === undefined ? undefined : await ask(plain);
  await base.dispose();
  const whole = await backend.loadModel({ modelPath: mergedFile });
  const truth = logs((await nextTokens(whole, tokens, undefined, last)).at(-1));
  await whole.dispose();
  console.log(
    `${architecture}: against merged weights ${show(largestDifference(truth, applied))}` +
      `${odd === undefined ? '' : `, without reordering ${show(largestDifference(truth, odd))}`}` +
      `, base against adapter ${show(largestDifference(alone, applied))}` +
      `, scale 0 against base ${show(largestDifference(alone, none))} (largest difference of log chances)`,
  );
}

/** The llama adapter as it would be for an architecture that keeps the order of rows; undefined for others. */
async function unordered(
  folder: string,
  adapterFolder: string,
  options: Parameters<typeof prepareAdapter>[1],
): Promise<string | undefined> {
  if (options.base.architecture !== 'llama') return undefined;
  const base = { ...options.base, architecture: 'qwen2', digest: 'as if qwen2' };
  const { file } = await prepareAdapter(adapterFolder, { ...options, base });
  const bytes = readFileSync(file);
  const header = await readGgufHeader(file);
  const metadata = new Map(
    [...header.metadata].flatMap(([key, value]) => (value.kind === 'array' ? [] : [[key, value]])),
  );
  metadata.set('general.architecture', { kind: 'string', value: 'llama' });
  const tensors = [...header.tensors.values()].map(
    ({ name, sizes, start }): GgufTensor => ({
      name,
      sizes,
      kind: 'f32',
      pieces: () => [bytes.subarray(start, start + sizes.reduce((product, size) => product * size, 4))],
    }),
  );
  const changed = join(folder, 'unordered.gguf');
  await writeGguf(changed, { metadata, tensors });
  return changed;
}

interface Reference {
  readonly prompt_token_ids: readonly number[];
  readonly logits_base: readonly number[];
  readonly logits_with_adapter: readonly number[];
}

async function againstReference(backend: Backend, folder: string): Promise<void> {
  if (!existsSync(`${fixture}/base-f16.gguf`)) {
    console.log('missing: the tiny trained model (set TINY_SLM to its folder)');
    return;
  }
  const reference = JSON.parse(readFileSync(`${fixture}/reference-logits.json`, 'utf8')) as Reference;
  const tokens = reference.prompt_token_ids;
  const last = (place: number): boolean => place === tokens.length - 1;
  const file = `${fixture}/base-f16.gguf`;
  const base = await readBaseShape(file);
  const model = await backend.loadModel({ modelPath: file });
  const wanted = logsOfLogits(reference.logits_with_adapter);
  const alone = logs((await nextTokens(model, tokens, undefined, last)).at(-1));
  console.log(`tiny-slm: base against PyTorch ${show(largestDifference(alone, logsOfLogits(reference.logits_base)))}`);
  for (const weights of ['f32', 'f16'] as const) {
    const options = { base, cacheFolder: join(folder, 'kept'), signal, weights };
    const { file: filePath } = await prepareAdapter(`${fixture}/adapter`, options);
    const applied = logs((await nextTokens(model, tokens, { filePath, scale: 1 }, last)).at(-1));
    const none = logs((await nextTokens(model, tokens, { filePath, scale: 0 }, last)).at(-1));
    console.log(
      `tiny-slm: base + adapter (${weights}) against PyTorch ${show(largestDifference(applied, wanted))}` +
        `, base against base + adapter ${show(largestDifference(alone, applied))}` +
        `, scale 0 against base ${show(largestDifference(alone, none))}`,
    );
  }
  await model.dispose();
}

/** What the adapter does to code of its kind and of another. */
async function losses(backend: Backend, folder: string): Promise<void> {
  const solidity = filesOf('openzeppelin-contracts', 'sol');
  if (solidity.length === 0)
    console.log('missing: Solidity in .bench/openzeppelin-contracts (npm pack @openzeppelin/contracts)');
  if (solidity.length === 0 || !existsSync(`${fixture}/base-f16.gguf`)) return;
  const file = `${fixture}/base-f16.gguf`;
  const model = await backend.loadModel({ modelPath: file });
  const base = await readBaseShape(file);
  const prepared = await prepareAdapter(`${fixture}/adapter`, { base, cacheFolder: join(folder, 'kept'), signal });
  const adapter = { filePath: prepared.file, scale: 1 };
  for (const [name, files] of [
    ['Solidity', solidity],
    ['TypeScript', filesOf('*', 'ts')],
  ] as const) {
    if (files.length === 0) continue;
    const pieces = samples(files).map((text) => model.tokenize(text).slice(0, 500));
    const alone = await lossOf(model, pieces, undefined);
    const applied = await lossOf(model, pieces, adapter);
    const count = pieces.reduce((sum, piece) => sum + piece.length, 0);
    console.log(`${name}, ${count} tokens: ${alone.toFixed(2)} nats a token, with the adapter ${applied.toFixed(2)}`);
  }
  await model.dispose();
}

const filesOf = (folder: string, extension: string): readonly string[] =>
  globSync(`${root}.bench/${folder}/**/*.${extension}`)
    .filter((file) => !file.endsWith('.d.ts'))
    .sort();

/** Some files from their start, spread over all. */
function samples(files: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(files.length / 40));
  return files
    .filter((_, place) => place % step === 0)
    .slice(0, 40)
    .map((file) => readFileSync(file, 'utf8').slice(0, 2000))
    .filter((text) => text.length > 300);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchPeft();
