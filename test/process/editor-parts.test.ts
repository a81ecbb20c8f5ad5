/** The pieces in which the extension loads what runs Mochi: small enough that whoever types does not feel it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/mochi-fixture/running.ts';

const bundle = (name: string): string => readFileSync(join(ROOT, 'dist', name), 'utf8');
/** Those of the bundles in which a text stands. */
const holding = (text: string | RegExp, names: readonly string[]): readonly string[] =>
  names.filter((name) => (typeof text === 'string' ? bundle(name).includes(text) : text.test(bundle(name))));

/** What makes a piece heavy, told by a word of it that no build shortens, and a bundle that has it. */
const heavy = [
  ['all of zod', '"ZodString"', 'workshop.cjs'],
  ['the reader of JSON with comments', 'InvalidCommentToken', 'add-server.cjs'],
  ['the list of what runs models', '@node-llama-cpp/', 'fetch-model.cjs'],
  ['the client of foreign servers', 'server/discover', 'workshop.cjs'],
] as const;

/** What is loaded for the first suggestion, and its largest size in bytes. */
const whileTyping = [
  ['companion.cjs', 30_000],
  ['mochi-client.cjs', 35_000],
] as const;

describe('what is loaded while a person types', () => {
  it.each(whileTyping)('is small: %s', (name, most) => {
    expect(bundle(name).length).toBeLessThan(most);
  });

  it.each(heavy)('is without %s', (_, word, elsewhere) => {
    expect(holding(word, [elsewhere])).toEqual([elsewhere]);
    expect(holding(word, ['companion.cjs', 'mochi-client.cjs'])).toEqual([]);
  });

  it('comes after the extension was activated, the contract while Mochi starts', () => {
    expect(holding('ZodMini', ['extension.cjs', 'companion.cjs', 'mochi-client.cjs'])).toEqual(['mochi-client.cjs']);
  });

  it('writes no numbers by tables of languages, which take long to open', () => {
    const tables = /\btoLocale(Date|Time)?String\b|\bIntl\./;
    expect(holding(tables, ['extension.cjs', 'companion.cjs', 'mochi-client.cjs'])).toEqual([]);
  });
});
