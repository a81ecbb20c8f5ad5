/**
 * Brings an adapter's tensors and a base's layers together: which pair of matrices belongs to which layer, with which
 * factor and in which order of rows. What does not fit is refused by name. It reads no weights.
 */
import { OperationError } from '#core/problem.ts';
import { type AdapterConfig, HIGHEST_RANK, type Pattern } from './adapter-config.ts';
import type { BaseShape } from './base-shape.ts';
import type { SafetensorsTensor } from './safetensors.ts';

export interface AdaptedLayer {
  /** Of the base's tensor, for example `blk.0.attn_q.weight`. */
  readonly name: string;
  /** Rank rows of as many values as the layer takes. */
  readonly a: SafetensorsTensor;
  /** As many rows as the layer gives, of rank values. */
  readonly b: SafetensorsTensor;
  readonly rank: number;
  /** What B is multiplied with, because a file holds one alpha for all layers. */
  readonly factor: number;
  /** Rows of B that are brought from halves to neighbours together; 0 where their order stays. */
  readonly headSize: number;
}

export interface AdapterLayers {
  readonly layers: readonly AdaptedLayer[];
  /** The alpha of the file: the engine multiplies with it by the rank of each layer. */
  readonly alpha: number;
}

const modules: ReadonlyMap<string, string> = new Map([
  ['self_attn.q_proj', 'attn_q'],
  ['self_attn.k_proj', 'attn_k'],
  ['self_attn.v_proj', 'attn_v'],
  ['self_attn.o_proj', 'attn_output'],
  ['mlp.gate_proj', 'ffn_gate'],
  ['mlp.up_proj', 'ffn_up'],
  ['mlp.down_proj', 'ffn_down'],
]);
/** Architectures whose layers are called so, and whether GGUF has the rows of q and k in another order. */
const architectures: ReadonlyMap<string, boolean> = new Map([
  ['qwen2', false],
  ['qwen3', false],
  ['llama', true],
]);

const tensorName = /^base_model\.model\.(?:model\.)?layers\.(\d{1,4})\.(.+)\.lora_([AB])(?:\.default)?\.weight$/;
const mlxTensorName = /^model\.layers\.(\d{1,4})\.(.+)\.lora_([ab])$/;
const wrongBase = 'Give the base model that the adapter was trained on.';

/** The tensors that make no LoRA of a linear layer, by what they are. */
const foreign: readonly (readonly [RegExp, string])[] = [
  [/lora_magnitude_vector/, 'a DoRA magnitude'],
  [/lora_embedding_[AB]|embed_tokens|lm_head/, 'an adapted embedding'],
  [/modules_to_save/, 'a whole saved module'],
  [/\.ia3_l/, 'an IA3 vector'],
  [/\.bias$/, 'a bias'],
];

/** `place` names the adapter. Throws OperationError `usage`. */
export function layersOf(
  tensors: ReadonlyMap<string, SafetensorsTensor>,
  config: AdapterConfig,
  base: BaseShape,
  place: string,
): AdapterLayers {
  const unfit = (why: string, remedy: string): OperationError =>
    new OperationError('usage', `${place}: ${why}.`, { remedy });
  const isReordered = architectures.get(base.architecture);
  if (isReordered === undefined)
    throw unfit(
      `adapters cannot be put on a base of the architecture ${base.architecture}`,
      `Use a base of one of ${[...architectures.keys()].join(', ')} (Mistral is llama).`,
    );
  const pairs = pairsOf(config.layout === 'mlx' ? [...tensors.values()].map(turned) : tensors.values(), config, unfit);
  checkTargets(pairs, config, unfit);
  const alpha = config.alpha * (config.isRankStabilized ? Math.sqrt(config.rank) : 1);
  const layers = [...pairs.values()].map((pair): AdaptedLayer => {
    const { a, b } = complete(pair, unfit);
    const rank = a.shape[0] ?? 0;
    checkRank(pair, rank, config, unfit);
    const name = `blk.${pair.layer}.${modules.get(pair.module)}.weight`;
    checkShape(pair, a, b, base, name, config, unfit);
    const own = fitting(config.alphaPatterns, pair.full) ?? config.alpha;
    const scaling = own / (config.isRankStabilized ? Math.sqrt(rank) : rank);
    return {
      name,
      a,
      b,
      rank,
      factor: (scaling * rank) / alpha,
      headSize: isReordered ? headSizeOf(pair, b, base, unfit) : 0,
    };
  });
  return { layers, alpha };
}

type Unfit = (why: string, remedy: string) => OperationError;

interface Pair {
  readonly layer: number;
  readonly module: string;
  /** The module's whole name, as PEFT's patterns see it. */
  readonly full: string;
  a?: SafetensorsTensor;
  b?: SafetensorsTensor;
}

/** MLX has the rows of A and B as columns. */
function turned(tensor: SafetensorsTensor): SafetensorsTensor {
  return { ...tensor, shape: tensor.shape.toReversed(), isTransposed: true };
}

