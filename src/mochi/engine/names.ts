/**
 * Makes names that were never written: from an earlier name by the difference between two others, and from the name of
 * the file. Whether such a name is likely, others judge.
 */
import type { Vocabulary } from '../learn/vocabulary.ts';

/** The parts a name is made of: `loadUser2` of `load`, `User` and `2`. */
export const partsOf = (name: string): readonly string[] =>
  name.match(/[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+|[0-9]+|[^A-Za-z0-9]+/g) ?? [];
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const small = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** What differs between two names: `loadOrder` and `loadUser` differ by `Order` and `User`. */
export interface Difference {
  readonly from: string;
  readonly to: string;
}

/** Undefined where the names are alike, or have too little to tell. */
export function differenceOf(one: string, two: string): Difference | undefined {
  const from = partsOf(one);
  const to = partsOf(two);
  const shorter = Math.min(from.length, to.length);
  let before = 0;
  while (before < shorter && from[before] === to[before]) before += 1;
  let after = 0;
  while (after < shorter - before && from[from.length - 1 - after] === to[to.length - 1 - after]) after += 1;
  const found = {
    from: from.slice(before, from.length - after).join(''),
    to: to.slice(before, to.length - after).join(''),
  };
  const isTelling = (text: string): boolean => text.length >= 2 && /[A-Za-z]/.test(text);
  return isTelling(found.from) && isTelling(found.to) ? found : undefined;
}

/** The name with the difference carried over, in the case it stands there; undefined where it does not occur. */
export function transferred(name: string, { from, to }: Difference): string | undefined {
  if (name.length < from.length) return undefined;
  const pairs = [
    [capital(from), capital(to)],
    [small(from), small(to)],
    [from.toUpperCase(), to.toUpperCase()],
  ] as const;
  for (const [old, fresh] of pairs) {
    const at = name.indexOf(old);
    if (at < 0) continue;
    const next = name.charAt(at + old.length);
    // The end of a part: not in the middle of a longer word.
    if (old !== pairs[2][0] && /[a-z]/.test(next)) continue;
    return name.slice(0, at) + fresh + name.slice(at + old.length);
  }
  return undefined;
}

/** A part shorter than this says nothing about two strings. */
const leastShared = 4;
const mostCompared = 40;

/** The longest part that two texts share, as its start in each and its length. */
function sharedPart(one: string, two: string): readonly [number, number, number] {
  let row = new Uint8Array(two.length + 1);
  let next = new Uint8Array(two.length + 1);
  let best: readonly [number, number, number] = [0, 0, 0];
  for (let i = 1; i <= one.length; i += 1) {
    for (let j = 1; j <= two.length; j += 1) {
      const length = one.charCodeAt(i - 1) === two.charCodeAt(j - 1) ? (row[j - 1] ?? 0) + 1 : 0;
      next[j] = length;
      if (length > best[2]) best = [i - length, j - length, length];
    }
    [row, next] = [next, row];
  }
  return best;
}

/**
 * The string that is to `fresh` what `text` is to `old`: `'wss://b.org/api'` where `'wss://a.net/api'` stood behind
 * `'https://a.net'` and now `'https://b.org'` does. Undefined where the two have no telling part in common.
 */
export function stringLike(text: string, old: string, fresh: string): string | undefined {
  if (Math.max(text.length, old.length, fresh.length) > mostCompared) return undefined;
  const [own, other, replaced] = [text.slice(1, -1), old.slice(1, -1), fresh.slice(1, -1)];
  const [at, from, length] = sharedPart(own, other);
  if (length < leastShared) return undefined;
  const [before, after] = [other.slice(0, from), other.slice(from + length)];
  if (!replaced.startsWith(before) || !replaced.endsWith(after)) return undefined;
  const between = replaced.slice(before.length, replaced.length - after.length);
  if (replaced.length <= before.length + after.length) return undefined;
  return text.charAt(0) + own.slice(0, at) + between + own.slice(at + length) + text.slice(-1);
}

/** Names that a file of this path may declare. */
export function namesOfPath(path: string): readonly string[] {
  const base = path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '');
  const parts = base.split(/[^\p{L}\p{N}$]+/u).filter((part) => part !== '');
  if (parts.length === 0 || base === 'index' || /^[0-9]/.test(parts[0] ?? '')) return [];
  const pascal = parts.map(capital).join('');
  return [...new Set([pascal, small(pascal), parts.join('_')])];
}

/** Two tokens in one number: the first times this, plus the second. */
const pairing = 2 ** 26;
const mostKnown = 50_000;

/** Makes names as tokens, and remembers which pairs of names differ by what. */
export class MadeNames {
  #vocabulary: Vocabulary | undefined;
  readonly #differences = new Map<number, Difference | undefined>();

  /** The string that is to `fresh` what `text` is to `old`, or -1; all are strings. */
  carryString(vocabulary: Vocabulary, text: number, old: number, fresh: number): number {
    const made = stringLike(vocabulary.textOf(text), vocabulary.textOf(old), vocabulary.textOf(fresh));
    return made === undefined ? -1 : vocabulary.intern(made, 0, made.length, vocabulary.kind(text));
  }

  /** The token of `word` with the difference from `old` to `fresh` carried over, or -1. */
  carry(vocabulary: Vocabulary, word: number, old: number, fresh: number): number {
    if (this.#vocabulary !== vocabulary || this.#differences.size > mostKnown) this.#differences.clear();
    this.#vocabulary = vocabulary;
    const pair = old * pairing + fresh;
    let difference = this.#differences.get(pair);
    if (difference === undefined && !this.#differences.has(pair)) {
      difference = differenceOf(vocabulary.textOf(old), vocabulary.textOf(fresh));
      this.#differences.set(pair, difference);
    }
    const name = difference === undefined ? undefined : transferred(vocabulary.textOf(word), difference);
    return name === undefined ? -1 : vocabulary.intern(name, 0, name.length, vocabulary.kind(word));
  }
}
