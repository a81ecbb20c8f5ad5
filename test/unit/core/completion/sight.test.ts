import { describe, expect, it } from 'vitest';
import { sightOf } from '#core/completion/sight.ts';

function names(before: string, text: string, language = 'typescript'): readonly string[] {
  return sightOf({ before, after: '', isCut: false }, language)
    .namesIn(text)
    .map(
      ({ text: name, receiver, isUsed, space }) =>
        `${space === 'value' ? '' : `${space} `}${receiver === undefined ? '' : `${receiver}.`}${name}${isUsed ? '!' : ''}`,
    );
}

describe('the names in a suggestion', () => {
  it.each([
    ['a member', 'this.logger.', 'warn(message)', ['this.logger.warn!', 'message!']],
    ['half a member', 'this.log', 'ger.warn(a)', ['this.logger!', 'this.logger.warn!', 'a!']],
    ['a name that is used', 'const x = ', 'parse(text).value', ['parse!', 'text!', 'parse().value!']],
    ['optional members', 'a', '?.b?.c', ['a.b!', 'a.b.c!']],
    ['one behind a call or an index where the cursor stands', 'foo().', 'bar().b', ['foo().bar!', 'foo().bar().b!']],
    ['a private one', 'this.#re', 'ader.read()', ['this.#reader!', 'this.#reader.read!']],
    ['half of one behind an index', 'foo[0].le', 'ngth', ['foo[].length!']],
    ['one behind what has no name, where the cursor stands', '[1, 2].', 'max', ['.max!']],
    ['one behind a call and an index further on', 'x = ', 'foo(a)[0].bar', ['foo!', 'a!', 'foo()[].bar!']],
    ['one behind what is made', 'x = ', 'new Foo<Bar>(a).bar', ['Foo!', 'type Bar!', 'a!', 'new Foo().bar!']],
    ['those of a condition', '', 'if (!state.copy) {', ['state!', 'state.copy!']],
    ['those of a choice', 'x = ', 'a ? f(b) : c', ['a!', 'f!', 'b!', 'c!']],
    ['no keywords', '', 'return await this.load()', ['this.load!']],
    ['no strings and comments', 'log(', '"a.b" + c); // d.e', ['c!']],
    ['those in a template', 'log(', '`a ${b.c} d`', ['b!', 'b.c!']],
    ['no regular expressions', 'x = ', '/a.b(c)/g.test(d)', ['d!']],
    ['no declarations', '', 'const made = 1; function f(one) { return one.x }', ['one!', 'one.x!']],
    ['no keys', 'f({', ' a: 1, b: other.c })', ['other!', 'other.c!']],
    ['short keys, which are values', 'f({', ' a, b })', ['a!', 'b!']],
    ['none behind numbers', '', '1.5e3 + x', ['x!']],
    ['what is spread', 'f(...', 'args)', ['args!']],
    ['what is assigned', '', 'first = second', ['first!', 'second!']],
    ['what an array holds', 'x = ', '[...rest, first]', ['rest!', 'first!']],
    ['what parentheses hold that are no parameters', 'x = a || (b.c = ', 'd', ['d!']],
    ['what follows a member in parentheses', 'f(', '(a.b, c', ['a!', 'a.b!', 'c!']],
    ['what is taken for a type in parentheses', 'if (', '(dep as any', ['dep!']],
    ['what follows a string in parentheses', 'f(', '("value" in kept', ['kept!']],
    ['what is divided', 'x = ', 'a.in / b / c', ['a!', 'a.in!', 'b!', 'c!']],
    ['what is negated in parentheses', 'if (', '!(trailing && one', ['trailing!', 'one!']],
    ['what a member is given whose name is a key word', 'this.', 'delete(key)', ['this.delete!', 'key!']],
    ['what the type of is asked', 'if (', 'typeof num === "bigint")', ['num!']],
    ['a word for a type where a value stands', 'return mod(-num, ', 'bigint)', ['bigint!']],
  ])('are %s', (_, before, text, wanted) => {
    expect(names(before, text)).toEqual(wanted);
  });

  it.each([
    ['an annotation', 'function f(', 'options?: Settings)', ['type Settings!']],
    ['what is given back', 'function f()', ': Promise<Answer> {', ['type Promise!', 'type Answer!']],
    ['what it is taken for', 'x = y ', 'as Answer;', ['type Answer!']],
    ['arguments of a type', 'let x: Map<', 'Key, Value>', ['type Key!', 'type Value!']],
    ['arguments of a call', 'z.', 'infer<Key>(y)', ['z.infer!', 'type Key!', 'y!']],
    ['an alias', '', 'type A<T> = Other<T>', ['type Other!', 'type T!']],
    ['members of a type', 'interface A {\n  ', 'b: Other;', ['type Other!']],
    ['what a class extends and implements', '', 'class A extends B implements C {', ['B!', 'type C!']],
    ['what limits another', 'function f<T ', 'extends z.Some>', ['type z!', 'type z.Some!']],
    ['a value whose type is asked for', 'let x: ', 'typeof other', ['other!']],
  ])('that are types: %s', (_, before, text, wanted) => {
    expect(names(before, text)).toEqual(wanted);
  });

  it.each([
    ['parameters that are not closed', 'f(', '(a, b'],
    ['a key that may be meant', 'x = {', ' name'],
  ])('are unsure: %s', (_, before, text) => {
    expect(names(before, text).filter((name) => name.endsWith('!') && !name.startsWith('f'))).toEqual([]);
  });

  it('are those that the module offers where a list of imports stands', () => {
    expect(names('import {\n  ', 'first,')).toEqual(['list first!']);
    expect(names('', "import { first } from './a.ts';")).toEqual([]);
  });

  it.each(["const a = 'x", '// x', 'const a = `x\n'])('are none behind %j', (before) => {
    expect(names(before, 'y.z')).toEqual([]);
  });

  it('are none of an element, but those in its braces', () => {
    expect(names('return ', "<p className={style.a}>don't {count}</p>", 'typescriptreact')).toEqual([
      'style!',
      'style.a!',
      'count!',
    ]);
  });

  it('say where they stand, also where half was typed', () => {
    const sight = sightOf({ before: 'this.log', after: '', isCut: false }, 'typescript');
    expect(sight.namesIn('ger.warn').map(({ start, end }) => [start, end])).toEqual([
      [-3, 3],
      [4, 8],
    ]);
  });
});

