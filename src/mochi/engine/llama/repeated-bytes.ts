/**
 * Models that use one table for the words they read and for those they write have it once in the file. On a processor
 * quantized tables are laid out anew for writing, so that both are in memory; no estimate of the library counts that.
 */
import { readGgufHeader } from '../peft/gguf-header.ts';

const FLOATS: ReadonlySet<number> = new Set([0, 1, 30]);

/** Bytes of the table that is kept twice; 0 where there are two in the file, or it is not quantized. */
export async function repeatedBytes(file: string): Promise<number> {
  const { tensors, size } = await readGgufHeader(file);
  const words = tensors.get('token_embd.weight');
  if (words === undefined || tensors.has('output.weight') || FLOATS.has(words.kind)) return 0;
  const after = [...tensors.values()].map(({ start }) => start).filter((start) => start > words.start);
  return Math.min(size, ...after) - words.start;
}
