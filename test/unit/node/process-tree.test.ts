import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '#node/connect-stdio.ts';
import { createDeadline, raceAbort } from '#node/deadline.ts';
import { descendants, endProcessTree, type ProcessRow, type ProcessTable } from '#node/process-tree.ts';

const graces = { afterStdin: 60, afterTerm: 60, afterKill: 60 };
const row = (pid: number, ppid: number, pgid: number, zombie = false): ProcessRow => ({ pid, ppid, pgid, zombie });

/** A child that exits at a step of the ladder, and a record of the steps. */
function scene(platform: NodeJS.Platform, exitsAt: string, rows: () => readonly ProcessRow[] = () => []) {
  const steps: string[] = [];
  let exitCode: number | null = null;
  const step = (name: string): void => {
    steps.push(name);
    if (name === exitsAt) exitCode = 0;
  };
  const child = Object.defineProperty(
    Object.assign(new EventEmitter(), { pid: 100, signalCode: null, stdin: { end: () => step('stdin') } }),
    'exitCode',
    { get: () => exitCode },
  ) as unknown as ChildProcess;
  const alive = new Set(rows().map(({ pid }) => pid));
  const table: ProcessTable = {
    platform,
    rows: async () => rows().filter(({ pid }) => alive.has(pid)),
    signal(pid, signal) {
      if (signal !== 0) {
        step(`${signal} ${pid}`);
        if (pid > 0) alive.delete(pid);
      }
      return pid < 0 ? exitCode === null : alive.has(pid);
    },
    taskkill: async (args) => step(`taskkill ${args.join(' ')}`),
  };
  return { child, table, steps };
}

describe('endProcessTree', () => {
  it.each([
    ['linux', 'stdin', ['stdin']],
    ['darwin', 'SIGTERM -100', ['stdin', 'SIGTERM -100']],
    ['linux', 'SIGKILL -100', ['stdin', 'SIGTERM -100', 'SIGKILL -100']],
    ['win32', 'stdin', ['stdin']],
    ['win32', 'taskkill /PID 100 /T', ['stdin', 'taskkill /PID 100 /T']],
    ['win32', 'taskkill /PID 100 /T /F', ['stdin', 'taskkill /PID 100 /T', 'taskkill /PID 100 /T /F']],
  ] as const)('on %s stops at the step that helps: %s', async (platform, exitsAt, expected) => {
    const { child, table, steps } = scene(platform, exitsAt);
    await endProcessTree(child, graces, table);
    expect(steps).toEqual(expected);
  });

  it('ends descendants that left the group, and no stranger', async () => {
    const { child, table, steps } = scene('linux', 'stdin', () => [
      row(100, 1, 100),
      row(101, 100, 101),
      row(102, 101, 101),
      row(7, 1, 7),
    ]);
    await endProcessTree(child, graces, table);
    expect(steps).toEqual(['stdin', 'SIGTERM 101', 'SIGTERM 102']);
  });

  it('does not touch a number that belongs to another group by now', async () => {
    let asked = 0;
    const { child, table, steps } = scene('linux', 'stdin', () =>
      asked++ < 2 ? [row(101, 100, 101)] : [row(101, 1, 555)],
    );
    await endProcessTree(child, graces, table);
    expect(steps).toEqual(['stdin']);
  });

  it('finds descendants whatever the order of the rows', () => {
    const rows = [row(3, 2, 1), row(2, 1, 1), row(9, 8, 9)];
    expect(
      descendants(rows, 1)
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([2, 3]);
  });

  it('ends a real child', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'pipe' });
    await new Promise((resolve) => child.once('spawn', resolve));
    await endProcessTree(child, graces);
    expect(child.signalCode).toBe('SIGTERM');
  });
});

describe('createLineReader', () => {
  it('joins chunks into lines, also inside a character', () => {
    const lines: string[] = [];
    const take = createLineReader(100, (line) => lines.push(line));
    for (const byte of Buffer.from('aé\nb\n\nc')) expect(take(Buffer.from([byte]))).toBe(true);
    expect(lines).toEqual(['aé', 'b', '']);
  });

  it.each([
    ['a line that ends', `${'x'.repeat(11)}\n`],
    ['a line that does not end', 'x'.repeat(11)],
  ])('refuses %s beyond the limit', (_what, text) => {
    expect(createLineReader(10, () => {})(Buffer.from(text))).toBe(false);
  });
});

describe('a deadline', () => {
  it('tells the end of time from the wish of the caller', async () => {
    const caller = new AbortController();
    const short = createDeadline(caller.signal, 5);
    await expect(raceAbort(new Promise(() => {}), short.signal)).rejects.toThrow('over');
    expect([short.isOver(), short.isCancelled()]).toEqual([true, false]);
    const long = createDeadline(caller.signal, 60_000);
    caller.abort(new Error('mine'));
    await expect(raceAbort(new Promise(() => {}), long.signal)).rejects.toThrow('mine');
    expect([long.isOver(), long.isCancelled()]).toEqual([false, true]);
    expect(createDeadline(caller.signal, 60_000).isCancelled()).toBe(true);
    long.clear();
  });
});
