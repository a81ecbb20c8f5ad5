import { describe, expect, it } from 'vitest';
import { chainAt, isChained, placesBehind } from '#core/completion/chains.ts';

describe('a receiver without a name', () => {
  it.each([
    ['x = load(file)', 'load()'],
    ['a.b.load(f(1), [2])', 'load()'],
    ['rows[index(0)]', 'rows[]'],
    ['rows[0]()', undefined],
    ['(a + b)', undefined],
    ['[1, 2]', undefined],
    ['name', undefined],
    ['unopened)', undefined],
  ])('in %s is %s', (left, chain) => {
    expect(chainAt(left)).toBe(chain);
  });

  it('is found where it stands elsewhere, the last first', () => {
    const text = 'load(a).text; load(b, (c))?.size; other(load).text; load(d);';
    const places = [...placesBehind(text, 'load()')];
    expect(places.map((at) => text.slice(at, at + 4))).toEqual(['size', 'text']);
  });

  it.each([
    ['text', true],
    ['size', true],
    ['tex', false],
    ['name', false],
  ])('has the member %s there: %s', (member, isThere) => {
    expect(isChained('load(a).text; load(b)!.size; other(a).name', 'load()', member)).toBe(isThere);
  });
});
