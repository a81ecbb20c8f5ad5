/**
 * Keeps a memory on disk in one file: a head with version and checksum, then JSON, then the arrays as they are. Written
 * beside and renamed, so that a reader sees the old or the new one. A file that is not whole is no memory, never an
 * error.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ContextIndex } from '../engine/context-index.ts';
import type { FileRecord } from './file-record.ts';
import { type KnownFile, Memory } from './memory.ts';
import { kinds, Vocabulary } from './vocabulary.ts';

/** Changes whenever lexing, records or the layout of the file change. */
const version = 4;
const magic = 'mochi-index';
const headLength = 128;
/** Bytes that are summed up before others get their turn. */
const slice = 1 << 22;

interface Body {
  readonly words: readonly string[];
  readonly kinds: string;
  readonly classes: string;
  readonly files: readonly { readonly record: FileRecord; readonly from: number; readonly to: number }[];
  readonly leftOut: readonly (readonly [string, number])[];
  readonly lengths: readonly number[];
}

const bytesOf = (array: Int32Array | Uint16Array | Uint8Array): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
const padded = (length: number): number => Math.ceil(length / 8) * 8;

/** Writes a memory without loose files. Throws what the file system throws; the older file then stays. */
export async function saveMemory(path: string, memory: Memory): Promise<void> {
  const { base, syntax, vocabulary } = memory;
  const arrays = [base.tokens, base.gaps, base.order, base.buckets, syntax.order, syntax.buckets];
  const body: Body = {
    words: vocabulary.words,
    kinds: Buffer.from(vocabulary.kindOf.subarray(0, vocabulary.size)).toString('base64'),
    classes: Buffer.from(bytesOf(vocabulary.classOf.slice(0, vocabulary.size))).toString('base64'),
    files: [...memory.files.values()].map(({ record, from, to }) => ({ record, from, to })),
    leftOut: [...memory.leftOut],
    lengths: arrays.map((array) => array.byteLength),
  };
  const json = Buffer.from(JSON.stringify(body));
  const parts = [json, ...arrays.map(bytesOf)];
  const hash = createHash('sha256');
  for (const part of parts) {
    for (let at = 0; at < part.length; at += slice) {
      hash.update(part.subarray(at, at + slice));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const head = Buffer.alloc(headLength, 32);
  head.write(`${magic} ${version} ${json.length} ${hash.digest('hex')}\n`);
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.${Date.now()}.tmp`;
  try {
    const handle = await open(beside, 'wx', 0o600);
    try {
      for (const part of [head, ...parts]) await writeAll(handle, part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function writeAll(handle: Awaited<ReturnType<typeof open>>, part: Uint8Array): Promise<void> {
  const zeros = new Uint8Array(padded(part.length) - part.length);
  for (let at = 0; at < part.length; at += 16_777_216) await handle.writeFile(part.subarray(at, at + 16_777_216));
  if (zeros.length > 0) await handle.writeFile(zeros);
}

/** The memory kept at `path`; undefined where there is none, or it is of another version, or broken. */
export async function loadMemory(path: string): Promise<Memory | undefined> {
  const file = await readFile(path).catch(() => undefined);
  if (file === undefined || file.length < headLength) return undefined;
  const [found, made, length, sum] = file.subarray(0, headLength).toString('latin1').trim().split(' ');
  if (found !== magic || made !== String(version)) return undefined;
  try {
    return parse(file, Number(length), sum ?? '');
  } catch {
    // The checksum held, so this is a file somebody made; it is learned anew like any other broken one.
    return undefined;
  }
}

function parse(file: Buffer, jsonLength: number, sum: string): Memory | undefined {
  if (!(jsonLength > 0) || headLength + jsonLength > file.length) return undefined;
  const json = file.subarray(headLength, headLength + jsonLength);
  const hash = createHash('sha256').update(json);
  const body = bodyOf(JSON.parse(json.toString('utf8')));
  if (body === undefined) return undefined;
  const parts: Uint8Array[] = [];
  let at = headLength + padded(jsonLength);
  for (const length of body.lengths) {
    const part = file.subarray(at, at + length);
    if (part.length !== length) return undefined;
    hash.update(part);
    parts.push(part);
    at += padded(length);
  }
  if (hash.digest('hex') !== sum) return undefined;
  return assemble(body, parts);
}

/** Its checksum says who wrote it; this only keeps another shape from going further. */
function bodyOf(value: unknown): Body | undefined {
  const isBody = (it: unknown): it is Body =>
    typeof it === 'object' &&
    it !== null &&
    'words' in it &&
    Array.isArray(it.words) &&
    'files' in it &&
    Array.isArray(it.files) &&
    'lengths' in it &&
    Array.isArray(it.lengths) &&
    it.lengths.length === 6;
  return isBody(value) ? value : undefined;
}

function assemble(body: Body, parts: readonly Uint8Array[]): Memory {
  const vocabulary = new Vocabulary();
  const kindOf = Buffer.from(body.kinds, 'base64');
  for (let id = 1; id < body.words.length; id += 1) {
    const word = body.words[id] ?? '';
    vocabulary.intern(word, 0, word.length, kindOf[id] ?? kinds.word);
  }
  const classes = Buffer.from(body.classes, 'base64');
  vocabulary.restoreClasses(Uint16Array.from({ length: classes.length >> 1 }, (_, at) => classes.readUInt16LE(at * 2)));
  const ints = (at: number): Int32Array => {
    const part = parts[at] ?? new Uint8Array(0);
    if (part.byteOffset % 4 === 0) return new Int32Array(part.buffer, part.byteOffset, part.byteLength / 4);
    const copy = new Uint8Array(part);
    return new Int32Array(copy.buffer);
  };
  const tokens = ints(0);
  const gaps = parts[1] ?? new Uint8Array(0);
  const base = new ContextIndex(tokens, gaps, ints(2), ints(3));
  const syntax = new ContextIndex(vocabulary.classesOf(tokens), gaps, ints(4), ints(5));
  const files = new Map<string, KnownFile>(body.files.map((file) => [file.record.path, file]));
  return new Memory(vocabulary, base, syntax, files, new Map(body.leftOut));
}
