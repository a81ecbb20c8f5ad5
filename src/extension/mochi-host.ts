/**
 * Mochi as the editor's parts see it: started for a folder on first need, asked with a document, and never a reason for
 * anybody to wait or to be told off. What VS Code says of trust, settings and folders comes in through ports, so that
 * all of it can be tried without an editor.
 */
import type { TextDocument } from 'vscode';
import type { Disposable } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { MochiClient } from '#node/mochi-client.ts';
import type { MochiStats } from '#protocol/mochi.ts';
import type {
  CompletionRequest,
  CompletionResult,
  CompletionWitness,
  MochiHost,
  MochiStatus,
} from './mochi-contract.ts';
import { type FolderPorts, MochiFolder } from './mochi-folder.ts';

/** A document's place: its workspace folder, absolute, and its path in there with forward slashes. */
export interface DocumentPlace {
  readonly folder: string;
  readonly path: string;
}

export interface HostPorts extends FolderPorts {
  /** Whether the settings switch completions on at all. */
  isEnabled(): boolean;
  /** Undefined where a document lies in no folder on a disk. */
  placeOf(document: TextDocument): DocumentPlace | undefined;
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
  /** The folder whose Mochi was needed last. */
  readonly lastFolder: string | undefined;
  /** The client of a folder, once it is ready. Throws OperationError, or the signal's reason. */
  client(folder: string, signal: AbortSignal): Promise<MochiClient>;
  /** Starts every folder's process anew, also one that failed; or only those that are there. */
  restart(which?: 'all' | 'running'): Promise<void>;
  /** Learns a folder now, whatever it waits for: what changed, or all of it at first. */
  learn(folder: string): Promise<void>;
  /** A file of a folder is another, new or gone. Starts nothing. */
  changed(place: DocumentPlace): void;
  /** Ends every process until it is needed again. */
  rest(): Promise<void>;
  /** Ends the processes of folders that are no longer open. */
  retain(folders: readonly string[]): void;
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
  readonly #folders = new Map<string, MochiFolder>();
  #isOver = false;
  #lastFolder: string | undefined;

  constructor(ports: HostPorts) {
    this.#ports = ports;
  }

  get lastFolder(): string | undefined {
    return this.#lastFolder;
  }

  get folders(): readonly FolderState[] {
    return [...this.#folders.values()].map(({ folder, status, stats }) => ({ folder, status, stats }));
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
    const all = [...this.#folders.values()].map((one) => one.status);
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

  wake(document: TextDocument): void {
    const place = this.mayComplete ? this.#ports.placeOf(document) : undefined;
    if (place !== undefined) this.#of(place.folder).wake();
  }

  async complete(
    document: TextDocument,
    request: CompletionRequest,
    signal: AbortSignal,
  ): Promise<CompletionResult | undefined> {
    if (!this.mayComplete || signal.aborted) return undefined;
    const place = this.#ports.placeOf(document);
    if (place === undefined) return undefined;
    const one = this.#of(place.folder);
    one.wake();
    return one.complete({ ...request, path: place.path }, signal);
  }

  async client(folder: string, signal: AbortSignal): Promise<MochiClient> {
    if (!this.#ports.isTrusted() || this.#isOver)
      throw new OperationError('consent-needed', 'This workspace is not trusted.', {
        remedy: 'Trust the workspace first.',
      });
    return this.#of(folder).client(signal);
  }

  async restart(which: 'all' | 'running' = 'all'): Promise<void> {
    if (!this.#ports.isTrusted()) return;
    const wanted = [...this.#folders.values()].filter(({ status }) => which === 'all' || status.kind !== 'idle');
    await Promise.all(wanted.map((one) => one.restart()));
  }

  async learn(folder: string): Promise<void> {
    if (!this.#ports.isTrusted() || this.#isOver) return;
    this.#ports.learning.agree(folder);
    await this.#of(folder).restart();
  }

  changed({ folder, path }: DocumentPlace): void {
    this.#folders.get(folder)?.changed(path);
  }

  async rest(): Promise<void> {
    await Promise.all([...this.#folders.values()].map((one) => one.stop()));
    this.#tell();
  }

  retain(folders: readonly string[]): void {
    for (const [folder, one] of this.#folders) {
      if (folders.includes(folder)) continue;
      this.#folders.delete(folder);
      if (this.#lastFolder === folder) this.#lastFolder = undefined;
      void one.stop();
    }
    this.#tell();
  }

  refresh(): void {
    if (!this.#ports.isTrusted() || !this.#ports.isEnabled()) for (const one of this.#folders.values()) void one.stop();
    this.#tell();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.rest();
    this.#listeners.clear();
  }

  #of(folder: string): MochiFolder {
    this.#lastFolder = folder;
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const one = new MochiFolder(folder, this.#ports, () => this.#tell());
    this.#folders.set(folder, one);
    return one;
  }

  #tell(): void {
    const { status } = this;
    for (const listener of [...this.#listeners]) listener(status);
  }
}
