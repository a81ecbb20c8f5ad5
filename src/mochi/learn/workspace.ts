/**
 * A workspace that Mochi learns and keeps learned: loads the kept index, learns what changed since, keeps that too, and
 * offers engine and knowledge. What could not be kept on disk is still known in memory; a broken index is learned anew.
 * Works on the thread it is called on; `thread.ts` puts it on another.
 */
import { readdir, realpath, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedEngine } from '../engine/embedded.ts';
import type { LeftOutReason } from './crawl.ts';
import { headOf, isAlike, type KeptIndex, loadChanges, saveChanges } from './kept-changes.ts';
import type { Knowledge } from './knowledge.ts';
import { changesSince, type LearnOptions, learnFolder, relearnFile } from './learn.ts';
import type { Memory } from './memory.ts';
import { loadMemory, saveMemory } from './store.ts';
import { isRunning, takeTurn } from './turn.ts';

export interface WorkspaceOptions extends LearnOptions {
  /** The folder to learn, absolute. */
  readonly root: string;
  /** The file that keeps the index; without it nothing is kept. */
  readonly store?: string;
  /** The head of a kept index that is not to be loaded: it has been found too old. */
  readonly outdated?: string;
}

/** What a learning did. */
export interface LearnOutcome {
  /** `start again`: so much is new, or another Mochi kept a newer index, that another start is the shorter way. */
  readonly how: 'everything' | 'changes' | 'nothing new' | 'start again';
  /** Files learned or forgotten. */
  readonly files: number;
  /** Why the index could not be kept, for logs. */
  readonly notKept?: string;
  /** The head of the kept index that is no base for another start. */
  readonly outdated?: string;
}

export interface LearnReach {
  /** With `changes` it says `start again` rather than to learn everything beside what it serves. */
  readonly reach: 'all' | 'changes';
  /** Only these files, relative to the root with forward slashes; else whatever changed. */
  readonly paths?: readonly string[] | undefined;
}

/** Beyond this share of changed tokens the whole is learned again. */
const mostLoose = 0.05;
/** Milliseconds without a change before changes are kept, and milliseconds they may wait at most. */
const keepAfterMs = 2_000;
const keepWithinMs = 10_000;

export class LearnedWorkspace {
  readonly engine: EmbeddedEngine;
  readonly root: string;
  readonly #options: WorkspaceOptions;
  readonly #listeners = new Set<() => void>();
  readonly #loadListeners = new Set<() => void>();
  #memory: Memory | undefined;
  #learning = 0;
  #kept: KeptIndex | undefined;
  /** How many of the memory's changes are on disk. */
  #keptChanges = 0;
  #keepTimer: NodeJS.Timeout | undefined;
  #firstUnkept = 0;
  #keeping: Promise<string | undefined> = Promise.resolve(undefined);

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

