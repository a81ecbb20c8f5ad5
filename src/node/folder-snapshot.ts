/**
 * What a skill's folder holds at one moment: its files' texts, and for each a signature that tells later whether it
 * was touched since. Refuses links and whatever is neither file nor folder; has limits on number and size.
 */
import { constants, lstatSync, readdirSync } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { outside } from './skill-path.ts';

/** Files of one skill folder; folders count too. */
export const MAX_FILES = 2000;
/** Bytes of one file. */
export const MAX_FILE_BYTES = 5 * 1024 * 1024;
/** Bytes of all files of one skill folder. */
export const MAX_TOTAL_BYTES = 50 * 1024 * 1024;

export interface Snapshot {
  /** Path with forward slashes to text; bytes that are no UTF-8 become U+FFFD. Sorted. */
  readonly files: ReadonlyMap<string, string>;
  /** Every folder inside, parents first. */
  readonly folders: readonly string[];
}

/** Reads a folder, or `undefined` where there is none. Throws `outside-root` for a link and `io` over a limit. */
export async function readSnapshot(folder: string): Promise<Snapshot | undefined> {
  const top = await lstat(folder).catch(() => undefined);
  if (top === undefined) return undefined;
  if (top.isSymbolicLink()) throw outside(`${folder} is a link.`, 'Remove the link or choose another name.');
  if (!top.isDirectory()) throw new OperationError('io', `${folder} is not a folder.`, { remedy: 'Move it away.' });
  const files = new Map<string, string>();
  const folders: string[] = [];
  const waiting = [''];
  let bytes = 0;
  for (let inner = waiting.shift(); inner !== undefined; inner = waiting.shift()) {
    const entries = await readdir(join(folder, inner), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
      if (entry.isSymbolicLink()) throw outside(`${join(folder, path)} is a link.`, 'Remove the link.');
      if (entry.isDirectory()) {
        folders.push(path);
        waiting.push(path);
      } else {
        const text = await readText(join(folder, path));
        bytes += text.bytes;
        files.set(path, text.text);
      }
      if (files.size + folders.length > MAX_FILES) throw tooLarge(`${folder} holds more than ${MAX_FILES} files`);
      if (bytes > MAX_TOTAL_BYTES) throw tooLarge(`${folder} holds more than ${MAX_TOTAL_BYTES} bytes`);
    }
  }
  return { files: new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))), folders };
}

async function readText(path: string): Promise<{ readonly text: string; readonly bytes: number }> {
  // Without O_NONBLOCK opening a FIFO would wait for a writer; O_NOFOLLOW refuses a link made since the listing.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new OperationError('io', `${path} is neither a file nor a folder.`);
    if (stat.size > MAX_FILE_BYTES) throw tooLarge(`${path} is larger than ${MAX_FILE_BYTES} bytes`);
    const content = await file.readFile();
    return { text: content.toString('utf8'), bytes: content.length };
  } finally {
    await file.close();
  }
}

/** Changes when any file inside is written, added, removed or replaced. Synchronous, for use around a commit. */
export function signatureOf(folder: string): string {
  const lines: string[] = [];
  const waiting = [''];
  for (let inner = waiting.pop(); inner !== undefined; inner = waiting.pop()) {
    for (const entry of readdirSync(join(folder, inner), { withFileTypes: true })) {
      const path = join(inner, entry.name);
      if (entry.isDirectory()) waiting.push(path);
      const stat = lstatSync(join(folder, path), { bigint: true });
      // A folder's own times change with the rename of a commit on some systems; its entries say enough.
      lines.push(entry.isDirectory() ? path : `${path}\0${stat.ino}\0${stat.size}\0${stat.mtimeNs}`);
    }
    if (lines.length > MAX_FILES) break;
  }
  return lines.sort().join('\n');
}

/** {@link signatureOf}, or `undefined` where no folder stands at the path. */
export function signatureIfFolder(folder: string): string | undefined {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? signatureOf(folder) : undefined;
}

function tooLarge(what: string): OperationError {
  return new OperationError('io', `${what}.`, { remedy: "Move what is not the skill's own out of its folder." });
}
