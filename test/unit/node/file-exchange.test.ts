/** Files replaced together: all as agreed, or all as before. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange, readText } from '../../../src/node/file-exchange.ts';

const LIMIT = 100;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mochi-exchange-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

describe('an exchange', () => {
  it('writes, makes and removes, keeps who may read, and leaves nothing beside', async () => {
    writeFileSync(at('a'), 'one');
    chmodSync(at('a'), 0o600);
    writeFileSync(at('c'), 'three');
    const files = [
      { path: at('a'), before: 'one', after: 'two' },
      { path: at('b'), before: undefined, after: 'new' },
      { path: at('c'), before: 'three', after: undefined },
    ];
    await exchange(files, LIMIT);
    expect(readdirSync(folder)).toEqual(['a', 'b']);
    expect([readFileSync(at('a'), 'utf8'), readFileSync(at('b'), 'utf8')]).toEqual(['two', 'new']);
    expect(statSync(at('a')).mode & 0o777).toBe(0o600);
  });

  it('puts back what was replaced where a later file cannot be written', async () => {
    writeFileSync(at('a'), 'one');
    const files = [
      { path: at('a'), before: 'one', after: 'two' },
      { path: at('b'), before: undefined, after: 'new' },
      { path: join(folder, 'nowhere', 'c'), before: undefined, after: 'x' },
    ];
    await expect(exchange(files, LIMIT)).rejects.toMatchObject({ kind: 'io' });
    expect(readFileSync(at('a'), 'utf8')).toBe('one');
    expect(existsSync(at('b'))).toBe(false);
  });

  it('writes nothing where one file is another than agreed', async () => {
    writeFileSync(at('b'), 'changed');
    const files = [
      { path: at('a'), before: undefined, after: 'x' },
      { path: at('b'), before: 'old', after: 'y' },
    ];
    await expect(exchange(files, LIMIT)).rejects.toMatchObject({ kind: 'conflict' });
    expect(readdirSync(folder)).toEqual(['b']);
  });
});

describe('a text', () => {
  it('is nothing where there is no file, and refused where it is none of ours', async () => {
    mkdirSync(at('folder'));
    writeFileSync(at('binary'), Buffer.from([0xff, 0xfe, 0x00]));
    writeFileSync(at('large'), 'x'.repeat(LIMIT + 1));
    writeFileSync(at('marked'), '\uFEFFx');
    expect(await readText(at('none'), LIMIT)).toBeUndefined();
    expect(await readText(at('marked'), LIMIT)).toBe('\uFEFFx');
    for (const name of ['folder', 'binary', 'large'])
      await expect(readText(at(name), LIMIT)).rejects.toMatchObject({ kind: 'io' });
  });
});
