/**
 * Keeps what changed since the index was kept, in a small file beside it: writing a few files again takes milliseconds,
 * writing the whole index takes seconds. It belongs to one index, named by its checksum; beside any other, or broken, it
 * counts for nothing. Written beside and renamed, so that two Mochis can share it.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileRecord } from './file-record.ts';
import type { Memory } from './memory.ts';
import { kinds } from './vocabulary.ts';

/** Changes whenever records or the layout of the file change. */
const version = 1;
const magic = 'mochi-changes';
const headLength = 256;

/** Which index lies on disk, and how many words it knows: what comes after them is kept with the changes. */
export interface KeptIndex {
  /** The first line of its file: version, length and checksum. */
  readonly head: string;
  readonly words: number;
}

/** The first line of the kept index; undefined where there is none. Says nothing about whether the file is whole. */
export async function headOf(path: string): Promise<string | undefined> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
    const head = buffer.subarray(0, bytesRead).toString('latin1');
    return head.includes('\n') ? head.slice(0, head.indexOf('\n')) : undefined;
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

/** Whether two heads are of indexes that the same Mochi could have written. */
export const isAlike = (one: string, two: string): boolean =>
  one.split(' ', 2).join(' ') === two.split(' ', 2).join(' ');

const changesFile = (path: string): string => `${path.replace(/\.index$/, '')}.changes`;

interface Body {
  /** The head of the index that this belongs to. */
  readonly of: string;
  readonly words: readonly string[];
  readonly kinds: readonly number[];
  readonly gone: readonly string[];
  readonly files: readonly { readonly record: FileRecord; readonly tokens: number }[];
}

/** Writes what `memory` knows beyond the index kept at `path`. Throws what the file system throws. */
export async function saveChanges(path: string, memory: Memory, kept: KeptIndex): Promise<void> {
  const { vocabulary, files } = memory;
  const changed = [...new Set(memory.changes)];
  const loose = changed.map((file) => files.get(file)).filter((file) => file?.own !== undefined);
  const words: string[] = [];
  const wordKinds: number[] = [];
  for (let id = kept.words; id < vocabulary.size; id += 1) {
    words.push(vocabulary.textOf(id));
    wordKinds.push(vocabulary.kind(id));
  }
  const parts: Uint8Array[] = [];
  const records = loose.flatMap((file) => {
    if (file?.own === undefined) return [];
    const { ids, gaps } = file.own;
    parts.push(new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength), gaps);
    return [{ record: file.record, tokens: ids.length }];
  });
  const gone = changed.filter((file) => !files.has(file));
  const body: Body = { of: kept.head, words, kinds: wordKinds, gone, files: records };
  const json = Buffer.from(JSON.stringify(body));
  const hash = createHash('sha256');
  for (const part of [json, ...parts]) hash.update(part);
  const head = Buffer.alloc(headLength, 32);
  head.write(`${magic} ${version} ${json.length} ${hash.digest('hex')}\n`);
  await putWhole(changesFile(path), Buffer.concat([head, json, ...parts]));
}

async function putWhole(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const beside = `${path}.${process.pid}.${Date.now()}.tmp`;
  try {
    const handle = await open(beside, 'wx', 0o600);
    try {
      await handle.writeFile(bytes);
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

/** Takes up what was kept beside the index that `memory` was just loaded from. Returns how many files that were. */
export async function loadChanges(path: string, memory: Memory, kept: KeptIndex): Promise<number> {
  const file = await readFile(changesFile(path)).catch(() => undefined);
  if (file === undefined || file.length < headLength) return 0;
  const [found, made, length, sum] = file.subarray(0, headLength).toString('latin1').trim().split(' ');
  const jsonEnd = headLength + Number(length);
  if (found !== magic || made !== String(version) || !(jsonEnd <= file.length)) return 0;
  if (createHash('sha256').update(file.subarray(headLength)).digest('hex') !== sum) return 0;
  const body = bodyOf(JSON.parse(file.subarray(headLength, jsonEnd).toString('utf8')));
  if (body === undefined || body.of !== kept.head || memory.vocabulary.size !== kept.words) return 0;
  apply(body, file.subarray(jsonEnd), memory);
  return body.files.length + body.gone.length;
}

/** Its checksum says who wrote it; this only keeps another shape from going further. */
function bodyOf(value: unknown): Body | undefined {
  const isBody = (it: unknown): it is Body =>
    typeof it === 'object' && it !== null && 'of' in it && 'words' in it && Array.isArray(it.words);
  return isBody(value) ? value : undefined;
}

function apply({ words, kinds: wordKinds, gone, files }: Body, tokens: Uint8Array, memory: Memory): void {
  words.forEach((word, at) => {
    memory.vocabulary.intern(word, 0, word.length, wordKinds[at] ?? kinds.word);
  });
  for (const path of gone) memory.replace(path, undefined);
  let at = 0;
  for (const { record, tokens: count } of files) {
    // Copies: they begin where the file begins, as wide numbers must, and let go of the rest.
    const ids = new Int32Array(new Uint8Array(tokens.subarray(at, at + 4 * count)).buffer);
    const gaps = new Uint8Array(tokens.subarray(at + 4 * count, at + 5 * count));
    memory.replace(record.path, { record, own: { ids, gaps } });
    at += 5 * count;
  }
}
