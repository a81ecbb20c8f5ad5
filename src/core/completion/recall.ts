/**
 * Answers that were given before and still fit: the last one while typing goes along with it, and others by the text
 * they were asked at. Forgets by age and by number; holds text in memory only.
 */
import { restOf } from './amount.ts';
import type { Around } from './around.ts';
import type { Answer } from './suggestions.ts';

export interface RecallOptions {
  /** Milliseconds; what is learned and written meanwhile makes answers stale. */
  readonly lifeMs?: number;
  readonly most?: number;
}

/** What an answer was given for. */
export interface Asked {
  /** The document's address and its language. */
  readonly document: string;
  readonly language: string;
  readonly around: Around;
}

interface Kept {
  /** What stood before the cursor on its line. */
  readonly line: string;
  readonly answer: Answer;
  readonly until: number;
}

const LIFE_MS = 60_000;
const MOST = 120;
/** UTF-16 units above and below the line that must be as they were. */
const ABOVE = 1_500;
const BELOW = 400;
/** So much may have been typed along an answer. */
const TYPED = 60;
const PER_PLACE = 8;

export class Recall {
  readonly #lifeMs: number;
  readonly #most: number;
  /** By the text around a line; oldest first. */
  readonly #places = new Map<string, Kept[]>();
  #last: { readonly asked: Asked; readonly answer: Answer; readonly until: number } | undefined;

  constructor({ lifeMs = LIFE_MS, most = MOST }: RecallOptions = {}) {
    this.#lifeMs = lifeMs;
    this.#most = most;
  }

  /** An answer for this place, less what has been typed of it; `now` in milliseconds. */
  find(asked: Asked, now: number): Answer | undefined {
    return this.#typedAlong(asked, now) ?? this.#known(asked, now);
  }

  keep(asked: Asked, answer: Answer, now: number): void {
    const until = now + this.#lifeMs;
    this.#last = { asked, answer, until };
    const { key, line } = placeOf(asked);
    const others = (this.#places.get(key) ?? []).filter((kept) => kept.line !== line);
    this.#places.delete(key);
    this.#places.set(key, [...others.slice(1 - PER_PLACE), { line, answer, until }]);
    const [oldest] = this.#places.keys();
    if (this.#places.size > this.#most && oldest !== undefined) this.#places.delete(oldest);
  }

  /** Something was learned, or the engine is another. */
  clear(): void {
    this.#places.clear();
    this.#last = undefined;
  }

  #typedAlong(asked: Asked, now: number): Answer | undefined {
    if (this.#last === undefined || this.#last.until <= now) return undefined;
    const { asked: before, answer } = this.#last;
    if (before.document !== asked.document || before.language !== asked.language) return undefined;
    const typed = typedSince(before.around, asked.around);
    return typed === undefined ? undefined : afterTyping(answer, typed);
  }

  #known(asked: Asked, now: number): Answer | undefined {
    const { key, line } = placeOf(asked);
    const kept = this.#places.get(key);
    if (kept === undefined) return undefined;
    this.#places.delete(key);
    this.#places.set(key, kept);
    let best: Answer | undefined;
    let longest = -1;
    for (const one of kept) {
      if (one.until <= now || one.line.length <= longest || !line.startsWith(one.line)) continue;
      const answer =
        line.length - one.line.length > TYPED ? undefined : afterTyping(one.answer, line.slice(one.line.length));
      if (answer === undefined) continue;
      best = answer;
      longest = one.line.length;
    }
    return best;
  }
}

/** What has been typed at the cursor since; undefined where anything else has changed. */
export function typedSince(before: Around, now: Around): string | undefined {
  const grown = now.before.length - before.before.length;
  // The start of a cut text moves with the cursor.
  if (before.isCut || now.isCut) return typedOnLine(before, now);
  if (grown < 0 || grown > TYPED || !now.before.startsWith(before.before)) return undefined;
  return isSameAfter(before.after, now.after) ? now.before.slice(before.before.length) : undefined;
}

function typedOnLine(before: Around, now: Around): string | undefined {
  const [one, other] = [splitLine(before.before), splitLine(now.before)];
  if (one.above.slice(-ABOVE) !== other.above.slice(-ABOVE) || !other.line.startsWith(one.line)) return undefined;
  const typed = other.line.slice(one.line.length);
  return typed.length <= TYPED && isSameAfter(before.after, now.after) ? typed : undefined;
}

/** An editor may have closed a bracket that was typed. */
function isSameAfter(before: string, now: string): boolean {
  const grown = now.length - before.length;
  if (before.slice(0, BELOW) === now.slice(0, BELOW)) return true;
  return (
    grown > 0 &&
    grown <= 3 &&
    /^[)\]}'"`>]+$/.test(now.slice(0, grown)) &&
    now.slice(grown, BELOW).startsWith(before.slice(0, BELOW - grown))
  );
}

/** The answer from where typing has come to; undefined where another was typed, or all of it. */
export function afterTyping(answer: Answer, typed: string): Answer | undefined {
  if (typed === '') return answer;
  const isFirst = answer.draft.text.startsWith(typed) && answer.draft.text.length > typed.length;
  const others = answer.alternatives.flatMap((text) =>
    text.startsWith(typed) && text.length > typed.length ? [text.slice(typed.length)] : [],
  );
  return isFirst ? { ...answer, draft: restOf(answer.draft, typed.length), alternatives: others } : undefined;
}

function placeOf({ document, language, around }: Asked): { readonly key: string; readonly line: string } {
  const { above, line } = splitLine(around.before);
  return { key: `${document}\n${language}\n${above.slice(-ABOVE)}\u0000${around.after.slice(0, BELOW)}`, line };
}

function splitLine(text: string): { readonly above: string; readonly line: string } {
  const at = text.lastIndexOf('\n') + 1;
  return { above: text.slice(0, at), line: text.slice(at) };
}
