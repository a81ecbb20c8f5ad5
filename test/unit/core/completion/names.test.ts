import { describe, expect, it } from 'vitest';
import { namesIn } from '#core/completion/names.ts';

function names(before: string, text: string, language = 'typescript'): readonly string[] {
  return namesIn(text, before, language).map(
    ({ text: name, receiver, isUsed }) => `${receiver === undefined ? '' : `${receiver}.`}${name}${isUsed ? '!' : ''}`,
  );
}

describe('the names in a suggestion', () => {
  it.each([
    ['a member', 'this.logger.', 'warn(message)', ['this.logger.warn!', 'message']],
    ['half a member', 'this.log', 'ger.warn(a)', ['this.logger!', 'this.logger.warn!', 'a']],
    ['a name that is used', 'const x = ', 'parse(text).value', ['parse!', 'text']],
    ['optional members', 'a', '?.b?.c', ['a.b!', 'a?.b.c']],
    ['none of a call, of which nobody can say', 'foo().', 'bar()', []],
    ['no keywords', '', 'return await this.load()', ['this.load!']],
    ['no strings and comments', 'log(', '"a.b" + c); // d.e', ['c']],
    ['no declarations', '', 'const made = 1; function f(one) { return one.x }', ['one.x']],
    ['no parameters', 'list.', 'map((item) => item.name)', ['list.map!', 'item.name']],
    ['no keys', 'f({', ' a: 1, b: other.c })', ['other!', 'other.c']],
    ['none in an import', 'import { ', 'readFile } from', []],
    ['none behind numbers', '', '1.5e3 + x', ['x']],
    ['spread is no member', 'f(...', 'args)', ['args']],
    ['generic calls', 'z.', 'infer<typeof x>(y)', ['z.infer!', 'x', 'y']],
  ])('are %s', (_, before, text, wanted) => {
    expect(names(before, text)).toEqual(wanted);
  });

  it.each([
    ['python', 'self.', 'load(x)', ['self.load!', 'x']],
    ['python', 'y = ', '[x.name for x in rows]', ['x.name', 'rows']],
    ['markdown', 'see ', 'foo.bar', []],
  ])('of %s', (language, before, text, wanted) => {
    expect(names(before, text, language)).toEqual(wanted);
  });

  it('are none in a string and in a comment', () => {
    expect(names("const a = 'x", 'y.z')).toEqual([]);
    expect(names('// x', 'y.z')).toEqual([]);
  });

  it('say where they stand, also where half was typed', () => {
    const [first, second] = namesIn('ger.warn', 'this.log', 'typescript');
    expect([first?.start, first?.end]).toEqual([-3, 3]);
    expect([second?.start, second?.end]).toEqual([4, 8]);
  });
});
