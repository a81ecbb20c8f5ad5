/**
 * The GGUF file format, version 3, little endian: its kinds of values and tensors, and writing a file whole or not at
 * all. Reading lies in `gguf-header.ts`. It knows no model.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';

export const GGUF_MAGIC = 0x4655_4747;
export const GGUF_VERSION = 3;
/** Bytes; where tensors begin is a multiple of it. */
export const GGUF_ALIGNMENT = 32;

/** Kinds of values by their number in the file. */
export const VALUE_KINDS = [
  'u8',
  'i8',
  'u16',
  'i16',
  'u32',
  'i32',
  'f32',
  'bool',
  'string',
  'array',
  'u64',
  'i64',
  'f64',
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];
export type ScalarKind = Exclude<ValueKind, 'array'>;

/** 64-bit integers are numbers where that is exact. */
export type Scalar = number | bigint | boolean | string;

export type GgufValue =
  | { readonly kind: ScalarKind; readonly value: Scalar }
  | { readonly kind: 'array'; readonly of: ScalarKind; readonly values: readonly Scalar[] };

/** Kinds of tensors that are written here, by their number in the file. */
const TENSOR_KINDS = { f32: 0, f16: 1, q8_0: 8 } as const;
export type TensorKind = keyof typeof TENSOR_KINDS;

export interface GgufTensor {
  readonly name: string;
  /** Fastest running first: the reverse of a PyTorch shape. */
  readonly sizes: readonly number[];
  readonly kind: TensorKind;
  /** The content, once, in pieces that may be used again after they were taken. */
  readonly pieces: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface GgufContent {
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensor[];
}

/** Bytes of a tensor. */
export function tensorBytes(kind: TensorKind, sizes: readonly number[]): number {
  const values = sizes.reduce((product, size) => product * size, 1);
  switch (kind) {
    case 'f32':
      return values * 4;
    case 'f16':
      return values * 2;
    case 'q8_0':
      return (values / 32) * 34;
    default:
      return kind satisfies never;
  }
}

export const aligned = (offset: number, alignment: number = GGUF_ALIGNMENT): number =>
  Math.ceil(offset / alignment) * alignment;

/** Everything before the tensors' content, filled up to the alignment. */
export function headerOf({ metadata, tensors }: GgufContent): Uint8Array {
  const out = new ByteWriter();
  out.u32(GGUF_MAGIC);
  out.u32(GGUF_VERSION);
  out.u64(tensors.length);
  out.u64(metadata.size);
  for (const [key, value] of metadata) {
    out.string(key);
    out.u32(VALUE_KINDS.indexOf(value.kind));
    if (value.kind === 'array') {
      out.u32(VALUE_KINDS.indexOf(value.of));
      out.u64(value.values.length);
      for (const one of value.values) out.scalar(value.of, one);
    } else {
      out.scalar(value.kind, value.value);
    }
  }
  let offset = 0;
  for (const { name, sizes, kind } of tensors) {
    out.string(name);
    out.u32(sizes.length);
    for (const size of sizes) out.u64(size);
    out.u32(TENSOR_KINDS[kind]);
    out.u64(offset);
    offset = aligned(offset + tensorBytes(kind, sizes));
  }
  out.fill(aligned(out.length));
  return out.bytes();
}

/**
 * Writes a file beside its place and renames it there when it is whole and on the disk. Rejects with the signal's reason
 * or the error of the file system; nothing of it is left then.
 */
export async function writeGguf(file: string, content: GgufContent, signal?: AbortSignal): Promise<void> {
  const aside = `${file}.${randomUUID()}.part`;
  try {
    const handle = await open(aside, 'wx');
    try {
      await writeAll(handle, headerOf(content));
      for (const tensor of content.tensors) await writeTensor(handle, tensor, signal);
      await handle.sync();
    } finally {
      await handle.close();
    }
    signal?.throwIfAborted();
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeTensor(handle: FileHandle, tensor: GgufTensor, signal: AbortSignal | undefined): Promise<void> {
  const bytes = tensorBytes(tensor.kind, tensor.sizes);
  let written = 0;
  for await (const piece of tensor.pieces()) {
    signal?.throwIfAborted();
    written += piece.length;
    await writeAll(handle, piece);
  }
  if (written !== bytes) throw new Error(`tensor ${tensor.name} has ${written} bytes where ${bytes} were announced`);
  await writeAll(handle, new Uint8Array(aligned(bytes) - bytes));
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
}

/** Grows as it is written to. */
class ByteWriter {
  #buffer = Buffer.alloc(4096);
  length = 0;

  #room(bytes: number): number {
    const at = this.length;
    if (at + bytes > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(this.#buffer.length * 2, at + bytes));
      this.#buffer.copy(larger);
      this.#buffer = larger;
    }
    this.length += bytes;
    return at;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  fill(length: number): void {
    this.#room(length - this.length);
  }

  u32(value: number): void {
    const at = this.#room(4);
    this.#buffer.writeUInt32LE(value, at);
  }

  u64(value: number | bigint): void {
    const at = this.#room(8);
    this.#buffer.writeBigUInt64LE(BigInt(value), at);
  }

  string(value: string): void {
    const bytes = Buffer.from(value, 'utf8');
    this.u64(bytes.length);
    const at = this.#room(bytes.length);
    bytes.copy(this.#buffer, at);
  }

  scalar(kind: ScalarKind, value: Scalar): void {
    if (kind === 'string') {
      this.string(String(value));
      return;
    }
    const bytes = SCALAR_BYTES[kind];
    const at = this.#room(bytes);
    const number = Number(value);
    if (kind === 'u64') this.#buffer.writeBigUInt64LE(BigInt(value), at);
    else if (kind === 'f32') this.#buffer.writeFloatLE(number, at);
    else if (kind === 'f64') this.#buffer.writeDoubleLE(number, at);
    else if (kind === 'i64') this.#buffer.writeBigInt64LE(BigInt(value), at);
    else if (kind === 'i8' || kind === 'i16' || kind === 'i32') this.#buffer.writeIntLE(number, at, bytes);
    else this.#buffer.writeUIntLE(number, at, bytes);
  }
}

/** Bytes of each kind of value whose size is fixed. */
export const SCALAR_BYTES = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  bool: 1,
  u64: 8,
  i64: 8,
  f64: 8,
} as const satisfies Record<Exclude<ScalarKind, 'string'>, number>;
