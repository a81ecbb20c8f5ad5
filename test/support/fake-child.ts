/** A child process that does what a test says, and a clock that stands still until it is moved. */
import type { Clock, ManagedChild } from '../../src/node/managed-process.ts';

export interface FakeChild extends ManagedChild {
  /** Steps of the stop ladder taken. */
  readonly closed: number;
  die(): void;
}

export function createFakeChild(pid: number, output = ''): FakeChild {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let closed = 0;
  return {
    pid,
    ended,
    stderr: () => output,
    get closed() {
      return closed;
    },
    die: () => end(),
    async close() {
      closed++;
      end();
    },
  };
}

export interface FakeClock extends Clock {
  /** Lets time pass and runs what is due. */
  pass(ms: number): void;
}

export function createFakeClock(): FakeClock {
  let time = 0;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  return {
    now: () => time,
    after(ms, run) {
      const timer = { at: time + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    pass(ms) {
      time += ms;
      const due = timers.filter(({ at }) => at <= time);
      timers = timers.filter(({ at }) => at > time);
      for (const { run } of due) run();
    },
  };
}
