/**
 * The laws that every tool call is held to: an answer in time, memory within its bound before and during the work,
 * something learned, and no more calls at once than can be served. What breaks one is a {@link MochiFault} with the
 * code of the contract and what to do about it.
 */
import { FAULTS, type Fault, type FaultKind, LIMITS } from '#protocol/mochi.ts';

/** A refusal with a reason. `message` is for people and names no content. */
export class MochiFault extends Error {
  readonly kind: FaultKind;
  readonly remedy: string | undefined;
  /** The argument that is at fault. */
  readonly field: string | undefined;

  constructor(kind: FaultKind, message: string, more: { readonly remedy?: string; readonly field?: string } = {}) {
    super(message);
    this.name = 'MochiFault';
    this.kind = kind;
    this.remedy = more.remedy;
    this.field = more.field;
  }

  /** What protocol errors carry. */
  get code(): number {
    return FAULTS[this.kind].rpc;
  }

  get data(): Fault {
    return {
      kind: this.kind,
      status: FAULTS[this.kind].status,
      message: this.message,
      ...(this.remedy === undefined ? {} : { remedy: this.remedy }),
      ...(this.field === undefined ? {} : { field: this.field }),
    };
  }
}

export interface MemoryGuard {
  /** Throws a fault of kind `memory` where the process uses more than its bound, or would with `need` more bytes. */
  check(need?: number): void;
}

/** `limit` in bytes; `used` reads the memory of the process. */
export function createMemoryGuard(
  limit: number = LIMITS.memoryBytes,
  used: () => number = () => process.memoryUsage.rss(),
): MemoryGuard {
  return {
    check(need = 0) {
      const total = used() + need;
      if (total <= limit) return;
      // Rounded apart, so that what is too much never looks like what is allowed.
      const gigabytes = (bytes: number, round: (it: number) => number): string =>
        `${(round((bytes / 2 ** 30) * 100) / 100).toFixed(2)} GiB`;
      const [needed, allowed] = [gigabytes(total, Math.ceil), gigabytes(limit, Math.floor)];
      throw new MochiFault('memory', `This needs ${needed} of memory; the limit is ${allowed}.`, {
        remedy: 'Raise --memory-limit, or let Mochi learn a smaller folder.',
      });
    },
  };
}

export interface Limits {
  /** Runs one piece of work under the laws. Rejects with a MochiFault, or with the signal's reason. */
  run<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T>;
}

export interface LimitOptions {
  readonly memory: MemoryGuard;
  readonly deadlineMs?: number;
  readonly concurrentCalls?: number;
  /** Milliseconds between looks at the memory while work runs. */
  readonly lookEveryMs?: number;
}

export function createLimits(options: LimitOptions): Limits {
  const { memory, deadlineMs = LIMITS.deadlineMs, concurrentCalls = LIMITS.concurrentCalls } = options;
  const { lookEveryMs = 100 } = options;
  let running = 0;
  const late = (): MochiFault =>
    new MochiFault('timeout', `No answer within ${deadlineMs / 1_000} s.`, {
      remedy: 'Ask for less: a shorter context, or fewer tokens.',
    });

  return {
    async run(work, signal) {
      signal.throwIfAborted();
      if (running >= concurrentCalls)
        throw new MochiFault('busy', `${running} calls are in progress.`, { remedy: 'Try again in a moment.' });
      memory.check();
      const stop = new AbortController();
      const started = performance.now();
      const deadline = setTimeout(() => stop.abort(late()), deadlineMs);
      const look = setInterval(() => {
        try {
          memory.check();
        } catch (fault) {
          stop.abort(fault);
        }
      }, lookEveryMs);
      const cancel = (): void => stop.abort(signal.reason);
      signal.addEventListener('abort', cancel, { once: true });
      running++;
      try {
        const stopped = new Promise<never>((_, reject) => {
          stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
        });
        const result = await Promise.race([work(stop.signal), stopped]);
        // Work that holds the thread keeps the timer from firing; late is late.
        if (performance.now() - started > deadlineMs) throw late();
        return result;
      } finally {
        running--;
        clearTimeout(deadline);
        clearInterval(look);
        signal.removeEventListener('abort', cancel);
      }
    },
  };
}
