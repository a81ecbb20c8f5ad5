/**
 * One thread that learns a workspace and answers from it, as the serving thread sees it: asks and awaits, stops what is
 * asked no longer, and is told when the thread is gone. What goes on in there stands in `thread-main.ts`.
 */
import { Worker } from 'node:worker_threads';
import type { Knowledge } from './knowledge.ts';
import type { LearnProgress } from './learn.ts';
import type { Ask, FromThread, ThreadSetup, ToThread } from './thread-messages.ts';

/** Beside the bundle when built, beside this file when not. */
const program = new URL(import.meta.url.endsWith('.ts') ? './thread-main.ts' : './mochi-learn.mjs', import.meta.url);

/**
 * Milliseconds after which a thread that was told to stop and says nothing at all is given up. Sorting tens of millions
 * of tokens is one piece of work that hears nothing, so this is long; what it is there for is work without an end.
 */
const unheardMs = 60_000;

export interface ThreadEvents {
  /** It can answer, though the first question may take longer. */
  onAnswers(): void;
  onLearned(knowledge: Knowledge): void;
  onProgress(progress: LearnProgress): void;
  /** It ended without being told to; whatever was asked of it has failed. */
  onLost(reason: string): void;
}

/** Why a thread gave no answer. */
export class ThreadError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ThreadError';
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class LearningThread {
  readonly #worker: Worker;
  readonly #events: ThreadEvents;
  readonly #waiting = new Map<number, Waiting>();
  readonly #unheardMs: number;
  #asked = 0;
  #heard = 0;
  #isEnded = false;
  #watch: NodeJS.Timeout | undefined;

  /** `of` is the program of the thread, where it is not our own, and `unheard` how long it may say nothing. */
  constructor(setup: ThreadSetup, events: ThreadEvents, of: URL = program, unheard: number = unheardMs) {
    this.#events = events;
    this.#unheardMs = unheard;
    // Nothing of the environment is needed in there, and standard output belongs to the protocol.
    this.#worker = new Worker(of, { workerData: setup, env: {}, argv: [], stdout: true, stderr: true });
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (error) => this.#lose(error instanceof Error ? error.name : 'unknown'));
    this.#worker.on('exit', () => this.#lose('ended'));
    // It must not keep a process alive that has nothing else to do, unless something is asked of it.
    this.#worker.unref();
  }

  /** How many asks are not answered yet. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Rejects with the signal's reason once that is aborted, or with a ThreadError. */
  ask(ask: Ask, signal?: AbortSignal): Promise<unknown> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    if (this.#isEnded) return Promise.reject(new ThreadError('The thread has ended.'));
    this.#asked += 1;
    const id = this.#asked;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#settle(id)?.reject(signal?.reason);
        this.#send({ id, ask: 'stop' });
        this.#expectWord();
      };
      signal?.addEventListener('abort', stop, { once: true });
      const done = (): void => signal?.removeEventListener('abort', stop);
      this.#waiting.set(id, {
        resolve(value) {
          done();
          resolve(value);
        },
        reject(error) {
          done();
          reject(error);
        },
      });
      this.#worker.ref();
      this.#send({ id, ask });
    });
  }

  /** Whoever is told to stop says so. From a thread that does not, nothing will ever come again. */
  #expectWord(): void {
    if (this.#watch !== undefined || this.#isEnded) return;
    const heard = this.#heard;
    this.#watch = setTimeout(() => {
      this.#watch = undefined;
      if (this.#heard !== heard || this.#isEnded) return;
      this.#lose('it no longer answered and was ended');
      void this.#worker.terminate();
    }, this.#unheardMs);
    this.#watch.unref();
  }

  /** Ends the thread at once; what is asked of it fails. */
  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#watch);
    this.#failAll('The thread was ended.');
    await this.#worker.terminate();
  }

  #send(message: ToThread): void {
    if (!this.#isEnded) this.#worker.postMessage(message);
  }

  #hear(message: FromThread): void {
    if (this.#isEnded) return;
    this.#heard += 1;
    switch (message.kind) {
      case 'answers':
        this.#events.onAnswers();
        break;
      case 'learned':
        this.#events.onLearned(message.knowledge);
        break;
      case 'progress':
        this.#events.onProgress(message.progress);
        break;
      case 'done':
        this.#settle(message.id)?.resolve(message.value);
        break;
      case 'failed':
        this.#settle(message.id)?.reject(new ThreadError(message.message));
        break;
      case 'stopped':
        break;
      default:
        message satisfies never;
    }
  }

  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    return waiting;
  }

  #lose(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failAll(`The thread that learns was lost: ${reason}.`);
    this.#events.onLost(reason);
  }

  #failAll(message: string): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(new ThreadError(message));
  }
}
