/**
 * Reads `adapter_config.json` as PEFT writes it, or MLX, and refuses by name what cannot be applied as a plain LoRA, with
 * what to do about it. It looks at no weights.
 */
import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { OperationError } from '#core/problem.ts';

/** A module name's pattern and what holds for the modules it fits. */
export type Pattern = readonly [RegExp, number];

export interface AdapterConfig {
  /** Who wrote it: how tensors are called and stored differs. */
  readonly layout: 'peft' | 'mlx';
  readonly rank: number;
  readonly alpha: number;
  /** Whether it is multiplied with alpha by the root of the rank, not by the rank. */
  readonly isRankStabilized: boolean;
  /** The first that fits decides. */
  readonly rankPatterns: readonly Pattern[];
  readonly alphaPatterns: readonly Pattern[];
  /** Names of adapted modules; undefined where a pattern names them. */
  readonly targets: readonly string[] | undefined;
  /** The base as the training called it; empty where it did not. */
  readonly baseModel: string;
}

export const HIGHEST_RANK = 1024;
const LARGEST_JSON = 2 ** 20;

const rank = z.number().int().min(1).max(HIGHEST_RANK);
const alpha = z.number().positive().max(1e6);
const flag = z.boolean().nullish();
const configSchema = z.looseObject({
  peft_type: z.string(),
  task_type: z.string().nullish(),
  base_model_name_or_path: z.string().nullish(),
  r: rank,
  lora_alpha: alpha,
  target_modules: z.union([z.string(), z.array(z.string()).max(1000)]).nullish(),
  bias: z.string().nullish(),
  use_rslora: flag,
  use_dora: flag,
  lora_bias: flag,
  fan_in_fan_out: flag,
  modules_to_save: z.array(z.string()).nullish(),
  init_lora_weights: z.union([z.boolean(), z.string()]).nullish(),
  rank_pattern: z.record(z.string(), rank).nullish(),
  alpha_pattern: z.record(z.string(), alpha).nullish(),
});
type Raw = z.infer<typeof configSchema>;

/** What `mlx_lm.lora` writes beside its adapters: all its own settings, of which few matter here. */
const mlxSchema = z.looseObject({
  fine_tune_type: z.string(),
  model: z.string().nullish(),
  lora_parameters: z.looseObject({ rank, scale: alpha }),
});

interface Refusal {
  /** What it is called, and why it cannot be used. */
  readonly why: string;
  readonly remedy: string;
}

const plainLora = 'Train a plain LoRA of the linear layers; docs/train.md has the settings.';
/** Starts of training that change the base as well. */
const changedBase = /^(pissa|olora|corda|loftq|lora_ga)/i;
/** Fields that ask for more than a LoRA of whole linear layers, where they hold anything. */
const foreignFields = [
  'layer_replication',
  'trainable_token_indices',
  'target_parameters',
  'alora_invocation_tokens',
  'arrow_config',
] as const;
/** Words for layers that turn tokens into states and back. */
const embeddings = /^(.*\.)?(embed_tokens|lm_head|wte|wpe|embed_out)$/;

/** Why it cannot be used; undefined where nothing speaks against it. */
function refusalOf(raw: Raw): Refusal | undefined {
  const { peft_type: type, task_type: task, modules_to_save: saved, init_lora_weights: start } = raw;
  const targets = Array.isArray(raw.target_modules) ? raw.target_modules : [];
  if (type.toUpperCase() !== 'LORA')
    return { why: `it is of the type ${shown(type)}, and only LORA can be used`, remedy: plainLora };
  if (task !== undefined && task !== null && task !== 'CAUSAL_LM')
    return { why: `it was trained for ${shown(task)}, and only CAUSAL_LM can be used`, remedy: plainLora };
  if (raw.use_dora === true)
    return { why: 'it uses DoRA (use_dora)', remedy: 'Train with use_dora=False, or merge it into the base.' };
  if (saved !== undefined && saved !== null && saved.length > 0)
    return {
      why: `it saves whole modules (modules_to_save: ${saved.map(shown).join(', ')})`,
      remedy: 'Train without modules_to_save, or merge it into the base.',
    };
  const embedding = targets.find((one) => embeddings.test(one));
  if (embedding !== undefined)
    return {
      why: `it adapts embeddings (${shown(embedding)} in target_modules)`,
      remedy: 'Train without embed_tokens and lm_head, or merge it into the base.',
    };
  if ((raw.bias ?? 'none') !== 'none' || raw.lora_bias === true)
    return { why: `it trains biases (bias: ${shown(raw.bias ?? 'lora_bias')})`, remedy: 'Train with bias="none".' };
  if (raw.fan_in_fan_out === true)
    return { why: 'it is for transposed layers (fan_in_fan_out)', remedy: 'Use a base of the Qwen or Llama family.' };
  if (typeof start === 'string' && changedBase.test(start))
    return {
      why: `its training changed the base too (init_lora_weights: ${shown(start)})`,
      remedy: 'Save it as a plain LoRA with path_initial_model_for_weight_conversion, or merge it into the base.',
    };
  const foreign = foreignFields.find((field) => holds(raw[field]));
  const use = Object.keys(raw).find((key) => /^use_/.test(key) && key !== 'use_rslora' && raw[key] === true);
  if (foreign !== undefined || use !== undefined)
    return { why: `it uses ${shown(foreign ?? use ?? '')}, which is not known here`, remedy: plainLora };
  return undefined;
}

