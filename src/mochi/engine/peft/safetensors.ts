/**
 * Reads safetensors files: the header, checked before anything is believed, and the values of single tensors in pieces.
 * No more than one piece is ever in memory. It knows no adapters.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { OperationError } from '#core/problem.ts';
import { brainFloatsToFloats, firstNotFinite, halvesToFloats } from './floats.ts';

export interface SafetensorsTensor {
  readonly name: string;
  /** As in the file, for example `F32`. */
  readonly dtype: string;
  /** Slowest running first, as PyTorch has it. */
  readonly shape: readonly number[];
  /** From the start of the file. */
  readonly start: number;
  /** Whether rows stand in the file as columns; `shape` is then what they are, not as they stand. */
  readonly isTransposed?: boolean;
}

export interface Safetensors {
  readonly tensors: ReadonlyMap<string, SafetensorsTensor>;
  /** Bytes of the file. */
  readonly size: number;
  /** `count` values from the `from`th on; throws OperationError where they are of no readable kind or not finite. */
  read(tensor: SafetensorsTensor, from: number, count: number): Promise<Float32Array>;
  close(): Promise<void>;
}

const LARGEST_HEADER = 16 * 2 ** 20;
const MOST_TENSORS = 65_536;
/** Bytes of a value; the kinds below the line are known by size and never read. */
const DTYPE_BYTES: ReadonlyMap<string, number> = new Map([
  ['F32', 4],
  ['F16', 2],
  ['BF16', 2],
  // Not read:
  ['F64', 8],
  ['I64', 8],
  ['U64', 8],
  ['I32', 4],
  ['U32', 4],
  ['I16', 2],
  ['U16', 2],
  ['I8', 1],
  ['U8', 1],
  ['BOOL', 1],
  ['F8_E4M3', 1],
  ['F8_E5M2', 1],
]);

const whole = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);
const entrySchema = z.object({
  dtype: z.string(),
  shape: z.array(whole).max(8),
  data_offsets: z.tuple([whole, whole]),
});

/** Throws OperationError `not-found` or `io`, which names the file and what is wrong with it. */
export async function openSafetensors(file: string): Promise<Safetensors> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new OperationError('not-found', `${basename(file)} cannot be opened.`, {
      remedy: 'Give the folder that PEFT saved, with this file in it.',
      cause,
    });
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw broken(file, 'it is no regular file');
    const tensors = await readHeader(handle, file, found.size);
    return {
      tensors,
      size: found.size,
      read: (tensor, from, count) => readValues(handle, file, tensor, from, count),
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function broken(file: string, why: string): OperationError {
  return new OperationError('io', `${basename(file)} is no whole safetensors file: ${why}.`, {
    remedy: 'Save the adapter again with save_pretrained, or copy the file again.',
  });
}

async function readHeader(
  handle: FileHandle,
  file: string,
  size: number,
): Promise<ReadonlyMap<string, SafetensorsTensor>> {
  if (size < 10) throw broken(file, 'it is too short');
  const length = Buffer.from(await readExactly(handle, file, 0, 8)).readBigUInt64LE();
  if (length > BigInt(LARGEST_HEADER)) throw broken(file, `its header claims ${length} bytes`);
  const header = Number(length);
  if (8 + header > size) throw broken(file, 'it ends inside of its header');
  const parsed = parseHeader(Buffer.from(await readExactly(handle, file, 8, header)));
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw broken(file, 'its header is no JSON object');
  const entries = Object.entries(parsed).filter(([name]) => name !== '__metadata__');
  if (entries.length > MOST_TENSORS) throw broken(file, `it claims ${entries.length} tensors`);
  return place(entries, file, 8 + header, size);
}

function parseHeader(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

/** The tensors must fill the rest of the file without a hole or an overlap, as the format demands. */
function place(
  entries: readonly (readonly [string, unknown])[],
  file: string,
  origin: number,
  size: number,
): ReadonlyMap<string, SafetensorsTensor> {
  const spans: { readonly tensor: SafetensorsTensor; readonly end: number }[] = [];
  for (const [name, value] of entries) {
    const parsed = entrySchema.safeParse(value);
    const called = JSON.stringify(name.slice(0, 200));
    if (!parsed.success) throw broken(file, `the entry of tensor ${called} cannot be read`);
    const { dtype, shape, data_offsets: offsets } = parsed.data;
    const bytes = DTYPE_BYTES.get(dtype);
    if (bytes === undefined) throw broken(file, `tensor ${called} is of the unknown kind ${dtype.slice(0, 20)}`);
    const length = shape.reduce((product, one) => product * one, bytes);
    if (offsets[1] - offsets[0] !== length)
      throw broken(file, `tensor ${called} has ${offsets[1] - offsets[0]} bytes where its shape needs ${length}`);
    spans.push({
      tensor: { name, dtype, shape, start: origin + offsets[0] },
      end: origin + offsets[1],
    });
  }
  spans.sort((one, two) => one.tensor.start - two.tensor.start || one.end - two.end);
  let at = origin;
  for (const { tensor, end } of spans) {
    const called = JSON.stringify(tensor.name.slice(0, 200));
    if (end > size) throw broken(file, `tensor ${called} ends beyond it`);
    if (tensor.start < at) throw broken(file, `tensor ${called} lies over another one`);
    if (tensor.start > at) throw broken(file, `there is a gap before tensor ${called}`);
    at = end;
  }
  if (at !== size) throw broken(file, `${size - at} bytes at its end belong to no tensor`);
  return new Map(spans.map(({ tensor }) => [tensor.name, tensor]));
}

async function readValues(
  handle: FileHandle,
  file: string,
  { name, dtype, start }: SafetensorsTensor,
  from: number,
  count: number,
): Promise<Float32Array> {
  if (dtype !== 'F32' && dtype !== 'F16' && dtype !== 'BF16')
    throw new OperationError('usage', `${basename(file)}: tensor ${name} holds ${dtype} values.`, {
      remedy: 'Save the adapter as float32, float16 or bfloat16.',
    });
  const bytes = dtype === 'F32' ? 4 : 2;
  const read = await readExactly(handle, file, start + from * bytes, count * bytes);
  const { buffer, byteOffset } = read;
  const values =
    dtype === 'F32'
      ? new Float32Array(buffer, byteOffset, count)
      : dtype === 'F16'
        ? halvesToFloats(new Uint16Array(buffer, byteOffset, count))
        : brainFloatsToFloats(new Uint16Array(buffer, byteOffset, count));
  const odd = firstNotFinite(values);
  if (odd >= 0)
    throw new OperationError('io', `${basename(file)}: value ${from + odd} of tensor ${name} is not a number.`, {
      remedy: 'The training went wrong; use an earlier checkpoint or a lower learning rate.',
    });
  return values;
}

/** Into memory of its own, so that it can be seen as numbers of any size. */
async function readExactly(handle: FileHandle, file: string, from: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await handle.read(bytes, at, length - at, from + at);
    if (bytesRead === 0) throw broken(file, 'it became shorter while it was read');
    at += bytesRead;
  }
  return bytes;
}
