/** Both opinions on secrets together, on a realistic config and on what looks like one. */
import { describe, expect, it } from 'vitest';
import type { Catalog } from '#core/model.ts';
import { cleanCatalog } from '#core/scan/clean.ts';
import { liftSecrets } from '#core/scan/lift.ts';
import { createSecretFinder } from '#node/secret-scan.ts';
import * as planted from '../core/scan/planted.ts';

/** A format that secretlint knows and we do not. */
const foreign = (seed: number): string => ['dckr', '_pat_', planted.random(27, seed, '0123456789abcdef')].join('');

const EMPTY = { server: 's', origin: 'file', tools: [] } as const;

describe('a finder of secrets', () => {
  it('finds all fourteen planted secrets, whether secretlint knows them or we do', async () => {
    const finder = await createSecretFinder();
    const servers = planted.plantedServers();
    const written: string[] = [];
    for (const { name, endpoint } of servers) {
      await finder.learn(EMPTY, endpoint);
      written.push(JSON.stringify(liftSecrets(endpoint, name, finder.spansOf)));
    }
    const secrets = servers.flatMap((server) => server.secrets);
    expect(secrets).toHaveLength(14);
    expect(secrets.filter((secret) => written.some((text) => text.includes(secret)))).toEqual([]);
  });

  it('takes nothing everyday for a secret', async () => {
    const finder = await createSecretFinder();
    await finder.learnTexts(planted.INNOCENT);
    const wrong = planted.INNOCENT.filter(
      ({ text, name }) => finder.spansOf(text, name === undefined ? {} : { name }).length > 0,
    );
    expect(wrong).toEqual([]);
  });

  it('adds what only secretlint knows, at the right place of the right text', async () => {
    const finder = await createSecretFinder();
    const key = foreign(31);
    const texts = [{ text: 'nothing to see here' }, { text: `one ${key} two` }, { text: `${planted.slack} first` }];
    await finder.learnTexts(texts);
    expect(texts.map(({ text }) => finder.spansOf(text).map(({ start, end }) => text.slice(start, end)))).toEqual([
      [],
      [key],
      [planted.slack],
    ]);
    const learned = finder.spansOf(texts[2]?.text ?? '');
    expect(JSON.stringify(learned)).not.toContain(planted.slack);
  });

  it('is not switched off by a comment in hostile text', async () => {
    const finder = await createSecretFinder();
    const text = `see ${foreign(33)}`;
    await finder.learnTexts([{ text: '// secretlint-disable' }, { text }]);
    expect(finder.spansOf(text)).toEqual([{ start: 4, end: 40, rule: 'secretlint-docker' }]);
  });

  it('takes the whole secret where a rule measures it from its name', async () => {
    const finder = await createSecretFinder();
    const secret = planted.random(40, 35, 'abcdefghjkmnp23456789');
    const text = `AWS_SECRET_ACCESS_KEY => "${secret}" and more`;
    await finder.learnTexts([{ text }]);
    expect(finder.spansOf(text)).toMatchObject([{ end: text.indexOf(secret) + secret.length, rule: 'secretlint-aws' }]);
  });

  it('sees a text of a catalog as it came and as it will be written', async () => {
    const finder = await createSecretFinder();
    const description = `a\u200B ${foreign(34)}`;
    const catalog: Catalog = { server: 's', origin: 'file', tools: [{ name: 't', description, inputSchema: {} }] };
    await finder.learn(catalog);
    expect(cleanCatalog(catalog, { spansOf: finder.spansOf }).value.tools[0]?.description).toBe('a [secret]');
  });

  it('knows texts it has not seen by our own rules', async () => {
    const finder = await createSecretFinder();
    expect(finder.spansOf(`x ${planted.github}`)).toHaveLength(1);
  });

  it('splits many texts into batches without losing one', async () => {
    const finder = await createSecretFinder();
    const filler = 'everyday words and more of them. '.repeat(400);
    const texts = Array.from({ length: 40 }, (_, index) => ({
      text: `${index} ${filler} ${foreign(40 + index)}`,
    }));
    await finder.learnTexts(texts);
    const rules = texts.map(({ text }) => finder.spansOf(text).length);
    expect(rules).toEqual(texts.map(() => 1));
  });

  it('stops between batches when it is told to', async () => {
    const finder = await createSecretFinder();
    await expect(finder.learnTexts([{ text: 'a text of some length' }], AbortSignal.abort())).rejects.toThrow();
  });
});
