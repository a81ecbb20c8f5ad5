import { describe, expect, it } from 'vitest';
import { ContextIndex } from '../../../../src/mochi/engine/context-index.ts';
import { NamedStrings, plainName } from '../../../../src/mochi/engine/named-strings.ts';
import { OpenFile } from '../../../../src/mochi/engine/open-file.ts';
import { languageOfPath } from '../../../../src/mochi/learn/languages.ts';
import { lex, TokenBuffer } from '../../../../src/mochi/learn/lexer.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

/** What is called for at the end of `text`. */
function called(
  text: string,
  beside: readonly string[],
  isString = true,
  around: readonly string[] = [],
  learned = '',
): readonly string[] {
  const vocabulary = new Vocabulary();
  const buffer = new TokenBuffer(64);
  lex(text, languageOfPath('a.ts'), vocabulary, buffer);
  const file = new OpenFile(vocabulary);
  for (let at = 0; at < buffer.length; at += 1) file.push(buffer.ids[at] ?? 0, buffer.gaps[at] ?? 0);
  const known = new TokenBuffer(64);
  lex(learned, languageOfPath('a.ts'), vocabulary, known);
  const tokens = known.ids.slice(0, known.length);
  const near = ContextIndex.build(tokens, known.gaps.slice(0, known.length), vocabulary.size);
  const found: string[] = [];
  new NamedStrings().find(file, { beside, around, near }, isString, (token) => found.push(vocabulary.textOf(token)));
  return found;
}

describe('what is called for', () => {
  const beside = ['bake.ts', 'cook-slowly.ts', 'dish.ts', 'fry.d.ts', 'stir.test.ts'];

  it.each<[string, string, readonly string[]]>([
    [
      'is the next file beside, in the style of the last',
      "export * from './bake.js';\nexport * from ",
      ["'./cook-slowly.js'", "'./dish.js'"],
    ],
    [
      'is a file named like what is imported',
      'import { bake } from "./bake";\nimport { dish } from ',
      ['"./cook-slowly"', '"./dish"', '"./dish"'],
    ],
    [
      'is a file, whatever joins its words',
      "import './fry';\nimport { cookSlowly } from ",
      ["'./stir.test'", "'./cook-slowly'"],
    ],
    [
      'is a declaration file without its ending',
      "export * from './dish';\nexport * from ",
      ["'./fry'", "'./stir.test'"],
    ],
    ['is a name for a module', "export * as bake from './bake.ts';\nexport * as ", ['dish']],
    ['is nothing where no file is named', "const bake = './bake.js';\nconst dish = ", []],
    ['is nothing where no string shows the style', 'export * from ', []],
  ])('%s', (_name, text, wanted) => {
    expect(called(text, beside, false)).toEqual(wanted);
  });

  it('is no file whose name could not stand in a string as it is', () => {
    const names = ["bake'+steal()+'.ts", 'cook\nnow.ts', 'dish`.ts', 'dish\\.ts', 'fry.ts'];
    expect(called("export * from './a.js';\nexport * from ", names, false)).toEqual(["'./fry.js'"]);
  });

  it.each<[string, string, readonly string[]]>([
    [
      'is a file of another folder, named like what is imported',
      "import './x.js';\nimport { type Heat, bake } from ",
      ["'./sub/bake.js'", "'../hot/bake.js'"],
    ],
    [
      'in the style of a path to another folder',
      "import '../x';\nimport { bake } from ",
      ["'./sub/bake'", "'../hot/bake'"],
    ],
    ['but none that is too long to be read back', "import './x';\nimport { simmer } from ", []],
    ['and none that would break out', "import './x';\nimport { stir } from ", []],
  ])('%s', (_name, text, wanted) => {
    const around = [
      'bake.ts',
      '../hot/bake.ts',
      'sub/bake.ts',
      '../../../very/far/away/from/here/simmer.ts',
      "../a'b/stir.ts",
    ];
    expect(called(text, [], false, around)).toEqual(wanted);
  });

  it('is written as files near by write it, where the file itself shows nothing', () => {
    const learned = "import { a } from './first.mjs';\nimport b from 'b';\n";
    const [from, around] = ['import { bake } from ', ['../hot/bake.ts']];
    expect(called(from, ['bake.ts', 'cook.ts'], false, around, learned)).toEqual(["'../hot/bake.mjs'", "'./bake.mjs'"]);
    expect(called(from, ['bake.ts'], false, around, 'import b from "b";')).toEqual([]);
  });

  it('is what was just written, as a string, where one is likely', () => {
    const text = "add('x');\nexport class DishError { name = ";
    expect(called(text, [])).toEqual(["'name'", "'DishError'", "'add'"]);
    expect(called(text, [], false)).toEqual([]);
  });

  it.each([
    ["'./cook-slowly.js'", 'cookslowly'],
    ['"DishError"', 'disherror'],
    ['cook_slowly', 'cookslowly'],
  ])('%s is compared as %s', (text, plain) => {
    expect(plainName(text)).toBe(plain);
  });
});
