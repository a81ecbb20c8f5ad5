/** Which program a skill is written for, found without any being run. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { detectRuntime } from '../../../src/node/call-scripts.ts';

const base = mkdtempSync(join(tmpdir(), 'mochi-runtime-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A program that leaves a mark where somebody runs it. */
function program(path: string, mode = 0o755): string {
  const file = join(base, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, `#!/bin/sh\ntouch ${join(base, 'was-run')}\n`);
  chmodSync(file, mode);
  return file;
}

function folderWith(name: string, target: string): string {
  const folder = join(base, name);
  mkdirSync(folder, { recursive: true });
  symlinkSync(target, join(folder, 'python3'));
  return folder;
}

const folders = {
  nothing: join(base, 'nothing'),
  new: folderWith('new', program('programs/python3.13')),
  old: folderWith('old', program('programs/python3.8')),
  oldByFolder: folderWith('old-by-folder', program('versions/3.7.4/bin/python3')),
  newByFolder: folderWith('new-by-folder', program('versions/3.11.2/bin/python3')),
  unknown: join(program('unknown/python3'), '..'),
  broken: folderWith('broken', join(base, 'gone')),
  noProgram: join(program('no-program/python3', 0o644), '..'),
  WindowsApps: join(program('WindowsApps/python3.exe'), '..'),
};
mkdirSync(join(base, 'folder', 'python3'), { recursive: true });

describe('the runtime that a machine gets', () => {
  it.each<[string, readonly string[], 'python' | 'node', NodeJS.Platform]>([
    ['a new Python', [folders.new], 'python', 'linux'],
    ['an old Python', [folders.old], 'node', 'linux'],
    ['an old Python before a new one: skills call the first', [folders.old, folders.new], 'node', 'linux'],
    ['a version that only the folder tells, old', [folders.oldByFolder], 'node', 'linux'],
    ['a version that only the folder tells, new', [folders.newByFolder], 'python', 'linux'],
    ['a version that nothing tells', [folders.unknown], 'python', 'linux'],
    ['a link to nothing, then a new one', [folders.broken, folders.new], 'python', 'linux'],
    ['a file that cannot be run', [folders.noProgram], 'node', 'linux'],
    ['a folder of that name', [join(base, 'folder')], 'node', 'linux'],
    ['no Python at all', [folders.nothing, ''], 'node', 'linux'],
    ['a relative folder', ['new'], 'node', 'linux'],
    ['the program that only offers to install one', [folders.WindowsApps], 'node', 'win32'],
  ])('with %s', async (_name, path, expected, platform) => {
    const separator = platform === 'win32' ? ';' : delimiter;
    expect(await detectRuntime({ env: { PATH: path.join(separator) }, platform })).toBe(expected);
  });

  it('is found without anything being run', () => {
    expect(existsSync(join(base, 'was-run'))).toBe(false);
  });
});
