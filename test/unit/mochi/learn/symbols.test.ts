/** What is found declared in a file, by language; measured against syntax trees elsewhere, pinned here. */
import { describe, expect, it } from 'vitest';
import { learnText } from '../../../../src/mochi/learn/file-record.ts';
import { kinds, Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

function declared(path: string, text: string, vocabulary = new Vocabulary()): readonly string[] {
  const { record } = learnText(path, text, { size: text.length, changed: 0 }, vocabulary);
  return record.symbols.map(({ kind, name, line, endLine }) => `${kind} ${name} ${line}-${endLine}`);
}

describe('declarations', () => {
  it.each<[string, string, string, readonly string[]]>([
    [
      'TypeScript generics over lines',
      'a.ts',
      'export type A<\n  T,\n> = T;\nconst b = 1;',
      ['type A 1-3', 'constant b 4-4'],
    ],
    [
      'values in parentheses, which are no functions',
      'a.ts',
      'const a = (x + y).z;\nconst b = (x) => x;',
      ['constant a 1-1', 'function b 2-2'],
    ],
    [
      'arrows of every form',
      'a.ts',
      'const a = async (x): Promise<T> => x;\nconst b = x => x;\nconst c = <T>(x: T) => x;',
      ['function a 1-1', 'function b 2-2', 'function c 3-3'],
    ],
    [
      'methods with long types',
      'a.ts',
      'class A {\n  m(a: B): Map<string, C | D> {\n    return a;\n  }\n  get(): e.F {\n  }\n}',
      ['class A 1-7', 'method m 2-4', 'method get 5-6'],
    ],
    [
      'signatures',
      'a.ts',
      'interface A {\n  m(a: B): C;\n  n?(): void;\n}\nf(\n  g(x),\n);',
      ['type A 1-4', 'method m 2-2', 'method n 3-3'],
    ],
    [
      'calls and branches, which declare nothing',
      'a.ts',
      'function f() {\n  g(x);\n  if (a) {\n  }\n  return b\n    ? g(a)\n    : g(b);\n}',
      ['function f 1-8'],
    ],
    [
      'Go functions as types',
      'a.go',
      'func A(b func(c int) error) {\n}\nfunc (r *R) M() string {\n}\n',
      ['function A 1-2', 'function M 3-4'],
    ],
    [
      'Ruby names with marks and owners',
      'a.rb',
      'class A::B\n  def empty?\n    1\n  end\n  def self.make!(x)\n    x\n  end\nend\n',
      ['class B 1-8', 'function empty? 2-4', 'function make! 5-7'],
    ],
    [
      'PHP imports of functions',
      'a.php',
      '<?php\nnamespace A;\nuse function is_array;\nclass B {\n  public function c() {\n  }\n}',
      ['class B 4-7', 'function c 5-6'],
    ],
    [
      'Java without bodies, and annotations',
      'a.java',
      'interface A {\n  @Use("x")\n  B read(C in) throws D;\n}\nenum E {\n  ONE() {\n  };\n}',
      ['type A 1-4', 'method read 3-3', 'type E 5-8'],
    ],
    [
      'C# with expressions for bodies',
      'a.cs',
      'class A {\n  public new B C() => new(d =>\n    d.E());\n  F<G> H<G>() where G : I<J, K>;\n  void L() {\n    new M(n);\n    O(p);\n  }\n}\n',
      ['class A 1-9', 'method C 2-3', 'method H 4-4', 'method L 5-8'],
    ],
    [
      'C structures in passing',
      'a.c',
      'struct a {\n  int b;\n};\nstatic const char *c(struct a *d) {\n  struct a e;\n}\n',
      ['class a 1-3', 'function c 4-6'],
    ],
    [
      'Rust modules and raw strings',
      'a.rs',
      'mod a;\nmod b {\n  fn c() -> &str {\n    r#"a " alone"#\n  }\n}\nfn d<T>()\nwhere\n  T: E,\n{\n}\n',
      ['class b 2-6', 'function c 3-5', 'function d 7-11'],
    ],
    [
      'Python',
      'a.py',
      'class A:\n    async def b(self):\n        return 1\n\ndef c():\n    pass\n',
      ['class A 1-3', 'function b 2-3', 'function c 5-6'],
    ],
  ])('are found in %s', (_, path, text, expected) => {
    expect(declared(path, text)).toEqual(expected);
  });

  it('are the same whatever prose or other languages said before', () => {
    const files: readonly (readonly [string, string])[] = [
      ['a.py', 'def a():\n    pass\n'],
      ['a.go', 'func A() {\n}\n'],
      ['a.rs', 'fn a() {\n}\n'],
      ['a.ts', 'export function a() {\n}\nexport class B {}\nexport interface C {}\n'],
      ['a.rb', 'module A\n  def b\n  end\nend\n'],
    ];
    const words = 'The function of this class, its interface, def, func, fn, module and end.\n';
    const code = 'const def = 1, func = 2, fn = 3, module = def(func, fn);\n';
    for (const [path, text] of files) {
      const alone = declared(path, text);
      const vocabulary = new Vocabulary();
      for (const [before, said] of [['README.md', words] as const, ['z.js', code] as const, ...files])
        declared(before, said, vocabulary);
      expect(declared(path, text, vocabulary)).toEqual(alone);
      expect(alone.length).toBeGreaterThan(0);
    }
  });

  it('may be called what is a keyword elsewhere', () => {
    const vocabulary = new Vocabulary();
    declared('a.py', 'def a():\n    yield self\n    pass\n', vocabulary);
    expect(declared('a.go', 'func def() {\n}\n', vocabulary)).toEqual(['function def 1-2']);
    const java = 'class A {\n  B pass(C d) {\n  }\n}\n';
    expect(declared('A.java', java, vocabulary)).toEqual(['class A 1-4', 'method pass 2-3']);
  });

  it('make keywords of words that prose said first', () => {
    const vocabulary = new Vocabulary();
    declared('README.md', 'A function and a value.', vocabulary);
    const kindOf = (word: string): number => vocabulary.kind(vocabulary.find(word));
    expect([kindOf('function'), kindOf('value')]).toEqual([kinds.word, kinds.word]);
    const before = vocabulary.classOfToken(vocabulary.find('function'));
    declared('a.ts', 'function value() {}', vocabulary);
    expect([kindOf('function'), kindOf('value')]).toEqual([kinds.keyword, kinds.word]);
    expect(vocabulary.classOfToken(vocabulary.find('function'))).not.toBe(before);
  });
});
