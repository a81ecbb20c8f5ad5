import { describe, expect, it } from 'vitest';
import { isVisible, replacementOf } from '#core/completion/range.ts';

const around = (before: string, after = '') => ({ before, after, isCut: false });

describe('the range that is replaced', () => {
  it('reaches from the word to the cursor', () => {
    expect(replacementOf('File(path)', 0, around('await read'), undefined)).toEqual({
      insert: 'readFile(path)',
      left: 4,
      right: 0,
    });
    expect(replacementOf('a', 1, around('f(', ')'), undefined)).toBeUndefined();
    expect(replacementOf('a);', 1, around('f(', ')'), undefined)).toEqual({ insert: 'a);', left: 0, right: 1 });
  });

  it('is the one of what the suggest widget chose, which it has to go on with', () => {
    const choice = { text: 'readFile', typed: 'read' };
    expect(replacementOf('File(path)', 0, around('await read'), choice)?.insert).toBe('readFile(path)');
    expect(replacementOf('line()', 0, around('await read'), choice)).toBeUndefined();
  });
});

describe('ghost text is shown', () => {
  it.each([
    [true, { insert: 'abc', left: 1, right: 0 }, 'a', ''],
    [false, { insert: 'xbc', left: 1, right: 0 }, 'a', ''],
    [false, { insert: 'a', left: 1, right: 0 }, 'a', ''],
    [true, { insert: 'ab);', left: 1, right: 1 }, 'a', ')'],
    [false, { insert: 'ab;', left: 1, right: 1 }, 'a', ')'],
    [false, { insert: 'ab\n)', left: 1, right: 1 }, 'a', ')'],
    [false, { insert: 'ab', left: 5, right: 0 }, 'a', ''],
    [false, { insert: 'ab)', left: 0, right: 3 }, 'a', ')\nx'],
  ])('%s for %j between %j and %j', (wanted, replacement, before, after) => {
    expect(isVisible(replacement, around(before, after))).toBe(wanted);
  });
});
