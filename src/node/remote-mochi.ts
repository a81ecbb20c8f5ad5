/**
 * A process of Mochi and its client whose other half is in a thread: state is what was heard last, and each question a
 * message through the door that is given. How messages travel is not known here.
 */
import type { Disposable } from '#core/ports.ts';
import type { Learning } from '#protocol/learning-words.ts';
import { type ManagedProcess, type ProcessState, whenReady } from './managed-process.ts';
import type { MochiClient } from './mochi-client.ts';
import type { Call, Calls, Greeted, Line, ToThread } from './mochi-thread-messages.ts';

export interface Door {
  send(message: ToThread): void;
  /** Rejects with the signal's reason, or as the other half does. */
  call<C extends Call>(call: C, signal?: AbortSignal): Promise<Calls[C['what']]['gets']>;
}

export class RemoteProcess implements ManagedProcess<MochiClient> {
  readonly #folder: string;
  readonly #door: Door;
  readonly #listeners = new Set<(state: ProcessState<MochiClient>) => void>();
  #state: ProcessState<MochiClient> = { kind: 'stopped' };
  /** Grows with everything that is wanted; what is heard of an older turn is over. */
  #turn = 0;
  #client: RemoteClient | undefined;
  #isKnown = false;

  constructor(folder: string, door: Door) {
    this.#folder = folder;
    this.#door = door;
  }

  get state(): ProcessState<MochiClient> {
    return this.#state;
  }

  /** Of the process that is ready. */
  get client(): RemoteClient | undefined {
    return this.#client;
  }

  onDidChange(listener: (state: ProcessState<MochiClient>) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  start(): void {
    if (this.#state.kind !== 'stopped') return;
    const turn = this.#next();
    this.#become({ kind: 'starting', attempt: 1 });
    // A listener may have stopped it by now.
    if (turn === this.#turn) this.#door.send({ kind: 'start', folder: this.#folder, turn });
  }

  ready(signal: AbortSignal): Promise<MochiClient> {
    this.start();
    return whenReady(this, 'Mochi', signal);
  }

  async restart(): Promise<void> {
    const turn = this.#next();
    this.#become({ kind: 'stopped' });
    await this.#door.call({ what: 'restart', given: { folder: this.#folder, turn } });
  }

  async stop(): Promise<void> {
    // The other half knows nothing of a process that nobody ever wanted.
    if (!this.#isKnown) return;
    const turn = this.#next();
    this.#become({ kind: 'stopped' });
    await this.#door.call({ what: 'stop', given: { folder: this.#folder, turn } });
  }

  /** What the other half says of it. */
  hear(turn: number, state: ProcessState<Greeted>): void {
    if (turn < this.#turn) return;
    if (state.kind === 'stopped' && this.#state.kind === 'stopped') return;
    if (state.kind === 'ready') {
      const { connection, version } = state.connection;
      const client = new RemoteClient({ folder: this.#folder, connection }, version, this.#door);
      this.#become({ ...state, connection: client }, client);
    } else this.#become(state);
  }

  /** The other half is gone. */
  lose(): void {
    this.#isKnown = false;
    if (this.#state.kind === 'stopped') return;
    this.#turn += 1;
    this.#become({ kind: 'failed', reason: 'the thread that runs it ended', output: '' });
  }

  #next(): number {
    this.#isKnown = true;
    this.#turn += 1;
    return this.#turn;
  }

  #become(state: ProcessState<MochiClient>, client?: RemoteClient): void {
    this.#client = client;
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state);
  }
}

export class RemoteClient implements MochiClient {
  readonly version: string;
  readonly #line: Line;
  readonly #door: Door;
  readonly #changed = new Set<() => void>();
  readonly #progressed = new Set<(learning: Learning | undefined) => void>();

  constructor(line: Line, version: string, door: Door) {
    this.#line = line;
    this.version = version;
    this.#door = door;
  }

  get connection(): number {
    return this.#line.connection;
  }

  complete: MochiClient['complete'] = (request, signal) =>
    this.#door.call({ what: 'complete', given: { ...this.#line, request } }, signal);
  ask: MochiClient['ask'] = (request, signal) =>
    this.#door.call({ what: 'ask', given: { ...this.#line, request } }, signal);
  suggest: MochiClient['suggest'] = (request, signal) =>
    this.#door.call({ what: 'suggest', given: { ...this.#line, request } }, signal);
  call: MochiClient['call'] = (tool, args, signal) =>
    this.#door.call({ what: 'call', given: { ...this.#line, tool, args } }, signal);
  readStats: MochiClient['readStats'] = (signal) => this.#door.call({ what: 'readStats', given: this.#line }, signal);

  filesChanged(paths?: readonly string[]): void {
    this.#door.send({ kind: 'changed', line: this.#line, paths });
  }

  onDidChangeResources(listener: () => void): Disposable {
    this.#changed.add(listener);
    return { dispose: () => void this.#changed.delete(listener) };
  }

  onDidProgress(listener: (learning: Learning | undefined) => void): Disposable {
    this.#progressed.add(listener);
    return { dispose: () => void this.#progressed.delete(listener) };
  }

  tellChanged(): void {
    for (const listener of [...this.#changed]) listener();
  }

  tellProgress(learning: Learning | undefined): void {
    for (const listener of [...this.#progressed]) listener(learning);
  }
}
