/**
 * The `Files` port over the file system. Reads regular files only, checks and reads the same handle, never waits for a
 * pipe, and can be confined to folders. It never writes.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { FileStat, Files } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';

export interface FilesOptions {
  /**
   * Workspace folders, absolute. A path that lies in one of them, as written, must also lie in one of them once its
   * links are followed; otherwise OperationError `outside-root`. Other paths are not confined.
   */
  readonly confineTo?: readonly string[];
}

/** Missing files and folders are undefined or empty. Throws OperationError `io` or `outside-root`. */
export function createFiles(options: FilesOptions = {}): Files {
  const roots = (options.confineTo ?? []).map((root) => resolve(root));
  return {
    stat: (path) => guarded(path, () => statOf(path, roots)),
    read: (path, limit) => guarded(path, () => readRegular(path, limit, roots)),
    list: async (path) => (await guarded(path, () => listOf(path, roots))) ?? [],
  };
}

async function statOf(path: string, roots: readonly string[]): Promise<FileStat> {
  await confine(path, roots);
  const found = await stat(path);
  return { kind: found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other', size: found.size };
}

async function listOf(path: string, roots: readonly string[]): Promise<readonly string[]> {
  await confine(path, roots);
  return (await readdir(path)).sort();
}

async function readRegular(path: string, limit: number, roots: readonly string[]): Promise<Uint8Array> {
  await confine(path, roots);
  // Opening a device can have effects, so what is no file is not even opened.
  if (!(await stat(path)).isFile()) throw new OperationError('io', 'Not a regular file');
  // Without waiting: a pipe put in the file's place in the meantime must not block.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const found = await handle.stat({ bigint: true });
    if (!found.isFile()) throw new OperationError('io', 'Not a regular file');
    if (found.size > BigInt(limit)) throw new OperationError('io', `Larger than ${limit} bytes`);
    const real = await confine(path, roots);
    if (real !== undefined) {
      const inside = await stat(real, { bigint: true });
      if (inside.ino !== found.ino || inside.dev !== found.dev) {
        throw new OperationError('io', 'The file was replaced while it was being opened');
      }
    }
    return await readAtMost(handle, Number(found.size), limit);
  } finally {
    await handle.close();
  }
}

/** The size is a hint: files grow, and those of virtual file systems claim to be empty. */
async function readAtMost(handle: FileHandle, size: number, limit: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(Math.min(Math.max(size - total, 0) + 1, 1_048_576));
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, null);
    if (bytesRead === 0) return new Uint8Array(Buffer.concat(chunks, total));
    total += bytesRead;
    if (total > limit) throw new OperationError('io', `Larger than ${limit} bytes`);
    chunks.push(chunk.subarray(0, bytesRead));
  }
}

/** The real path of one that lies in a root, after checking that it stays inside; undefined where nothing is confined. */
async function confine(path: string, roots: readonly string[]): Promise<string | undefined> {
  const absolute = resolve(path);
  if (!roots.some((root) => isInside(absolute, root))) return undefined;
  const real = await realpath(absolute);
  for (const root of roots) if (isInside(real, await realpath(root).catch(() => root))) return real;
  throw new OperationError('outside-root', 'The path leads out of its folder');
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Turns what is missing into undefined and every other failure into OperationError. */
async function guarded<T>(path: string, work: () => Promise<T>): Promise<T | undefined> {
  if (path.includes('\0')) throw new OperationError('io', 'A path cannot hold a null character');
  try {
    return await work();
  } catch (error) {
    if (OperationError.is(error)) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new OperationError('io', `The path cannot be read (${code})`, { cause: error });
  }
}
