/**
 * A workspace that Mochi learns and keeps learned: loads the kept index, learns what changed since, and offers engine and
 * knowledge. What could not be kept on disk is still known in memory; a broken index is learned anew.
 */
import { EmbeddedEngine } from '../engine/embedded.ts';
import type { Engine } from '../engine/engine.ts';
import type { Knowledge } from './knowledge.ts';
import { changesSince, type LearnOptions, learnFolder, relearnFile } from './learn.ts';
import type { Memory } from './memory.ts';
import { loadMemory, saveMemory } from './store.ts';

export interface WorkspaceOptions extends LearnOptions {
  /** The folder to learn, absolute. */
  readonly root: string;
  /** The file that keeps the index; without it nothing is kept. */
  readonly store?: string;
}

/** What a learning did. */
export interface LearnOutcome {
  readonly how: 'everything' | 'changes' | 'nothing new';
  /** Files learned or forgotten. */
  readonly files: number;
  /** Why the index could not be kept, for logs. */
  readonly notKept?: string;
}

/** Beyond this share of changed tokens the whole is learned again. */
const mostLoose = 0.05;

export class LearnedWorkspace {
  readonly engine: Engine;
  readonly root: string;
  readonly #options: WorkspaceOptions;
  readonly #listeners = new Set<() => void>();
  #memory: Memory | undefined;
  #learning = 0;

  constructor(options: WorkspaceOptions) {
    this.#options = options;
    this.root = options.root;
    this.engine = new EmbeddedEngine(this);
  }

  get memory(): Memory | undefined {
    return this.#memory;
  }

  get isLearning(): boolean {
    return this.#learning > 0;
  }

  get knowledge(): Knowledge | undefined {
    return this.#memory?.knowledge;
  }

  /** Called after each learning that changed anything. */
  onDidLearn(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Takes the kept index as it is; false where there is none that is whole. */
  async load(): Promise<boolean> {
    const { store } = this.#options;
    const kept = store === undefined ? undefined : await loadMemory(store);
    if (kept === undefined) return false;
    this.#memory = kept;
    this.#tell();
    return true;
  }

  /** Brings what is known up to date: all of it at first, changed files later. Rejects with the signal's reason. */
  async learn(signal: AbortSignal, onProgress?: LearnOptions['onProgress']): Promise<LearnOutcome> {
    this.#learning += 1;
    try {
      const options: LearnOptions = onProgress === undefined ? this.#options : { ...this.#options, onProgress };
      if (this.#memory === undefined) await this.load();
      const memory = this.#memory;
      if (memory === undefined) return await this.#everything(options, signal);
      const changed = await changesSince(this.root, memory, options, signal);
      let files = 0;
      for (const path of changed) {
        signal.throwIfAborted();
        if (await relearnFile(this.root, path, memory, options)) files += 1;
        if (memory.loose > mostLoose * memory.base.tokens.length + 20_000)
          return await this.#everything(options, signal);
      }
      if (files > 0) this.#tell();
      return { how: files > 0 ? 'changes' : 'nothing new', files };
    } finally {
      this.#learning -= 1;
    }
  }

  /** Learns one file again; `path` is relative to the root, with forward slashes. */
  async relearn(path: string): Promise<boolean> {
    if (this.#memory === undefined) return false;
    const isChanged = await relearnFile(this.root, path, this.#memory, this.#options);
    if (isChanged) this.#tell();
    return isChanged;
  }

  async #everything(options: LearnOptions, signal: AbortSignal): Promise<LearnOutcome> {
    const memory = await learnFolder(this.root, options, signal);
    this.#memory = memory;
    this.#tell();
    const { store } = this.#options;
    const outcome: LearnOutcome = { how: 'everything', files: memory.files.size };
    if (store === undefined) return outcome;
    const notKept = await saveMemory(store, memory).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    return notKept === undefined ? outcome : { ...outcome, notKept };
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
