import { describe, expect, it } from 'vitest';
import { languageOfPath, languages } from '../../../../src/mochi/learn/languages.ts';
import { lex, startsLine, TokenBuffer } from '../../../../src/mochi/learn/lexer.ts';
import { kinds, Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

function tokensOf(file: string, text: string): string[] {
  const vocabulary = new Vocabulary();
  const buffer = new TokenBuffer();
  lex(text, languageOfPath(file), vocabulary, buffer);
  return Array.from(buffer.ids.subarray(0, buffer.length), (id) => vocabulary.textOf(id));
}

describe('the lexer', () => {
  it.each([
    ['a.ts', 'const a = b?.c ?? `x${d}y`; // no', ['const', 'a', '=', 'b', '?.', 'c', '??', '`x${', 'd', '}y`', ';']],
    [
      'a.ts',
      'x = a / 2; y = /a[/]b/g.test(z)',
      ['x', '=', 'a', '/', '2', ';', 'y', '=', '/a[/]b/g', '.', 'test', '(', 'z', ')'],
    ],
    ['a.ts', 'const a = /b/', ['const', 'a', '=', '/b/']],
    ['a.js', 'split(/,/g', ['split', '(', '/,/g']],
    ['a.js', 'this.#a = {b: `${`${1}`}`}', ['this', '.', '#a', '=', '{', 'b', ':', '`${', '`${', '1', '}`', '}`', '}']],
    [
      'a.py',
      'def f(x): # no\n    """long\n    text"""\n    return "a"',
      ['def', 'f', '(', 'x', ')', ':', '""""""', 'return', '"a"'],
    ],
    ['a.go', 'x := <-c // no\ny := `raw`', ['x', ':=', '<-', 'c', 'y', ':=', '`raw`']],
    [
      'a.rs',
      "fn f<'a>(x: &'a str) -> char { 'x' }",
      ['fn', 'f', '<', "'", 'a', '>', '(', 'x', ':', '&', "'", 'a', 'str', ')', '->', 'char', '{', "'x'", '}'],
    ],
    ['A.java', 'List<List<A>> x; /* no */', ['List', '<', 'List', '<', 'A', '>', '>', 'x', ';']],
    ['a.c', '#include <a.h>\nint x = 0x1F;', ['#', 'include', '<', 'a', '.', 'h', '>', 'int', 'x', '=', '0x1F', ';']],
    ['a.cpp', 'a::b->c();', ['a', '::', 'b', '->', 'c', '(', ')', ';']],
    ['a.cs', 'var a = b ?? "c";', ['var', 'a', '=', 'b', '??', '"c"', ';']],
    ['a.rb', 'def a # no\n  @b\nend', ['def', 'a', '@', 'b', 'end']],
    ['a.php', '$a = $b->c; # no', ['$a', '=', '$b', '->', 'c', ';']],
    ['a.unknown', "don't stop", ['don', "'", 't', 'stop']],
  ])('reads %s: %j', (file, text, wanted) => {
    expect(tokensOf(file, text)).toEqual(wanted);
  });

  it('empties strings of more than 32 characters, so that no secret enters the vocabulary', () => {
    expect(tokensOf('a.ts', `a = "${'k'.repeat(40)}"`)).toEqual(['a', '=', '""']);
    expect(tokensOf('a.ts', `a = \`${'k'.repeat(40)}\``)).toEqual(['a', '=', '``']);
  });

  it.each(languages.map(({ id, extensions }) => [id, `a.${extensions[0] ?? 'none'}`]))(
    'never fails on broken %s',
    (_, file) => {
      for (const text of ['"', "'", '`${', '/*', '"""', '}}}', '\\', '\u0000\uffff', 'a\r\nb', '/', '#', '=begin']) {
        expect(() => tokensOf(file, text)).not.toThrow();
      }
    },
  );

  it('says which tokens begin a line and how the indentation went', () => {
    const vocabulary = new Vocabulary();
    const buffer = new TokenBuffer();
    lex('a {\n  b c\n  // x\n  d\n}\n\ne', languageOfPath('a.ts'), vocabulary, buffer);
    expect([...buffer.gaps.subarray(0, buffer.length)]).toEqual([2, 1, 3, 1, 2 | 8, 4, 2 | 8]);
    expect([...buffer.gaps.subarray(0, buffer.length)].filter(startsLine)).toHaveLength(5);
  });

  it('tells keywords from words, by language', () => {
    const vocabulary = new Vocabulary();
    lex('def lambda', languageOfPath('a.py'), vocabulary, new TokenBuffer());
    expect(vocabulary.kind(vocabulary.find('lambda'))).toBe(kinds.keyword);
    lex('fn elephant', languageOfPath('a.rs'), vocabulary, new TokenBuffer());
    expect(vocabulary.kind(vocabulary.find('elephant'))).toBe(kinds.word);
  });
});

describe('a vocabulary', () => {
  it('keeps what a fork meets out of itself, and the numbers alike', () => {
    const vocabulary = new Vocabulary();
    const known = vocabulary.intern('known', 0, 5, kinds.word);
    const fork = vocabulary.fork();
    expect(fork.intern('known', 0, 5, kinds.word)).toBe(known);
    const fresh = fork.intern('fresh', 0, 5, kinds.word);
    expect(fork.textOf(fresh)).toBe('fresh');
    expect(fork.kind(fresh)).toBe(kinds.word);
    expect(fresh).toBe(vocabulary.size);
    expect(vocabulary.find('fresh')).toBe(-1);
  });

  it('takes names of built-in properties for plain words', () => {
    const vocabulary = new Vocabulary();
    for (const word of ['__proto__', 'constructor', 'toString']) {
      const id = vocabulary.intern(word, 0, word.length, kinds.word);
      expect(vocabulary.textOf(id)).toBe(word);
      expect(vocabulary.intern(word, 0, word.length, kinds.word)).toBe(id);
    }
  });

  it('grows past its first room', () => {
    const vocabulary = new Vocabulary();
    const words = Array.from({ length: 9000 }, (_, at) => `word${at}`);
    const ids = words.map((word) => vocabulary.intern(word, 0, word.length, kinds.word));
    expect(words.map((word) => vocabulary.find(word))).toEqual(ids);
  });
});
