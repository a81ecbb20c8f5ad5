import { describe, expect, it } from 'vitest';
import { judged, type Known, type Offer } from '#core/completion/confirmed.ts';
import { sightOf } from '#core/completion/sight.ts';

const none: ReadonlySet<string> = new Set();
const offer = (...names: string[]): Offer => ({
  names: new Set(names),
  onlyTypes: none,
  noTypes: none,
  isPartial: false,
  facts: names,
});
const nothing: Offer = { ...offer(), isPartial: true };
const types = (...names: string[]): Offer => ({ ...offer(...names), onlyTypes: new Set(names) });
const values = (...names: string[]): Offer => ({ ...offer(...names), noTypes: new Set(names) });

interface World {
  readonly here?: Offer;
  readonly members?: Readonly<Record<string, Offer>>;
  readonly typeMembers?: Readonly<Record<string, Offer>>;
  readonly scope?: Readonly<Record<string, Offer>>;
  readonly symbols?: readonly string[];
  readonly isStrict?: boolean;
}

function check(before: string, text: string, world: World) {
  const { here, members = {}, typeMembers = {}, scope = {}, symbols = [], isStrict = false } = world;
  const known: Known = {
    here,
    members: (receiver, space) => (space === 'type' ? typeMembers : members)[receiver],
    scope: (space) => scope[space],
    isSymbol: (name) => symbols.includes(name),
    isStrict,
  };
  const verdict = judged(text, sightOf({ before, after: '', isCut: false }, 'typescript'), known);
  return {
    kept: text.slice(0, verdict.end),
    confirmed: verdict.confirmed,
    open: verdict.open.map((name) => name.text),
  };
}

type Row = readonly [string, string, string, World, string];

describe('a suggestion held against the language server', () => {
  it.each([
    ['stands where its member exists', 'a.', 'read()', { here: offer('read') }, 'read()'],
    ['falls where what a call gives has no such member', 'a().', 'invented()', { here: offer('read') }, ''],
    ['falls where it does not', 'a.', 'invented()', { here: offer('read') }, ''],
    [
      'is cut before a later member that does not exist',
      'x = ',
      'a.b.made()',
      { here: offer('a'), members: { a: offer('b'), 'a.b': offer('c') } },
      'a.b',
    ],
    [
      'is cut before an argument that does not exist',
      'f(',
      'a.made, b)',
      { here: offer('a', 'b'), members: { a: offer('real') } },
      'a',
    ],
    ['stands as a whole where all exists', 'x = ', 'a(c)', { here: offer('a', 'c') }, 'a(c)'],
    ['is cut before a call of what is not there', 'x = ', 'made(a)', { here: offer('a') }, ''],
    ['may mention what may be a parameter', 'f(', '(fresh', { here: offer('f') }, '(fresh'],
    ['falls where its value does not exist', 'x = ', 'made', { here: offer('a') }, ''],
    ['is cut before a value that does not exist', 'x = ', 'f(a, made)', { here: offer('a', 'f') }, 'f(a'],
    ['may use what the text has', 'let local = 1;\nx = ', 'local(a)', { here: offer('a') }, 'local(a)'],
    ['may use what the document has further up', 'x = ', 'far(a)', { here: offer('a'), symbols: ['far'] }, 'far(a)'],
    ['stands where an offer may have more', 'a.', 'maybe()', { here: { ...offer('b'), isPartial: true } }, 'maybe()'],
    ['stands where the server knows nothing', 'a.', 'maybe()', { here: nothing, isStrict: true }, 'maybe()'],
  ] satisfies readonly Row[])('%s', (_, before, text, world, kept) => {
    expect(check(before, text, world).kept).toBe(kept);
  });

  it.each([
    ['stands where there is such a type', 'let x: ', 'Known', { here: types('Known') }, 'Known'],
    ['falls where there is none', 'let x: ', 'Made', { here: types('Known') }, ''],
    ['falls where a type stands for a value', 'x = ', 'Known', { here: types('Known') }, ''],
    ['falls where a function stands for a type', 'let x: ', 'known', { here: values('known') }, ''],
    [
      'is held against what another place offers, where it is of another kind',
      'function f',
      '(a: Made)',
      { here: offer('Made'), scope: { type: types('Known') } },
      '(a:',
    ],
    ['stands where that place has it', 'function f', '(a: Known)', { scope: { type: types('Known') } }, '(a: Known)'],
    [
      'takes nothing from there that is hidden here',
      '{ type Inner = 1; }\nfunction f',
      '(a: Inner)',
      { scope: { type: types('Inner') } },
      '(a:',
    ],
    [
      'is held against members of a type that is whole, where its own is half written',
      'const a = <T extends z.',
      'decode',
      { here: offer('decode'), typeMembers: { z: types('Input') } },
      '',
    ],
    [
      'falls where what is called stands for a type',
      'z.decode();\nconst a = <T extends z.',
      'decode',
      { here: offer('decode') },
      '',
    ],
    ['stands where what is made does', 'new z.Made();\nlet x: z.', 'Made', { here: offer('Made') }, 'Made'],
    ['is held against what a module offers', 'import {\n  ', 'made,', { here: offer('real') }, ''],
  ] satisfies readonly Row[])('with types and values told apart %s', (_, before, text, world, kept) => {
    expect(check(before, text, world).kept).toBe(kept);
  });

  it('counts what is found to exist', () => {
    expect(check('x = ', 'a.b(c)', { here: offer('a', 'c'), members: { a: offer('b') } }).confirmed).toBe(3);
  });

  it('is open where nobody was asked, and falls there where the setting wants it', () => {
    expect(check('a.', 'maybe(b)', {})).toEqual({ kept: 'maybe(b)', confirmed: 0, open: ['maybe', 'b'] });
    expect(check('a.', 'maybe(b)', { isStrict: true }).kept).toBe('');
    expect(check('let a, b;\na.maybe();\na.', 'maybe(b)', { isStrict: true })).toMatchObject({
      kept: 'maybe(b)',
      confirmed: 2,
    });
  });

  it('takes names that every object has for plain data', () => {
    expect(check('a.', 'constructor()', { here: offer('b') }).kept).toBe('');
    expect(check('x = ', '__proto__.b()', { here: offer('b') }).kept).toBe('');
  });
});
