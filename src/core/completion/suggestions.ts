/**
 * From an engine's answer to what is shown: one suggestion, or up to three to choose from. The pure steps in their
 * order; each is a file of its own.
 */
import { amountOf, cutAt, type Draft, restOf } from './amount.ts';
import type { Around } from './around.ts';
import { balancedEnd } from './brackets.ts';
import type { Choice, Trigger } from './gate.ts';
import { type IndentStyle, indentedAs } from './indentation.ts';
import { withinLines } from './lines-shown.ts';
import { fitted } from './overlap.ts';
import { type Replacement, replacementOf } from './range.ts';
import { safeEnd } from './safe-text.ts';

/** What an engine answered, as the rest of completions sees it. */
export interface Answer {
  readonly draft: Draft;
  /** Likeliest first. */
  readonly alternatives: readonly string[];
  /** The name of the engine. */
  readonly engine: string;
}

export interface Wishes {
  readonly trigger: Trigger;
  /** Characters other than white space; shorter suggestions are not shown unless they were asked for. */
  readonly minimumLength: number;
  /** 0 to 1; see {@link amountOf}. */
  readonly threshold: number;
  readonly mayBeSeveralLines: boolean;
  readonly indent: IndentStyle;
  readonly choice?: Choice | undefined;
}

/** What can be shown. */
export interface Suggestion extends Replacement {
  /** What is new: the ghost text. */
  readonly text: string;
  readonly confidence: number;
}

const MOST = 3;
/** Of alternatives nothing is known but their order. */
const ALTERNATIVE_SHARE = 0.5;

/** Best first; one where nobody asked, several on request. */
export function suggestionsOf(answer: Answer, around: Around, wishes: Wishes): readonly Suggestion[] {
  const isAsked = wishes.trigger === 'invoke';
  // Who asks wants to see what there is.
  const threshold = isAsked ? Math.min(wishes.threshold, 0.05) : wishes.threshold;
  const found: Suggestion[] = [];
  const add = (draft: Draft | undefined): void => {
    const suggestion = draft && shaped(draft, around, wishes);
    if (suggestion !== undefined && !found.some((known) => isSame(known.text, suggestion.text))) found.push(suggestion);
  };
  add(chosenPart(answer.draft, threshold, around, wishes));
  if (!isAsked) return found;
  const confidence = answer.draft.confidence * ALTERNATIVE_SHARE;
  for (const text of answer.alternatives)
    add(withinLines({ text, confidence, steps: [] }, around, wishes.mayBeSeveralLines));
  return found.slice(0, MOST);
}

/** Where the suggest widget has chosen something, the amount is told by what would follow that. */
function chosenPart(draft: Draft, threshold: number, around: Around, wishes: Wishes): Draft | undefined {
  const few = withinLines(draft, around, wishes.mayBeSeveralLines);
  const amount = amountOf(few, threshold);
  const { choice } = wishes;
  if (choice === undefined || amount === undefined) return amount;
  const wanted = choice.text.slice(choice.typed.length);
  if (!few.text.startsWith(wanted)) return undefined;
  // The choice is made: what follows it is judged by itself.
  const more = amountOf(restOf(few, wanted.length), threshold);
  return more && cutAt(few, wanted.length + more.text.length);
}

/** Checks and fits one draft; undefined where nothing of use remains. */
function shaped(draft: Draft, around: Around, wishes: Wishes): Suggestion | undefined {
  const cut = cutAt(draft, Math.min(safeEnd(draft.text, around.before), balancedEnd(draft.text, around)));
  const fit = fitted(trimmed(cut.text), around);
  if (fit === undefined) return undefined;
  const text = indentedAs(fit.text, wishes.indent);
  if (text.replace(/\s/g, '').length < leastOf(wishes)) return undefined;
  const replacement = replacementOf(text, fit.replaced, around, wishes.choice);
  return replacement && { ...replacement, text, confidence: cut.confidence };
}

/** The suggestion up to `end` of its ghost text; undefined where too little is left. */
export function shortened(suggestion: Suggestion, end: number, wishes: Wishes): Suggestion | undefined {
  const { text, insert, left, right } = suggestion;
  if (end >= text.length) return suggestion;
  const kept = trimmed(text.slice(0, end));
  if (kept.replace(/\s/g, '').length < leastOf(wishes) || right > 0) return undefined;
  const short = insert.slice(0, left) + kept;
  return wishes.choice !== undefined && !short.startsWith(wishes.choice.text)
    ? undefined
    : { ...suggestion, text: kept, insert: short };
}

const leastOf = ({ trigger, minimumLength }: Wishes): number => (trigger === 'invoke' ? 1 : minimumLength);

/** White space at the end says nothing and moves the cursor to where nobody expects it. */
const trimmed = (text: string): string => text.trimEnd();

const isSame = (one: string, other: string): boolean => bare(one) === bare(other);

const bare = (text: string): string => text.replace(/\s+/g, '');
