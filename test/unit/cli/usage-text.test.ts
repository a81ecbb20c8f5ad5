/** Wrong usage is said in every language: each sentence and remedy of a usage error has its template. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseArguments } from '../../../src/cli/arguments.ts';
import { translator } from '../../../src/cli/messages.ts';
import { OperationError } from '../../../src/core/problem.ts';

const SOURCES = [
  'src/cli/*.ts',
  'src/mochi/{options,model-options}.ts',
  'src/node/{download,install-backend,model-source,serve-reach,tools-file}.ts',
];
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
/** Sentences made by others: of the command line's parser, whose parts are checked below, and of prices. */
const MADE = /^\w+\.$/;

/** Nearly all that goes wrong there is met by whoever fetches a model, or is asked to start a server. */
const FETCHING = 'src/node/{download,install-backend,model-source,resolve-endpoint}.ts';

/** What is thrown or made there, and its remedy, whatever kind it is of. */
function fetchingSentences(): readonly string[] {
  const found = new Set<string>();
  for (const file of globSync(FETCHING)) {
    const code = readFileSync(file, 'utf8').replace(/^\s*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)$/gm, '');
    for (const [, single, double, back] of code.matchAll(LITERAL)) {
      const empty = back?.replace(/\$\{[^}`]*\? '' : `[^`]*`\}/g, '');
      const text = single ?? double ?? empty?.replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, 'value') ?? '';
      if (/^(?:[A-Z"]|npm |value ).* .*\.$/.test(text)) found.add(text.replace(/\\(.)/g, '$1'));
    }
  }
  return [...found];
}

/** The literals from `new OperationError('usage', …` or a call of `usage` or `missing` to the end of the statement. */
function sentences(): readonly string[] {
  const found = new Set<string>();
  for (const file of SOURCES.flatMap((pattern) => globSync(pattern))) {
    const code = readFileSync(file, 'utf8');
    for (const [, call = ''] of code.matchAll(
      /throw (?:await )?(?:new OperationError\(\s*'usage'|usage\(|missing\()(.*?);\n/gs,
    ))
      for (const [, single, double, back] of call.matchAll(LITERAL)) {
        const text = single ?? double ?? back?.replace(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, 'value') ?? '';
        if (/^[A-Z"v-].* .*[.\w]$/.test(text) && !MADE.test(text)) found.add(text.replace(/\\(.)/g, '$1'));
      }
  }
  return [...found];
}

describe.each(['ja', 'zh-cn'] as const)('wrong usage in %s', (language) => {
  const t = translator(language);

  it('is said in that language, whichever command it is of', () => {
    expect(sentences().length).toBeGreaterThan(70);
    expect(sentences().filter((sentence) => t(sentence) === sentence)).toEqual([]);
  });

  it('is told of fetching and of missing values, too', () => {
    expect(fetchingSentences().length).toBeGreaterThan(30);
    expect(fetchingSentences().filter((sentence) => t(sentence) === sentence)).toEqual([]);
  });

  it.each([
    [['learn', '--bogus']],
    [['learn', '--workspace']],
    [['learn', '--user=x']],
    [['preview', '--mode', '-x']],
    [['learn', 'a', 'b']],
    [['list', 'a']],
    [['foo']],
    [['list', '--lang', 'fr']],
    [['gateway', '--mode', 'weird']],
    [['learn', '--memory-limit', 'abc']],
    [['serve', '--port', 'abc']],
  ])('says so after %j, in whole sentences', (argv) => {
    let error: unknown;
    try {
      parseArguments(argv);
    } catch (caught) {
      error = caught;
    }
    if (!OperationError.is(error, 'usage')) throw new Error('no usage error');
    for (const sentence of [error.message, error.remedy ?? '']) {
      expect(sentence).toMatch(/\.$/);
      expect(t(sentence)).not.toBe(sentence);
    }
  });

  it('has the same places as in English', () => {
    const places = (text: string) => [...text.matchAll(/\{\d\}/g)].map(String).sort();
    for (const name of ['usage', 'fetch']) {
      const table: Readonly<Record<string, string>> = JSON.parse(readFileSync(`l10n/${name}.${language}.json`, 'utf8'));
      for (const [english, text] of Object.entries(table)) expect(places(text), english).toEqual(places(english));
    }
  });
});
