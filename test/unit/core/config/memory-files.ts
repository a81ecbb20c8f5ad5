/** Files in memory for the tests of discovery: text, bytes, folders, things that are neither, and failures. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileStat, Files } from '#core/ports.ts';
import { OperationError, type OperationErrorKind } from '#core/problem.ts';

export type Content = string | Uint8Array | { readonly other: true } | { readonly fails: OperationErrorKind };

export interface MemoryFiles extends Files {
  /** Every path that was asked for, in order. */
  readonly asked: readonly string[];
}

export function memoryFiles(contents: Readonly<Record<string, Content>>): MemoryFiles {
  const files = new Map(Object.entries(contents));
  const asked: string[] = [];
  const isFolder = (path: string): boolean => [...files.keys()].some((key) => key.startsWith(`${path}/`));
  const bytesOf = (content: string | Uint8Array): Uint8Array =>
    typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return {
    asked,
    stat: async (path): Promise<FileStat | undefined> => {
      asked.push(path);
      const content = files.get(path);
      if (content === undefined) return isFolder(path) ? { kind: 'folder', size: 0 } : undefined;
      if (typeof content === 'object' && 'fails' in content) throw new OperationError(content.fails, 'Refused');
      if (typeof content === 'object' && 'other' in content) return { kind: 'other', size: 0 };
      return { kind: 'file', size: bytesOf(content).length };
    },
    read: async (path, limit) => {
      const content = files.get(path);
      if (content === undefined) return undefined;
      if (typeof content !== 'string' && !(content instanceof Uint8Array)) throw new OperationError('io', 'Not a file');
      const bytes = bytesOf(content);
      if (bytes.length > limit) throw new OperationError('io', 'Too large');
      return bytes;
    },
    list: async (path) => {
      const names = [...files.keys()].filter((key) => key.startsWith(`${path}/`));
      return [...new Set(names.map((key) => key.slice(path.length + 1).split('/')[0] ?? ''))].sort();
    },
  };
}

/** The files of a fixture folder, as if it lay at `at`. */
export function fixtureFiles(folder: string, at: string): Record<string, Uint8Array> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(
    files.map((name) => [`${at}/${name.replaceAll('\\', '/')}`, new Uint8Array(readFileSync(join(folder, name)))]),
  );
}
