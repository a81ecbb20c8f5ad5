/**
 * Watches the folders that hold learned files and says which of their files changed, or that all must be looked at. Which
 * files are worth learning, the crawl's rules decide. Where a system cannot watch, nothing is told: somebody looks anyway.
 */
import { type FSWatcher, watch } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposable } from '#core/ports.ts';
import { isWanted } from './learn/crawl.ts';

/** Milliseconds that changes are collected before they are told. */
const COLLECT_MS = 300;
/** Changed paths beyond which one look at all is the shorter way. */
const MOST_PATHS = 200;
/** Folders watched at most: the system's watches are for other programs too. */
const MOST_FOLDERS = 2_000;

export interface FolderWatchOptions {
  readonly root: string;
  /** The folders that hold learned files, relative to the root with forward slashes; the root is the empty text. */
  readonly folders: () => Promise<readonly string[]>;
  /** While it learns, changes are held back. */
  readonly isBusy: () => boolean;
  /** Files of these paths changed, or anything may have. */
  readonly onChange: (paths?: readonly string[]) => void;
  /** Whether one watch sees all that lies below, without a watch for each folder; on Linux none does. */
  readonly isDeep?: boolean;
}

export interface FolderWatch extends Disposable {
  /** Watches what holds learned files now, and nothing else. */
  update(): Promise<void>;
}

export function watchFolders(options: FolderWatchOptions): FolderWatch {
  const { root, folders, isBusy, onChange } = options;
  const { isDeep = process.platform === 'darwin' || process.platform === 'win32' } = options;
  const watchers = new Map<string, FSWatcher>();
  /** Paths, and whether they came or went. */
  let changed = new Map<string, boolean>();
  let isAllDue = false;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;

  function add(folder: string): void {
    if (isEnded || watchers.has(folder) || watchers.size >= MOST_FOLDERS) return;
    try {
      const watcher = watch(join(root, folder), { persistent: false, recursive: isDeep }, (event, name) => {
        // Without a name it is the watched folder itself.
        const path = `${folder}${name?.replaceAll('\\', '/') ?? ''}`.replace(/\/$/, '');
        if (path === '') isAllDue = true;
        else note(path, event === 'rename');
        collect();
      });
      watcher.on('error', () => remove(folder));
      watchers.set(folder, watcher);
    } catch {
      // Gone again, or the system's watches are used up.
    }
  }

  function remove(folder: string): void {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  }

  function note(path: string, hasMoved: boolean): void {
    if (changed.size > MOST_PATHS) isAllDue = true;
    else changed.set(path, hasMoved || changed.get(path) === true);
  }

  function collect(): void {
    if (isEnded || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (isBusy()) collect();
      else tell().catch(() => onChange());
    }, COLLECT_MS);
    timer.unref();
  }

  async function tell(): Promise<void> {
    const some = changed;
    let isAll = isAllDue;
    changed = new Map();
    isAllDue = false;
    const wanted: string[] = [];
    for (const [path, hasMoved] of isAll ? [] : some) {
      if (/(^|\/)\.gitignore$/.test(path)) isAll = true;
      else if (hasMoved && (await isFolder(path))) isAll = true;
      else if (await isWanted(root, path)) wanted.push(path);
    }
    if (isEnded) return;
    if (isAll) onChange();
    else if (wanted.length > 0) onChange(wanted);
  }

  /** Whether a folder that matters came or went. One that came is watched before it holds anything. */
  async function isFolder(path: string): Promise<boolean> {
    const own = `${path}/`;
    const wasWatched = watchers.has(own);
    const found = await lstat(join(root, path)).catch(() => undefined);
    if (found?.isDirectory() !== true) return wasWatched;
    if (!(await isWanted(root, `${own}x`))) return false;
    if (isDeep) return true;
    // One of the same name may be another folder now.
    remove(own);
    add(own);
    return true;
  }

  return {
    async update() {
      const learned = isDeep ? [''] : await folders().catch(() => undefined);
      if (learned === undefined) return;
      const wanted = withParents(learned);
      for (const folder of [...watchers.keys()]) if (!wanted.has(folder)) remove(folder);
      for (const folder of wanted) add(folder);
    },
    dispose() {
      isEnded = true;
      clearTimeout(timer);
      for (const folder of [...watchers.keys()]) remove(folder);
    },
  };
}

/** Each with a slash at its end, the root without; a new folder can appear in any folder on the way. */
function withParents(folders: readonly string[]): ReadonlySet<string> {
  const all = new Set(['']);
  for (const folder of folders)
    for (let at = folder.length; at > 0; at = folder.lastIndexOf('/', at - 1)) all.add(`${folder.slice(0, at)}/`);
  return all;
}