const before = `import { load, save as keep, Shape, type Size } from './disk.ts';
import type { Price } from './shop.ts';
const { width, inner: { height } } = load();
const drawn: Shape = process.cwd();
function area(side: string, times = () => 2): Promise<void> {
  const product = side;
}
function over(loaded: string): void;
function over(given: any) { return given; }
// remark
list.map((item) => item.price);
function sort<Key>(by: (first: string) => number): Map<(second: string) => void> {
  const order = by as (third: string) => number;
}
const twice = (figure: string) => figure + figure;
const half = (measure: string): Map<string, number> =>
  cut(measure);
const found = width ? { some: 1 } : { other: 2 };
const text = \`\${width} it's\`;
const pattern = /it's/;
export class Shop<Good> {
  stock = 1;
  static made(count: number): void { this.all.push(count); }
  get open() { return this.stock; }
  sell(customer: string) {
    const bill = 1;
    if (bill) { const change = 'quoted'; }
    for (const part of parts) {
      this.stock.add(bill.sum);
      `;
const after = `
    }
    let later;
  }
  refund(buyer) { amount }
  owner = 2;
}
function closing(hour) { bell; }
const sign = 1;
interface Bill { total: number }
`;

const seen = (list: string, isType = false, language = 'typescript'): readonly string[] =>
  sightOf({ before, after, isCut: false }, language)
    .namesIn(isType ? `let x: [${list.replaceAll(' ', ', ')}];` : `f(${list.replaceAll(' ', ', ')});`)
    .flatMap(({ text, isSeen }) => (isSeen && text !== 'f' ? [text] : []));

