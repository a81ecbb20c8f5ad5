/**
 * Reads what stands before the tensors of a GGUF file, and checks it: sizes, counts, kinds, and that every tensor lies
 * inside of the file. Long arrays (a vocabulary) are counted and not kept. It never reads weights.
 */
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { OperationError } from '#core/problem.ts';
import {
  aligned,
  GGUF_ALIGNMENT,
  GGUF_MAGIC,
  GGUF_VERSION,
  SCALAR_BYTES,
  type Scalar,
  type ScalarKind,
  VALUE_KINDS,
} from './gguf.ts';

/** A value as read; of an array longer than what was asked for only the length is there. */
export type ReadValue =
  | { readonly kind: ScalarKind; readonly value: Scalar }
  | {
      readonly kind: 'array';
      readonly of: ScalarKind | 'array';
      readonly length: number;
      readonly values?: readonly Scalar[];
    };

export interface ReadTensor {
  readonly name: string;
  /** Fastest running first. */
  readonly sizes: readonly number[];
  /** The format's number of the kind of the values. */
  readonly kind: number;
  /** From the start of the file. */
  readonly start: number;
}

export interface GgufHeader {
  readonly version: number;
  readonly metadata: ReadonlyMap<string, ReadValue>;
  readonly tensors: ReadonlyMap<string, ReadTensor>;
  /** Where the header ends and the content of the tensors begins. */
  readonly start: number;
  /** Bytes of the whole file. */
  readonly size: number;
}

export interface HeaderOptions {
  /** Arrays of at most so many values are kept. */
  readonly longestArray?: number;
}

const FIRST_READ = 1 << 18;
/** The header of a model of today is below 10 MB, nearly all of it vocabulary. */
const LARGEST_HEADER = 256 * 2 ** 20;
const MOST_ENTRIES = 65_536;
/** Values and bytes of a block, by the format's number; kinds that are not here are not measured. */
const BLOCKS: ReadonlyMap<number, readonly [number, number]> = new Map([
  [0, [1, 4]],
  [1, [1, 2]],
  [2, [32, 18]],
  [3, [32, 20]],
  [6, [32, 22]],
  [7, [32, 24]],
  [8, [32, 34]],
  [10, [256, 84]],
  [11, [256, 110]],
  [12, [256, 144]],
  [13, [256, 176]],
  [14, [256, 210]],
  [30, [1, 2]],
]);

/** Throws OperationError `not-found` or `io`, which names the file and what is wrong with it. */
export async function readGgufHeader(file: string, options: HeaderOptions = {}): Promise<GgufHeader> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new OperationError('not-found', `The model file ${basename(file)} cannot be opened.`, {
      remedy: 'Name a GGUF file that exists and can be read.',
      cause,
    });
  });
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw broken(file, 'it is no regular file');
    for (let length = FIRST_READ; ; length *= 4) {
      const wanted = Math.min(length, found.size, LARGEST_HEADER);
      const bytes = Buffer.alloc(wanted);
      const { bytesRead } = await handle.read(bytes, 0, wanted, 0);
      try {
        return parse(bytes.subarray(0, bytesRead), found.size, options);
      } catch (error) {
        if (error instanceof Broken) throw broken(file, error.message);
        if (!(error instanceof EndOfBytes)) throw error;
        if (bytesRead < wanted || wanted === found.size) throw broken(file, 'it ends inside of its header');
        if (wanted === LARGEST_HEADER) throw broken(file, 'its header is larger than any model needs');
      }
    }
  } finally {
    await handle.close();
  }
}

class EndOfBytes extends Error {}
class Broken extends Error {}

function broken(file: string, why: string): OperationError {
  return new OperationError('io', `${basename(file)} is no whole GGUF file: ${why}.`, {
    remedy: 'Fetch or make the file again.',
  });
}

function parse(bytes: Buffer, size: number, { longestArray = 64 }: HeaderOptions): GgufHeader {
  const cursor = new Cursor(bytes, size);
  if (size < 24) throw new Broken('it is too short');
  if (cursor.u32() !== GGUF_MAGIC) throw new Broken('it does not begin as one');
  const version = cursor.u32();
  if (version === 0x0300_0000) throw new Broken('it is for machines of the other byte order');
  if (version !== 2 && version !== GGUF_VERSION) throw new Broken(`its version ${version} is not known`);
  const tensorCount = cursor.count(MOST_ENTRIES);
  const valueCount = cursor.count(MOST_ENTRIES);
  const metadata = new Map<string, ReadValue>();
  for (let at = 0; at < valueCount; at += 1) {
    const key = cursor.string(65_535);
    if (metadata.has(key)) throw new Broken(`the key ${shown(key)} is there twice`);
    metadata.set(key, readValue(cursor, longestArray));
  }
  const given = metadata.get('general.alignment');
  const alignment = given === undefined ? GGUF_ALIGNMENT : given.kind === 'array' ? 0 : Number(given.value);
  if (!(alignment >= 8 && alignment <= 65_536 && Number.isInteger(Math.log2(alignment))))
    throw new Broken('its alignment is not possible');
  const tensors: ReadTensor[] = [];
  for (let at = 0; at < tensorCount; at += 1) tensors.push(readTensor(cursor));
  const start = aligned(cursor.at, alignment);
  const placed = new Map<string, ReadTensor>();
  for (const tensor of tensors) {
    if (placed.has(tensor.name)) throw new Broken(`the tensor ${shown(tensor.name)} is there twice`);
    const from = start + tensor.start;
    if (tensor.start % alignment !== 0) throw new Broken(`the tensor ${shown(tensor.name)} begins at an odd place`);
    if (from + bytesOf(tensor) > size) throw new Broken(`the tensor ${shown(tensor.name)} ends beyond it`);
    placed.set(tensor.name, { ...tensor, start: from });
  }
  return { version, metadata, tensors: placed, start, size };
}

