/**
 * What must be known of a base model before an adapter is put on it: its architecture and the shapes of its linear
 * layers, read from the header of its GGUF file. It reads no weights and does not judge whether the model is any good.
 */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { type GgufHeader, readGgufHeader } from './gguf-header.ts';

/** What goes in and what comes out of a linear layer. */
export interface LinearShape {
  readonly inputs: number;
  readonly outputs: number;
}

export interface BaseShape {
  /** The file it was read from. */
  readonly file: string;
  /** Bytes of the file. */
  readonly size: number;
  /** As the file has it, for example `qwen2`; adapters fit few, bases may be any. */
  readonly architecture: string;
  /** What the model calls itself; empty where it does not. */
  readonly name: string;
  readonly layers: number;
  /** Heads of queries, and of keys and values; 0 where the file gives none or one number a layer. */
  readonly heads: number;
  readonly keyHeads: number;
  /** Tokens it was made for; 0 where the file does not say. */
  readonly context: number;
  /** Tokens in its vocabulary. */
  readonly vocabulary: number;
  /** Whether its vocabulary names the three tokens of filling in the middle. */
  readonly hasInfill: boolean;
  readonly hasChatTemplate: boolean;
  /** Layers by their name in the file, for example `blk.0.attn_q.weight`. */
  readonly linear: ReadonlyMap<string, LinearShape>;
  /** The same for bases that the same adapters fit. */
  readonly digest: string;
}

const linearName = /^blk\.\d+\.(attn_(q|k|v|output)|ffn_(gate|up|down))\.weight$/;

/** Throws OperationError `not-found`, `io` or `usage` with what is wrong with the file. */
export async function readBaseShape(file: string): Promise<BaseShape> {
  const header = await readGgufHeader(file);
  const architecture = textOf(header, 'general.architecture');
  const type = textOf(header, 'general.type');
  if (type !== '' && type !== 'model')
    throw new OperationError('usage', `${basename(file)} is of the type ${JSON.stringify(type)} and no base model.`, {
      remedy: type === 'adapter' ? 'Give the base model it belongs to.' : 'Give the file of a language model.',
    });
  if (architecture === '' || header.tensors.size === 0)
    throw new OperationError('usage', `${basename(file)} holds no model.`, {
      remedy: 'Give the file of a language model.',
    });
  const own = (key: string): number => numberOf(header, `${architecture}.${key}`);
  const heads = own('attention.head_count');
  const hasKeyHeads = header.metadata.has(`${architecture}.attention.head_count_kv`);
  const linear = new Map<string, LinearShape>();
  for (const { name, sizes } of header.tensors.values()) {
    const [inputs, outputs] = sizes;
    if (linearName.test(name) && sizes.length === 2 && inputs !== undefined && outputs !== undefined)
      linear.set(name, { inputs, outputs });
  }
  const tokens = header.metadata.get('tokenizer.ggml.tokens');
  const shape = {
    architecture,
    layers: own('block_count'),
    heads,
    keyHeads: hasKeyHeads ? own('attention.head_count_kv') : heads,
    linear,
  };
  return {
    ...shape,
    file,
    size: header.size,
    name: textOf(header, 'general.name'),
    context: own('context_length'),
    vocabulary: tokens?.kind === 'array' ? tokens.length : 0,
    hasInfill: ['pre', 'suf', 'mid'].every((one) => hasInfillToken(header, one)),
    hasChatTemplate: header.metadata.has('tokenizer.chat_template'),
    digest: digestOf(shape),
  };
}

/** Older files name them by the words they begin with. */
function hasInfillToken({ metadata }: GgufHeader, which: string): boolean {
  const old = { pre: 'prefix', suf: 'suffix', mid: 'middle' }[which];
  return [`fim_${which}`, old].some((name) => metadata.has(`tokenizer.ggml.${name}_token_id`));
}

function textOf({ metadata }: GgufHeader, key: string): string {
  const found = metadata.get(key);
  return found?.kind === 'string' ? String(found.value) : '';
}

function numberOf({ metadata }: GgufHeader, key: string): number {
  const found = metadata.get(key);
  return found === undefined || found.kind === 'array' || typeof found.value !== 'number' ? 0 : found.value;
}

function digestOf(shape: Pick<BaseShape, 'architecture' | 'layers' | 'heads' | 'keyHeads' | 'linear'>): string {
  const { architecture, layers, heads, keyHeads, linear } = shape;
  const sizes = [...linear].map(([name, { inputs, outputs }]) => `${name} ${inputs} ${outputs}`).sort();
  const lines = [architecture, layers, heads, keyHeads, ...sizes];
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}
