import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FolderLock } from '#node/folder-lock.ts';
import { signatureOf } from '#node/folder-snapshot.ts';
import { commit, recover, swapOf, tidy } from '#node/folder-swap.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mochi-swap-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const lock = (isHeld = true): FolderLock => ({ token: 't', isHeld: () => isHeld, release: async () => undefined });

function prepared(): { readonly swap: ReturnType<typeof swapOf>; readonly work: string; readonly file: string } {
  const work = join(base, 'work');
  const swap = swapOf(join(base, 'skill'), work, 't');
  for (const [folder, text] of [
    [swap.target, 'old'],
    [swap.staged, 'new'],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a'), text);
  }
  return { swap, work, file: join(swap.target, 'a') };
}

describe('the swap of two folders', () => {
  it('puts the new one in place and sets the old one aside', async () => {
    const { swap, file } = prepared();
    await commit(swap, signatureOf(swap.target), lock());
    expect(readFileSync(file, 'utf8')).toBe('new');
    await tidy(swap);
    expect([existsSync(swap.old), existsSync(swap.staged)]).toEqual([false, false]);
  });

  it.each([
    ['a file was written', (folder: string) => writeFileSync(join(folder, 'a'), 'older')],
    ['a file appeared', (folder: string) => writeFileSync(join(folder, 'b'), '')],
    ['a file vanished', (folder: string) => rmSync(join(folder, 'a'))],
    ['the folder vanished', (folder: string) => rmSync(folder, { recursive: true })],
  ])('is refused where %s since it was read', async (_, change) => {
    const { swap } = prepared();
    const signature = signatureOf(swap.target);
    change(swap.target);
    await expect(commit(swap, signature, lock())).rejects.toMatchObject({ kind: 'conflict' });
    expect([existsSync(swap.old), existsSync(swap.staged)]).toEqual([false, true]);
  });

  it('is refused where a folder appeared, or the lock was lost', async () => {
    const { swap, file } = prepared();
    await expect(commit(swap, undefined, lock())).rejects.toMatchObject({ kind: 'conflict' });
    await expect(commit(swap, signatureOf(swap.target), lock(false))).rejects.toMatchObject({ kind: 'conflict' });
    expect(readFileSync(file, 'utf8')).toBe('old');
  });

  it('puts the old folder back where the new one cannot take its place', async () => {
    const { swap, file } = prepared();
    rmSync(swap.staged, { recursive: true });
    await expect(commit(swap, signatureOf(swap.target), lock())).rejects.toMatchObject({ code: 'ENOENT' });
    expect(readFileSync(file, 'utf8')).toBe('old');
  });

  it('leaves both folders for the next run where even that failed', async () => {
    const { swap, work, file } = prepared();
    rmSync(swap.target, { recursive: true });
    mkdirSync(swap.old);
    writeFileSync(join(swap.old, 'a'), 'old');
    await tidy(swap);
    await recover(work, swap.target);
    expect(readFileSync(file, 'utf8')).toBe('old');
    expect([existsSync(swap.old), existsSync(swap.staged)]).toEqual([false, false]);
  });
});
