/**
 * Process groups that must not outlive this process: remembered while they run, and killed at the latest when it exits.
 * POSIX only; on Windows nothing is remembered, and what reads standard input ends with it.
 */
const groups = new Set<number>();

/** Marks the group that `pid` leads. */
export function rememberGroup(pid: number): void {
  if (process.platform === 'win32') return;
  if (groups.size === 0) process.on('exit', killRemembered);
  groups.add(pid);
}

export function forgetGroup(pid: number): void {
  if (groups.delete(pid) && groups.size === 0) process.off('exit', killRemembered);
}

/** Kills a remembered group, if it is still there, and forgets it. */
export function killGroup(pid: number): void {
  if (!groups.has(pid)) return;
  forgetGroup(pid);
  kill(pid);
}

function killRemembered(): void {
  for (const pid of groups) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone, which is what is wanted.
  }
}
