/**
 * What a model takes besides its weights and no estimate of the library counts, in figures measured with the version
 * that is supported: the tokenizer, and on processors a table of words that is kept a second time in another layout.
 */
import { type GgufHeader, readGgufHeader } from '../peft/gguf-header.ts';

/** Bytes in memory for each word of a vocabulary, and for each rule that joins two pieces. */
const PER_WORD = 440;
const PER_MERGE = 490;
/** Kinds of quantized weights, by their number in files, that are laid out anew for a processor. */
const RELAID: ReadonlySet<number> = new Set([2, 12, 20]);
/** Q8_0, which is laid out anew only there. */
const RELAID_ON_ARM = 8;

/** Bytes; `architecture` is that of the machine as Node names it. */
export async function unseenBytes(file: string, isOnProcessor: boolean, architecture = process.arch): Promise<number> {
  const header = await readGgufHeader(file);
  const words =
    PER_WORD * lengthOf(header, 'tokenizer.ggml.tokens') + PER_MERGE * lengthOf(header, 'tokenizer.ggml.merges');
  return words + (isOnProcessor ? repeatedBytes(header, architecture) : 0);
}

function lengthOf({ metadata }: GgufHeader, key: string): number {
  const found = metadata.get(key);
  return found?.kind === 'array' ? found.length : 0;
}

/** Models that read and write words with one table have it once in the file; it is there twice where it is laid out anew. */
function repeatedBytes({ tensors, size }: GgufHeader, architecture: string): number {
  const words = tensors.get('token_embd.weight');
  if (words === undefined || tensors.has('output.weight')) return 0;
  if (!RELAID.has(words.kind) && !(architecture === 'arm64' && words.kind === RELAID_ON_ARM)) return 0;
  const after = [...tensors.values()].map(({ start }) => start).filter((start) => start > words.start);
  return Math.min(size, ...after) - words.start;
}
