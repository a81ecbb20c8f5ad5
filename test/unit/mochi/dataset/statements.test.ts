/** Where pieces of code may be cut: as a person writes, and nowhere inside of a statement or a token. */
import { describe, expect, it } from 'vitest';
import { readSource } from '../../../../src/mochi/dataset/source-file.ts';
import { statementsOf } from '../../../../src/mochi/dataset/statements.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

/** Each line with a mark: `b` where a piece may begin, `e` where one may end; the mark stands before a bar. */
function marked(path: string, marks: string): void {
  const lines = marks.trim().split('\n');
  const text = `${lines.map((line) => line.slice(4)).join('\n')}\n`;
  const file = readSource(path, text, new Vocabulary());
  if (typeof file === 'string') throw new Error(file);
  const { begins, ends } = statementsOf(file);
  const found = lines.map((line, at) => {
    const sign = `${begins(at + 1) ? 'b' : ' '}${ends(at + 1) ? 'e' : ' '}`;
    return `${sign}| ${line.slice(4)}`;
  });
  expect(found.map((line) => line.trimEnd())).toEqual(lines.map((line) => line.trimEnd()));
}

describe('a file', () => {
  it('is cut between statements, entries and blocks, never in a list of arguments, an expression or a text', () =>
    marked(
      'a.ts',
      `
be| import { a } from './a.ts';
  |
  | /** Says it. */
b | export async function say(
  |   first: string,
  |   second: { readonly a: number },
 e| ): Promise<string> {
b |   const text = first
  |     .trim()
 e|     .slice(1);
be|   if (text === '') return '';
be|   const all = [
be|     'one',
be|     'two',
 e|   ];
b |   const long = \`a
  |   b \${text
  |   } c
  |   \`;
b |   const sum =
  |     first +
 e|     text;
be|   for (const one of all) {
b |     call(
  |       one,
 e|     );
 e|   } // so
b |   return (
  |     text +
  |     long
 e|   );
 e| }
  |
b | type Kind =
  |   | 'a'
 e|   | 'b';
`,
    ));

  it('is cut in the same way where blocks are told by indentation', () =>
    marked(
      'a.py',
      `
be| import os
  |
b | def say(
  |     first,
  |     second=None,
 e| ):
be|     if first:
be|         total = len(first)
 e|     else:
be|         total = 0
b |     return call(
  |         total,
 e|     )
  |
be| VALUE = 1
`,
    ));
});

describe('the body of a function', () => {
  const bodyOf = (path: string, text: string) => {
    const file = readSource(path, text, new Vocabulary());
    if (typeof file === 'string') throw new Error(file);
    const symbol = file.symbols.find(({ name }) => name === 'say');
    return symbol === undefined ? 'no symbol' : statementsOf(file).bodyOf(symbol);
  };
  it.each([
    [
      'its parameters',
      'a.ts',
      'function say(\n  a: string,\n  b: string,\n): string {\n  const c = a;\n  return b;\n}\n',
      5,
      6,
    ],
    [
      'a type of its own',
      'a.ts',
      'function say(a: string): { b: string } {\n  const b = a;\n\n  return { b };\n}\n',
      2,
      4,
    ],
    ['a comment at its start', 'a.ts', 'function say(a: string) {\n  // first\n  call(a);\n  return a;\n}\n', 3, 4],
    ['its line in Python', 'a.py', 'x = 1\n\ndef say(a):\n    b = [a]\n    c = b\n    return c\n', 4, 6],
  ])('begins after %s', (_, path, text, first, last) => expect(bodyOf(path, text)).toEqual({ first, last }));
});
