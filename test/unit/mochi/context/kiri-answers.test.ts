/** Reading what kiri answers, and what is asked of it. */
import { describe, expect, it } from 'vitest';
import { identifierIn, pointersOf } from '../../../../src/mochi/context/kiri-answers.ts';

const text = (value: unknown, more: object = {}) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
  ...more,
});

describe('an answer of kiri', () => {
  it.each([
    ['a bundle', { context: [{ path: 'a/b.ts', range: [3, 9], why: [], score: 1 }] }, [['a/b.ts', 3, 9]]],
    ['matches', [{ path: 'a.ts', matchLine: 4, lang: null, ext: null, score: 0 }], [['a.ts', 4, 12]]],
    ['a range the wrong way round', { context: [{ path: 'a.ts', range: [9, 3] }] }, [['a.ts', 9, 9]]],
    ['nothing found', { context: [] }, []],
    ['good among bad', [{ path: 'a.ts' }, 7, null, { path: 'b.ts', matchLine: 1 }], [['b.ts', 1, 9]]],
    [
      'ways out',
      [
        { path: '../a', matchLine: 1 },
        { path: '/a', matchLine: 1 },
        { path: 'C:/a', matchLine: 1 },
      ],
      [],
    ],
    ['no JSON', 'Goal is too vague.', []],
    ['another shape', { results: [1] }, []],
  ])('with %s', (_, value, expected) => {
    expect(pointersOf(text(value)).map(({ path, line, endLine }) => [path, line, endLine])).toEqual(expected);
  });

  it('that is an error, or no tool result, is nothing', () => {
    const good = { context: [{ path: 'a.ts', range: [1, 2] }] };
    expect(pointersOf(text(good, { isError: true }))).toEqual([]);
    for (const odd of [{}, { content: 'x' }, { content: [{ type: 'image' }] }]) expect(pointersOf(odd)).toEqual([]);
  });
});

describe('the identifier in a question', () => {
  it.each([
    ['Where is readGammaLedger defined?', 'readGammaLedger'],
    ['what does load_rows do', 'load_rows'],
    ['who calls parse() here', 'parse'],
    ['How are HTTPServer objects made?', 'HTTPServer'],
    ['Where are ledgers read?', undefined],
    ['How is JSON parsed in Go?', undefined],
  ])('%s', (question, expected) => expect(identifierIn(question)).toBe(expected));
});
