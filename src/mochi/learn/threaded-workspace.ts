/**
 * A workspace learned on other threads, so that serving never waits for learning. One thread answers; when everything is
 * learned anew, that happens on a second one, which takes the first one's place once it is ready. Keeps no knowledge of
 * its own besides what the resources show.
 */
import type { Answer, Completion, Engine, EngineState, Suggestion } from '../engine/engine.ts';
import type { Knowledge } from './knowledge.ts';
import type { LearnProgress } from './learn.ts';
import { LearningThread, type ThreadEvents } from './thread.ts';
import type { Ask, ThreadSetup } from './thread-messages.ts';
import { giveBackTurn } from './turn.ts';
import type { LearnOutcome, LearnReach } from './workspace.ts';

/** Milliseconds that what is still asked of a replaced thread may take. */
const replacedMs = 10_000;

interface Generation {
  readonly thread: LearningThread;
  answers: boolean;
  knowledge: Knowledge | undefined;
}

const nothing: Completion = { completion: '', alternatives: [], confidence: 0 };
const noAnswer: Answer = {
  response: 'Nothing in the learned code answers this.',
  confidence: 0,
  tokensGenerated: 0,
  passages: [],
};

export class ThreadedWorkspace {
  readonly engine: Engine;
  readonly root: string;
  readonly #setup: ThreadSetup;
  readonly #program: URL | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #loseListeners = new Set<(reason: string) => void>();
  /** What answers now. */
  #current: Generation | undefined;
  #learning = 0;
  #isClosed = false;

  /** `program` is what threads run, where it is not our own. */
  constructor(setup: ThreadSetup, program?: URL) {
    this.#setup = setup;
    this.#program = program;
    this.root = setup.root;
    const ask = <Result>(what: Ask, signal: AbortSignal, otherwise: Result): Promise<Result> =>
      this.#ask(what, signal, otherwise);
    const stateOf = (): EngineState => this.#state();
    this.engine = {
      name: 'embedded',
      get state() {
        return stateOf();
      },
      complete: (request, signal) => ask<Completion>({ kind: 'complete', request }, signal, nothing),
      answer: (request, signal) => ask<Answer>({ kind: 'answer', request }, signal, noAnswer),
      suggest: (request, signal) => ask<readonly Suggestion[]>({ kind: 'suggest', request }, signal, []),
    };
  }

  /** Something that can be answered from; undefined until there is. */
  get memory(): unknown {
    return this.#current?.answers === true ? this.#current : undefined;
  }

  get isLearning(): boolean {
    return this.#learning > 0;
  }

  get knowledge(): Knowledge | undefined {
    return this.#current?.knowledge;
  }

  /** Called after each learning that changed anything. */
  onDidLearn(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Called when the thread that answers was lost; the next learning begins anew. */
  onDidLose(listener: (reason: string) => void): { dispose(): void } {
    this.#loseListeners.add(listener);
    return { dispose: () => this.#loseListeners.delete(listener) };
  }

  /** Brings what is known up to date. Rejects with the signal's reason; what answered before still does. */
  async learn(
    signal: AbortSignal,
    onProgress?: (progress: LearnProgress) => void,
    paths?: readonly string[],
  ): Promise<LearnOutcome> {
    this.#learning += 1;
    try {
      signal.throwIfAborted();
      const current = this.#current;
      if (current === undefined) return await this.#begin(this.#setup, signal, onProgress);
      const outcome = await askToLearn(current.thread, { reach: 'changes', paths }, signal);
      if (outcome.how !== 'start again') return outcome;
      const { outdated } = outcome;
      return await this.#begin(outdated === undefined ? this.#setup : { ...this.#setup, outdated }, signal, onProgress);
    } finally {
      this.#learning -= 1;
    }
  }

  /** The folders that hold learned files, relative to the root; the root is the empty text. */
  folders(signal: AbortSignal): Promise<readonly string[]> {
    return this.#ask<readonly string[]>({ kind: 'folders' }, signal, []);
  }

  /** Keeps what is not on disk yet, for at most `withinMs`, and ends. */
  async close(withinMs = 2_000): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const thread = this.#current?.thread;
    this.#current = undefined;
    if (thread === undefined) return;
    await thread.ask({ kind: 'keep' }, AbortSignal.timeout(withinMs)).catch(() => {});
    await thread.end();
  }

  #state(): EngineState {
    if (this.isLearning) return 'learning';
    return this.#current?.answers === true ? 'ready' : 'empty';
  }

  async #ask<Result>(what: Ask, signal: AbortSignal, otherwise: Result): Promise<Result> {
    signal.throwIfAborted();
    const current = this.#current;
    if (current?.answers !== true) return otherwise;
    return answerOf<Result>(await current.thread.ask(what, signal));
  }

  /** Learns on a thread of its own, which answers as soon as there is nothing better that does. */
  async #begin(
    setup: ThreadSetup,
    signal: AbortSignal,
    onProgress: ((progress: LearnProgress) => void) | undefined,
  ): Promise<LearnOutcome> {
    const older = this.#current;
    const generation: Generation = {
      thread: new LearningThread(
        setup,
        this.#eventsOf(() => generation, older, onProgress),
        this.#program,
      ),
      answers: false,
      knowledge: undefined,
    };
    try {
      const outcome = await askToLearn(generation.thread, { reach: 'all' }, signal);
      this.#install(generation, older);
      return outcome;
    } catch (error) {
      // What has been learned so far may be there to answer from; only what learned nothing is let go.
      if (this.#current !== generation || generation.knowledge === undefined) {
        if (this.#current === generation) this.#current = undefined;
        await generation.thread.end();
        if (setup.store !== undefined) await giveBackTurn(setup.store);
      }
      throw error;
    }
  }

  #eventsOf(
    own: () => Generation,
    older: Generation | undefined,
    onProgress: ((progress: LearnProgress) => void) | undefined,
  ): ThreadEvents {
    return {
      onAnswers: () => {
        const generation = own();
        generation.answers = true;
        if (older === undefined) this.#install(generation, undefined);
      },
      onLearned: (knowledge) => {
        const generation = own();
        generation.knowledge = knowledge;
        this.#install(generation, older);
        for (const listener of this.#listeners) listener();
      },
      onProgress: (progress) => onProgress?.(progress),
      onLost: (reason) => {
        if (this.#current !== own()) return;
        this.#current = undefined;
        for (const listener of this.#loseListeners) listener(reason);
      },
    };
  }

  /** From here on `generation` answers; the older one ends when it has answered what it was asked. */
  #install(generation: Generation, older: Generation | undefined): void {
    if (this.#isClosed || this.#current === generation) return;
    this.#current = generation;
    if (older !== undefined) void endWhenIdle(older.thread);
  }
}

async function endWhenIdle(thread: LearningThread): Promise<void> {
  const until = performance.now() + replacedMs;
  while (thread.pending > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
  await thread.end();
}

async function askToLearn(thread: LearningThread, what: LearnReach, signal: AbortSignal): Promise<LearnOutcome> {
  return answerOf<LearnOutcome>(await thread.ask({ kind: 'learn', what }, signal));
}

/** The two threads are built from one source, so an answer is what the one who was asked says it is. */
function answerOf<Result>(value: unknown): Result {
  const isResult = (it: unknown): it is Result => it !== undefined;
  if (isResult(value)) return value;
  throw new Error('The thread gave no answer.');
}
