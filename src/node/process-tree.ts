/**
 * Ends a child process with everything it started: end of standard input first, so that servers can put their
 * things in order, then the polite signal, then the hard one. On POSIX a child must have been started
 * `detached`, so that it leads a process group. Which platform it is and how processes are seen are parameters.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { forgetGroup } from './process-groups.ts';

/** One row of the process table. */
export interface ProcessRow {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** Exited, and only not yet collected by its parent. */
  readonly zombie: boolean;
}

/** What ending a tree needs from the operating system. */
export interface ProcessTable {
  readonly platform: NodeJS.Platform;
  /** All processes; empty where they cannot be listed. Not used on Windows. */
  rows(): Promise<readonly ProcessRow[]>;
  /** Sends a signal to a process, or to a group where `pid` is negative; 0 only asks. False where it is gone. */
  signal(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean;
  /** Runs `taskkill` with these arguments; used on Windows only. */
  taskkill(args: readonly string[]): Promise<void>;
}

/** How long each step of the ladder waits, in milliseconds. */
export interface Graces {
  readonly afterStdin: number;
  readonly afterTerm: number;
  readonly afterKill: number;
}

export const DEFAULT_GRACES: Graces = { afterStdin: 2_000, afterTerm: 2_000, afterKill: 2_000 };

/** The real process table. */
export function createProcessTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  return {
    platform,
    rows: () => (platform === 'win32' ? Promise.resolve([]) : listProcesses(platform)),
    signal,
    taskkill: (args) =>
      new Promise((resolve) => {
        execFile('taskkill', [...args], { windowsHide: true, timeout: 5_000 }, () => resolve());
      }),
  };
}

/**
 * Ends `child` and its descendants and resolves when none is left, or when every step has had its time. Never
 * rejects. What a server deliberately cut loose before (a daemon of process 1) is not its descendant any more.
 */
export async function endProcessTree(
  child: ChildProcess,
  graces: Graces = DEFAULT_GRACES,
  table: ProcessTable = createProcessTable(),
): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (table.platform === 'win32') return endOnWindows(child, pid, graces, table);
  // Whoever leaves the group is still found by descent, as long as its parent lives: look before anything ends.
  const strays = descendants(await table.rows(), pid).filter((row) => row.pgid !== pid);
  child.stdin?.end();
  if (!(await isGroupGone(child, pid, graces.afterStdin, table))) {
    table.signal(-pid, 'SIGTERM');
    if (!(await isGroupGone(child, pid, graces.afterTerm, table))) {
      table.signal(-pid, 'SIGKILL');
      await isGroupGone(child, pid, graces.afterKill, table);
    }
  }
  if (strays.length > 0) await endStrays(strays, graces, table);
  forgetGroup(pid);
}

/** Processes that descend from `root`, itself not included. */
export function descendants(rows: readonly ProcessRow[], root: number): readonly ProcessRow[] {
  const found = new Set<number>([root]);
  const result: ProcessRow[] = [];
  for (let grew = true; grew; ) {
    grew = false;
    for (const row of rows) {
      if (found.has(row.pid) || !found.has(row.ppid)) continue;
      found.add(row.pid);
      result.push(row);
      grew = true;
    }
  }
  return result;
}

async function endOnWindows(child: ChildProcess, pid: number, graces: Graces, table: ProcessTable): Promise<void> {
  child.stdin?.end();
  // Once the leader is gone its number finds nothing any more; a shell that leads waits for what it runs.
  if (await isExited(child, graces.afterStdin)) return;
  await table.taskkill(['/PID', String(pid), '/T']);
  if (await isExited(child, graces.afterTerm)) return;
  await table.taskkill(['/PID', String(pid), '/T', '/F']);
  await isExited(child, graces.afterKill);
}

async function endStrays(strays: readonly ProcessRow[], graces: Graces, table: ProcessTable): Promise<void> {
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    const alive = await stillThere(strays, table);
    if (alive.length === 0) return;
    for (const row of alive) table.signal(row.pid, name);
    const until = Date.now() + graces.afterTerm;
    while (Date.now() < until && alive.some((row) => table.signal(row.pid, 0))) await delay(STEP);
  }
}

/** Those of `strays` that still run; the group tells them from strangers that were given the same number. */
async function stillThere(strays: readonly ProcessRow[], table: ProcessTable): Promise<readonly ProcessRow[]> {
  const now = new Map((await table.rows()).map((row) => [row.pid, row]));
  return strays.filter((row) => {
    const found = now.get(row.pid);
    return found !== undefined && !found.zombie && found.pgid === row.pgid;
  });
}

const STEP = 25;
/** After this long a group that only zombies keep alive is looked at in the process table. */
const ZOMBIE_CHECK = 200;
/** How long the rest of a group may take after its leader has gone. */
const LEFT_BEHIND = 400;

async function isGroupGone(child: ChildProcess, pid: number, grace: number, table: ProcessTable): Promise<boolean> {
  let until = Date.now() + grace;
  let nextCheck = Date.now() + ZOMBIE_CHECK;
  let left = false;
  for (;;) {
    if (hasExited(child)) {
      if (!table.signal(-pid, 0)) return true;
      // What its leader leaves behind waits for nothing.
      if (!left) until = Math.min(until, Date.now() + LEFT_BEHIND);
      left = true;
      if (Date.now() >= nextCheck) {
        const members = (await table.rows()).filter((row) => row.pgid === pid);
        if (members.length > 0 && members.every((row) => row.zombie)) return true;
        nextCheck = Date.now() + ZOMBIE_CHECK;
      }
    }
    if (Date.now() >= until) return false;
    await delay(STEP);
  }
}

async function isExited(child: ChildProcess, grace: number): Promise<boolean> {
  const until = Date.now() + grace;
  while (!hasExited(child) && Date.now() < until) await delay(STEP);
  return hasExited(child);
}

function hasExited(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch (error) {
    // A process of another user is there, although it takes no signal from us.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function listProcesses(platform: NodeJS.Platform): Promise<readonly ProcessRow[]> {
  // Small containers have no `ps`, but every Linux has this folder.
  if (platform === 'linux') return listProc();
  return new Promise((resolve) => {
    execFile('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { timeout: 5_000, maxBuffer: PS_OUTPUT }, (_error, stdout) =>
      resolve(parseRows(stdout)),
    );
  });
}

const PS_OUTPUT = 16_000_000;

async function listProc(): Promise<readonly ProcessRow[]> {
  const names = await readdir('/proc').catch(() => []);
  const rows = names.map(async (name): Promise<readonly ProcessRow[]> => {
    if (!/^\d+$/.test(name)) return [];
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The command in parentheses may itself hold parentheses and spaces; what follows the last one is regular.
    const match = /^(\S+) (\d+) (\d+)/.exec(stat.slice(stat.lastIndexOf(')') + 2));
    if (match === null) return [];
    return [{ pid: Number(name), ppid: Number(match[2]), pgid: Number(match[3]), zombie: match[1] === 'Z' }];
  });
  return (await Promise.all(rows)).flat();
}

function parseRows(stdout: string): readonly ProcessRow[] {
  return stdout.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)/.exec(line);
    if (match === null) return [];
    return [
      {
        pid: Number(match[1]),
        ppid: Number(match[2]),
        pgid: Number(match[3]),
        zombie: match[4]?.startsWith('Z') ?? false,
      },
    ];
  });
}
