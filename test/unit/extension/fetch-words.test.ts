/** What goes wrong when the editor fetches a model is said in its language, with no table but the one of fetching. */
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fetchTranslator } from '../../../src/extension/fetch-words.ts';

const LITERAL =
  /(?:'unreachable'|'protocol'|'auth-needed'|'not-found'|'io'|'timeout'|'usage'),\s*(?:'([^'\n]*)'|`((?:\$\{[^}]*\}|[^`$])*)`)/g;

/** Messages of the errors that are thrown there. */
const sentences = ['npm failed.', 'npm failed (E500).'].concat(
  globSync('src/node/{download,install-backend,model-source}.ts')
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(LITERAL)].map(([, plain, template]) =>
        (plain ?? template ?? '').replace(/\$\{[^}]*\}/g, '7'),
      ),
    )
    .filter((sentence) => sentence.endsWith('.')),
);

describe.each(['ja', 'zh-cn'])('in %s', (language) => {
  const say = fetchTranslator(language);

  it('every failure of a download and of npm is said', () => {
    expect(sentences.length).toBeGreaterThan(10);
    expect(sentences.filter((sentence) => say(sentence) === sentence)).toEqual([]);
  });

  it('the remedy is said too', () => {
    const remedy = 'Try again; it goes on from there.';
    expect(say(remedy)).not.toBe(remedy);
  });
});

describe('in other languages', () => {
  it('it stays English', () => {
    expect(fetchTranslator('fr')('The answer is empty.')).toBe('The answer is empty.');
  });
});
