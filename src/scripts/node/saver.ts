/** Chooses names for results and writes them: never over another file, except where the caller said exactly which. */
import { closeSync, existsSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Fault, oneLine } from './fault.ts';
import { extensionOfType, hasExtension, safeName, splitName, timeStamp } from './file-names.ts';
import type { Options } from './options.ts';
import { codeOf } from './server-config.ts';

/** A file that was saved, as it appears in `--json`. */
export interface SavedFile {
  readonly type: 'file';
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: number;
  readonly url?: string;
  readonly uri?: string;
}

/** What is known about the next file before it is written. */
export interface FileHints {
  /** Its own name, made safe; without one it is named for the tool. */
  readonly name?: string | undefined;
  /** With its dot. */
  readonly extension: string;
  /** Id of the job it belongs to. */
  readonly id?: string | undefined;
}

interface Goal {
  readonly path: string;
  readonly exact: boolean;
}

const TRIES = 10_000;

export class Saver {
  readonly saved: SavedFile[] = [];
  readonly #options: Options;
  readonly #label: string;
  #total: number;
  #count = 0;

  /** `label` names files without a name of their own; `total` is how many files the result will have. */
  constructor(options: Options, label: string, total: number) {
    this.#options = options;
    this.#label = safeName(label) || 'output';
    this.#total = total;
  }

  /** One more file than was counted at first. */
  expect(): void {
    if (this.#total > 0) this.#total += 1;
  }

  /** Writes a file piece by piece; a failure half way leaves nothing behind. */
  async write(
    hints: FileHints,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    mime: string,
    from: { readonly url?: string; readonly uri?: string } = {},
  ): Promise<SavedFile> {
    const place = this.#create(this.#goal(hints));
    let size = 0;
    try {
      for await (const chunk of chunks) {
        for (let at = 0; at < chunk.length; ) at += writeSync(place.descriptor, chunk, at);
        size += chunk.length;
      }
      closeSync(place.descriptor);
      if (place.written !== place.path) renameSync(place.written, place.path);
    } catch (error) {
      tryClose(place.descriptor);
      rmSync(place.written, { force: true });
      throw isSystemError(error) ? cannotWrite(place.path, error) : error;
    }
    const mimeType = mime === '' ? 'application/octet-stream' : mime;
    const file: SavedFile = { type: 'file', path: place.path, mimeType, bytes: size, ...from };
    this.saved.push(file);
    return file;
  }

  #goal(hints: FileHints): Goal {
    this.#count += 1;
    const number = this.#total > 1 ? `_${this.#count}` : '';
    const { outputFile, output } = this.#options;
    if (outputFile !== undefined) {
      const [stem, own] = splitName(outputFile);
      const path = `${stem}${number}${own === '' ? hints.extension : own}`;
      return {
        path: dirname(outputFile) === '.' && !/^\.[\\/]/.test(outputFile) ? join(output, path) : path,
        exact: true,
      };
    }
    if (this.#options.autoFilename && hints.id !== undefined && hints.id !== '') {
      const stem = `${safeName(hints.id.slice(0, 8)) || 'output'}_${timeStamp(new Date())}${number}`;
      return { path: join(output, stem + hints.extension), exact: false };
    }
    if (hints.name !== undefined) {
      const name = hasExtension(hints.name) ? hints.name : hints.name + hints.extension;
      return { path: join(output, name), exact: false };
    }
    for (;;) {
      const path = join(output, `${this.#label}_${this.#count}${hints.extension}`);
      if (!existsSync(path)) return { path, exact: false };
      this.#count += 1;
    }
  }

  #create(goal: Goal): { readonly descriptor: number; readonly path: string; readonly written: string } {
    const path = normalize(goal.path);
    try {
      mkdirSync(dirname(path), { recursive: true });
      if (goal.exact) return { descriptor: openSync(`${path}.part`, 'w'), path, written: `${path}.part` };
      const [stem, extension] = splitName(path);
      for (let number = 0; number < TRIES; number += 1) {
        const candidate = number === 0 ? path : `${stem}_${number}${extension}`;
        try {
          return { descriptor: openSync(candidate, 'wx'), path: candidate, written: candidate };
        } catch (error) {
          if (codeOf(error) !== 'EEXIST') throw error;
        }
      }
    } catch (error) {
      throw cannotWrite(path, error);
    }
    throw new Fault('io', `too many files are named like ${path}`, { remedy: 'Choose another folder with --output' });
  }
}

function tryClose(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // It was closed before the failure.
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'errno' in error && !('type' in error);
}

function cannotWrite(path: string, error: unknown): Fault {
  return new Fault('io', `cannot write ${path} (${codeOf(error)})`, {
    remedy: 'Choose another folder with --output',
    cause: error,
  });
}

/** The line that tells about a saved file. */
export function savedLine(file: SavedFile): string {
  return `saved: ${oneLine(file.path, 1000)} (${oneLine(file.mimeType, 100)}, ${file.bytes} bytes)`;
}

/** The extension for bytes of a type. */
export function extensionFor(mime: string): string {
  return extensionOfType(mime) || '.bin';
}
