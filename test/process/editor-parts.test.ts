/** The pieces in which the extension is loaded: small enough that neither who opens a window nor who types feels it. */
import { readdirSync, readFileSync } from 'node:fs';
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

/** What is loaded by the thread that others wait for, piece by piece in turns of their own, and the largest sizes in bytes. */
const inTheHost = [
  ['extension.cjs', 2_000],
  ['messages.cjs', 15_000],
  ['contributions.cjs', 5_000],
  ['composition.cjs', 30_000],
  ['config-editing.cjs', 15_000],
  ['skills-parts.cjs', 18_000],
  ['preview-panel.cjs', 30_000],
  ['mochi-messages.cjs', 10_000],
  ['mochi-ask.cjs', 12_000],
  ['mochi-parts.cjs', 30_000],
  ['gateway-parts.cjs', 16_000],
  ['suggestions.cjs', 28_000],
  ['sight.cjs', 34_000],
  ['inline-completions.cjs', 30_000],
  ['command-actions.cjs', 18_000],
  ['companion.cjs', 10_000],
] as const;
const names = inTheHost.map(([name]) => name);

describe('what is loaded while a window opens and a person types', () => {
  it.each(inTheHost)('is small: %s', (name, most) => {
    expect(bundle(name).length).toBeLessThan(most);
  });

  it('is all that is not loaded on demand or by a thread', () => {
    const elsewhere = [
      'add-server.cjs',
      'fetch-model.cjs',
      'mochi-thread.cjs',
      'model-fetch.cjs',
      'problem.cjs',
      'workshop.cjs',
    ];
    const all = readdirSync(join(ROOT, 'dist')).filter((name) => name.endsWith('.cjs'));
    expect(all.sort()).toEqual([...names, ...elsewhere].sort());
  });

  it.each(heavy)('is without %s', (_, word, elsewhere) => {
    expect(holding(word, [elsewhere])).toEqual([elsewhere]);
    // The panel reads examples with it, and of it only what it needs.
    expect(
      holding(
        word,
        names.filter((name) => name !== 'preview-panel.cjs'),
      ),
    ).toEqual([]);
  });

  it('starts no process and checks no answer, which the thread of Mochi does', () => {
    expect(holding('ZodMini', [...names, 'mochi-thread.cjs'])).toEqual(['mochi-thread.cjs']);
    expect(holding(/require\("(node:)?child_process"\)/, [...names, 'mochi-thread.cjs'])).toEqual(['mochi-thread.cjs']);
  });

  it('writes no numbers by tables of languages, which take long to open', () => {
    const tables = /\btoLocale(Date|Time)?String\b|\bIntl\./;
    expect(holding(tables, names)).toEqual([]);
  });
});
