import { describe, expect, it } from 'vitest';
import { judged, type Known, type Offer } from '#core/completion/confirmed.ts';

const offer = (...names: string[]): Offer => ({ names: new Set(names), isPartial: false, facts: names });
const nothing: Offer = { names: new Set(), isPartial: true, facts: [] };

interface World {
  readonly here?: Offer;
  readonly members?: Readonly<Record<string, Offer>>;
  readonly written?: readonly string[];
  readonly isStrict?: boolean;
}

function check(before: string, text: string, { here, members = {}, written = [], isStrict = false }: World) {
  const known: Known = {
    here,
    members: (receiver) => members[receiver],
    isWritten: (name) => written.includes(name),
    isStrict,
  };
  const verdict = judged(text, before, 'typescript', known);
  return {
    kept: text.slice(0, verdict.end),
    confirmed: verdict.confirmed,
    open: verdict.open.map((name) => name.text),
  };
}

describe('a suggestion held against the language server', () => {
  it.each([
    ['stands where its member exists', 'a.', 'read()', { here: offer('read') }, 'read()', 1],
    ['falls where what a call gives has no such member', 'a().', 'invented()', { here: offer('read') }, '', 0],
    ['falls where it does not', 'a.', 'invented()', { here: offer('read') }, '', 0],
    [
      'is cut before a later member that does not exist',
      'x = ',
      'a.b.made()',
      { here: offer('a'), members: { a: offer('b'), 'a.b': offer('c') } },
      'a.b',
      2,
    ],
    [
      'is cut before an argument that does not exist',
      'f(',
      'a.made, b)',
      { here: offer('a', 'b'), members: { a: offer('real') } },
      'a',
      1,
    ],
    [
      'stands as a whole where all exists',
      'x = ',
      'a.b(c.d)',
      { here: offer('a', 'c'), members: { a: offer('b'), c: offer('d') } },
      'a.b(c.d)',
      4,
    ],
    ['is cut before a call of what is not there', 'x = ', 'made(a)', { here: offer('a') }, '', 0],
    ['may mention a new name', '', 'load(fresh', { here: offer('load') }, 'load(fresh', 1],
    ['falls where its value does not exist', 'x = ', 'made', { here: offer('a') }, '', 0],
    ['is cut before a value that does not exist', 'x = ', 'f(a, made)', { here: offer('a', 'f') }, 'f(a', 2],
    ['may use what the document has', 'x = ', 'local(a)', { here: offer('a'), written: ['local'] }, 'local(a)', 2],
    [
      'stands where an offer may have more',
      'a.',
      'maybe()',
      { here: { ...offer('b'), isPartial: true } },
      'maybe()',
      0,
    ],
    ['stands where the server knows nothing', 'a.', 'maybe()', { here: nothing, isStrict: true }, 'maybe()', 0],
  ] satisfies readonly (readonly [string, string, string, World, string, number])[])(
    '%s',
    (_, before, text, world, kept, confirmed) => {
      expect(check(before, text, world)).toMatchObject({ kept, confirmed });
    },
  );

  it('is open where nobody was asked, and falls there where the setting wants it', () => {
    expect(check('a.', 'maybe(b)', {})).toEqual({ kept: 'maybe(b)', confirmed: 0, open: ['maybe', 'b'] });
    expect(check('a.', 'maybe(b)', { isStrict: true }).kept).toBe('');
    expect(check('a.', 'maybe(b)', { isStrict: true, written: ['a.maybe', 'b'] })).toMatchObject({
      kept: 'maybe(b)',
      confirmed: 2,
    });
  });

  it('takes names that every object has for plain data', () => {
    expect(check('a.', 'constructor()', { here: offer('b') }).kept).toBe('');
    expect(check('x = ', '__proto__.b()', { here: offer('b') }).kept).toBe('');
  });
});
