import { describe, expect, it } from 'vitest';
import { OpenFile } from '../../../../src/mochi/engine/open-file.ts';
import { gapBefore } from '../../../../src/mochi/engine/spacing.ts';
import { languageOfPath } from '../../../../src/mochi/learn/languages.ts';
import { lex, TokenBuffer } from '../../../../src/mochi/learn/lexer.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

/** Writes `line` behind `above`, whose spaces are known, by its tokens alone. */
function written(above: string, line: string, path: string): string {
  const vocabulary = new Vocabulary();
  const buffer = new TokenBuffer();
  const file = new OpenFile(vocabulary, path);
  const fill = (text: string): void => {
    buffer.length = 0;
    lex(text, languageOfPath(path), vocabulary, buffer);
  };
  fill(above);
  for (let at = 0; at < buffer.length; at += 1) file.push(buffer.ids[at] ?? 0, buffer.gaps[at] ?? 0);
  fill(line);
  let text = '';
  for (let at = 0; at < buffer.length; at += 1) {
    const token = buffer.ids[at] ?? 0;
    const gap = at === 0 ? 2 : gapBefore(file, token, false, {});
    text += (gap === 1 ? ' ' : '') + vocabulary.textOf(token);
    file.push(token, gap);
  }
  return text;
}

describe('the space before a token', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    ['assignments and named arguments', 'a.py', 'x = 1\ny = f(z, k=2)\n', 'fresh = g(other, name=3)'],
    ['subtractions and signs', 'a.ts', 'const a = b - c;\nconst d = -e;\n', 'const f = g - h;\nconst i = -j;'],
    ['types with a union', 'a.ts', 'type A = string | Box;\nlet p: A;\n', 'type Fresh = number | Other;'],
    ['a type behind a colon', 'a.ts', 'f(a: B, c: D): E {\n}\n', 'run(one: Two, $three: $Four): Five {'],
    ['a code base without them', 'a.ts', 'let a=1;\nf(a,b);\n', 'let fresh=2;\ng(fresh,other);'],
    ['code where nothing is known', 'a.ts', '', 'const a: B = c(d, e[0]) + f.g;'],
  ];
  it.each(cases)('is right in %s', (_, path, above, line) => {
    for (const one of line.split('\n')) expect(written(above, one, path)).toBe(one);
  });

  it('is never missing between two words', () => {
    expect(written('', 'return value', 'a.ts')).toBe('return value');
    expect(written('', 'async def load', 'a.py')).toBe('async def load');
  });
});
