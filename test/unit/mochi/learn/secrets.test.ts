/** Secrets of source files are neither in what is learned nor in the file it is kept in. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { learnFolder, relearnFile } from '../../../../src/mochi/learn/learn.ts';
import { loadMemory, saveMemory } from '../../../../src/mochi/learn/store.ts';
import { PLANTED, plant } from '../../../support/planted-source.ts';

const never = new AbortController().signal;
let top = '';
let root = '';
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'mochi-secrets-'));
  root = join(top, 'code');
  mkdirSync(root);
  plant(root);
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const leaked = (text: string): string[] => PLANTED.filter((secret) => text.includes(secret));

describe('a learned folder', () => {
  it('has no planted secret in its words, comments, examples or index', async () => {
    const memory = await learnFolder(root, {}, never);
    const { knowledge, vocabulary, files } = memory;
    expect(leaked(vocabulary.words.join('\n'))).toEqual([]);
    expect(leaked(JSON.stringify([knowledge.patterns, knowledge.conventions, knowledge.examples]))).toEqual([]);
    expect(leaked(JSON.stringify([...files.values()].map(({ record }) => record)))).toEqual([]);
    const store = join(top, 'index.bin');
    await saveMemory(store, memory);
    expect(leaked(readFileSync(store, 'latin1'))).toEqual([]);
  });

  it('still knows words, types and keys about secrets', async () => {
    const { vocabulary } = await learnFolder(root, {}, never);
    for (const word of ["'password'", "'string'", "'token'", "'zebra'", 'password', 'openZebra1'])
      expect(vocabulary.find(word) >= 0, word).toBe(true);
  });

  it('learns no secret of a file that changes', async () => {
    const memory = await learnFolder(root, {}, never);
    writeFileSync(join(root, 'late.ts'), `export const client = { password: '${PLANTED[0]}9' };\n`);
    expect(await relearnFile(root, 'late.ts', memory)).toBe(true);
    expect(leaked(memory.vocabulary.words.join('\n'))).toEqual([]);
  });

  it('that was kept by an older Mochi is learned anew', async () => {
    const memory = await learnFolder(root, {}, never);
    const store = join(top, 'index.bin');
    await saveMemory(store, memory);
    expect(await loadMemory(store)).toBeDefined();
    writeFileSync(
      store,
      Buffer.from(readFileSync(store, 'latin1').replace('mochi-index 4 ', 'mochi-index 3 '), 'latin1'),
    );
    expect(await loadMemory(store)).toBeUndefined();
  });
});
