/** The command line speaks English, Japanese and Simplified Chinese, every sentence of it. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { languageOf, translator } from '../../../src/cli/messages.ts';

type Texts = Readonly<Record<string, string>>;
const read = (language: string): Texts => JSON.parse(readFileSync(`l10n/cli.${language}.json`, 'utf8')) as Texts;

const unescaped = (text: string): string => text.replace(/\\(['"\\])/g, '$1');

/** Sentences given to `t`, and those that the help's tables hold; labels such as `form: …` are in the English file. */
function sentences(): ReadonlySet<string> {
  const found = new Set<string>();
  for (const file of globSync('src/cli/*.ts')) {
    const text = readFileSync(file, 'utf8');
    for (const match of text.matchAll(/\bt\(\s*(['"])((?:\\.|(?!\1).)*)\1/gs)) found.add(unescaped(match[2] ?? ''));
    if (!file.endsWith('help.ts')) continue;
    for (const match of text.matchAll(/\btext: (['"])((?:\\.|(?!\1).)*)\1/g)) found.add(unescaped(match[2] ?? ''));
    for (const match of text.matchAll(/: \['mochi [^']*', '(?!mochi )((?:\\.|[^'\\])*)'\]/g))
      found.add(unescaped(match[1] ?? ''));
  }
  return found;
}

/** Kinds that a label must exist for, read from the unions that define them. */
function labels(): readonly string[] {
  const members = (file: string, start: string): readonly string[] => {
    const text = readFileSync(file, 'utf8');
    const from = text.indexOf(start);
    return [...text.slice(from, text.indexOf(';', from)).matchAll(/'([a-z-]+)'/g)].map((match) => match[1] ?? '');
  };
  return [
    ...members('src/core/problem.ts', 'export type ProblemKind').map((kind) => `problem: ${kind}`),
    ...members('src/core/problem.ts', 'export type OperationErrorKind').map((kind) => `failure: ${kind}`),
    ...members('src/core/command-text.ts', 'export type DangerKind').map((kind) => `danger: ${kind}`),
    ...['native', 'deferred', 'normal', 'lazy', 'compact'].map((form) => `form: ${form}`),
    ...['listing-entry', 'listing-budget', 'body-tokens', 'body-lines'].map((meter) => `meter: ${meter}`),
  ];
}

describe('the words of the command line', () => {
  it('has a label in English for every kind, and no other', () => {
    expect(labels().length).toBeGreaterThan(50);
    expect(Object.keys(read('en')).sort()).toEqual([...labels()].sort());
  });

  it.each(['ja', 'zh-cn'])('are complete in %s, with the same placeholders and nothing left over', (language) => {
    const texts = read(language);
    const wanted = [...sentences(), ...labels()];
    expect(sentences().size).toBeGreaterThan(60);
    expect(Object.keys(texts).sort()).toEqual(wanted.sort());
    const places = (text: string): string => [...text.matchAll(/\{\d\}/g)].map(String).sort().join();
    for (const [english, text] of Object.entries(texts)) {
      expect(text.trim(), english).not.toBe('');
      expect(places(text), english).toBe(places(english));
    }
  });
});

describe('the language', () => {
  it.each([
    ['ja_JP.UTF-8', 'ja'],
    ['zh_CN.UTF-8', 'zh-cn'],
    ['zh-Hans', 'zh-cn'],
    ['zh_TW.UTF-8', 'en'],
    ['de_DE', 'en'],
    ['C', 'en'],
    [undefined, 'en'],
  ])('of the locale %s is %s', (locale, language) => {
    expect(languageOf(locale)).toBe(language);
  });

  it('puts values in as they are, even where they look like placeholders', () => {
    expect(translator('en')('{0} and {1}', '{1}', 'x')).toBe('{1} and x');
    expect(translator('ja')('{0} is up to date', 'x')).toBe('x は最新です');
  });
});
