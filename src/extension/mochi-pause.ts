/** Whether the person lets completions rest: for good or for some minutes, kept for this workspace. */
import type { Disposable } from '#core/ports.ts';
import type { Clock } from '#node/managed-process.ts';

export interface Pause extends Disposable {
  /** `until` in milliseconds since 1970; undefined while nothing rests. */
  current(): { readonly until?: number } | undefined;
  /** Without minutes, until resumed. */
  begin(minutes?: number): Promise<void>;
  end(): Promise<void>;
}

export interface PausePorts {
  readonly memory: { get(): unknown; set(value: unknown): PromiseLike<void> };
  readonly clock: Pick<Clock, 'after'>;
  /** Milliseconds since 1970. */
  today(): number;
  onDidChange(): void;
}

/** Timers count in 32 bits. */
const LONGEST_MS = 2 ** 31 - 1;

export function createPause({ memory, clock, today, onDidChange }: PausePorts): Pause {
  let cancel = (): void => {};
  const current = (): { readonly until?: number } | undefined => {
    const kept = memory.get();
    if (kept === 'resumed') return {};
    return typeof kept === 'number' && kept > today() ? { until: kept } : undefined;
  };
  const wakeAtEnd = (): void => {
    cancel();
    const until = current()?.until;
    if (until !== undefined) cancel = clock.after(Math.min(LONGEST_MS, until - today()), onDidChange);
  };
  wakeAtEnd();
  return {
    current,
    async begin(minutes) {
      // The word says what ends it.
      await memory.set(minutes === undefined ? 'resumed' : today() + minutes * 60_000);
      wakeAtEnd();
      onDidChange();
    },
    async end() {
      await memory.set(undefined);
      wakeAtEnd();
      onDidChange();
    },
    dispose: () => cancel(),
  };
}
