/**
 * What can be told of names from the text around a cursor: which a suggestion has, which of them are to be seen there,
 * and where a language server can be asked about the others. Script languages are read by their brackets; in others
 * every word of the text counts.
 */
import type { Around } from './around.ts';
import { type Name, namesIn } from './names.ts';
import type { Space } from './script-frames.ts';
import { isScript, scriptSight } from './script-sight.ts';
import { isWordIn } from './syntax.ts';

/** A name that must exist. */
export interface Sighted extends Name {
  readonly space: Space;
  /** Whether the text has it: in sight of the cursor, or taken of the same thing. */
  readonly isSeen: boolean;
  /** Whether the text calls it, so that it is no type. */
  readonly isFunction: boolean;
}

export interface Sight {
  /** Reads the text in pieces, for whoever cannot wait; what is left is read when it is wanted. */
  steps(): Iterable<void>;
  /** The names in a suggestion, in order. */
  namesIn(text: string): readonly Sighted[];
  /** As what a name may stand alone at the cursor; undefined where none may. */
  readonly space: Space | undefined;
  /** Where in the text before the cursor members of a receiver are offered, as values or types: the last such place. */
  placeBehind(receiver: string, space: Space): number | undefined;
  /** Where in the text before the cursor names are offered that stand alone. */
  placeOf(space: Space): number | undefined;
  /** Whether a name that is offered elsewhere may not be in sight of the cursor. */
  isHidden(name: string): boolean;
}

export function sightOf(around: Around, language: string): Sight {
  return isScript(language) ? scriptSight(around, language) : plainSight(around, language);
}

/** Without a reader of brackets: each word of the text is seen. */
function plainSight({ before, after }: Around, language: string): Sight {
  const isWritten = (text: string): boolean => isWordIn(before, text) || isWordIn(after, text);
  return {
    steps: () => [],
    namesIn: (text) =>
      namesIn(text, before, language).map((name) => ({
        ...name,
        space: 'value',
        isFunction: false,
        isSeen:
          name.receiver === undefined
            ? isWritten(name.text)
            : name.receiver !== '' && isWritten(`${name.receiver}.${name.text}`),
      })),
    space: /\.\s*[\p{L}\p{N}_$]*$/u.test(before.slice(-300)) ? undefined : 'value',
    placeBehind: (receiver) => {
      const [place] = placesOf(before, `${receiver}.`);
      return place;
    },
    placeOf: () => undefined,
    isHidden: () => false,
  };
}

/** The ends of a text within another where no longer name ends with it, the last first. */
function* placesOf(before: string, wanted: string): Generator<number> {
  for (let at = before.lastIndexOf(wanted); at >= 0; at = at === 0 ? -1 : before.lastIndexOf(wanted, at - 1))
    if (!/[\p{L}\p{N}_$.]/u.test(before.charAt(at - 1))) yield at + wanted.length;
}
