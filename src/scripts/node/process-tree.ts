/** Ends a process with everything it started: its process group on POSIX, `taskkill` on Windows. */
import { type ChildProcess, spawnSync } from 'node:child_process';

/** Signals the whole group of a child that leads one; false where nothing is left of it. */
export function signalTree(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (process.platform === 'win32') {
    if (signal !== 0) spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'], { windowsHide: true, timeout: 5000 });
    return false;
  }
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Waits for an event, at most so long, and leaves no timer behind. */
async function within(event: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([event, limit]);
  clearTimeout(timer);
}

async function waitGone(pid: number, exited: Promise<void>, ms: number): Promise<boolean> {
  const end = Date.now() + ms;
  await within(exited, ms);
  while (Date.now() < end && signalTree(pid, 0)) await pause(10);
  return !signalTree(pid, 0);
}

export interface StopTimes {
  /** After standard input ended, before the first signal. */
  readonly graceMs: number;
  /** After the first signal, before the last. */
  readonly termMs: number;
}

/** The stop ladder: end of input, SIGTERM, SIGKILL, each on the whole tree. Resolves when nothing is left. */
export async function stopTree(child: ChildProcess, times: StopTimes): Promise<void> {
  const pid = child.pid;
  if (pid === undefined) return;
  const exited = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  child.stdin?.end();
  if (process.platform === 'win32') {
    await within(exited, times.graceMs);
    if (child.exitCode === null) signalTree(pid, 'SIGKILL');
    await within(exited, times.termMs);
  } else if (!(await waitGone(pid, exited, times.graceMs))) {
    signalTree(pid, 'SIGTERM');
    if (!(await waitGone(pid, exited, times.termMs))) {
      signalTree(pid, 'SIGKILL');
      await waitGone(pid, exited, 1000);
    }
  }
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.stdin?.destroy();
}
