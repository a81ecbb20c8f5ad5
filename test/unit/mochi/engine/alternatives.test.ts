/** Other completions: those that a person would want to see beside the first. */
import { describe, expect, it } from 'vitest';
import { alternativesTo } from '../../../../src/mochi/engine/alternatives.ts';

const first = { text: 'load(path);', probability: 0.4 };
const offers = (...texts: readonly (string | readonly [string, number])[]) =>
  texts.map((one) =>
    typeof one === 'string' ? { text: one, probability: 0.2 } : { text: one[0], probability: one[1] },
  );

describe('other completions', () => {
  it.each<[string, ReturnType<typeof offers>, string | undefined, readonly string[]]>([
    ['are what is left', offers('save(path);', 'load(file);'), undefined, ['save(path);', 'load(file);']],
    ['are three at most', offers('a()', 'b()', 'c()', 'd()'), undefined, ['a()', 'b()', 'c()']],
    [
      'differ by more than white space',
      offers('load( path );', 'save(path);', 'save( path );'),
      undefined,
      ['save(path);'],
    ],
    ['are no beginning of the first', offers('load(path', 'load', ' '), undefined, []],
    ['may go on where the first ends', offers('load(path);}'), undefined, ['load(path);}']],
    ['are no beginning or continuation of one another', offers('save(', 'save(path)', 'sa'), undefined, ['save(']],
    ['have a share worth showing', offers(['a()', 0.05], ['b()', 0.03], ['c()', 0.004]), undefined, ['a()']],
    [
      'do not end as the line goes on behind the cursor',
      offers('save(path);', 'save(path'),
      ');\nnext();',
      ['save(path'],
    ],
    ['do not say what stands behind the cursor', offers('path', 'other'), 'path, more);\n', ['other']],
    ['do not say the line below again', offers('return text;', 'next();'), '\n  return text;\n}\n', ['next();']],
  ])('%s', (_, others, suffix, expected) => expect(alternativesTo(first, others, suffix, 3)).toEqual(expected));

  it('are none where the first is hardly likely itself, and as many as were asked for', () => {
    expect(alternativesTo({ text: 'x', probability: 1e-8 }, offers(['y', 1e-9]), undefined, 3)).toEqual([]);
    expect(alternativesTo(first, offers('a()', 'b()'), undefined, 0)).toEqual([]);
    expect(alternativesTo(first, offers('a()', 'b()'), undefined, 1)).toEqual(['a()']);
  });
});
