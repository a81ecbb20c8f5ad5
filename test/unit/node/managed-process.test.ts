/** A child kept alive: every way from one state to the next, with children and a clock that do as they are told. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createManagedProcess, type ManagedProcess, type ProcessState } from '../../../src/node/managed-process.ts';
import { createFakeChild, createFakeClock, type FakeChild } from '../../support/fake-child.ts';

const never = new AbortController().signal;
const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

type Greeting = (child: FakeChild, signal: AbortSignal) => Promise<string>;

function setUp(greet: Greeting = async (child) => `hello ${child.pid}`, spawn?: () => Promise<FakeChild>) {
  const clock = createFakeClock();
  const children: FakeChild[] = [];
  const seen: string[] = [];
  const process: ManagedProcess<string> = createManagedProcess({
    name: 'Child',
    logger: silent,
    clock,
    patience: { startMs: 1_000, pauseMs: 100, mostFailures: 3, withinMs: 60_000 },
    spawn:
      spawn ??
      (async () => {
        const child = createFakeChild(children.length + 1, `words of ${children.length + 1}`);
        children.push(child);
        return child;
      }),
    greet,
  });
  process.onDidChange(({ kind }) => seen.push(kind));
  return { process, clock, children, seen };
}

/** Until everything that needs no time has happened. */
const settled = async (): Promise<void> => {
  for (let left = 5; left > 0; left--) await turn();
};

describe('a managed process', () => {
  it('does nothing until it is needed', async () => {
    const { process, children } = setUp();
    await settled();
    expect(process.state).toEqual({ kind: 'stopped' });
    expect(children).toHaveLength(0);
  });

  it('is ready only when the handshake is done', async () => {
    let greeted: (word: string) => void = () => {};
    const { process, children } = setUp(
      () =>
        new Promise((resolve) => {
          greeted = resolve;
        }),
    );
    process.start();
    await settled();
    expect(children).toHaveLength(1);
    expect(process.state).toEqual({ kind: 'starting', attempt: 1 });
    greeted('hello');
    await settled();
    expect(process.state).toEqual({ kind: 'ready', connection: 'hello', pid: 1 });
  });

  it('starts one process however often it is asked', async () => {
    const { process, children } = setUp();
    process.start();
    await expect(Promise.all([process.ready(never), process.ready(never)])).resolves.toEqual(['hello 1', 'hello 1']);
    process.start();
    await settled();
    expect(children).toHaveLength(1);
  });

  it('starts again after a pause when it ends', async () => {
    const { process, clock, children, seen } = setUp();
    await process.ready(never);
    children[0]?.die();
    await settled();
    expect(process.state).toMatchObject({ kind: 'backingOff', waitMs: 100, output: 'words of 1' });
    clock.pass(99);
    expect(children).toHaveLength(1);
    clock.pass(1);
    await settled();
    expect(process.state).toMatchObject({ kind: 'ready', connection: 'hello 2' });
    expect(seen).toEqual(['starting', 'ready', 'backingOff', 'starting', 'ready']);
  });

  it('doubles the pause and is left alone after three failures in the window, with the last words', async () => {
    const { process, clock, children } = setUp();
    const waits: number[] = [];
    process.onDidChange((state) => {
      if (state.kind === 'backingOff') waits.push(state.waitMs);
    });
    await process.ready(never);
    for (const at of [0, 1, 2]) {
      children[at]?.die();
      await settled();
      clock.pass(200);
      await settled();
    }
    expect(waits).toEqual([100, 200]);
    expect(process.state).toMatchObject({ kind: 'failed', output: 'words of 3' });
    clock.pass(1_000_000);
    process.start();
    await settled();
    expect(children).toHaveLength(3);
    await expect(process.ready(never)).rejects.toMatchObject({ kind: 'crashed', output: 'words of 3' });
  });

  it('forgets failures that lie further back than the window', async () => {
    const { process, clock, children } = setUp();
    await process.ready(never);
    for (const at of [0, 1, 2, 3]) {
      children[at]?.die();
      await settled();
      clock.pass(60_000);
      await settled();
    }
    expect(process.state.kind).toBe('ready');
    expect(children).toHaveLength(5);
  });

  it.each<[string, Greeting]>([
    ['refuses the handshake', () => Promise.reject(new Error('no'))],
    ['ends during the handshake', (child) => new Promise(() => child.die())],
  ])('takes a child that %s for a failure, and ends it', async (_what, greet) => {
    const { process, children } = setUp(greet);
    process.start();
    await settled();
    expect(process.state.kind).toBe('backingOff');
    expect(children[0]?.closed).toBe(1);
  });

  it('takes a spawn that fails for a failure', async () => {
    const { process } = setUp(undefined, () => Promise.reject(new Error('no such program')));
    process.start();
    await settled();
    expect(process.state).toMatchObject({ kind: 'backingOff', reason: 'no such program', output: '' });
  });

  it('gives a child only so long for the handshake', async () => {
    const { process, clock, children } = setUp(() => new Promise(() => {}));
    process.start();
    await settled();
    clock.pass(1_000);
    await settled();
    expect(process.state).toMatchObject({ kind: 'backingOff', reason: 'no answer in time' });
    expect(children[0]?.closed).toBe(1);
  });

  it('stops from ready, and is stopped only when the child is gone', async () => {
    const { process, children } = setUp();
    await process.ready(never);
    await process.stop();
    expect(process.state).toEqual({ kind: 'stopped' });
    expect(children[0]?.closed).toBe(1);
  });

  it('stops while it starts, and lets no late child live', async () => {
    let spawned: (child: FakeChild) => void = () => {};
    const late = createFakeChild(9);
    const { process } = setUp(undefined, () => new Promise((resolve) => (spawned = resolve)));
    process.start();
    const stopped = process.stop();
    spawned(late);
    await stopped;
    expect(process.state).toEqual({ kind: 'stopped' });
    expect(late.closed).toBe(1);
  });

  it('stops during a pause, and does not start afterwards', async () => {
    const { process, clock, children } = setUp();
    await process.ready(never);
    children[0]?.die();
    await settled();
    await process.stop();
    clock.pass(10_000);
    await settled();
    expect(process.state).toEqual({ kind: 'stopped' });
    expect(children).toHaveLength(1);
  });

  it('restarts from failed, with all chances again', async () => {
    const { process, clock, children } = setUp();
    await process.ready(never);
    for (const at of [0, 1, 2]) {
      children[at]?.die();
      await settled();
      clock.pass(200);
      await settled();
    }
    expect(process.state.kind).toBe('failed');
    await process.restart();
    await settled();
    expect(process.state).toMatchObject({ kind: 'ready', connection: 'hello 4' });
    children[3]?.die();
    await settled();
    expect(process.state).toMatchObject({ kind: 'backingOff', waitMs: 100 });
  });

  it('lets whoever waits leave, and tells those who wait when it is stopped', async () => {
    const { process } = setUp(() => new Promise(() => {}));
    const impatient = new AbortController();
    const left = process.ready(impatient.signal);
    const stayed = process.ready(never);
    impatient.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    const outcome = expect(stayed).rejects.toMatchObject({ kind: 'crashed' });
    await process.stop();
    await outcome;
  });

  it('hears of every state until it stops listening', async () => {
    const { process } = setUp();
    const states: ProcessState<string>['kind'][] = [];
    const listening = process.onDidChange(({ kind }) => states.push(kind));
    await process.ready(never);
    listening.dispose();
    await process.stop();
    expect(states).toEqual(['starting', 'ready']);
  });
});
