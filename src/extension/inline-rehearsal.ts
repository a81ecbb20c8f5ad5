/**
 * The steps of a suggestion, run on a text of our own before there is one to make. Code and patterns that never ran take
 * milliseconds where they take a part of one later, so each is run in a turn of its own while Mochi starts. Nothing is
 * asked, shown or kept.
 */
import type { Around } from '#core/completion/around.ts';
import { judged, type Known } from '#core/completion/confirmed.ts';
import { refusalAt } from '#core/completion/gate.ts';
import { afterTyping, typedSince } from '#core/completion/recall.ts';
import { sightOf } from '#core/completion/sight.ts';
import { type Answer, shortened, suggestionsOf, type Wishes } from '#core/completion/suggestions.ts';

const LANGUAGE = 'typescript';
const before = "import { heat } from './oven.ts';\n\nfunction cook(minutes: number) {\n  const oven = ";
const around: Around = { before, after: '\n}\n', isCut: false };
const answer: Answer = {
  draft: {
    text: 'heat(180, `${minutes}`);',
    confidence: 0.9,
    steps: [
      { end: 4, confidence: 0.95 },
      { end: 24, confidence: 0.9 },
    ],
  },
  alternatives: [],
  engine: '',
};
const wishes: Wishes = {
  trigger: 'automatic',
  minimumLength: 4,
  threshold: 0.45,
  mayBeSeveralLines: true,
  indent: { insertSpaces: true, tabSize: 2 },
};

/** In the order in which a suggestion needs them; the heavy ones first by themselves. */
export function rehearsalSteps(): readonly (() => unknown)[] {
  const nobody = () => undefined;
  const known: Known = { isStrict: false, here: undefined, members: nobody, scope: nobody, isSymbol: () => false };
  return [
    () => refusalAt(around, LANGUAGE, 'automatic', undefined),
    () => typedSince(around, { ...around, before: `${before}h` }),
    () => afterTyping(answer, 'h'),
    () => suggestionsOf({ ...answer, draft: { ...answer.draft, text: '' } }, around, wishes),
    () => suggestionsOf(answer, around, wishes),
    () => [...sightOf(around, LANGUAGE).steps()],
    () => sightOf(around, LANGUAGE).namesIn('heat'),
    () => judged(answer.draft.text, sightOf(around, LANGUAGE), known),
    () => suggestionsOf(answer, around, wishes).map((one) => shortened(one, 4, wishes)),
  ];
}

/** Milliseconds between two steps, so that they never come one upon the other. */
const APART_MS = 10;

/** Twice, because a pattern is compiled once more when it is used again. */
export async function rehearse(): Promise<void> {
  for (let times = 2; times > 0; times -= 1)
    for (const step of rehearsalSteps()) {
      await new Promise((resolve) => void setTimeout(resolve, APART_MS));
      step();
    }
}
