/** The laws that calls are held to, each broken once. */
import { describe, expect, it } from 'vitest';
import { createLimits, createMemoryGuard, MochiFault } from '../../../src/mochi/limits.ts';
import { FAULTS, type FaultKind, LIMITS } from '../../../src/protocol/mochi.ts';

const roomy = createMemoryGuard(1_000, () => 0);
const never = new AbortController().signal;

async function faultOf(work: Promise<unknown>): Promise<MochiFault> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof MochiFault)) throw new Error(`no fault: ${String(error)}`);
  return error;
}

describe('the deadline', () => {
  it('is five seconds unless a test says otherwise', () => {
    expect(LIMITS.deadlineMs).toBe(5_000);
  });

  it.each([
    [
      'waits for its signal',
      (signal: AbortSignal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ],
    ['looks at no signal', () => new Promise(() => {})],
  ])('answers with a timeout when the work %s', async (_, work) => {
    const fault = await faultOf(createLimits({ memory: roomy, deadlineMs: 10 }).run(work, never));
    expect(fault.data).toMatchObject({ kind: 'timeout', status: 504 });
    expect(fault.code).toBe(-32_004);
    expect(fault.remedy).toBeTruthy();
  });

  it('holds for work that keeps the thread to itself', async () => {
    const block = async (): Promise<string> => {
      const until = performance.now() + 30;
      while (performance.now() < until);
      return 'late';
    };
    const fault = await faultOf(createLimits({ memory: roomy, deadlineMs: 10 }).run(block, never));
    expect(fault.kind).toBe('timeout');
  });

  it('tells the work to stop', async () => {
    let seen: unknown;
    const work = (signal: AbortSignal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          seen = signal.reason;
          reject(signal.reason);
        }),
      );
    await faultOf(createLimits({ memory: roomy, deadlineMs: 10 }).run(work, never));
    expect(seen).toBeInstanceOf(MochiFault);
  });

  it('leaves work in time alone, its failures too', async () => {
    const limits = createLimits({ memory: roomy, deadlineMs: 1_000 });
    await expect(limits.run(async () => 7, never)).resolves.toBe(7);
    await expect(limits.run(async () => Promise.reject(new TypeError('x')), never)).rejects.toThrow(TypeError);
  });
});

describe('the bound of memory', () => {
  it('is 32 GiB and can only be set lower', () => {
    expect(LIMITS.memoryBytes).toBe(32 * 2 ** 30);
  });

  it('is looked at before work begins, which then never begins', async () => {
    let begun = false;
    const memory = createMemoryGuard(1_000, () => 1_001);
    const fault = await faultOf(
      createLimits({ memory }).run(async () => {
        begun = true;
      }, never),
    );
    expect(fault.data).toMatchObject({ kind: 'memory', status: 507 });
    expect(fault.message).toMatch(/limit/);
    expect(begun).toBe(false);
  });

  it('counts what is about to be needed', () => {
    const memory = createMemoryGuard(1_000, () => 600);
    expect(() => memory.check(400)).not.toThrow();
    expect(() => memory.check(401)).toThrow(MochiFault);
  });

  it('never names what is too much by the same number as what is allowed', () => {
    const memory = createMemoryGuard(129_000_000, () => 129_100_000);
    expect(() => memory.check()).toThrow('This needs 0.13 GiB of memory; the limit is 0.12 GiB.');
  });

  it('is looked at during work, which is stopped', async () => {
    let used = 0;
    const memory = createMemoryGuard(1_000, () => used);
    let stopped = false;
    const work = (signal: AbortSignal) => {
      used = 2_000;
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          stopped = true;
          reject(signal.reason);
        }),
      );
    };
    const fault = await faultOf(createLimits({ memory, lookEveryMs: 5 }).run(work, never));
    expect(fault.kind).toBe('memory');
    expect(stopped).toBe(true);
  });

  it('reads the memory of this process by default', () => {
    expect(() => createMemoryGuard(1).check()).toThrow(MochiFault);
    expect(() => createMemoryGuard().check()).not.toThrow();
  });
});

describe('calls at once', () => {
  it('are refused beyond the bound and admitted again afterwards', async () => {
    const limits = createLimits({ memory: roomy, concurrentCalls: 2 });
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const running = [limits.run(() => gate, never), limits.run(() => gate, never)];
    const fault = await faultOf(limits.run(() => gate, never));
    expect(fault.data).toMatchObject({ kind: 'busy', status: 503 });
    open();
    await Promise.all(running);
    await expect(limits.run(async () => 1, never)).resolves.toBe(1);
  });
});

describe('a client that takes its question back', () => {
  it('stops the work with its own reason', async () => {
    const client = new AbortController();
    const limits = createLimits({ memory: roomy });
    const running = limits.run(() => new Promise(() => {}), client.signal);
    client.abort(new Error('changed my mind'));
    await expect(running).rejects.toThrow('changed my mind');
    await expect(limits.run(async () => 1, client.signal)).rejects.toThrow('changed my mind');
  });
});

describe('the codes', () => {
  it.each<[FaultKind, number, number]>([
    ['invalid', 400, -32_602],
    ['not-ready', 503, -32_003],
    ['busy', 503, -32_003],
    ['timeout', 504, -32_004],
    ['memory', 507, -32_007],
    ['failed', 500, -32_603],
  ])('of %s are %i and %i', (kind, status, rpc) => {
    expect(FAULTS[kind]).toEqual({ status, rpc });
    expect(new MochiFault(kind, 'm').data).toEqual({ kind, status, message: 'm' });
  });
});
