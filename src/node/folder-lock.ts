/**
 * A lock between processes, as a folder that appears in one step with its owner's name in it. It is never waited for:
 * who comes second is told so. A lock whose owner died is taken over.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { OperationError } from '#core/problem.ts';

/** A lock older than this (milliseconds) is taken over even if a process of its number lives: numbers come again. */
const STALE_AFTER_MS = 10 * 60_000;
/** Clock readings of one process's start may differ by this much (milliseconds). */
const SAME_START_MS = 5000;

export interface FolderLock {
  /** Unique to this holding. */
  readonly token: string;
  /** Whether it is still ours: a process that slept too long may have lost it. Synchronous, for use before a commit. */
  isHeld(): boolean;
  release(): Promise<void>;
}

interface Owner {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  /** When its process started and when the lock was taken, milliseconds of the epoch. */
  readonly started: number;
  readonly taken: number;
}

/** Takes the lock `lock` inside an existing folder. Throws `conflict` where another holds it. */
export async function takeLock(folder: string): Promise<FolderLock> {
  const path = join(folder, 'lock');
  const owner: Owner = {
    token: randomUUID(),
    pid: process.pid,
    host: hostname(),
    started: processStart(),
    taken: Date.now(),
  };
  const own = join(folder, `lock-${owner.token}`);
  try {
    await mkdir(own);
    await writeFile(join(own, 'owner.json'), JSON.stringify(owner));
    if (!(await moved(own, path))) {
      await evict(folder, path, owner.token);
      if (!(await moved(own, path))) throw busy();
    }
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    // Gone under our hands: another has just finished here and is tidying up.
    throw codeOf(error) === 'ENOENT' ? busy() : error;
  }
  const isHeld = (): boolean => {
    try {
      return ownerOf(readFileSync(join(path, 'owner.json'), 'utf8'))?.token === owner.token;
    } catch {
      return false;
    }
  };
  return {
    token: owner.token,
    isHeld,
    release: async () => {
      // Moved first: a lock that is half removed would have no owner for others to read.
      if (isHeld() && (await moved(path, own))) await rm(own, { recursive: true, force: true });
    },
  };
}

/** Removes a lock whose owner is gone. Throws `conflict` where the owner lives. */
async function evict(folder: string, path: string, token: string): Promise<void> {
  const seen = await readOwner(path);
  if (seen !== undefined && isAlive(seen)) throw busy();
  const aside = join(folder, `lock-${token}-old`);
  if (!(await moved(path, aside))) return;
  const got = await readOwner(aside);
  // Between the look and the move another may have taken over: then it is theirs, and goes back.
  if (got?.token !== seen?.token && (await moved(aside, path))) throw busy();
  await rm(aside, { recursive: true, force: true });
}

async function readOwner(path: string): Promise<Owner | undefined> {
  return ownerOf(await readFile(join(path, 'owner.json'), 'utf8').catch(() => ''));
}

function isAlive(owner: Owner): boolean {
  const age = Date.now() - owner.taken;
  if (age > STALE_AFTER_MS) return false;
  if (owner.host !== hostname()) return true;
  if (owner.pid === process.pid) return Math.abs(owner.started - processStart()) < SAME_START_MS;
  try {
    process.kill(owner.pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function ownerOf(text: string): Owner | undefined {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json !== 'object' || json === null) return undefined;
    if (!('token' in json && 'pid' in json && 'host' in json && 'started' in json && 'taken' in json)) return undefined;
    const { token, pid, host, started, taken } = json;
    if (typeof token !== 'string' || typeof host !== 'string') return undefined;
    if (typeof pid !== 'number' || typeof started !== 'number' || typeof taken !== 'number') return undefined;
    return { token, pid, host, started, taken };
  } catch {
    return undefined;
  }
}

/** Renames a folder; false where the destination is taken or the source is gone. */
async function moved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EPERM', 'EBUSY'].includes(codeOf(error) ?? '')) return false;
    throw error;
  }
}

function processStart(): number {
  return Date.now() - process.uptime() * 1000;
}

function busy(): OperationError {
  return new OperationError('conflict', 'Another process is writing this skill.', {
    remedy: 'Wait until it is done and try again.',
  });
}

/** The system's code of an error, for example `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
