/**
 * The part of the extension that runs Mochi: one supervised process a folder, all of them run by a thread of their own,
 * because starting a process and checking what it answers would hold up whoever types. The thread is made when Mochi is
 * first needed.
 */
import type { Logger } from '#core/ports.ts';
import { isTooWide } from '#node/learned-place.ts';
import { lastWords } from '#node/mochi-log.ts';
import { type MochiThread, openMochiThread } from '#node/mochi-thread.ts';
import type { ThreadSetup } from '#node/mochi-thread-messages.ts';

export interface CompanionOptions extends ThreadSetup {
  readonly logger: Logger;
  /** `dist/mochi-thread.cjs`, absolute. */
  readonly thread: string;
  /** What else Mochi is told at its start, for example its engine. */
  words(): readonly string[];
  /** The key of a model server, where one is set up. */
  modelKey(): PromiseLike<string | undefined>;
}

export interface Companion extends MochiThread {
  /** Why a process ended, from what it wrote last. */
  lastWords(output: string): string;
  /** Whether a folder holds far more than one project, as a home folder does. */
  isTooWide(folder: string): boolean;
}

export function createCompanion(options: CompanionOptions): Companion {
  const { logger, thread, words, modelKey, env, platform, home, runtime, program, clientInfo } = options;
  const running = openMochiThread({
    logger,
    file: thread,
    setup: { env: { ...env }, platform, home, runtime, program, clientInfo },
    startWords: async () => ({ words: words(), key: await modelKey() }),
  });
  const { isLearned, isOnBattery, acceptance, addAcceptance } = running;
  return {
    begin: () => running.begin(),
    open: (folder) => running.open(folder),
    end: () => running.end(),
    isLearned,
    isOnBattery,
    acceptance,
    addAcceptance,
    lastWords,
    isTooWide: (folder) => isTooWide(folder, home),
  };
}
