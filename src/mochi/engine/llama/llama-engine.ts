/**
 * The engine that runs a GGUF model on this machine, in a process of its own: native code that dies, or hangs, costs one
 * answer and never the server. Starts the process on the first need, again after a death, and not at once after several.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Disposable, Logger } from '#core/ports.ts';
import { MochiFault } from '../../limits.ts';
import type { Generated, Generation, ModelEngine, ModelState, ModelTraits } from '../model-engine.ts';
import { notReady } from '../not-ready.ts';
import { ADAPTER_FILES } from './adapter-watch.ts';
import { type AdapterWish, type LoadWish, parseReply, type Reply, type Request } from './messages.ts';

export interface LlamaOptions extends Omit<LoadWish, 'kind' | 'memoryBytes'> {
  /** The program that runs the model. */
  readonly program: string;
  readonly logger: Logger;
  /** Bytes that the process of the model may use now. */
  readonly memoryBytes: () => number;
  /** For tests: another way to start the process. */
  readonly start?: (program: string) => ChildProcess;
  readonly now?: () => number;
}

/** Milliseconds without a sign of life after which a loading has failed. */
const SILENT_MS = 120_000;
/** Milliseconds beyond its deadline that an answer may take, before the process counts as hung. */
const HUNG_MS = 5_000;
/** Milliseconds after a failed loading, or after many deaths, before the next try. */
const PAUSE_MS = 10_000;
/** Deaths within this many milliseconds that are answered by a restart at once. */
const DEATHS = { most: 3, within: 60_000 };

interface Pending {
  readonly resolve: (generated: Generated) => void;
  readonly reject: (reason: unknown) => void;
  readonly watch: NodeJS.Timeout;
}

interface Loading {
  readonly promise: Promise<ModelTraits>;
  readonly resolve: (traits: ModelTraits) => void;
  readonly reject: (reason: unknown) => void;
}

export class LlamaEngine implements ModelEngine {
  readonly name = 'llama';
  readonly #options: LlamaOptions;
  readonly #now: () => number;
  readonly #listeners = new Set<(state: ModelState) => void>();
  readonly #pending = new Map<number, Pending>();
  #adapters: readonly AdapterWish[];
  #state: ModelState = { kind: 'idle' };
  #child: ChildProcess | undefined;
  #loading: Loading | undefined;
  #adapting: Loading | undefined;
  #silence: NodeJS.Timeout | undefined;
  #memory = { bytes: 0, estimatedBytes: 0 };
  #swapMs = 0;
  #deaths: number[] = [];
  #retryAt = 0;
  /** The files that could not be loaded, as they were then. */
  #refused: string | undefined;
  #nextId = 1;
  #isDisposed = false;

  constructor(options: LlamaOptions) {
    this.#options = options;
    this.#adapters = options.adapters;
    this.#now = options.now ?? (() => performance.now());
  }

  get state(): ModelState {
    return this.#state;
  }

  get memoryBytes(): number {
    return this.#child === undefined ? 0 : this.#memory.bytes;
  }

  /** Bytes that were estimated for the process before the model was loaded; 0 before that. */
  get estimatedBytes(): number {
    return this.#memory.estimatedBytes;
  }

  /** Milliseconds that the last change of adapters took. */
  get swapMs(): number {
    return this.#swapMs;
  }

