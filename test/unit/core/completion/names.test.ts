import { describe, expect, it } from 'vitest';
import { namesIn } from '#core/completion/names.ts';

function names(before: string, text: string, language = 'java'): readonly string[] {
  return namesIn(text, before, language).map(
    ({ text: name, receiver, isUsed }) => `${receiver === undefined ? '' : `${receiver}.`}${name}${isUsed ? '!' : ''}`,
  );
}

describe('the names in a suggestion of a language whose brackets are not read', () => {
  it.each([
    ['a member', 'this.logger.', 'warn(message)', ['this.logger.warn!', 'message']],
    ['half a member', 'this.log', 'ger.warn(a)', ['this.logger!', 'this.logger.warn!', 'a']],
    ['a name that is used', 'var x = ', 'parse(text).value', ['parse!', 'text']],
    ['one behind a call where the cursor stands', 'foo().', 'bar', ['.bar']],
    ['no keywords', '', 'return this.load()', ['this.load!']],
    ['no strings and comments', 'log(', '"a.b" + c); // d.e', ['c']],
    ['none in an import', 'import ', 'java.util.List', []],
    ['none behind numbers', '', '1.5e3 + x', ['x']],
  ])('are %s', (_, before, text, wanted) => {
    expect(names(before, text)).toEqual(wanted);
  });

  it.each([
    ['python', 'x = ', 'load(a).text', ['load!', 'a']],
    ['python', 'self.', 'load(x)', ['self.load!', 'x']],
    ['python', 'y = ', '[x.name for x in rows]', ['x.name', 'rows']],
    ['markdown', 'see ', 'foo.bar', []],
  ])('of %s', (language, before, text, wanted) => {
    expect(names(before, text, language)).toEqual(wanted);
  });

  it('are none in a string and in a comment', () => {
    expect(names('var a = "x', 'y.z')).toEqual([]);
    expect(names('// x', 'y.z')).toEqual([]);
  });
});