  /** The folders that hold learned files, relative to the root; the root is the empty text. */
  get folders(): readonly string[] {
    const paths = [...(this.#memory?.files.keys() ?? [])];
    return [...new Set(paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))];
  }

  /** Called after each learning that changed anything. */
  onDidLearn(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Called as soon as there is something to answer from, before all of it is ready. */
  onDidLoad(listener: () => void): { dispose(): void } {
    this.#loadListeners.add(listener);
    return { dispose: () => this.#loadListeners.delete(listener) };
  }

  /** Takes the kept index as it is, with the changes kept beside it; false where there is none that is whole. */
  async load(): Promise<boolean> {
    const { store, outdated } = this.#options;
    if (store === undefined) return false;
    const head = await headOf(store);
    if (head === undefined || head === outdated) return false;
    const memory = await loadMemory(store);
    if (memory === undefined) return false;
    // Where another Mochi put its own in between, nobody knows which of the two was read.
    const isSame = head === (await headOf(store));
    this.#kept = isSame ? { head, words: memory.vocabulary.size } : undefined;
    if (this.#kept !== undefined) await loadChanges(store, memory, this.#kept).catch(() => 0);
    this.#keptChanges = memory.changes.length;
    await this.#adopt(memory);
    this.#tell();
    return true;
  }

  /**
   * Brings what is known up to date: all of it at first, changed files later. Rejects with the signal's reason.
   */
  async learn(
    signal: AbortSignal,
    onProgress?: LearnOptions['onProgress'],
    { reach, paths }: LearnReach = { reach: 'all' },
  ): Promise<LearnOutcome> {
    this.#learning += 1;
    try {
      const options: LearnOptions = onProgress === undefined ? this.#options : { ...this.#options, onProgress };
      if (this.#memory === undefined) {
        await this.#sweep();
        await this.load();
      }
      signal.throwIfAborted();
      const turn = this.#memory === undefined ? await this.#turn(signal) : undefined;
      try {
        return await this.#bringUpToDate(options, signal, { reach, paths });
      } finally {
        await turn?.();
      }
    } finally {
      this.#learning -= 1;
    }
  }

  /** Waits while another Mochi learns the same, and takes what it kept. Returns what gives the turn back. */
  async #turn(signal: AbortSignal): Promise<(() => Promise<void>) | undefined> {
    const { store } = this.#options;
    if (store === undefined) return undefined;
    const turn = await takeTurn(store, signal);
    if (!(await this.load())) return turn;
    await turn();
    return undefined;
  }

  async #bringUpToDate(
    options: LearnOptions,
    signal: AbortSignal,
    { reach, paths }: LearnReach,
  ): Promise<LearnOutcome> {
    const memory = this.#memory;
    if (memory === undefined) return await this.#everything(options, signal);
    if (reach === 'changes' && (await this.#isOvertaken())) return { how: 'start again', files: 0 };
    const since = paths === undefined ? await changesSince(this.root, memory, options, signal) : undefined;
    const { leftOut } = since ?? {};
    const leave = (reason: LeftOutReason): void => {
      leftOut?.set(reason, (leftOut.get(reason) ?? 0) + 1);
    };
    let files = 0;
    for (const path of since?.paths ?? (await this.#ownOf(paths ?? []))) {
      signal.throwIfAborted();
      if (await relearnFile(this.root, path, memory, options, leave)) files += 1;
      if (memory.loose <= mostLoose * memory.base.tokens.length + 20_000) continue;
      if (reach === 'changes') return this.#startAgain(files);
      return await this.#everything(options, signal);
    }
    const isOther = leftOut !== undefined && memory.leaveOut(leftOut);
    if (files > 0) this.#changed();
    else if (isOther) this.#tell();
    const outcome: LearnOutcome = { how: files > 0 ? 'changes' : 'nothing new', files };
    // At the start there is nothing to wait for: what is learned then may be all that was wanted.
    const notKept = reach === 'all' ? await this.keep() : undefined;
    return notKept === undefined ? outcome : { ...outcome, notKept };
  }

  /** Learns one file again; `path` is relative to the root, with forward slashes. */
  async relearn(path: string): Promise<boolean> {
    if (this.#memory === undefined) return false;
    const isChanged = await relearnFile(this.root, path, this.#memory, this.#options);
    if (isChanged) this.#changed();
    return isChanged;
  }

  /** Those of some paths that lie in the workspace without a link on the way, or did. */
  async #ownOf(paths: readonly string[]): Promise<readonly string[]> {
    const root = await realpath(this.root);
    const own: string[] = [];
    for (const path of new Set(paths)) {
      if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) continue;
      const real = await realpath(join(root, path)).catch(() => undefined);
      if (real === undefined ? this.#memory?.files.has(path) === true : real === join(root, path)) own.push(path);
    }
    return own;
  }

  /**
   * Keeps on disk what changed since the index was kept. What cannot be kept is learned again at the next start; returns
   * why it could not.
   */
  keep(): Promise<string | undefined> {
    clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    this.#firstUnkept = 0;
    this.#keeping = this.#keeping.then(() => this.#keepChanges()).then(() => undefined, messageOf);
    return this.#keeping;
  }

  async #keepChanges(): Promise<void> {
    const memory = this.#memory;
    const { store } = this.#options;
    if (memory === undefined || store === undefined || this.#kept === undefined) return;
    const upTo = memory.changes.length;
    if (upTo === this.#keptChanges) return;
    // Beside the newer index of another Mochi these changes would say nothing, and take the place of its own.
    if ((await headOf(store)) !== this.#kept.head) return;
    await saveChanges(store, memory, this.#kept);
    this.#keptChanges = upTo;
  }

  /** Takes away what a Mochi left behind that was killed while it kept something. */
  async #sweep(): Promise<void> {
    const { store } = this.#options;
    if (store === undefined) return;
    const folder = dirname(store);
    const left = (await readdir(folder).catch(() => [])).flatMap((name) => {
      const pid = /\.(\d+)\.\d+\.tmp$/.exec(name)?.[1];
      return pid === undefined || isRunning(Number(pid)) ? [] : [name];
    });
    for (const name of left) await rm(join(folder, name), { force: true }).catch(() => {});
  }

  /** Whether another Mochi of the same kind has kept another index since. */
  async #isOvertaken(): Promise<boolean> {
    const { store } = this.#options;
    if (store === undefined || this.#kept === undefined) return false;
    const head = await headOf(store);
    return head !== undefined && head !== this.#kept.head && isAlike(head, this.#kept.head);
  }

  #startAgain(files: number): LearnOutcome {
    const outcome: LearnOutcome = { how: 'start again', files };
    return this.#kept === undefined ? outcome : { ...outcome, outdated: this.#kept.head };
  }

  async #everything(options: LearnOptions, signal: AbortSignal): Promise<LearnOutcome> {
    const memory = await learnFolder(this.root, options, signal);
    this.#kept = undefined;
    await this.#adopt(memory);
    const notKept = await this.#keepAll(memory);
    // Not before: whoever hears it asks, and would wait for the keeping.
    this.#tell();
    const outcome: LearnOutcome = { how: 'everything', files: memory.files.size };
    return notKept === undefined ? outcome : { ...outcome, notKept };
  }

  /** Returns why the index could not be kept. */
  async #keepAll(memory: Memory): Promise<string | undefined> {
    const { store } = this.#options;
    if (store === undefined) return undefined;
    try {
      const words = memory.vocabulary.size;
      this.#keptChanges = memory.changes.length;
      await saveMemory(store, memory);
      const head = await headOf(store);
      if (head !== undefined) this.#kept = { head, words };
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** From here on it answers; what the first question needs is made at once. */
  async #adopt(memory: Memory): Promise<void> {
    this.#memory = memory;
    for (const listener of this.#loadListeners) listener();
    await this.engine.prepare();
  }

  #changed(): void {
    this.#tell();
    const now = performance.now();
    if (this.#firstUnkept === 0) this.#firstUnkept = now;
    clearTimeout(this.#keepTimer);
    const wait = Math.max(0, Math.min(keepAfterMs, this.#firstUnkept + keepWithinMs - now));
    this.#keepTimer = setTimeout(() => void this.keep(), wait);
    this.#keepTimer.unref();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
