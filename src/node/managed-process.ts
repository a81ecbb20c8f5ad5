/**
 * Keeps one child process of ours alive: starts it, greets it, starts it again with growing pauses when it ends, and
 * gives up after three failures in five minutes. How it is spawned, greeted and ended is given, as is the clock; what
 * the child is for is not known here.
 */
import type { Disposable, Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';

/** A running process; the link of `connect-stdio.ts` is one. */
export interface ManagedChild {
  readonly pid: number;
  /** Resolves when the process is gone. */
  readonly ended: Promise<unknown>;
  /** The last of what it wrote to standard error. */
  stderr(): string;
  /** The stop ladder: end of standard input, SIGTERM, then the whole tree killed. Resolves when it is gone. */
  close(): Promise<void>;
}

export type ProcessState<T> =
  | { readonly kind: 'stopped' }
  /** `attempt` counts from 1 since the last time it was ready or told to start. */
  | { readonly kind: 'starting'; readonly attempt: number }
  /** The handshake is done, not merely the process there. */
  | { readonly kind: 'ready'; readonly connection: T; readonly pid: number }
  | { readonly kind: 'backingOff'; readonly waitMs: number; readonly reason: string; readonly output: string }
  /** `output` is the end of its standard error. */
  | { readonly kind: 'failed'; readonly reason: string; readonly output: string };

export interface Clock {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Calls `run` once after `ms`; the result prevents it. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** When to try again, in milliseconds. */
export interface Patience {
  /** For spawn and handshake together. */
  readonly startMs: number;
  /** The first pause; each failure doubles it. */
  readonly pauseMs: number;
  readonly mostFailures: number;
  readonly withinMs: number;
}

export const DEFAULT_PATIENCE: Patience = { startMs: 20_000, pauseMs: 500, mostFailures: 3, withinMs: 300_000 };

export interface ManagedOptions<C extends ManagedChild, T> {
  /** For the log. */
  readonly name: string;
  readonly logger: Logger;
  /** Starts the process. Rejects where that fails. */
  spawn(): Promise<C>;
  /** The handshake; its result is what `ready` carries. The child is ended by whoever called, not by this. */
  greet(child: C, signal: AbortSignal): Promise<T>;
  readonly clock?: Clock;
  readonly patience?: Patience;
}

export interface ManagedProcess<T> {
  readonly state: ProcessState<T>;
  onDidChange(listener: (state: ProcessState<T>) => void): Disposable;
  /** Starts it where it is stopped; anything else stays as it is. */
  start(): void;
  /** Starts it where it is stopped, and waits. Throws OperationError `crashed`, or the signal's reason. */
  ready(signal: AbortSignal): Promise<T>;
  /** Ends it, forgets its failures and starts it anew, from whatever state. */
  restart(): Promise<void>;
  /** Resolves when it and all it started are gone. */
  stop(): Promise<void>;
}

export function createManagedProcess<C extends ManagedChild, T>(options: ManagedOptions<C, T>): ManagedProcess<T> {
  return new Managed(options);
}

class Managed<C extends ManagedChild, T> implements ManagedProcess<T> {
  readonly #options: ManagedOptions<C, T>;
  readonly #clock: Clock;
  readonly #patience: Patience;
  readonly #listeners = new Set<(state: ProcessState<T>) => void>();
  /** Children that are, or may be, there: each resolves when its own is gone. */
  readonly #lives = new Set<Promise<void>>();
  #state: ProcessState<T> = { kind: 'stopped' };
  /** Aborted when the attempt that is under way is given up. */
  #attempt = new AbortController();
  #cancelPause: () => void = () => {};
  #failures: readonly number[] = [];

  constructor(options: ManagedOptions<C, T>) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#patience = options.patience ?? DEFAULT_PATIENCE;
  }

  get state(): ProcessState<T> {
    return this.#state;
  }

  onDidChange(listener: (state: ProcessState<T>) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  start(): void {
    if (this.#state.kind === 'stopped') this.#begin();
  }

  ready(signal: AbortSignal): Promise<T> {
    this.start();
    return whenReady(this, this.#options.name, signal);
  }

  async restart(): Promise<void> {
    await this.stop();
    this.start();
  }

  async stop(): Promise<void> {
    this.#cancelPause();
    this.#attempt.abort(new Error('stopped'));
    this.#failures = [];
    this.#become({ kind: 'stopped' });
    await Promise.all(this.#lives);
  }

  #begin(): void {
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#become({ kind: 'starting', attempt: this.#failures.length + 1 });
    // A listener may have stopped it by now.
    if (attempt.signal.aborted) return;
    const life = this.#live(attempt).catch((error: unknown) => {
      this.#options.logger.error(`${this.#options.name} could not be ended: ${nameOf(error)}`);
    });
    this.#lives.add(life);
    void life.finally(() => this.#lives.delete(life));
  }

  /** One child from its start to its end. */
  async #live(attempt: AbortController): Promise<void> {
    const { name, logger, spawn, greet } = this.#options;
    const { signal } = attempt;
    const started = this.#clock.now();
    let child: C | undefined;
    let reason: string;
    const isLate = new AbortController();
    const cancelLate = this.#clock.after(this.#patience.startMs, () => isLate.abort(new Error('no answer in time')));
    try {
      child = await spawn();
      const gone = child.ended.then(() => Promise.reject(new Error('it ended')));
      gone.catch(() => {});
      const connection = await Promise.race([
        greet(child, AbortSignal.any([signal, isLate.signal])),
        gone,
        rejection(signal),
        rejection(isLate.signal),
      ]);
      cancelLate();
      signal.throwIfAborted();
      logger.debug(`${name} is ready after ${Math.round(this.#clock.now() - started)} ms, process ${child.pid}`);
      this.#become({ kind: 'ready', connection, pid: child.pid });
      await Promise.race([child.ended, rejection(signal)]);
      reason = 'it ended';
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    } finally {
      cancelLate();
    }
    if (!signal.aborted) this.#fail(attempt, reason, child?.stderr() ?? '');
    await child?.close();
  }

  #fail(attempt: AbortController, reason: string, output: string): void {
    const { name, logger } = this.#options;
    attempt.abort(new Error(reason));
    const now = this.#clock.now();
    const { mostFailures, withinMs, pauseMs } = this.#patience;
    this.#failures = [...this.#failures.filter((time) => now - time < withinMs), now];
    const count = this.#failures.length;
    if (count >= mostFailures) {
      logger.error(`${name} failed ${count} times and is left alone: ${reason}`);
      this.#become({ kind: 'failed', reason, output });
      return;
    }
    const waitMs = pauseMs * 2 ** (count - 1);
    logger.warn(`${name} failed and is started again in ${waitMs} ms: ${reason}`);
    this.#cancelPause = this.#clock.after(waitMs, () => this.#begin());
    this.#become({ kind: 'backingOff', waitMs, reason, output });
  }

  #become(state: ProcessState<T>): void {
    if (state.kind === 'stopped' && this.#state.kind === 'stopped') return;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
  }
}

/** Waits for a process that was told to start. Throws OperationError `crashed`, or the signal's reason. */
export function whenReady<T>(
  process: Pick<ManagedProcess<T>, 'state' | 'onDidChange'>,
  name: string,
  signal: AbortSignal,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const look = (state: ProcessState<T>): void => {
      if (state.kind === 'starting' || state.kind === 'backingOff') return;
      leave();
      if (state.kind === 'ready') resolve(state.connection);
      else if (state.kind === 'failed') reject(new OperationError('crashed', state.reason, { output: state.output }));
      else reject(new OperationError('crashed', `${name} was stopped.`));
    };
    const abort = (): void => {
      leave();
      reject(signal.reason);
    };
    const following = process.onDidChange(look);
    const leave = (): void => {
      following.dispose();
      signal.removeEventListener('abort', abort);
    };
    if (signal.aborted) abort();
    else {
      signal.addEventListener('abort', abort, { once: true });
      look(process.state);
    }
  });
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
