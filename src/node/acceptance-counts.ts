/**
 * How often suggestions were shown, accepted and kept, by language, in one small file beside the index. Counts and
 * language identifiers only: no code, no names, no times. The editor adds to it, Mochi shows it.
 */
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, own } from '#core/catalog/read-json.ts';
import { OperationError } from '#core/problem.ts';
import { takeLock } from './folder-lock.ts';

export interface Counts {
  /** Suggestions that appeared. */
  readonly shown: number;
  /** Of these, taken as a whole. */
  readonly accepted: number;
  /** Of the accepted ones, those that were still there 30 s later. */
  readonly kept: number;
}

/** By the editor's language identifier. */
export type Acceptance = ReadonlyMap<string, Counts>;

const VERSION = 1;
const FILE = 'acceptance.json';
const MOST_BYTES = 100_000;
/** Identifiers of languages are short words; anything else might say more than a language. */
const LANGUAGE = /^[\w+#.-]{1,40}$/;
const OTHER = 'other';

/** What was counted so far; nothing where there is no whole file. Synchronous: the file is small and read rarely. */
export function readAcceptance(folder: string): Acceptance {
  try {
    const file = join(folder, FILE);
    if (statSync(file).size > MOST_BYTES) return new Map();
    return parseAcceptance(readFileSync(file, 'utf8'));
  } catch {
    return new Map();
  }
}

/**
 * Adds to what is kept, also where another window does so at the same time. Throws OperationError `conflict` where that
 * other one is not done yet, and `io`; nothing was added then.
 */
export async function addAcceptance(folder: string, more: Acceptance): Promise<Acceptance> {
  try {
    mkdirSync(folder, { recursive: true });
    const lock = await takeLock(folder);
    const aside = join(folder, `${FILE}.${lock.token}`);
    try {
      const sum = added(readAcceptance(folder), more);
      await mkdir(folder, { recursive: true });
      await writeFile(aside, `${textOf(sum)}\n`);
      await rename(aside, join(folder, FILE));
      return sum;
    } finally {
      await rm(aside, { force: true });
      await lock.release();
    }
  } catch (error) {
    if (OperationError.is(error)) throw error;
    throw new OperationError('io', 'The counts of suggestions could not be kept.', { cause: error });
  }
}

/** Both together. */
export function added(one: Acceptance, other: Acceptance): Acceptance {
  const sum = new Map(one);
  for (const [language, counts] of other) {
    const name = LANGUAGE.test(language) ? language : OTHER;
    const before = sum.get(name) ?? { shown: 0, accepted: 0, kept: 0 };
    sum.set(name, {
      shown: before.shown + counts.shown,
      accepted: before.accepted + counts.accepted,
      kept: before.kept + counts.kept,
    });
  }
  return sum;
}

/** Over all languages. */
export function total(acceptance: Acceptance): Counts {
  const all = [...acceptance.values()];
  const sum = (key: keyof Counts): number => all.reduce((before, counts) => before + counts[key], 0);
  return { shown: sum('shown'), accepted: sum('accepted'), kept: sum('kept') };
}

function textOf(acceptance: Acceptance): string {
  return JSON.stringify({ version: VERSION, languages: Object.fromEntries(acceptance) }, undefined, 2);
}

function parseAcceptance(text: string): Acceptance {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value) || own(value, 'version') !== VERSION) return new Map();
  const languages = own(value, 'languages');
  if (!isRecord(languages)) return new Map();
  return new Map(
    Object.entries(languages).flatMap(([language, counts]) => {
      if (!LANGUAGE.test(language) || !isRecord(counts)) return [];
      const [shown, accepted, kept] = [
        countIn(own(counts, 'shown')),
        countIn(own(counts, 'accepted')),
        countIn(own(counts, 'kept')),
      ];
      return shown === undefined || accepted === undefined || kept === undefined
        ? []
        : [[language, { shown, accepted, kept }] as const];
    }),
  );
}

function countIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
