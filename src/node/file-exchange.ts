/**
 * Replaces a few small text files together, if each is still what it was when a person agreed: all are checked before
 * any is written, a written file is whole from the moment it has its name, and a failure puts back what was replaced.
 */
import { lstat, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { OperationError } from '#core/problem.ts';

export interface Exchange {
  /** Absolute. */
  readonly path: string;
  /** Undefined where there is, or is to be, no file. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Undefined where there is no file. Throws OperationError `io` for what is none of ours to change: a link, a folder, no UTF-8. */
export async function readText(path: string, limit: number): Promise<string | undefined> {
  const found = await lstat(path).catch(missing);
  if (found === undefined) return undefined;
  // A link may lead out of the workspace.
  if (!found.isFile() || found.size > limit) throw new OperationError('io', 'Not a file of text.');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    throw new OperationError('io', 'Not a file of text.', { cause: error });
  }
}

/**
 * In the order given, so that what gains a text may come before what loses it. Throws OperationError `conflict` where a
 * file is another by now, and `io`; the files are as before then.
 */
export async function exchange(files: readonly Exchange[], limit: number): Promise<void> {
  for (const { path, before } of files)
    if ((await readText(path, limit)) !== before)
      throw new OperationError('conflict', 'A file changed in the meantime.', { remedy: 'Try again.' });
  const done: Exchange[] = [];
  try {
    for (const file of files) {
      if (file.after !== file.before) await put(file.path, file.after);
      done.push(file);
    }
  } catch (error) {
    for (const { path, before, after } of done.reverse()) if (after !== before) await put(path, before);
    throw new OperationError('io', 'A file could not be written.', { cause: error });
  }
}

async function put(path: string, text: string | undefined): Promise<void> {
  if (text === undefined) return rm(path, { force: true });
  const mode = (await lstat(path).catch(missing))?.mode;
  const aside = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(aside, text, { flag: 'wx', ...(mode === undefined ? {} : { mode: mode & 0o777 }) });
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw new OperationError('io', 'A file cannot be read.', { cause: error });
}
