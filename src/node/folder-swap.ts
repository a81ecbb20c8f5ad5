/**
 * The swap of a skill's new folder for its old one: where both stand meanwhile, how they change places, and what the
 * next run does after a kill in between. Knows nothing of plans; whoever calls holds the lock.
 */
import { lstatSync, renameSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { OperationError } from '#core/problem.ts';
import { codeOf, type FolderLock } from './folder-lock.ts';
import { signatureOf } from './folder-snapshot.ts';
import { outside, WORK_FOLDER } from './skill-path.ts';

export interface Swap {
  /** The skill's folder. */
  readonly target: string;
  /** The new folder, before it takes its place. */
  readonly staged: string;
  /** Where the old folder stands from the swap until it is removed. */
  readonly old: string;
}

/** The places of one swap; `work` comes from {@link openWork}. */
export function swapOf(target: string, work: string, token: string): Swap {
  return { target, staged: join(work, `new-${token}`), old: join(work, `old-${token}`) };
}

/** Swaps the new folder for the old one. `signature` is the old one's from when it was read; absent where none was. */
export async function commit(swap: Swap, signature: string | undefined, lock: FolderLock): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      swapNow(swap, signature, lock);
      return;
    } catch (error) {
      // Windows refuses to rename a folder while any file in it is open, often for a moment only.
      const isBusy = process.platform === 'win32' && ['EPERM', 'EBUSY', 'EACCES'].includes(codeOf(error) ?? '');
      if (!isBusy || attempt === 5) throw error;
      await wait(50 * 2 ** attempt);
    }
  }
}

/** Synchronous throughout, so that the skill is missing for no longer than two system calls take. */
function swapNow(swap: Swap, signature: string | undefined, lock: FolderLock): void {
  if (!lock.isHeld()) throw conflict('Another process took over the writing of this skill.');
  if (signature === undefined) {
    if (lstatSync(swap.target, { throwIfNoEntry: false }) !== undefined)
      throw conflict('The skill appeared meanwhile.');
    renameSync(swap.staged, swap.target);
    return;
  }
  if (
    lstatSync(swap.target, { throwIfNoEntry: false })?.isDirectory() !== true ||
    signatureOf(swap.target) !== signature
  )
    throw conflict('The skill changed while it was written.');
  renameSync(swap.target, swap.old);
  try {
    renameSync(swap.staged, swap.target);
  } catch (error) {
    renameSync(swap.old, swap.target);
    throw error;
  }
  // A write that slipped in before the swap went to the old folder; it must not be lost with it.
  if (signatureOf(swap.old) === signature) return;
  renameSync(swap.target, swap.staged);
  renameSync(swap.old, swap.target);
  throw conflict('The skill changed while it was written.');
}

/** Under the lock: puts back the folder that a killed run had set aside, and removes what such runs left. */
export async function recover(work: string, target: string): Promise<void> {
  const old = (await exists(target)) ? undefined : await interruptedSwap(work);
  if (old !== undefined) await rename(old, target);
  const left = (await readdir(work)).filter((name) => /^(?:new|old|lock)-/.test(name));
  for (const name of left.sort()) await rm(join(work, name), { recursive: true, force: true });
}

/** The old folder of a swap that was killed half-way: it and the new one both still stand aside. */
export async function interruptedSwap(work: string): Promise<string | undefined> {
  const names = new Set(await readdir(work).catch(() => []));
  const token = [...names].find((name) => name.startsWith('old-') && names.has(`new-${name.slice(4)}`));
  return token === undefined ? undefined : join(work, token);
}

/**
 * Removes what a swap leaves, whether it was made or failed. Where even putting the old folder back failed, both stay
 * for {@link recover}. What cannot be removed now, the next run removes.
 */
export async function tidy(swap: Swap): Promise<void> {
  if ((await exists(swap.old)) && !(await exists(swap.target))) return;
  for (const left of [swap.staged, swap.old]) await rm(left, { recursive: true, force: true }).catch(() => undefined);
}

/** Makes the folder to build in; another skill's run may be tidying its parent away at the same time. */
export async function openWork(root: string, skill: string): Promise<string> {
  const folders = [join(root, WORK_FOLDER), join(root, WORK_FOLDER, skill)];
  for (let attempt = 0; ; attempt += 1) {
    try {
      for (const folder of folders) {
        await mkdir(folder).catch((error: unknown) => {
          if (codeOf(error) !== 'EEXIST') throw error;
        });
        const found = await lstat(folder);
        if (found.isSymbolicLink()) throw outside(`${folder} is a link.`, 'Remove the link.');
        if (!found.isDirectory())
          throw new OperationError('io', `${folder} is not a folder.`, { remedy: 'Remove it.' });
      }
      return folders[1] ?? root;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt === 10) throw error;
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The error for a disk that is not as planned. */
export function conflict(message: string): OperationError {
  return new OperationError('conflict', message, { remedy: 'Look at the folder and make the plan again.' });
}
