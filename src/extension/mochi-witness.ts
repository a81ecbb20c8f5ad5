/**
 * Sees what becomes of suggestions and counts it: shown, accepted, still there after 30 s. Holds an accepted text for
 * these seconds only; what it passes on are counts by language.
 */
import type { TextDocument } from 'vscode';
import type { Disposable, Logger } from '#core/ports.ts';
import type { Clock } from '#node/managed-process.ts';
import type { CompletionWitness, ShownSuggestion } from './mochi-contract.ts';

/** What happened since the last time it was passed on, by language. */
export type Happened = ReadonlyMap<
  string,
  { readonly shown: number; readonly accepted: number; readonly kept: number }
>;

export interface WitnessPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** The folder whose Mochi was asked last; undefined before any was. */
  folder(): string | undefined;
  /** Adds to what is kept of a folder. A failure means that nothing was added. */
  add(folder: string, happened: Happened): Promise<void>;
}

export interface Witness extends CompletionWitness, Disposable {
  /** The suggestion that was shown last, for *why this?* */
  readonly last: ShownSuggestion | undefined;
  /** Something happened, or what did was passed on. */
  onDidHappen(listener: () => void): Disposable;
  /** Passes on what is still held. */
  flush(): Promise<void>;
}

const KEPT_AFTER_MS = 30_000;
/** How far an accepted text may have moved and still be the same one, in UTF-16 units. */
const AROUND = 5_000;
const FLUSH_MS = 10_000;

type What = 'shown' | 'accepted' | 'kept';

export function createWitness({ clock, logger, folder, add }: WitnessPorts): Witness {
  const listeners = new Set<() => void>();
  const timers = new Set<() => void>();
  let held = new Map<string, Map<string, { shown: number; accepted: number; kept: number }>>();
  let last: ShownSuggestion | undefined;
  let flushing: Promise<void> = Promise.resolve();
  let isWaiting = false;

  const later = (ms: number, run: () => void): void => {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      run();
    });
    timers.add(cancel);
  };
  const flush = async (): Promise<void> => {
    const passing = held;
    held = new Map();
    const tell = (): void => {
      for (const listener of [...listeners]) listener();
    };
    for (const [where, happened] of passing)
      await add(where, happened).then(tell, (error: unknown) => {
        logger.debug(`counts are kept for later: ${error instanceof Error ? error.message : 'unknown'}`);
        for (const [language, counts] of happened)
          for (const what of ['shown', 'accepted', 'kept'] as const) count(where, language, what, counts[what]);
      });
  };
  const count = (where: string, language: string, what: What, times = 1): void => {
    const languages = held.get(where) ?? new Map();
    const counts = languages.get(language) ?? { shown: 0, accepted: 0, kept: 0 };
    counts[what] += times;
    held.set(where, languages.set(language, counts));
    if (isWaiting) return;
    isWaiting = true;
    later(FLUSH_MS, () => {
      isWaiting = false;
      flushing = flushing.then(flush);
    });
  };
  const happen = (language: string, what: What, where = folder()): void => {
    if (where === undefined) return;
    count(where, language, what);
    for (const listener of [...listeners]) listener();
  };

  return {
    get last() {
      return last;
    },
    onDidHappen(listener) {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    },
    shown(suggestion) {
      last = suggestion;
      happen(suggestion.language, 'shown');
    },
    accepted({ document, offset, text }) {
      const where = folder();
      const language = document.languageId;
      happen(language, 'accepted', where);
      later(KEPT_AFTER_MS, () => {
        if (isThere(document, offset, text)) happen(language, 'kept', where);
      });
    },
    async flush() {
      flushing = flushing.then(flush);
      await flushing;
    },
    dispose() {
      for (const cancel of timers) cancel();
      timers.clear();
      listeners.clear();
    },
  };
}

/** Whether the text stands near where it was put; what was typed before it may have moved it. */
function isThere(document: TextDocument, offset: number, text: string): boolean {
  return document
    .getText()
    .slice(Math.max(0, offset - AROUND), offset + text.length + AROUND)
    .includes(text);
}
