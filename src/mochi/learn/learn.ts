/**
 * Learns a folder: crawls it, reads and lexes its files, sorts their contexts. Can be stopped, says how far it is, and
 * learns single files again when they change. Where the result is kept, others decide.
 */
import { readFileSync } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ContextIndex } from '../engine/context-index.ts';
import { type CrawledFile, type CrawlOptions, crawl, isWanted, type LeftOutReason, refusalOf } from './crawl.ts';
import { type FileRecord, learnText } from './file-record.ts';
import { collectGarbage } from './garbage.ts';
import { TokenBuffer } from './lexer.ts';
import { type KnownFile, Memory } from './memory.ts';
import { sourceText } from './source-text.ts';
import { Vocabulary } from './vocabulary.ts';

export interface LearnProgress {
  readonly stage: 'looking' | 'reading' | 'sorting';
  readonly done: number;
  readonly total: number;
}

export interface LearnOptions extends CrawlOptions {
  readonly onProgress?: (progress: LearnProgress) => void;
  /** Tokens; files beyond are left out as `too large`. */
  readonly mostTokens?: number;
}

const atOnce = 16;
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function textOf(path: string): string | undefined {
  try {
    return sourceText(readFileSync(path));
  } catch {
    return undefined;
  }
}

/** Learns all of `root`. Rejects with the signal's reason once that is aborted. */
export async function learnFolder(root: string, options: LearnOptions, signal: AbortSignal): Promise<Memory> {
  options.onProgress?.({ stage: 'looking', done: 0, total: 0 });
  const { files, leftOut } = await crawl(root, options, signal);
  const learning = new Learning(
    options.mostTokens ?? 30_000_000,
    files.reduce((sum, file) => sum + file.size, 0),
  );
  const leave = (reason: Parameters<typeof leftOut.set>[0]): void => {
    leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
  };
  for (let at = 0; at < files.length; at += atOnce) {
    signal.throwIfAborted();
    const some = files.slice(at, at + atOnce);
    // Small batches read at once take a fraction of the time that waiting for each file takes.
    const texts = some.map((file) => textOf(join(root, file.path)));
    for (const [place, file] of some.entries()) {
      const text = texts[place];
      const refusal = text === undefined ? 'unreadable' : refusalOf(text);
      if (text === undefined || refusal !== undefined) leave(refusal ?? 'unreadable');
      else if (!learning.add(file, text)) leave('too large');
    }
    options.onProgress?.({ stage: 'reading', done: Math.min(files.length, at + atOnce), total: files.length });
    await pause();
  }
  options.onProgress?.({ stage: 'sorting', done: files.length, total: files.length });
  await pause();
  signal.throwIfAborted();
  return learning.finish(leftOut);
}

class Learning {
  readonly #vocabulary = new Vocabulary();
  readonly #tokens: TokenBuffer;
  readonly #files = new Map<string, KnownFile>();
  readonly #mostTokens: number;

  constructor(mostTokens: number, bytes: number) {
    this.#mostTokens = mostTokens;
    // Room that is never written to costs nothing, but growing costs twice the room.
    this.#tokens = new TokenBuffer(Math.min(mostTokens, Math.ceil(bytes / 4)) + 1024, false);
  }

  add(file: CrawledFile, text: string): boolean {
    if (this.#tokens.length >= this.#mostTokens) return false;
    const { record, tokens } = learnText(file.path, text, { size: file.size, changed: file.changed }, this.#vocabulary);
    this.#tokens.push(0, 2, 0, 0);
    const from = this.#tokens.length;
    this.#tokens.append(tokens);
    this.#files.set(file.path, { record, from, to: this.#tokens.length });
    return true;
  }

  finish(leftOut: ReadonlyMap<string, number>): Memory {
    const { length } = this.#tokens;
    const tokens = this.#tokens.ids.subarray(0, length);
    const gaps = this.#tokens.gaps.subarray(0, length);
    collectGarbage();
    const room = {};
    const base = ContextIndex.build(tokens, gaps, this.#vocabulary.size, room);
    const syntax = ContextIndex.build(this.#vocabulary.classesOf(tokens), gaps, this.#vocabulary.classes, room);
    return new Memory(this.#vocabulary, base, syntax, this.#files, leftOut);
  }
}

/**
 * Learns one file again, or forgets it where it is gone or no longer wanted. Returns whether anything changed; `leave`
 * gets the reason where what stands in the file leaves it out.
 */
export async function relearnFile(
  root: string,
  path: string,
  memory: Memory,
  options: CrawlOptions = {},
  leave: (reason: LeftOutReason) => void = () => {},
): Promise<boolean> {
  const known = memory.files.get(path);
  const found = await lstat(join(root, path)).catch(() => undefined);
  const isFit =
    found?.isFile() === true && found.size <= (options.largest ?? 512 * 1024) && (await isWanted(root, path));
  const bytes = isFit ? await readFile(join(root, path)).catch(() => undefined) : undefined;
  const text = bytes === undefined ? undefined : sourceText(bytes);
  const refusal = text === undefined ? 'unreadable' : refusalOf(text);
  if (text === undefined || found === undefined || refusal !== undefined) {
    if (isFit) leave(refusal ?? 'unreadable');
    if (known === undefined) return false;
    memory.replace(path, undefined);
    return true;
  }
  if (known !== undefined && known.record.size === found.size && known.record.changed === found.mtimeMs) return false;
  const { record, tokens } = learnText(path, text, { size: found.size, changed: found.mtimeMs }, memory.vocabulary);
  const own = { ids: tokens.ids.slice(0, tokens.length), gaps: tokens.gaps.slice(0, tokens.length) };
  memory.replace(path, { record, own });
  return true;
}

/** The paths that are new, changed or gone since a memory was made, and what a crawl leaves out by now. */
export async function changesSince(
  root: string,
  memory: Memory,
  options: CrawlOptions,
  signal: AbortSignal,
): Promise<{ readonly paths: readonly string[]; readonly leftOut: Map<LeftOutReason, number> }> {
  const { files, leftOut } = await crawl(root, options, signal);
  const seen = new Map(files.map((file) => [file.path, file]));
  const isOld = (record: FileRecord, file: CrawledFile): boolean =>
    record.size !== file.size || record.changed !== file.changed;
  const gone = [...memory.files.keys()].filter((path) => !seen.has(path));
  const changed = files.filter((file) => {
    const known = memory.files.get(file.path);
    return known !== undefined && isOld(known.record, file);
  });
  const added = files.filter((file) => !memory.files.has(file.path));
  return { paths: [...gone, ...changed.map((file) => file.path), ...added.map((file) => file.path)], leftOut };
}
