import { describe, expect, it } from 'vitest';
import { nameOf, offersOf, weigh } from '../../../../src/mochi/engine/offers.ts';
import { OpenFile } from '../../../../src/mochi/engine/open-file.ts';
import { kinds, Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

describe('the name in a fact', () => {
  it.each([
    ['size', 'size'],
    ['map(callback)', 'map'],
    ['(method) List.add(item: T): void', 'add'],
    ['items: readonly string[]', 'items'],
    ['readonly name?: string', 'name'],
    ['then<T>(done: T): Promise<T>', 'then'],
    ['#secret', '#secret'],
    ['größe()', 'größe'],
    ['', undefined],
    ['()', undefined],
  ])('of %s is %s', (fact, name) => {
    expect(nameOf(fact)).toBe(name);
  });
});

describe('offers', () => {
  const vocabulary = new Vocabulary();
  const token = (text: string, kind: number): number => vocabulary.intern(text, 0, text.length, kind);
  const [dot, known, other, mark] = [
    token('.', kinds.mark),
    token('known', kinds.word),
    token('other', kinds.word),
    token(';', kinds.mark),
  ];
  const isWord = (id: number): boolean => vocabulary.kind(id) === kinds.word;
  const choices = [
    { symbol: other * 2, probability: 0.5 },
    { symbol: known * 2, probability: 0.2 },
    { symbol: mark * 2, probability: 0.1 },
  ];
  const following = (...ids: number[]): OpenFile => {
    const file = new OpenFile(vocabulary);
    for (const id of ids) file.push(id, 0);
    return file;
  };
  const weighed = (facts: readonly string[], file: OpenFile): Map<string, number> => {
    const offers = offersOf(facts, file);
    const found = offers === undefined ? choices : weigh(choices, 0.2, offers, isWord);
    return new Map(found.map(({ symbol, probability }) => [vocabulary.textOf(symbol >> 1), probability]));
  };

  it('are none without facts', () => {
    expect(offersOf(undefined, following(dot))).toBeUndefined();
    expect(offersOf([], following(dot))).toBeUndefined();
  });

  it('raise offered members, lower others once there are many, and bring in those nobody thought of', () => {
    const found = weighed(['known', 'fresh', 'fresher'], following(dot));
    expect(found.get('known')).toBeGreaterThan(0.2);
    expect(found.get('other')).toBeLessThan(0.05);
    expect(found.get('fresh')).toBeGreaterThan(found.get('fresher') ?? 1);
    expect([...found.values()].reduce((sum, it) => sum + it, 0)).toBeLessThanOrEqual(1);
  });

  it('do not take a short list for the whole, nor any list away from a member access', () => {
    expect(weighed(['known'], following(dot)).get('other')).toBeGreaterThan(0.2);
    const found = weighed(['known', 'fresh', 'fresher'], following(mark));
    expect(found.get('other')).toBeGreaterThan(0.4);
    expect(found.get('known')).toBeGreaterThan(0.2);
    expect(found.has('fresh')).toBe(false);
  });
});