  load(): Promise<ModelTraits> {
    if (this.#state.kind === 'ready') return Promise.resolve(this.#state.traits);
    if (this.#loading !== undefined) return this.#loading.promise;
    if (this.#isDisposed) return Promise.reject(new MochiFault('not-ready', 'The model was let go.', {}));
    if (this.#state.kind === 'failed' && this.#isStuck()) return Promise.reject(this.#state.fault);
    const loading = deferred();
    this.#loading = loading;
    this.#become({ kind: 'loading', share: undefined });
    this.#start();
    return loading.promise;
  }

  /** Puts these adapters in the place of the present ones, without loading the base again. */
  async adapt(adapters: readonly AdapterWish[]): Promise<ModelTraits> {
    this.#adapters = adapters;
    if (this.#state.kind !== 'ready') return this.load();
    await this.#adapting?.promise.catch(() => undefined);
    const adapting = deferred();
    this.#adapting = adapting;
    this.#send({ kind: 'adapt', adapters: [...adapters] });
    return adapting.promise;
  }

  generate(request: Generation, signal: AbortSignal): Promise<Generated> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#state.kind !== 'ready') return Promise.reject(this.#notReady());
    const id = this.#nextId++;
    return new Promise<Generated>((resolve, reject) => {
      const finish = (): void => {
        signal.removeEventListener('abort', abort);
        clearTimeout(watch);
        this.#pending.delete(id);
      };
      const abort = (): void => {
        // The answer is not wanted; the watch goes on, because the process must still come to an end of it.
        reject(signal.reason);
        this.#send({ kind: 'abort', id });
      };
      const watch = setTimeout(() => this.#hung(), request.deadlineMs + HUNG_MS);
      watch.unref();
      signal.addEventListener('abort', abort, { once: true });
      this.#pending.set(id, {
        watch,
        resolve: (generated) => {
          finish();
          resolve(generated);
        },
        reject: (reason) => {
          finish();
          reject(reason);
        },
      });
      const { purpose, prompt, stop, maxTokens, deadlineMs } = request;
      const pieces = prompt.map((piece) => ({ ...piece }));
      this.#send({ kind: 'generate', id, purpose, prompt: pieces, stop: [...stop], maxTokens, deadlineMs });
    });
  }

  onDidChange(listener: (state: ModelState) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  dispose(): void {
    this.#isDisposed = true;
    const child = this.#child;
    this.#child = undefined;
    child?.kill('SIGKILL');
    this.#ended(new MochiFault('not-ready', 'The model was let go.', {}));
    this.#become({ kind: 'idle' });
  }

  /** Too soon for another try, or the files that were no good are still the same. */
  #isStuck(): boolean {
    if (this.#now() < this.#retryAt) return true;
    if (this.#refused === undefined || this.#refused !== this.#files()) return false;
    this.#retryAt = this.#now() + PAUSE_MS;
    return true;
  }

  /** What tells whether any file that is loaded is another one now. */
  #files(): string {
    const { model, backend } = this.#options;
    const folders = this.#adapters.map(({ folder }) => folder);
    return loadedFiles(model, backend, folders).map(stampOf).join();
  }

  /** Also asks for the loading, so that the next try finds it further. */
  #notReady(): MochiFault {
    void this.load().catch(() => undefined);
    return notReady(this.#state);
  }

  #start(): void {
    const { program, start = spawnModel } = this.#options;
    const child = start(program);
    this.#child = child;
    this.#memory = { bytes: 0, estimatedBytes: 0 };
    this.#heard();
    this.#options.logger.debug(`the model runs in process ${child.pid ?? 'unknown'}`);
    child.on('message', (message) => {
      const reply = parseReply(message);
      if (reply !== undefined && this.#child === child) this.#take(reply);
    });
    child.once('error', () => this.#died(child, ''));
    child.once('exit', (code, signal) => this.#died(child, signal ?? `code ${code ?? 'unknown'}`));
  }

  #take(reply: Reply): void {
    if (this.#state.kind === 'loading') this.#heard();
    switch (reply.kind) {
      case 'started': {
        const { backend, model, cacheFolder, contextTokens, maxThreads, memoryBytes } = this.#options;
        const adapters = [...this.#adapters];
        const wish = { backend, model, cacheFolder, contextTokens, maxThreads, adapters, memoryBytes: memoryBytes() };
        this.#send({ kind: 'load', ...wish });
        return;
      }
      case 'progress':
        this.#become({ kind: 'loading', share: reply.share });
        return;
      case 'ready':
        this.#ready(reply);
        return;
      case 'failed':
        this.#failed(reply);
        return;
      case 'generated': {
        const { text, tokens, reason, evaluated, promptTokens } = reply;
        this.#pending.get(reply.id)?.resolve({ text, tokens, reason, evaluated, promptTokens });
        return;
      }
      case 'aborted':
        this.#pending.get(reply.id)?.reject(new Error('aborted'));
        return;
      case 'memory':
        this.#memory = { bytes: reply.bytes, estimatedBytes: reply.estimatedBytes };
        return;
      case 'log':
        this.#options.logger[reply.level](reply.message);
        return;
      default:
        reply satisfies never;
    }
  }

  #ready({ traits: { fim, ...rest }, swapMs }: Extract<Reply, { kind: 'ready' }>): void {
    const traits: ModelTraits = { ...rest, fim };
    this.#swapMs = swapMs;
    clearTimeout(this.#silence);
    const waiting = [this.#loading, this.#adapting];
    this.#loading = undefined;
    this.#adapting = undefined;
    this.#become({ kind: 'ready', traits });
    for (const one of waiting) one?.resolve(traits);
  }

  /** An answer that failed, adapters that cannot be applied, or a loading that did not come to its end. */
  #failed({ id, fault }: Extract<Reply, { kind: 'failed' }>): void {
    const { remedy, field } = fault;
    const error = new MochiFault(fault.kind, fault.message, {
      ...(remedy === undefined ? {} : { remedy }),
      ...(field === undefined ? {} : { field }),
    });
    if (id !== undefined) {
      this.#pending.get(id)?.reject(error);
      return;
    }
    if (this.#state.kind === 'ready') {
      const adapting = this.#adapting;
      this.#adapting = undefined;
      adapting?.reject(error);
      return;
    }
    this.#giveUp(error);
  }

  #giveUp(fault: MochiFault): void {
    const child = this.#child;
    this.#child = undefined;
    child?.kill('SIGKILL');
    this.#retryAt = this.#now() + PAUSE_MS;
    this.#refused = fault.kind === 'not-ready' ? this.#files() : undefined;
    this.#become({ kind: 'failed', fault });
    this.#ended(fault);
  }

  #died(child: ChildProcess, how: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    const fault = died(how);
    const now = this.#now();
    this.#deaths = [...this.#deaths.filter((at) => now - at < DEATHS.within), now];
    // A death in the middle of the loading would only come again.
    const isOften = this.#deaths.length > DEATHS.most || this.#state.kind === 'loading';
    this.#retryAt = isOften ? now + PAUSE_MS : 0;
    this.#refused = undefined;
    this.#become({ kind: 'failed', fault });
    this.#ended(fault);
  }

  #hung(): void {
    this.#options.logger.error('the process of the model does not answer and is ended');
    this.#child?.kill('SIGKILL');
  }

  /** Whoever waits is told. */
  #ended(reason: MochiFault): void {
    clearTimeout(this.#silence);
    const waiting = [this.#loading, this.#adapting];
    this.#loading = undefined;
    this.#adapting = undefined;
    for (const one of waiting) one?.reject(reason);
    for (const one of [...this.#pending.values()]) one.reject(reason);
  }

  /** A sign of life while it loads. */
  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.#giveUp(
        new MochiFault('failed', `The model did not load within ${SILENT_MS / 1_000} s.`, {
          remedy: 'Try a smaller model; the log says more.',
        }),
      );
    }, SILENT_MS);
    this.#silence.unref();
  }

  #send(request: Request): void {
    // A channel that has just broken is told by the end of the process.
    if (this.#child?.connected === true) this.#child.send(request, () => {});
  }

  #become(state: ModelState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

function spawnModel(program: string): ChildProcess {
  return spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    windowsHide: true,
    env: { ...process.env, NODE_LLAMA_CPP_SKIP_DOWNLOAD: 'true' },
  });
}

/** What a loading reads, and what says whether the library is there. */
function loadedFiles(model: string, backend: string, adapters: readonly string[]): readonly string[] {
  const library = join(backend, 'node_modules', 'node-llama-cpp', 'package.json');
  return [model, library, ...adapters.flatMap((folder) => ADAPTER_FILES.map((file) => join(folder, file)))];
}

function stampOf(file: string): string {
  try {
    const { mtimeMs, size } = statSync(file);
    return `${mtimeMs}:${size}`;
  } catch {
    return '-';
  }
}

function died(how: string): MochiFault {
  return new MochiFault('failed', `The process of the model ended${how === '' ? '' : ` (${how})`}.`, {
    remedy: 'Ask again: it is started anew. If it ends again, try a smaller model; the log says more.',
  });
}

function deferred(): Loading {
  const { promise, resolve, reject } = withResolvers<ModelTraits>();
  // Somebody may have asked without waiting.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

/** Node 20 has no `Promise.withResolvers`. */
function withResolvers<T>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
} {
  let settle: { resolve: (value: T) => void; reject: (reason: unknown) => void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, resolve: (value) => settle?.resolve(value), reject: (reason) => settle?.reject(reason) };
}