function pairsOf(
  tensors: Iterable<SafetensorsTensor>,
  { layout }: AdapterConfig,
  unfit: Unfit,
): ReadonlyMap<string, Pair> {
  const pairs = new Map<string, Pair>();
  const pattern = layout === 'mlx' ? mlxTensorName : tensorName;
  for (const tensor of tensors) {
    const called = tensor.name.slice(0, 200);
    const what = foreign.find(([sign]) => sign.test(tensor.name))?.[1];
    if (what !== undefined)
      throw unfit(`the tensor ${called} is ${what}, which cannot be used`, 'Train a plain LoRA of the linear layers.');
    const [, number, module = '', side] = pattern.exec(tensor.name) ?? [];
    if (number === undefined || !modules.has(module))
      throw unfit(
        `the tensor ${called} belongs to no layer that can be adapted`,
        `Train ${[...modules.keys()].map((one) => one.slice(one.indexOf('.') + 1)).join(', ')} and nothing else.`,
      );
    if (tensor.shape.length !== 2)
      throw unfit(
        `the tensor ${called} has ${tensor.shape.length} dimensions, as of a convolution`,
        'Train a plain LoRA of the linear layers.',
      );
    const layer = Number(number);
    const full = `model.layers.${layer}.${module}`;
    const pair: Pair = pairs.get(full) ?? { layer, module, full };
    pairs.set(full, pair);
    const key = side?.toLowerCase() === 'a' ? 'a' : 'b';
    if (pair[key] !== undefined) throw unfit(`${full} has two tensors ${side}`, 'Save the adapter again.');
    pair[key] = tensor;
  }
  if (pairs.size === 0) throw unfit('it holds no weights', 'Save the adapter again with save_pretrained.');
  return pairs;
}

function complete({ full, a, b }: Pair, unfit: Unfit): { a: SafetensorsTensor; b: SafetensorsTensor } {
  if (a !== undefined && b !== undefined) return { a, b };
  throw unfit(`${full} has only one of its two tensors`, 'Save the adapter again with save_pretrained.');
}

/** A file of another training beside the config shows by modules that are missing or too many. */
function checkTargets(pairs: ReadonlyMap<string, Pair>, { targets }: AdapterConfig, unfit: Unfit): void {
  if (targets === undefined) return;
  const remedy = 'Give adapter_config.json and adapter_model.safetensors of the same training.';
  const isOf = (full: string, target: string): boolean => full === target || full.endsWith(`.${target}`);
  const missing = targets.find((target) => ![...pairs.keys()].some((full) => isOf(full, target)));
  if (missing !== undefined) throw unfit(`there are no weights for ${missing.slice(0, 100)} of target_modules`, remedy);
  const extra = [...pairs.keys()].find((full) => !targets.some((target) => isOf(full, target)));
  if (extra !== undefined) throw unfit(`${extra} has weights and is not among target_modules`, remedy);
}

function fitting(patterns: readonly Pattern[], full: string): number | undefined {
  return patterns.find(([pattern]) => pattern.test(full))?.[1];
}

function checkRank({ full, b }: Pair, rank: number, config: AdapterConfig, unfit: Unfit): void {
  const expected = fitting(config.rankPatterns, full) ?? config.rank;
  const remedy = 'Give adapter_config.json and adapter_model.safetensors of the same training.';
  if (rank !== expected || rank > HIGHEST_RANK)
    throw unfit(`${full} has rank ${rank} where the config says ${expected}`, remedy);
  if (b?.shape[1] !== rank) throw unfit(`${full} has rank ${rank} in A and ${b?.shape[1]} in B`, remedy);
}

function checkShape(
  { full, layer }: Pair,
  a: SafetensorsTensor,
  b: SafetensorsTensor,
  base: BaseShape,
  name: string,
  { baseModel }: AdapterConfig,
  unfit: Unfit,
): void {
  const trained = baseModel === '' ? '' : `; it was trained on ${baseModel.replace(/[^\w.\-/ ]/g, '?')}`;
  if (layer >= base.layers)
    throw unfit(`it adapts ${full}, and the base has ${base.layers} layers${trained}`, wrongBase);
  const shape = base.linear.get(name);
  if (shape === undefined) throw unfit(`it adapts ${full}, which the base does not have${trained}`, wrongBase);
  const [inputs, outputs] = [a.shape[1], b.shape[0]];
  if (inputs !== shape.inputs || outputs !== shape.outputs)
    throw unfit(
      `${full} is for ${inputs} to ${outputs} values, and the base has ${shape.inputs} to ${shape.outputs}${trained}`,
      wrongBase,
    );
}

function headSizeOf({ module, full }: Pair, b: SafetensorsTensor, base: BaseShape, unfit: Unfit): number {
  const heads = module === 'self_attn.q_proj' ? base.heads : module === 'self_attn.k_proj' ? base.keyHeads : undefined;
  if (heads === undefined) return 0;
  const size = (b.shape[0] ?? 0) / heads;
  if (!Number.isInteger(size) || size < 2 || size % 2 !== 0)
    throw unfit(`${full} cannot be split into the base's ${heads} heads`, wrongBase);
  return size;
}
