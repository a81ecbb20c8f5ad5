/**
 * Learns the workspace beside the serving: all of it at the start, what changed while it is used. Stops when memory
 * runs out, says how far it is, and keeps the reason where nothing could be learned. How learning works lies elsewhere.
 */
import type { Disposable, Logger } from '#core/ports.ts';
import { endWords, LOOKING, progressWords } from '#protocol/learning-words.ts';
import type { Adapter } from './adapter.ts';
import type { Engine } from './engine/engine.ts';
import type { Knowledge } from './learn/knowledge.ts';
import type { LearnProgress } from './learn/learn.ts';
import type { LearnOutcome } from './learn/workspace.ts';
import { type MemoryGuard, MochiFault } from './limits.ts';

/** The part of a learned workspace that is used here. */
export interface Learner {
  readonly engine: Engine;
  readonly knowledge: Knowledge | undefined;
  /** Undefined while there is nothing to answer from. */
  readonly memory: unknown;
  readonly isLearning: boolean;
  onDidLearn(listener: () => void): Disposable;
  /** What was learned is gone, by no fault of whoever asks. */
  onDidLose(listener: (reason: string) => void): Disposable;
  /** All that is new, or what is new in files of these paths. */
  learn(
    signal: AbortSignal,
    onProgress?: (progress: LearnProgress) => void,
    paths?: readonly string[],
  ): Promise<LearnOutcome>;
  /** Keeps what is not on disk yet. */
  close(): Promise<void>;
}

const NO_SOURCES = new MochiFault('not-ready', 'This folder holds no source files to learn from.', {
  remedy: 'Name one that does with --workspace.',
});
/** Milliseconds between looks at what changed; only while somebody asks. */
const REFRESH_MS = 60_000;
/** Milliseconds after a learning before what was lost is learned again at once; sooner, it would be lost again. */
const AGAIN_MS = 10_000;
/** Milliseconds between two words about progress. */
const PROGRESS_MS = 1_000;
/** Milliseconds between looks at the memory. */
const LOOK_MS = 200;

export interface BackgroundOptions {
  readonly learner: Learner;
  /** What answers in the place of the learner's own engine, and asks that in turn. */
  readonly engine?: Engine | undefined;
  readonly memory: MemoryGuard;
  /** Bytes that loading what was kept will take, about. */
  readonly needed?: () => Promise<number>;
  readonly logger: Logger;
  /** Tells clients what is going on. */
  readonly announce: (message: string) => void;
  readonly now?: () => number;
}

export interface Background extends Disposable {
  readonly adapter: Adapter;
  /** Whether all that the last learning learned is on disk. */
  readonly isKept: boolean;
  /** Learns for the first time; resolves when that has ended, in whatever way. */
  start(): Promise<void>;
  /** Ends the learning and keeps what is not on disk yet. */
  close(): Promise<void>;
}

export function createBackground(options: BackgroundOptions): Background {
  const { learner, engine = learner.engine, memory, needed, logger, announce, now = () => performance.now() } = options;
  const stop = new AbortController();
  let refusal: MochiFault | undefined;
  /** When it was last looked for changes; never before the first learning was asked for. */
  let lastLook = Number.POSITIVE_INFINITY;
  /** Whether somebody asked for another look during one. */
  let isDue = false;
  let running = 0;
  let isEmptyTold = false;
  let isKept = false;

  /** Nothing of no files is an answer. Not known before it was counted. */
  const isEmpty = (): boolean => learner.memory !== undefined && learner.knowledge?.stats.files === 0;

  function tellEmpty(): void {
    const words = [NO_SOURCES.message, NO_SOURCES.data.remedy].join(' ');
    if (isEmpty() && !isEmptyTold) logger.warn(words);
    isEmptyTold = isEmpty();
  }

  const say = (message: string): void => {
    logger.info(message);
    announce(message);
  };

  async function learn(paths?: readonly string[]): Promise<void> {
    if (paths === undefined) lastLook = now();
    running += 1;
    const guard = new AbortController();
    const look = setInterval(() => {
      try {
        memory.check();
      } catch (fault) {
        guard.abort(fault);
      }
    }, LOOK_MS);
    try {
      memory.check(learner.memory === undefined ? await needed?.() : 0);
      stop.signal.throwIfAborted();
      const outcome = await learner.learn(AbortSignal.any([stop.signal, guard.signal]), progressTo(say, now), paths);
      refusal = undefined;
      if (outcome.how !== 'nothing new') say(endWords(outcome.how, outcome.files));
      tellEmpty();
      isKept = outcome.notKept === undefined;
      if (!isKept) logger.warn('the index could not be kept on disk and will be learned again');
    } catch (error) {
      if (stop.signal.aborted) return;
      refusal = asRefusal(error);
      const { message, remedy } = refusal;
      logger.error(`learning stopped: ${message}${remedy === undefined ? '' : ` ${remedy}`}`);
    } finally {
      clearInterval(look);
      running -= 1;
    }
    if (isDue) refresh();
  }

  /** Looks for changes beside the call that made it think of it, at most once a while. */
  function refreshAtTimes(): void {
    if (learner.isLearning || stop.signal.aborted || now() - lastLook < REFRESH_MS) return;
    void learn();
  }

  function refresh(paths?: readonly string[]): void {
    isDue = learner.isLearning;
    if (isDue || stop.signal.aborted || lastLook === Number.POSITIVE_INFINITY) return;
    void learn(paths);
  }

  const lost = learner.onDidLose((reason) => {
    logger.error(`what was learned is lost: ${reason}`);
    if (!learner.isLearning && !stop.signal.aborted && now() - lastLook > AGAIN_MS) void learn();
  });

  return {
    adapter: {
      get engine() {
        refreshAtTimes();
        return engine;
      },
      get isLearned() {
        return learner.memory !== undefined && !isEmpty();
      },
      get isBusy() {
        return running > 0;
      },
      get knowledge() {
        return learner.knowledge;
      },
      get refusal() {
        if (refusal !== undefined || !isEmpty()) return refusal;
        refreshAtTimes();
        return NO_SOURCES;
      },
      onDidLearn: (listener) => learner.onDidLearn(listener),
      refresh,
    },
    get isKept() {
      return isKept;
    },
    start: () => learn(),
    async close() {
      stop.abort(new Error('ended'));
      lost.dispose();
      await learner.close();
    },
    dispose: () => stop.abort(new Error('ended')),
  };
}

/** A word about progress at most every so often. */
function progressTo(say: (message: string) => void, now: () => number): (progress: LearnProgress) => void {
  let last = now();
  return ({ stage, done, total }) => {
    // The last stage is the longest without another word.
    if (stage !== 'sorting' && now() - last < PROGRESS_MS) return;
    last = now();
    say(stage === 'looking' ? LOOKING : progressWords(stage, { done, total }));
  };
}

function asRefusal(error: unknown): MochiFault {
  if (error instanceof MochiFault) return error;
  return new MochiFault('not-ready', 'The workspace could not be learned.', {
    remedy: 'Check that --workspace names a folder that can be read.',
  });
}
