/**
 * The thread that runs Mochi for an extension host, as the host sees it: processes and clients that look like those of
 * `managed-process.ts` and `mochi-client.ts`, and behind each a message. What goes on in there stands in
 * `mochi-thread-main.ts`; the thread is made when something is first wanted of it, and once more where it was lost.
 */
import { Worker } from 'node:worker_threads';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { Acceptance, Counts } from './acceptance-counts.ts';
import type { ManagedProcess } from './managed-process.ts';
import type { MochiClient } from './mochi-client.ts';
import {
  type Call,
  type Calls,
  type FromThread,
  type Line,
  receivedError,
  type StartWords,
  type ThreadSetup,
  type ToThread,
} from './mochi-thread-messages.ts';
import { forgetGroup, killGroup, rememberGroup } from './process-groups.ts';
import { type Door, type RemoteClient, RemoteProcess } from './remote-mochi.ts';

export interface MochiThreadOptions {
  readonly logger: Logger;
  readonly setup: ThreadSetup;
  /** `dist/mochi-thread.cjs`, absolute. */
  readonly file: string;
  /** Asked at each start of a process. */
  startWords(): Promise<StartWords>;
}

export interface MochiThread {
  /** Makes the thread now, where that is not done by the first thing that is wanted of it. */
  begin(): void;
  /** The process of a folder; nothing is started by asking for it. */
  open(folder: string): ManagedProcess<MochiClient>;
  /** Whether an index of the folder is kept, so that starting costs little. */
  isLearned(folder: string): Promise<boolean>;
  /** Undefined where this platform does not say. */
  isOnBattery(): Promise<boolean | undefined>;
  /** How suggestions for a folder were taken so far. */
  acceptance(folder: string): Promise<Counts>;
  /** Throws OperationError; nothing was added then. */
  addAcceptance(folder: string, more: Acceptance): Promise<Counts>;
  /** Stops every process and ends the thread, until something is wanted again. */
  end(): Promise<void>;
}

/** Milliseconds that a thread may take to end by itself. */
const END_MS = 1_000;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export function openMochiThread(options: MochiThreadOptions): MochiThread {
  return new Thread(options);
}

class Thread implements MochiThread, Door {
  readonly #options: MochiThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #processes = new Map<string, RemoteProcess>();
  /** Those of processes that run; where the thread is lost, nobody else ends them. */
  readonly #groups = new Set<number>();
  #worker: Worker | undefined;
  #asked = 0;

  constructor(options: MochiThreadOptions) {
    this.#options = options;
  }

  open(folder: string): ManagedProcess<MochiClient> {
    const known = this.#processes.get(folder);
    if (known !== undefined) return known;
    const one = new RemoteProcess(folder, this);
    this.#processes.set(folder, one);
    return one;
  }

  isLearned = (folder: string): Promise<boolean> => this.call({ what: 'isLearned', given: { folder } });
  isOnBattery = (): Promise<boolean | undefined> => this.call({ what: 'isOnBattery', given: {} });
  acceptance = (folder: string): Promise<Counts> => this.call({ what: 'acceptance', given: { folder } });
  addAcceptance = (folder: string, more: Acceptance): Promise<Counts> =>
    this.call({ what: 'addAcceptance', given: { folder, more } });

  async end(): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    await Promise.all([...this.#processes.values()].map((one) => one.stop()));
    this.#worker = undefined;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage({ kind: 'end' } satisfies ToThread);
    const late = setTimeout(() => void worker.terminate(), END_MS);
    await ended;
    clearTimeout(late);
  }

  begin(): void {
    this.#worker ??= this.#made();
  }

  send(message: ToThread): void {
    this.#worker ??= this.#made();
    this.#worker.postMessage(message);
  }

  call<C extends Call>(call: C, signal?: AbortSignal): Promise<Calls[C['what']]['gets']> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    this.#asked += 1;
    const id = this.#asked;
    return new Promise<Calls[C['what']]['gets']>((resolve, reject) => {
      const abort = (): void => {
        this.#settle(id)?.reject(signal?.reason);
        this.send({ kind: 'cancel', id });
      };
      const leave = (): void => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort, { once: true });
      this.#waiting.set(id, {
        resolve(value: Calls[C['what']]['gets']) {
          leave();
          resolve(value);
        },
        reject(error) {
          leave();
          reject(error);
        },
      });
      this.send({ kind: 'call', id, call });
    });
  }

  #made(): Worker {
    const { file, setup } = this.#options;
    // What the editor told its own Node, for example to wait for a debugger, is not meant for a thread of ours. Joining
    // its output, of which there is none, to ours would take as long as all the rest.
    const options = { execArgv: [], argv: [], stdout: true, stderr: true, name: 'mochi' };
    const worker = new Worker(file, { workerData: setup, ...options });
    worker.on('message', (message: FromThread) => this.#hear(message));
    worker.on('error', (error) => this.#options.logger.error(`The thread of Mochi failed: ${nameOf(error)}`));
    worker.on('exit', () => this.#lose(worker));
    return worker;
  }

  #hear(message: FromThread): unknown {
    switch (message.kind) {
      case 'answer':
        return this.#settle(message.id)?.resolve(message.value);
      case 'failed':
        return this.#settle(message.id)?.reject(receivedError(message.error));
      case 'state':
        return this.#processes.get(message.folder)?.hear(message.turn, message.state);
      case 'needs-words':
        return void this.#answerWords(message.id);
      case 'log':
        return this.#options.logger[message.level](message.message);
      case 'spawned':
        this.#groups.add(message.pid);
        return rememberGroup(message.pid);
      case 'gone':
        this.#groups.delete(message.pid);
        return forgetGroup(message.pid);
      case 'resources':
        return this.#clientOf(message.line)?.tellChanged();
      case 'progress':
        return this.#clientOf(message.line)?.tellProgress(message.learning);
      default:
        return message satisfies never;
    }
  }

  async #answerWords(id: number): Promise<void> {
    const words = await this.#options.startWords().catch(() => ({ words: [], key: undefined }));
    this.#worker?.postMessage({ kind: 'words', id, words } satisfies ToThread);
  }

  #clientOf({ folder, connection }: Line): RemoteClient | undefined {
    const client = this.#processes.get(folder)?.client;
    return client?.connection === connection ? client : undefined;
  }

  #settle(id: number): Waiting | undefined {
    const one = this.#waiting.get(id);
    this.#waiting.delete(id);
    return one;
  }

  /** A thread is gone: whatever was asked of it failed, and its processes have nobody who speaks with them. */
  #lose(worker: Worker): void {
    if (this.#worker !== undefined && this.#worker !== worker) return;
    const isUnforeseen = this.#worker === worker;
    this.#worker = undefined;
    for (const id of [...this.#waiting.keys()])
      this.#settle(id)?.reject(new OperationError('crashed', 'The thread of Mochi ended.'));
    for (const pid of this.#groups) {
      killGroup(pid);
      forgetGroup(pid);
    }
    this.#groups.clear();
    if (isUnforeseen) for (const one of this.#processes.values()) one.lose();
  }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}
