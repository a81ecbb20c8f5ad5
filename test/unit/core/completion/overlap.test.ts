import { describe, expect, it } from 'vitest';
import { fitted, isSubsequence } from '#core/completion/overlap.ts';

function beside(text: string, after: string) {
  return fitted(text, { before: '', after, isCut: false });
}

describe('beside what stands to the right', () => {
  it.each([
    ['nothing', 'a, b);', '', { text: 'a, b);', replaced: 0 }],
    ['the same end', 'a, b);', ');', { text: 'a, b', replaced: 0 }],
    ['a closing bracket that the text closes too', 'a, b)', ')', { text: 'a, b', replaced: 0 }],
    ['a bracket that the text goes on after', 'a, b);', ')', { text: 'a, b);', replaced: 1 }],
    ['closers in another order than the text', 'a, b', ')]', { text: 'a, b', replaced: 0 }],
    ['white space only', 'a', '  ', { text: 'a', replaced: 0 }],
    ['part of it', 'a)', ');', { text: 'a', replaced: 0 }],
  ])('there is %s', (_, text, after, wanted) => {
    expect(beside(text, after)).toEqual(wanted);
  });

  it('nothing is left where it stands there already', () => {
    expect(beside(');', ');')).toBeUndefined();
  });
});

describe('above what stands below', () => {
  it.each([
    ['the same line is not said again', 'return a;', '\n  return a;\n}', undefined],
    ['blank lines are passed over', 'return a;', '\n\n  return  a;\n}', undefined],
    ['a closing bracket is no repetition', '}', '\n}\n', '}'],
    ['several lines end where they begin to repeat', 'a();\n  b();\n  c();', '\n  b();\n  c();\n', 'a();'],
    ['another line stands', 'return b;', '\n  return a;', 'return b;'],
  ])('%s', (_, text, after, wanted) => {
    expect(beside(text, after)?.text).toBe(wanted);
  });
});

describe('a subsequence', () => {
  it.each([
    [')', 'a);', true],
    [');', 'a)b;', true],
    [';)', 'a);', false],
    ['', 'a', true],
  ])('%j in %j: %s', (part, whole, wanted) => {
    expect(isSubsequence(part, whole)).toBe(wanted);
  });
});
