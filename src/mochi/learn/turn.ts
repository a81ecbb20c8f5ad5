/**
 * Lets one of several Mochis learn a workspace while the others wait for what it keeps. A courtesy, not a safeguard: the
 * index is put in place whole whoever writes it, so a turn that cannot be taken, or takes too long, is simply not awaited.
 */
import { mkdir, open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between looks whether the turn is free. */
const lookMs = 100;
/** Milliseconds after which a turn that nobody renews is nobody's, and milliseconds between renewals. */
const staleMs = 60_000;
const renewMs = 5_000;
/** Milliseconds that anybody waits at most. */
const patienceMs = 120_000;

/** Waits for the turn over the index kept at `store` and gives it back by what it returns. Rejects with the signal's reason. */
export async function takeTurn(store: string, signal: AbortSignal): Promise<() => Promise<void>> {
  const path = `${store}.lock`;
  const until = performance.now() + patienceMs;
  await mkdir(dirname(path), { recursive: true }).catch(() => undefined);
  while (performance.now() < until) {
    signal.throwIfAborted();
    const taken = await take(path);
    if (taken === 'mine') return holding(path);
    if (taken === 'impossible') break;
    if (await isFree(path)) await rm(path, { force: true }).catch(() => undefined);
    else await delay(lookMs, undefined, { signal }).catch(() => undefined);
  }
  signal.throwIfAborted();
  return async () => {};
}

async function take(path: string): Promise<'mine' | 'taken' | 'impossible'> {
  try {
    const file = await open(path, 'wx', 0o600);
    await file.writeFile(`${process.pid}\n`);
    await file.close();
    return 'mine';
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EEXIST' ? 'taken' : 'impossible';
  }
}

function holding(path: string): () => Promise<void> {
  const renewal = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, renewMs);
  renewal.unref();
  return async () => {
    clearInterval(renewal);
    await rm(path, { force: true }).catch(() => undefined);
  };
}

/** Gives back the turn of a thread of this process that was ended before it could do so itself. */
export async function giveBackTurn(store: string): Promise<void> {
  const path = `${store}.lock`;
  const pid = Number(await readFile(path, 'utf8').catch(() => ''));
  if (pid === process.pid) await rm(path, { force: true }).catch(() => undefined);
}

/** Whether whoever took the turn has ended, as far as this machine can tell, or has not renewed it for long. */
async function isFree(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return true;
  if (Date.now() - found.mtimeMs > staleMs) return true;
  const pid = Number(await readFile(path, 'utf8').catch(() => ''));
  // Whoever has just made it may not have said yet who it is.
  return pid > 0 && !isRunning(pid);
}

/** Whether a process of this number is there; one of another person counts. */
export function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
