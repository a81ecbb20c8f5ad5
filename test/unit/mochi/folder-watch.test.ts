/** Watching what was learned: what is told of real changes in a real folder, and what is not. */
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FolderWatch, watchFolders } from '../../../src/mochi/folder-watch.ts';

const SOON = { timeout: 15_000 };
let root = '';
let watching: FolderWatch;
let told: (readonly string[] | 'all')[] = [];
let isBusy = false;
const put = (path: string): void => writeFileSync(join(root, path), `let it = ${Math.random()};\n`);
const heard = (): ReadonlySet<string> => new Set(told.flat());

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mochi-watch-')));
  for (const folder of ['src/deep', 'out', 'node_modules/it']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, '.gitignore'), 'out/\n*.tmp\n');
  put('src/deep/a.ts');
  told = [];
  isBusy = false;
  watching = watchFolders({
    root,
    folders: async () => ['src/deep'],
    isBusy: () => isBusy,
    onChange: (paths) => told.push(paths ?? 'all'),
  });
  await watching.update();
});
afterEach(() => {
  watching.dispose();
  rmSync(root, { recursive: true, force: true });
});

describe('watching what was learned', () => {
  it('names changed, new and removed files of learned folders and of those above', async () => {
    for (const path of ['src/deep/a.ts', 'src/b.ts', 'c.ts']) put(path);
    await expect.poll(heard, SOON).toEqual(new Set(['src/deep/a.ts', 'src/b.ts', 'c.ts']));
    told = [];
    rmSync(join(root, 'src/deep/a.ts'));
    await expect.poll(heard, SOON).toEqual(new Set(['src/deep/a.ts']));
  });

  it('says nothing of what is never learned', async () => {
    for (const path of ['out/a.ts', 'node_modules/it/a.ts', 'x.tmp', '.env', 'src/a.png']) put(path);
    await new Promise((resolve) => setTimeout(resolve, 700));
    put('src/b.ts');
    await expect.poll(heard, SOON).toEqual(new Set(['src/b.ts']));
  });

  it.each([
    ['many files change', () => Array.from({ length: 300 }, (_, index) => put(`src/f${index}.ts`))],
    ['a folder comes', () => mkdirSync(join(root, 'src/fresh'))],
    ['a learned folder goes', () => renameSync(join(root, 'src/deep'), join(root, 'out/deep'))],
    ['other files are to be ignored', () => put('.gitignore')],
  ])('asks to look at all when %s', async (_, change) => {
    change();
    await expect.poll(heard, SOON).toContain('all');
  });

  it('sees what is put into a folder that has just come', async () => {
    mkdirSync(join(root, 'src/fresh'));
    await expect.poll(heard, SOON).toContain('all');
    put('src/fresh/a.ts');
    await expect.poll(heard, SOON).toContain('src/fresh/a.ts');
  });

  it('holds changes back while it learns, and tells nothing once it has ended', async () => {
    isBusy = true;
    put('c.ts');
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(told).toEqual([]);
    isBusy = false;
    await expect.poll(heard, SOON).toEqual(new Set(['c.ts']));
    told = [];
    watching.dispose();
    put('d.ts');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(told).toEqual([]);
  });
});
