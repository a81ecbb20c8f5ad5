import { describe, expect, it } from 'vitest';
import { namesIn } from '#core/completion/names.ts';

function names(before: string, text: string, language = 'typescript'): readonly string[] {
  return namesIn(text, before, language).map(
    ({ text: name, receiver, isUsed }) => `${receiver === undefined ? '' : `${receiver}.`}${name}${isUsed ? '!' : ''}`,
  );
}

describe('the names in a suggestion', () => {
  it.each([
    ['a member', 'this.logger.', 'warn(message)', ['this.logger.warn!', 'message!']],
    ['half a member', 'this.log', 'ger.warn(a)', ['this.logger!', 'this.logger.warn!', 'a!']],
    ['a name that is used', 'const x = ', 'parse(text).value', ['parse!', 'text!', 'parse().value']],
    ['optional members', 'a', '?.b?.c', ['a.b!', 'a?.b.c']],
    ['one behind a call or an index where the cursor stands', 'foo().', 'bar().b', ['foo().bar!', 'bar().b']],
    ['a private one', 'this.#re', 'ader.read()', ['this.#reader!', 'this.#reader.read!']],
    ['a private one of something else', 'value.', '#value', ['value.#value']],
    ['half of one behind an index', 'foo[0].le', 'ngth', ['foo[].length']],
    ['one behind what has no name, where the cursor stands', '[1, 2].', 'max.x', ['.max!']],
    ['one behind a call and an index further on', 'x = ', 'foo(a)[0].bar().baz', ['foo!', 'a!', 'bar().baz']],
    ['one behind an index further on', 'x = ', 'rows[0].id', ['rows!', 'rows[].id']],
    ['those of a condition, though a block follows', '', 'if (!state.copy) {', ['state!', 'state.copy']],
    ['those of a choice', 'x = ', 'a ? f(b) : c', ['a!', 'f!', 'b!', 'c']],
    ['no keywords', '', 'return await this.load()', ['this.load!']],
    ['no strings and comments', 'log(', '"a.b" + c); // d.e', ['c!']],
    ['no declarations', '', 'const made = 1; function f(one) { return one.x }', ['one.x']],
    ['no parameters', 'list.', 'map((item) => item.name)', ['list.map!', 'item.name']],
    ['no keys', 'f({', ' a: 1, b: other.c })', ['other!', 'other.c']],
    ['none in an import', 'import { ', 'readFile } from', []],
    ['none behind numbers', '', '1.5e3 + x', ['x!']],
    ['spread is no member', 'f(...', 'args)', ['args']],
    ['generic calls', 'z.', 'infer<typeof x>(y)', ['z.infer!', 'x', 'y']],
  ])('are %s', (_, before, text, wanted) => {
    expect(names(before, text)).toEqual(wanted);
  });

  it.each([
    ['on the right of an equals sign', 'const x = ', 'path', ['path!']],
    ['given back', '', 'return found', ['found!']],
    ['made', 'x = ', 'new Subject', ['Subject!']],
    ['an operand', 'if (a ', '&& open', ['open!']],
    ['an argument', 'return sum(one, ', 'two)', ['two!']],
    ['a condition', '', 'if (isOpen) return', ['isOpen!']],
    ['spread into a call', 'x = f(', '...rest)', ['rest!']],
    ['the parameter of a method', '', 'load(path', ['load!', 'path']],
    ['a parameter of a function', '', 'function load(path', ['path']],
    ['a type', 'let x: Map<', 'Key, Value>', ['Key', 'Value']],
    ['the name of a type', 'type A = ', 'Other', ['Other']],
    ['a short key', 'x = {', ' name }', []],
    ['an assigned name', '', 'first = second = 1', []],
  ])('are values that must exist, or not: %s', (_, before, text, wanted) => {
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
    expect(names("const a = 'x", 'y.z')).toEqual([]);
    expect(names('// x', 'y.z')).toEqual([]);
  });

  it('say where they stand, also where half was typed', () => {
    const [first, second] = namesIn('ger.warn', 'this.log', 'typescript');
    expect([first?.start, first?.end]).toEqual([-3, 3]);
    expect([second?.start, second?.end]).toEqual([4, 8]);
  });
});
