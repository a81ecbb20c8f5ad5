import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LearnedWorkspace } from '../../../../src/mochi/learn/workspace.ts';

let root = '';
let workspace: LearnedWorkspace;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'mochi-memory-'));
  for (const path of ['c.ts', 'src/b.ts', 'src/a.ts', 'src/deep/d.ts']) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), 'export const one = 1;\n');
  }
  workspace = new LearnedWorkspace({ root });
  await workspace.learn(new AbortController().signal);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it.each([
  ['src/index.ts', ['a.ts', 'b.ts']],
  ['src/a.ts', ['b.ts']],
  ['src/deep/e.ts', ['d.ts']],
  ['index.ts', ['c.ts']],
  ['none/index.ts', undefined],
])('what may be copied from for %s names the files beside it', (path, beside) => {
  expect(workspace.memory?.sourcesFor(path).beside).toEqual(beside);
});

it.each([
  ['src/index.ts', ['../c.ts', 'a.ts', 'b.ts', 'deep/d.ts']],
  ['index.ts', ['c.ts', 'src/a.ts', 'src/b.ts', 'src/deep/d.ts']],
])('what may be copied from for %s names the ways to the files around it', (path, around) => {
  const sources = workspace.memory?.sourcesFor(path);
  expect([...(sources?.around ?? [])].sort()).toEqual(around);
  expect(workspace.memory?.sourcesFor(path).around).toBe(sources?.around);
});
