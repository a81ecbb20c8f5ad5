/**
 * Mochi for one workspace folder: its process, how far it has learned, and what it waits for before it learns unasked.
 * Nothing of VS Code is known here.
 */
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { ManagedProcess } from '#node/managed-process.ts';
import type { MochiClient } from '#node/mochi-client.ts';
import type { Learning } from '#protocol/learning-words.ts';
import type { MochiStats } from '#protocol/mochi.ts';
import type { Companion } from './companion.ts';
import type { CompletionRequest, CompletionResult, MochiStatus } from './mochi-contract.ts';

export interface FolderPorts {
  readonly logger: Logger;
  isTrusted(): boolean;
  companion(): Promise<Companion>;
  readonly learning: LearningPorts;
}

/** What decides whether a folder is learned unasked. */
export interface LearningPorts {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Calls `run` once after `ms`; the result prevents it. */
  after(ms: number, run: () => void): () => void;
  /** What a folder that was never learned waits for; undefined where it is learned at once. */
  waitsFor(folder: string): Promise<'large' | 'battery' | undefined>;
  /** Whether this many files are learned only after a yes. */
  isLarge(files: number): boolean;
  hasAgreed(folder: string): boolean;
  agree(folder: string): void;
  /** A folder waits for a yes from now on. */
  onLarge(folder: string, files?: number): void;
}

/** How often it is looked whether the mains are back, in milliseconds. */
const LOOK_AGAIN_MS = 60_000;

/** Milliseconds for which changed files are gathered, and how many are told one by one. */
const TOGETHER_MS = 300;
const MOST_PATHS = 1_000;

/** One folder's process, and how far it has learned. */
export class MochiFolder {
  readonly folder: string;
  readonly #ports: FolderPorts;
  readonly #tell: () => void;
  #opening: Promise<ManagedProcess<MochiClient>> | undefined;
  #process: ManagedProcess<MochiClient> | undefined;
  #companion: Companion | undefined;
  #learning: Learning | undefined;
  #held: 'large' | 'battery' | undefined;
  #heldAt = 0;
  /** Files that changed and that Mochi was not told of yet. */
  readonly #changed = new Set<string>();
  #cancelTelling: () => void = () => {};
  #isStarting = false;
  /** Grows with every stop, so that a start that was under way knows. */
  #stops = 0;
  stats: MochiStats | undefined;

  constructor(folder: string, ports: FolderPorts, tell: () => void) {
    this.folder = folder;
    this.#ports = ports;
    this.#tell = tell;
  }

  get status(): MochiStatus {
    if (this.#held !== undefined) return { kind: 'waiting', reason: this.#held };
    const state = this.#process?.state;
    switch (state?.kind) {
      case undefined:
      case 'stopped':
        return { kind: this.#isStarting ? 'starting' : 'idle' };
      case 'starting':
        return { kind: state.attempt > 1 ? 'restarting' : 'starting' };
      case 'backingOff':
        return { kind: 'restarting' };
      case 'failed':
        return { kind: 'failed', reason: this.#companion?.lastWords(state.output) || state.reason };
      case 'ready':
        if (this.stats?.learned === true) return { kind: 'ready' };
        return { kind: 'learning', ...this.#learning };
      default:
        return state satisfies never;
    }
  }

  /** Starts the process where it is not started and may be; whoever types does not wait for it. */
  wake(): void {
    const kind = this.#process?.state.kind ?? 'stopped';
    if (kind !== 'stopped' || this.#isStarting || this.#held === 'large') return;
    if (this.#held === 'battery' && this.#ports.learning.now() - this.#heldAt < LOOK_AGAIN_MS) return;
    this.#isStarting = true;
    this.#startUnasked()
      .catch((error: unknown) => this.#ports.logger.error(`Mochi: ${textOf(error)}`))
      .finally(() => {
        this.#isStarting = false;
        this.#tell();
      });
    this.#tell();
  }

  /** Tells Mochi soon, all at once: files are saved and moved in crowds. A Mochi that is not there looks for itself. */
  changed(path: string): void {
    this.#changed.add(path);
    this.#cancelTelling();
    this.#cancelTelling = this.#ports.learning.after(TOGETHER_MS, () => {
      const paths = [...this.#changed];
      this.#changed.clear();
      const state = this.#process?.state;
      if (state?.kind === 'ready') state.connection.filesChanged(paths.length > MOST_PATHS ? undefined : paths);
    });
  }

  async complete(
    request: CompletionRequest & { readonly path: string },
    signal: AbortSignal,
  ): Promise<CompletionResult | undefined> {
    const state = this.#process?.state;
    if (state?.kind !== 'ready') return undefined;
    try {
      const answer = await state.connection.complete(request, signal);
      if (answer.kind === 'answered') return answer.value;
      this.#ports.logger.debug(`no completion: ${answer.fault.kind}`);
    } catch (error) {
      if (!signal.aborted) this.#ports.logger.debug(`no completion: ${textOf(error)}`);
    }
    return undefined;
  }

  async client(signal: AbortSignal): Promise<MochiClient> {
    const process = await this.#open();
    signal.throwIfAborted();
    if (this.#held === 'large')
      throw new OperationError('consent-needed', 'This workspace is large and was not learned yet.', {
        remedy: 'Run "Mochi: Learn Workspace".',
      });
    this.#held = undefined;
    return process.ready(signal);
  }

  async restart(): Promise<void> {
    this.#held = undefined;
    await (await this.#open()).restart();
  }

  async stop(): Promise<void> {
    this.#stops += 1;
    await (await this.#opening?.catch(() => undefined))?.stop();
  }

  async #startUnasked(): Promise<void> {
    const { learning } = this.#ports;
    const before = this.#stops;
    const process = await this.#open();
    const reason = learning.hasAgreed(this.folder) ? undefined : await learning.waitsFor(this.folder);
    if (this.#stops !== before) return;
    this.#held = reason;
    this.#heldAt = learning.now();
    if (reason === undefined) process.start();
    else if (reason === 'large') learning.onLarge(this.folder);
  }

  #open(): Promise<ManagedProcess<MochiClient>> {
    this.#opening ??= this.#ports.companion().then(
      (companion) => {
        const process = companion.open(this.folder);
        this.#companion = companion;
        this.#process = process;
        process.onDidChange((state) => {
          this.#learning = undefined;
          if (state.kind === 'ready') this.#follow(state.connection);
          this.#tell();
        });
        return process;
      },
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  /** Nobody agreed yet to learn as much as this. */
  #holdIfLarge(files: number): void {
    const { learning } = this.#ports;
    if (this.stats?.learned === true || !learning.isLarge(files) || learning.hasAgreed(this.folder)) return;
    this.#held = 'large';
    void this.#process?.stop();
    learning.onLarge(this.folder, files);
  }

  #follow(client: MochiClient): void {
    this.stats = undefined;
    const look = (): void => {
      client.readStats(new AbortController().signal).then(
        (stats) => {
          this.stats = stats;
          this.#tell();
        },
        (error: unknown) => this.#ports.logger.debug(`no statistics: ${textOf(error)}`),
      );
    };
    // What is heard of a process that ended says nothing of the next: each has a client of its own.
    client.onDidChangeResources(look);
    client.onDidProgress((learning) => {
      this.#learning = learning;
      if (learning !== undefined) this.#holdIfLarge(learning.total);
      this.#tell();
    });
    look();
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
