/**
 * What a language server offers at the cursor, as the search for a line can weigh it: names with their places in the
 * list. It asks no server, and it never adds what nobody offered.
 */
import { kinds } from '../learn/vocabulary.ts';
import type { OpenFile } from './open-file.ts';

/** Names offered, likeliest first, as tokens. */
export interface Offers {
  readonly ranks: ReadonlyMap<number, number>;
  /** Whether the cursor stands after a member access. */
  readonly isMember: boolean;
}

/** A token that may come next, as symbol (token * 2 + whether it begins a line), with its chance. */
export interface Choice {
  readonly symbol: number;
  readonly probability: number;
}

/** From this many names on, a list after a member access counts as whole. */
const wholeFrom = 3;
const memberMarks = new Set(['.', '?.', '->', '::']);
/** How much likelier an offered name becomes: after a member access, and elsewhere, where lists hold whatever is in scope. */
const boosts = { member: 4, other: 1.5 };
/** What is left of the chance of a name that a whole list of members lacks. */
const unoffered = 0.01;
/** How much of the chance that no candidate can have goes to offered names that were no candidates. */
const shareOfRest = 0.6;

/** The name in a fact such as `size`, `map(callback)` or `(method) List.add(item: T): void`. */
export function nameOf(fact: string): string | undefined {
  return /([\p{L}_$#][\p{L}\p{N}_$]*)[?!]?\s*(?:[(<:=]|$)/u.exec(fact.trim())?.[1];
}

/** Reads facts for the end of `file`; undefined where there are none. Names nobody wrote yet get numbers of the fork. */
export function offersOf(facts: readonly string[] | undefined, file: OpenFile): Offers | undefined {
  if (facts === undefined || facts.length === 0) return undefined;
  const { vocabulary } = file;
  const ranks = new Map<number, number>();
  for (const fact of facts) {
    const name = nameOf(fact);
    if (name === undefined) continue;
    const token = vocabulary.intern(name, 0, name.length, kinds.word);
    if (!ranks.has(token)) ranks.set(token, ranks.size);
  }
  const isMember = memberMarks.has(vocabulary.textOf(file.ids[file.length - 1] ?? 0));
  return { ranks, isMember };
}

/**
 * Choices with the offers weighed in; together they keep their chance, and names offered but not thought of join them by
 * their place in the list. `none` is the chance that it is none of the choices.
 */
export function weigh(
  choices: readonly Choice[],
  none: number,
  { ranks, isMember }: Offers,
  isWord: (token: number) => boolean,
): readonly Choice[] {
  const boost = isMember ? boosts.member : boosts.other;
  const malus = isMember && ranks.size >= wholeFrom ? unoffered : 1;
  let rest = none;
  const weighed = choices.map(({ symbol, probability }): Choice => {
    const token = symbol >> 1;
    if (ranks.has(token)) return { symbol, probability: probability * boost };
    if (!isWord(token)) return { symbol, probability };
    rest += probability * (1 - malus);
    return { symbol, probability: probability * malus };
  });
  if (isMember) {
    const known = new Set(choices.map(({ symbol }) => symbol >> 1));
    const fresh = [...ranks.keys()].filter((token) => !known.has(token));
    fresh.forEach((token, place) => {
      weighed.push({ symbol: token * 2, probability: (rest * shareOfRest) / 2 ** (place + 1) });
    });
  }
  const before = choices.reduce((sum, { probability }) => sum + probability, none);
  const after = weighed.reduce((sum, { probability }) => sum + probability, none);
  const scale = after > before ? before / after : 1;
  return weighed.map(({ symbol, probability }) => ({ symbol, probability: probability * scale }));
}
