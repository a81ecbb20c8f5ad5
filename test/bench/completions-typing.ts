/**
 * Types held-out lines through the real steps of `core/completion`, key by key, and takes each suggestion that is right as
 * it stands; beside it the word list of an editor, typed over the same lines. An engine answers in this process.
 */

import { textAround } from '../../src/core/completion/around.ts';
import { Asking, type Question } from '../../src/core/completion/asking.ts';
import { refusalAt } from '../../src/core/completion/gate.ts';
import { createPace } from '../../src/core/completion/pace.ts';
import { Recall } from '../../src/core/completion/recall.ts';
import { type Answer, suggestionsOf, type Wishes } from '../../src/core/completion/suggestions.ts';
import { isWordChar, wordAtEnd } from '../../src/core/completion/syntax.ts';

/** A line that is typed: `text` of its file, and where it begins (behind its indent) and ends. */
export interface TypedLine {
  readonly file: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

export type AskEngine = (question: Question, file: string) => Promise<Answer | undefined>;

export interface Tally {
  lines: number;
  chars: number;
  keys: number;
  shown: number;
  right: number;
  /** Of the shown, those that were the whole rest of the line. */
  whole: number;
  taken: number;
  readonly times: number[];
}

const newTally = (): Tally => ({ lines: 0, chars: 0, keys: 0, shown: 0, right: 0, whole: 0, taken: 0, times: [] });

export interface TypingOptions {
  readonly threshold: number;
  /** Whether what follows the line stands there already while it is typed, as when it is written anew. */
  readonly withSuffix: boolean;
}

/** Types each line; a suggestion counts once for as long as the same one is shown. */
export async function typeLines(
  lines: readonly TypedLine[],
  ask: AskEngine,
  { threshold, withSuffix }: TypingOptions,
): Promise<Tally> {
  const tally = newTally();
  const wishes: Wishes = {
    trigger: 'automatic',
    minimumLength: 4,
    threshold,
    mayBeSeveralLines: true,
    indent: { insertSpaces: true, tabSize: 2 },
  };
  for (const line of lines) await typeLine(line, ask, wishes, withSuffix, tally);
  return tally;
}

async function typeLine(
  { file, text, from, to }: TypedLine,
  ask: AskEngine,
  wishes: Wishes,
  withSuffix: boolean,
  tally: Tally,
): Promise<void> {
  const asking = new Asking({
    clock: { now: () => performance.now(), after: () => () => {} },
    recall: new Recall(),
    // Typing here has no rhythm.
    pace: { ...createPace(), isQuick: true, delay: () => 0 },
    ask: (question) => ask(question, file),
  });
  const below = withSuffix ? text.slice(to) : '';
  let at = from;
  let ghost = '';
  tally.lines += 1;
  tally.chars += to - from;
  while (at < to) {
    const started = performance.now();
    const suggestion = await suggestionAt(text.slice(0, at), below, asking, file, wishes);
    tally.times.push(performance.now() - started);
    if (suggestion !== undefined) {
      const rest = text.slice(at);
      const isRight = stands(suggestion, rest);
      if (suggestion !== ghost) {
        tally.shown += 1;
        if (isRight) tally.right += 1;
        if (rest.slice(0, to - at).trimEnd() === suggestion) tally.whole += 1;
      }
      if (isRight) {
        at += suggestion.length;
        tally.chars += Math.max(0, at - to);
        tally.taken += suggestion.length;
        tally.keys += 1;
        ghost = '';
        continue;
      }
    }
    const key = text.charAt(at);
    ghost = suggestion?.startsWith(key) === true ? suggestion.slice(1) : '';
    at += 1;
    tally.keys += 1;
  }
}

async function suggestionAt(
  before: string,
  after: string,
  asking: Asking,
  document: string,
  wishes: Wishes,
): Promise<string | undefined> {
  const lines = (before + after).split('\n');
  const line = before.split('\n').length - 1;
  const character = before.length - (before.lastIndexOf('\n') + 1);
  const around = textAround({ count: lines.length, line: (at) => lines[at] ?? '' }, line, character);
  if (refusalAt(around, 'typescript', 'automatic', undefined) !== undefined) return undefined;
  const isOfUse = (answer: Answer): boolean => suggestionsOf(answer, around, wishes).length > 0;
  const question = { document, language: 'typescript', around, trigger: 'automatic', isOfUse } as const;
  const answer = await asking.answer(question, new AbortController().signal);
  return answer && suggestionsOf(answer, around, wishes)[0]?.text;
}

/** Whether the text is what was written, up to the end of a word. */
export function stands(suggestion: string, rest: string): boolean {
  if (!rest.startsWith(suggestion)) return false;
  return !(isWordChar(suggestion.at(-1) ?? '') && isWordChar(rest.charAt(suggestion.length)));
}

/**
 * What an editor's list of words from the open file does: it opens with a word's first character and has chosen its first
 * entry. With `mayMove`, an entry further down is taken where the keys to it are fewer than the rest of the word.
 */
export function typeWithWords(lines: readonly TypedLine[], mayMove: boolean): Tally {
  const tally = newTally();
  for (const { text, from, to } of lines) {
    const words = [...new Set(text.slice(0, from).match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])].sort(byLetters);
    let at = from;
    let chosen = '';
    tally.lines += 1;
    tally.chars += to - from;
    while (at < to) {
      const typed = wordAtEnd(text.slice(from, at));
      const list = typed === '' ? [] : listFor(typed, words);
      const [first] = list;
      const whole = typed + (/^[\p{L}\p{N}_$]*/u.exec(text.slice(at))?.[0] ?? '');
      if (first !== undefined && first !== chosen) {
        tally.shown += 1;
        if (first === whole) tally.right += 1;
      }
      chosen = first ?? '';
      const place = list.indexOf(whole);
      const keys = place + 1;
      if (place >= 0 && (mayMove || place === 0) && whole.length - typed.length > keys) {
        at += whole.length - typed.length;
        tally.taken += whole.length - typed.length;
        tally.keys += keys;
        continue;
      }
      at += 1;
      tally.keys += 1;
    }
  }
  return tally;
}

const byLetters = (one: string, two: string): number => one.toLowerCase().localeCompare(two.toLowerCase());

/** The words that go on with what is typed, those in the same case first, twelve as a list shows. */
function listFor(typed: string, words: readonly string[]): readonly string[] {
  const lower = typed.toLowerCase();
  const fitting = words.filter((word) => word.length > typed.length && word.toLowerCase().startsWith(lower));
  const exact = fitting.filter((word) => word.startsWith(typed));
  return [...exact, ...fitting.filter((word) => !word.startsWith(typed))].slice(0, 12);
}

export function report(name: string, tally: Tally): void {
  const { lines, chars, keys, shown, right, whole, taken, times } = tally;
  const percent = (part: number, of: number): string => ((100 * part) / Math.max(1, of)).toFixed(1);
  const sorted = [...times].sort((one, two) => one - two);
  const time = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  const took = times.length === 0 ? '' : `; a key p50/p95/p99 ${time(0.5)}/${time(0.95)}/${time(0.99)} ms`;
  console.log(
    `${name}: ${lines} lines, ${chars} characters; shown ${(shown / lines).toFixed(2)} a line, right as they stand ${percent(right, shown)} %` +
      `${times.length === 0 ? '' : ` (the whole rest of the line ${percent(whole, shown)} %)`}; keystrokes saved ${percent(chars - keys, chars)} %,` +
      ` ${(taken / Math.max(1, right)).toFixed(1)} characters a taken one${took}`,
  );
}
