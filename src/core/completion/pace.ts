/**
 * How long to wait after a keystroke before anybody is asked. An engine that answers in milliseconds is asked at once;
 * for a slower one the wait follows the person's own rhythm and what the place promises. Keeps times, asks no clock.
 */
import type { Trigger } from './gate.ts';

/** Milliseconds. */
const SHORTEST = 60;
const LONGEST = 800;
const REMEMBERED = 12;
/** A longer silence is a pause for thought, not typing. */
const PAUSE = 2_000;
const USUAL = 200;
/** An engine that answers within this is not worth a wait. */
const QUICK = 40;

export interface Pace {
  /** Notes a keystroke; `now` in milliseconds of any steady clock. */
  typed(now: number): void;
  /** Notes how long an engine took. */
  answered(ms: number): void;
  /** Whether the engine answers so fast that asking costs nothing. */
  readonly isQuick: boolean;
  /** Milliseconds to wait before asking. `lineBefore` is what stands before the cursor on its line. */
  delay(trigger: Trigger, lineBefore: string): number;
}

export function createPace(): Pace {
  const gaps: number[] = [];
  let last: number | undefined;
  let response = 0;
  return {
    get isQuick() {
      return response <= QUICK;
    },
    typed(now) {
      const gap = last === undefined ? undefined : now - last;
      last = now;
      if (gap === undefined || gap > PAUSE || gap < 0) return;
      gaps.push(gap);
      if (gaps.length > REMEMBERED) gaps.shift();
    },
    answered(ms) {
      response = response === 0 ? ms : response * 0.7 + ms * 0.3;
    },
    delay(trigger, lineBefore) {
      if (trigger === 'invoke' || response <= QUICK) return 0;
      const mean = gaps.length === 0 ? USUAL : gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      const rhythm = Math.min(400, Math.max(100, mean));
      // Sooner where much is decided (after an opener or a dot, at a line's start), later within a word.
      const patience = isTelling(lineBefore) ? 1 : 2;
      return Math.min(LONGEST, Math.max(SHORTEST, rhythm * patience - response * 0.5));
    },
  };
}

function isTelling(lineBefore: string): boolean {
  return lineBefore.trim() === '' || /[.([{,=:>\s]$/.test(lineBefore);
}
