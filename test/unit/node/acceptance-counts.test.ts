/** Counts of suggestions in a file: what is added, what is believed, and that nothing but counts gets in. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Acceptance, addAcceptance, readAcceptance, total } from '../../../src/node/acceptance-counts.ts';
import { acceptanceFolder, indexFile } from '../../../src/node/learned-place.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'mochi-counts-')), 'a', 'b');
});
afterEach(() => rmSync(join(folder, '..', '..'), { recursive: true, force: true }));

const one = (language: string, shown: number, accepted = 0, kept = 0): Acceptance =>
  new Map([[language, { shown, accepted, kept }]]);

describe('the counts of suggestions', () => {
  it('are none where nothing was counted', () => {
    expect(readAcceptance(folder)).toEqual(new Map());
    expect(existsSync(folder)).toBe(false);
  });

  it('add up by language and over all', async () => {
    await addAcceptance(folder, one('typescript', 3, 2, 1));
    await addAcceptance(folder, one('go', 1));
    const sum = await addAcceptance(folder, one('typescript', 1, 1, 1));
    expect(sum).toEqual(readAcceptance(folder));
    expect(sum.get('typescript')).toEqual({ shown: 4, accepted: 3, kept: 2 });
    expect(total(sum)).toEqual({ shown: 5, accepted: 3, kept: 2 });
  });

  it('lose nothing when two windows add at once: who may not, is told and adds later', async () => {
    const windows = Array.from({ length: 8 }, async () => {
      for (;;) {
        try {
          return await addAcceptance(folder, one('go', 1));
        } catch (error) {
          expect(error).toMatchObject({ kind: 'conflict' });
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    });
    await Promise.all(windows);
    expect(total(readAcceptance(folder)).shown).toBe(8);
    expect(readdirSync(folder)).toEqual(['acceptance.json']);
  });

  it('take whatever is no identifier of a language for another one', async () => {
    await addAcceptance(folder, one('const secret = "text"', 1));
    await addAcceptance(folder, one('__proto__', 2));
    expect([...readAcceptance(folder).keys()].sort()).toEqual(['__proto__', 'other']);
    expect(readFileSync(join(folder, 'acceptance.json'), 'utf8')).not.toContain('secret');
  });

  it.each([
    ['half a file', '{"version":1,"langu'],
    ['another version', '{"version":2,"languages":{"go":{"shown":1,"accepted":0,"kept":0}}}'],
    ['less than nothing', '{"version":1,"languages":{"go":{"shown":-1,"accepted":0,"kept":0}}}'],
    ['half a suggestion', '{"version":1,"languages":{"go":{"shown":0.5,"accepted":0,"kept":0}}}'],
    ['a count in words', '{"version":1,"languages":{"go":{"shown":"one","accepted":0,"kept":0}}}'],
    ['another shape', '[]'],
    ['far too much', `{"version":1,"languages":{"go":{"shown":9,"accepted":0,"kept":0}}}${' '.repeat(200_000)}`],
  ])('begin anew after %s', async (_what, text) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'acceptance.json'), text);
    expect(readAcceptance(folder)).toEqual(new Map());
    expect(total(await addAcceptance(folder, one('go', 1)))).toEqual({ shown: 1, accepted: 0, kept: 0 });
  });

  it('say that they could not be kept where the folder cannot be made', async () => {
    mkdirSync(join(folder, '..'), { recursive: true });
    writeFileSync(folder, 'a file');
    await expect(addAcceptance(folder, one('go', 1))).rejects.toMatchObject({ kind: 'io' });
  });

  it('lie beside the index of the same folder', () => {
    const around = { env: {}, platform: 'linux', home: '/home/ada' } as const;
    const index = indexFile('/code', around);
    expect(acceptanceFolder('/code', around)).toBe(index.replace(/\.index$/, '.counts'));
    expect(index).not.toBe(indexFile('/other', around));
  });
});
