/**
 * The folder of a data set: written aside, put in its place when it is whole, and never over anything that is no data
 * set. What the samples are, others decide.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { isDatasetStatistics, STATISTICS_FILE } from '#protocol/dataset.ts';

/** Characters gathered before they are written. */
const BATCH = 1 << 20;

export interface DatasetOutput {
  /** Appends one line of JSON; `name` is a path below the folder with forward slashes. */
  line(name: string, value: unknown): Promise<void>;
  /** Puts the folder in its place. */
  finish(statistics: unknown): Promise<void>;
  /** Takes away what was written so far. */
  discard(): Promise<void>;
}

/** Throws OperationError `conflict` or `io`, before anything is written, where the folder cannot be had. */
export async function openOutput(folder: string, isForced: boolean): Promise<DatasetOutput> {
  await checkPlace(folder, isForced);
  const aside = `${folder}.${randomUUID()}.part`;
  await mkdir(dirname(folder), { recursive: true })
    .then(() => mkdir(aside))
    .catch((cause: unknown) => {
      throw new OperationError('io', `${dirname(folder)} cannot be written to.`, {
        remedy: 'Name another folder with --output.',
        cause,
      });
    });
  const files = new Map<string, LineFile>();
  return {
    async line(name, value) {
      let file = files.get(name);
      if (file === undefined) {
        await mkdir(dirname(join(aside, name)), { recursive: true });
        file = new LineFile(await open(join(aside, name), 'wx'));
        files.set(name, file);
      }
      await file.add(`${JSON.stringify(value)}\n`);
    },
    async finish(statistics) {
      for (const file of files.values()) await file.close();
      files.clear();
      // What was made of a code base is no part of it, and no part of what is learned from it.
      await writeFile(join(aside, '.gitignore'), '*\n');
      await writeFile(join(aside, STATISTICS_FILE), `${JSON.stringify(statistics, undefined, 2)}\n`);
      await checkPlace(folder, isForced);
      await swap(folder, aside);
    },
    async discard() {
      for (const file of files.values()) await file.close().catch(() => undefined);
      await rm(aside, { recursive: true, force: true });
    },
  };
}

async function checkPlace(folder: string, isForced: boolean): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT') return undefined;
    throw new OperationError('conflict', `${folder} is no folder.`, { remedy: 'Name another one with --output.' });
  });
  if (names === undefined || names.length === 0) return;
  if (!(await isDataset(folder)))
    throw new OperationError('conflict', `${folder} holds something other than a data set.`, {
      remedy: 'Name another folder with --output.',
    });
  if (!isForced)
    throw new OperationError('conflict', `There is a data set in ${folder}.`, {
      remedy: 'Add --force to replace it, or name another folder with --output.',
    });
}

async function isDataset(folder: string): Promise<boolean> {
  try {
    return isDatasetStatistics(JSON.parse(await readFile(join(folder, STATISTICS_FILE), 'utf8')));
  } catch {
    return false;
  }
}

/** The old folder is only gone when the new one is there. */
async function swap(folder: string, aside: string): Promise<void> {
  const old = `${folder}.${randomUUID()}.old`;
  const hadOld = await rename(folder, old).then(
    () => true,
    () => false,
  );
  try {
    await rename(aside, folder);
  } catch (cause) {
    if (hadOld) await rename(old, folder);
    throw new OperationError('io', `${folder} cannot be written.`, {
      remedy: 'Name another one with --output.',
      cause,
    });
  }
  await rm(old, { recursive: true, force: true });
}

class LineFile {
  readonly #handle: FileHandle;
  #waiting: string[] = [];
  #length = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  async add(line: string): Promise<void> {
    this.#waiting.push(line);
    this.#length += line.length;
    if (this.#length >= BATCH) await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.#handle.close();
  }

  async #flush(): Promise<void> {
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#length = 0;
    await this.#handle.appendFile(text);
  }
}