describe('what can be seen from a cursor', () => {
  it.each([
    ['imports, under the name they have here', 'load keep'],
    ['what a declaration takes apart', 'width height'],
    ['functions, classes and constants of the file, also below', 'area over Shop found text pattern closing sign'],
    ['parameters and variables of the blocks around', 'customer bill part later'],
    ['what the file uses without declaring it', 'process parts'],
    ['what every program has', 'Math console'],
  ])('are %s', (_, list) => {
    expect(seen(list)).toEqual(list.split(' '));
  });

  it.each([
    ['parameters and variables of other functions', 'side times product hour buyer by order count'],
    ['parameters of declarations without a body', 'loaded given'],
    ['variables of a closed block', 'change item'],
    ['parameters of types and of functions without a block', 'first second third figure measure'],
    ['members, which need their object', 'stock sell refund owner price open made'],
    ['keys', 'some other inner'],
    ['words of comments and strings', 'remark quoted'],
    ['types, where a value is meant', 'Price Size Bill Good'],
    ['an import that only types use', 'Shape'],
    ['what stands nowhere', 'nothing'],
  ])('are not %s', (_, list) => {
    expect(seen(list)).toEqual([]);
  });

  it('are types where a type is meant, and no values', () => {
    expect(seen('Price Size Bill Good Shop Shape Promise Key width load', true)).toEqual(
      'Price Size Bill Good Shop Shape Promise'.split(' '),
    );
  });

  it('are all words in languages whose blocks are not read', () => {
    expect(
      sightOf({ before, after, isCut: false }, 'python')
        .namesIn('side(change(x))')
        .map(({ isSeen }) => isSeen),
    ).toEqual([true, true, false]);
  });

  it.each([
    ['f((one) => one, two)', 'one'],
    ['function f(one) { one }', 'one'],
    ['for (const one of one) {', 'one'],
    ['try {} catch (one) { one }', 'one'],
    ['const { one } = 1; one', 'one'],
    ['async (one): Map<void, void> => one', 'Map one'],
    ['const p = 1 ? {} : { c: 1 }, one = 2; one', 'one'],
    ['(one) => {}; one', ''],
    ['if (a) { const one = 1; } one', ''],
  ])('are, in a suggestion, what it declares: %s', (text, wanted) => {
    const found = sightOf({ before: '', after: '', isCut: false }, 'typescript').namesIn(text);
    expect([...new Set(found.filter(({ isSeen }) => isSeen).map((name) => name.text))].join(' ')).toBe(wanted);
  });

  it('are found where the text begins in a comment or in a class', () => {
    const cut = {
      before: ' a `cut\n */\n  load(path: string) {\n    path;\n  }\n  run() {\n    ',
      after: '',
      isCut: true,
    };
    expect(
      sightOf(cut, 'typescript')
        .namesIn('path')
        .map(({ isSeen }) => isSeen),
    ).toEqual([false]);
  });
});

describe('members in sight', () => {
  const members = `const store = make();
store.read();
let typed: store.Known;
function a(options: A, store: A) { options.first; store.foreign; }
function b(options: B) {
  options.second;
  make().made;
  class Other { run() { this.foreign; } }
}
class Own {
  static create() { this.ofClass; }
  run() {
    this.own;
    function inner() { this.other; }
  }
  go(options: C) {
    `;
  const taken = (text: string): readonly boolean[] =>
    sightOf({ before: members, after: '\n  }\n  end() { this.below; }\n}\n', isCut: false }, 'typescript')
      .namesIn(text)
      .flatMap(({ receiver, isSeen }) => (receiver === undefined ? [] : [isSeen]));

  it.each([
    ['store.read', true],
    ['make().made', true],
    ['this.own', true],
    ['this.below', true],
    ['store.write', false],
    ['store.foreign', false],
    ['store.Known', false],
    ['this.other', false],
    ['options.first', false],
    ['options.second', false],
    ['this.foreign', false],
    ['this.ofClass', false],
  ])('of the same thing: %s is %s', (text, isSeen) => {
    expect(taken(text)).toEqual([isSeen]);
  });

  it('are asked for where the same thing stands', () => {
    const sight = sightOf({ before: members, after: '', isCut: false }, 'typescript');
    const at = (receiver: string): string => {
      const place = sight.placeBehind(receiver, 'value');
      return place === undefined ? '' : members.slice(place, place + 4);
    };
    expect(['store', 'this', 'options', 'make()'].map(at)).toEqual(['read', 'own;', '', 'made']);
  });

  it('do not vouch for themselves', () => {
    expect(taken('f(store.fresh, store.fresh)')).toEqual([false, false]);
  });
});

describe('where names are offered that stand alone', () => {
  const text = 'let a: First = second;\nimport { third } from "x";\n';
  it.each([
    ['value', 'second'],
    ['type', 'First'],
  ] as const)('a %s', (space, name) => {
    const place = sightOf({ before: text, after: '', isCut: false }, 'typescript').placeOf(space) ?? 0;
    expect(text.slice(place, place + name.length)).toBe(name);
  });

  it.each([
    ['x = ', 'value'],
    ['let x: ', 'type'],
    ['import { ', 'list'],
    ['x.', undefined],
    ['const ', undefined],
  ] as const)('behind %s', (line, space) => {
    expect(sightOf({ before: line, after: '', isCut: false }, 'typescript').space).toBe(space);
  });

  it('not one that only a closed block has', () => {
    const sight = sightOf(
      { before: '{ const inner = 1; }\nconst outer = 2;\n', after: '', isCut: false },
      'typescript',
    );
    expect(['inner', 'outer'].map((name) => sight.isHidden(name))).toEqual([true, false]);
  });
});
