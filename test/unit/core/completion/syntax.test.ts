import { describe, expect, it } from 'vitest';
import { isWordChar, standingOf, wordAtEnd } from '#core/completion/syntax.ts';

function check(kind: string, language: string, before: string): void {
  expect(standingOf(before, language).kind, JSON.stringify(before)).toBe(kind);
}

describe('a cursor stands', () => {
  it.each([
    ['code', 'typescript', 'const a = 1; '],
    ['code', 'typescript', 'const a = "// no comment"; '],
    ['code', 'typescript', '/* done */ const a'],
    ['code', 'typescript', 'const glob = "src/*";\nconst b = '],
    ['comment', 'typescript', 'call(); // what'],
    ['comment', 'typescript', '/* one\n * two'],
    ['string', 'typescript', "import { a } from './b"],
    ['string', 'typescript', 'const a = "it\\"s '],
    ['code', 'typescript', "const a = 'b' + "],
    ['comment', 'python', 'x = 1  # why'],
    ['code', 'python', 'x = "#fff"\ny = '],
    ['string', 'python', 'def f():\n    """Says what'],
    ['string', 'python', 'def f():\n    """Says\n    what'],
    ['code', 'python', 'def f():\n    """Says what."""\n    '],
    ['comment', 'shellscript', '# hello'],
    ['code', 'shellscript', 'echo $# '],
    ['comment', 'sql', 'select 1 -- why'],
    ['comment', 'lua', '--[[ long\n'],
    ['comment', 'html', '<p><!-- note'],
    ['code', 'rust', "fn f<'a>(x: &'a str) "],
    ['code', 'an-unknown-language', '// "'],
  ])('in %s of %s after %j', check);

  it('in a string whose text is told', () => {
    expect(standingOf("from './ab", 'typescript')).toEqual({ kind: 'string', text: './ab' });
  });
});

describe('words', () => {
  it.each([
    ['foo.bar', 'bar'],
    ['$el', '$el'],
    ['größe', 'größe'],
    ['foo(', ''],
    ['', ''],
  ])('end %j with %j', (text, word) => {
    expect(wordAtEnd(text)).toBe(word);
  });

  it('are made of letters of any script, digits, underscores and dollars', () => {
    expect(['a', '漢', '9', '_', '$'].every(isWordChar)).toBe(true);
    expect(['', ' ', '.', '(', '-'].some(isWordChar)).toBe(false);
  });
});
