/**
 * Mochi as the editor's parts see it: started for a folder on first need, asked with a document, and never a reason for
 * anybody to wait or to be told off. What VS Code says of trust, settings and folders comes in through ports, so that
 * all of it can be tried without an editor.
 */
import type { TextDocument } from 'vscode';
import type { Disposable, Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { ManagedProcess } from '#node/managed-process.ts';
import type { Learning, MochiClient, MochiStats } from '#node/mochi-client.ts';
import type { Companion } from './companion.ts';
import type {
  CompletionRequest,
  CompletionResult,
  CompletionWitness,
  MochiHost,
  MochiStatus,
} from './mochi-contract.ts';

/** A document's place: its workspace folder, absolute, and its path in there with forward slashes. */
export interface DocumentPlace {
  readonly folder: string;
  readonly path: string;
}

export interface HostPorts {
  readonly logger: Logger;
  isTrusted(): boolean;
  /** Whether the settings switch completions on at all. */
  isEnabled(): boolean;
  /** Undefined where a document lies in no folder on a disk. */
  placeOf(document: TextDocument): DocumentPlace | undefined;
  companion(): Promise<Companion>;
  readonly witness: CompletionWitness;
  /** Whether the person let completions rest, and until when. */
  pause(): { readonly until?: number } | undefined;
}

/** What is known of one folder's Mochi. */
export interface FolderState {
  readonly folder: string;
  readonly status: MochiStatus;
  readonly stats: MochiStats | undefined;
}

/** All of it, for the parts that show and steer. */
export interface FullHost extends MochiHost {
  readonly folders: readonly FolderState[];
  /** The client of a folder, once it is ready. Throws OperationError, or the signal's reason. */
  client(folder: string, signal: AbortSignal): Promise<MochiClient>;
  /** Starts every folder's process anew, also one that failed. */
  restart(): Promise<void>;
  /** Something that the status depends on is another: trust, settings, a pause. */
  refresh(): void;
  /** Resolves when no process of ours runs any more. */
  stop(): Promise<void>;
}

const RANK: Readonly<Record<MochiStatus['kind'], number>> = {
  failed: 0,
  restarting: 1,
  starting: 2,
  learning: 3,
  waiting: 4,
  ready: 5,
  paused: 6,
  off: 7,
  restricted: 8,
  idle: 9,
};

export function createMochiHost(ports: HostPorts): FullHost {
  return new Host(ports);
}

class Host implements FullHost {
  readonly #ports: HostPorts;
  readonly #listeners = new Set<(status: MochiStatus) => void>();
  readonly #slots = new Map<string, Slot>();
  #isOver = false;

  constructor(ports: HostPorts) {
    this.#ports = ports;
  }

  get folders(): readonly FolderState[] {
    return [...this.#slots.values()].map(({ folder, status, stats }) => ({ folder, status, stats }));
  }

  get mayComplete(): boolean {
    const { isTrusted, isEnabled, pause } = this.#ports;
    return !this.#isOver && isTrusted() && isEnabled() && pause() === undefined;
  }

  get status(): MochiStatus {
    const { isTrusted, isEnabled, pause } = this.#ports;
    if (!isTrusted()) return { kind: 'restricted' };
    const paused = pause();
    if (paused !== undefined) return { kind: 'paused', ...paused };
    const all = [...this.#slots.values()].map((slot) => slot.status);
    const [worst] = all.sort((a, b) => RANK[a.kind] - RANK[b.kind]);
    if (!isEnabled() && worst?.kind !== 'failed') return { kind: 'off' };
    return worst ?? { kind: 'idle' };
  }

  onDidChangeStatus(listener: (status: MochiStatus) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  shown: MochiHost['shown'] = (suggestion) => this.#ports.witness.shown(suggestion);
  accepted: MochiHost['accepted'] = (accepted) => this.#ports.witness.accepted(accepted);

  async complete(
    document: TextDocument,
    request: CompletionRequest,
    signal: AbortSignal,
  ): Promise<CompletionResult | undefined> {
    if (!this.mayComplete || signal.aborted) return undefined;
    const place = this.#ports.placeOf(document);
    if (place === undefined) return undefined;
    const slot = this.#slot(place.folder);
    slot.wake();
    return slot.complete({ ...request, path: place.path }, signal);
  }

  async client(folder: string, signal: AbortSignal): Promise<MochiClient> {
    if (!this.#ports.isTrusted() || this.#isOver)
      throw new OperationError('consent-needed', 'This workspace is not trusted.', {
        remedy: 'Trust the workspace first.',
      });
    return this.#slot(folder).client(signal);
  }

  async restart(): Promise<void> {
    if (!this.#ports.isTrusted()) return;
    await Promise.all([...this.#slots.values()].map((slot) => slot.restart()));
  }

  refresh(): void {
    if (!this.#ports.isTrusted()) for (const slot of this.#slots.values()) void slot.stop();
    this.#tell();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#slots.values()].map((slot) => slot.stop()));
    this.#listeners.clear();
  }

  #slot(folder: string): Slot {
    const known = this.#slots.get(folder);
    if (known !== undefined) return known;
    const slot = new Slot(folder, this.#ports, () => this.#tell());
    this.#slots.set(folder, slot);
    return slot;
  }

  #tell(): void {
    const { status } = this;
    for (const listener of [...this.#listeners]) listener(status);
  }
}

/** One folder's process, and how far it has learned. */
class Slot {
  readonly folder: string;
  readonly #ports: HostPorts;
  readonly #tell: () => void;
  #opening: Promise<ManagedProcess<MochiClient>> | undefined;
  #process: ManagedProcess<MochiClient> | undefined;
  #companion: Companion | undefined;
  #learning: Learning | undefined;
  stats: MochiStats | undefined;

  constructor(folder: string, ports: HostPorts, tell: () => void) {
    this.folder = folder;
    this.#ports = ports;
    this.#tell = tell;
  }

  get status(): MochiStatus {
    const state = this.#process?.state;
    switch (state?.kind) {
      case undefined:
        return { kind: this.#opening === undefined ? 'idle' : 'starting' };
      case 'stopped':
        return { kind: 'idle' };
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

  /** Starts the process where it is not started; whoever types does not wait for it. */
  wake(): void {
    if (this.#process !== undefined) this.#process.start();
    else void this.#open().catch((error: unknown) => this.#ports.logger.error(`Mochi: ${textOf(error)}`));
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
    return process.ready(signal);
  }

  async restart(): Promise<void> {
    await (await this.#open()).restart();
  }

  async stop(): Promise<void> {
    await (await this.#opening?.catch(() => undefined))?.stop();
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
        process.start();
        return process;
      },
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
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
      this.#tell();
    });
    look();
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