const shown = (name: string): string => JSON.stringify(name.slice(0, 100));

function bytesOf({ kind, sizes }: ReadTensor): number {
  const block = BLOCKS.get(kind);
  if (block === undefined) return 0;
  return (sizes.reduce((product, size) => product * size, 1) / block[0]) * block[1];
}

function readTensor(cursor: Cursor): ReadTensor {
  const name = cursor.string(1024);
  const dimensions = cursor.u32();
  if (dimensions > 4) throw new Broken(`the tensor ${shown(name)} has ${dimensions} dimensions`);
  const sizes: number[] = [];
  for (let at = 0; at < dimensions; at += 1) sizes.push(cursor.count(2 ** 40));
  if (sizes.reduce((product, size) => product * size, 1) > 2 ** 50)
    throw new Broken(`the tensor ${shown(name)} is larger than possible`);
  return { name, sizes, kind: cursor.u32(), start: cursor.count(Number.MAX_SAFE_INTEGER) };
}

function kindOf(number: number): (typeof VALUE_KINDS)[number] {
  const kind = VALUE_KINDS[number];
  if (kind === undefined) throw new Broken(`it holds a value of the unknown kind ${number}`);
  return kind;
}

function readValue(cursor: Cursor, longestArray: number): ReadValue {
  const kind = kindOf(cursor.u32());
  if (kind !== 'array') return { kind, value: cursor.scalar(kind) };
  const of = kindOf(cursor.u32());
  const length = cursor.count(cursor.size);
  if (of === 'array') {
    for (let at = 0; at < length; at += 1) {
      const inner = kindOf(cursor.u32());
      if (inner === 'array') throw new Broken('it nests arrays too deeply');
      cursor.skipScalars(inner, cursor.count(cursor.size));
    }
    return { kind, of, length };
  }
  if (length > longestArray) {
    cursor.skipScalars(of, length);
    return { kind, of, length };
  }
  const values: Scalar[] = [];
  for (let at = 0; at < length; at += 1) values.push(cursor.scalar(of));
  return { kind, of, length, values };
}

/** Reads one thing after the other; throws EndOfBytes where more of the file is needed. */
class Cursor {
  readonly #bytes: Buffer;
  /** Of the whole file. */
  readonly size: number;
  at = 0;

  constructor(bytes: Buffer, size: number) {
    this.#bytes = bytes;
    this.size = size;
  }

  #take(bytes: number): number {
    const { at } = this;
    if (at + bytes > this.size) throw new Broken('it ends inside of its header');
    if (at + bytes > this.#bytes.length) throw new EndOfBytes();
    this.at += bytes;
    return at;
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  /** A 64-bit number that must be at most `most`. */
  count(most: number): number {
    const value = this.#bytes.readBigUInt64LE(this.#take(8));
    if (value > BigInt(most)) throw new Broken(`it claims ${value} of something, which is not possible`);
    return Number(value);
  }

  string(longest: number): string {
    const length = this.count(this.size);
    if (length > longest) throw new Broken('a name in it is longer than possible');
    const at = this.#take(length);
    return this.#bytes.toString('utf8', at, at + length);
  }

  scalar(kind: ScalarKind): Scalar {
    if (kind === 'string') return this.string(this.size);
    const length = SCALAR_BYTES[kind];
    const at = this.#take(length);
    if (kind === 'bool') return this.#bytes[at] !== 0;
    if (kind === 'f32') return this.#bytes.readFloatLE(at);
    if (kind === 'f64') return this.#bytes.readDoubleLE(at);
    if (kind === 'u64') return exact(this.#bytes.readBigUInt64LE(at));
    if (kind === 'i64') return exact(this.#bytes.readBigInt64LE(at));
    if (kind === 'i8' || kind === 'i16' || kind === 'i32') return this.#bytes.readIntLE(at, length);
    return this.#bytes.readUIntLE(at, length);
  }

  skipScalars(kind: ScalarKind, count: number): void {
    if (kind !== 'string') {
      this.#take(SCALAR_BYTES[kind] * count);
      return;
    }
    for (let at = 0; at < count; at += 1) this.#take(this.count(this.size));
  }
}

function exact(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