function holds(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

const shown = (text: string): string => text.slice(0, 100).replace(/[^\w.\-/ ]/g, '?');

/** Throws OperationError: `not-found`, `io` or `usage`, with the file, the field and a remedy. */
export async function readAdapterConfig(file: string): Promise<AdapterConfig> {
  const text = await readSmall(file);
  if (text === undefined)
    throw new OperationError('not-found', `There is no ${file}.`, {
      remedy: 'Give the folder that PEFT saved: adapter_config.json and adapter_model.safetensors.',
    });
  const json = parseJson(text, file);
  if (typeof json === 'object' && json !== null && 'fine_tune_type' in json && !('peft_type' in json))
    return mlxConfig(json, file);
  const parsed = configSchema.safeParse(json);
  if (!parsed.success) throw unreadable(parsed.error, file);
  const raw = parsed.data;
  const refusal = refusalOf(raw);
  if (refusal !== undefined)
    throw new OperationError('usage', `${file}: the adapter cannot be used: ${refusal.why}.`, {
      remedy: refusal.remedy,
    });
  return {
    layout: 'peft',
    rank: raw.r,
    alpha: raw.lora_alpha,
    isRankStabilized: raw.use_rslora === true,
    rankPatterns: patternsOf(raw.rank_pattern, 'rank_pattern', file),
    alphaPatterns: patternsOf(raw.alpha_pattern, 'alpha_pattern', file),
    targets: Array.isArray(raw.target_modules) ? raw.target_modules : undefined,
    baseModel: (raw.base_model_name_or_path ?? '').slice(0, 200),
  };
}

function unreadable({ issues: [issue] }: z.ZodError, file: string): OperationError {
  const fields = issue?.path.map((part) => shown(String(part))).join('.') ?? '';
  return new OperationError('usage', `${file}: ${fields === '' ? 'it' : fields} cannot be read: ${issue?.message}.`, {
    remedy: 'Save the adapter again with save_pretrained.',
  });
}

/** MLX multiplies with a scale where PEFT multiplies with alpha by the rank. */
function mlxConfig(json: object, file: string): AdapterConfig {
  const parsed = mlxSchema.safeParse(json);
  if (!parsed.success) throw unreadable(parsed.error, file);
  const { fine_tune_type: type, lora_parameters: lora, model } = parsed.data;
  if (type !== 'lora')
    throw new OperationError('usage', `${file}: the adapter cannot be used: it is of the type ${shown(type)}.`, {
      remedy: 'Train with --fine-tune-type lora.',
    });
  return {
    layout: 'mlx',
    rank: lora.rank,
    alpha: lora.scale * lora.rank,
    isRankStabilized: false,
    rankPatterns: [],
    alphaPatterns: [],
    targets: undefined,
    baseModel: (model ?? '').slice(0, 200),
  };
}

/** The text of a small file; undefined where there is none. */
export async function readSmall(file: string): Promise<string | undefined> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return undefined;
  if (!found.isFile() || found.size > LARGEST_JSON)
    throw new OperationError('io', `${file} is no file of at most 1 MiB.`, {
      remedy: 'Give the file as it was saved.',
    });
  return readFile(file, 'utf8');
}

/** Throws OperationError `io` where a text is no JSON. */
export function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new OperationError('io', `${file} is not valid JSON.`, { remedy: 'Save or write the file again.', cause });
  }
}

/**
 * PEFT takes a key for a regular expression at the end of a module's name. Only plain ones are taken here: what repeats
 * a repetition could take for ever.
 */
function patternsOf(given: Raw['rank_pattern'], field: string, file: string): readonly Pattern[] {
  return Object.entries(given ?? {}).map(([key, value]) => {
    const isPlain = /^[\w.\\|()[\]+*?^$-]{1,200}$/.test(key) && !/[)\]][*+?]|[*+?][*+]/.test(key);
    const repeats = key.match(/[*+?]/g)?.length ?? 0;
    const pattern = isPlain && repeats <= 3 ? compiled(key) : undefined;
    if (pattern === undefined)
      throw new OperationError('usage', `${file}: the key ${shown(key)} of ${field} is no pattern that can be used.`, {
        remedy: 'Name modules plainly, for example "layers.0.self_attn.q_proj" or "q_proj".',
      });
    return [pattern, value] as const;
  });
}

function compiled(key: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:.*\\.)?(?:${key})$`);
  } catch {
    return undefined;
  }
}
