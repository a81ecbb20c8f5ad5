import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { learnFolder } from '../../../../src/mochi/learn/learn.ts';
import { loadMemory, saveMemory } from '../../../../src/mochi/learn/store.ts';

const never = new AbortController().signal;
let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mochi-store-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('a memory that was kept', () => {
  it('has the classes it was sorted by, even of words that turned out to be keywords later', async () => {
    mkdirSync(join(root, 'code'));
    writeFileSync(join(root, 'code', 'a.md'), 'Every func and every type of the chan is the same; import it.\n');
    writeFileSync(
      join(root, 'code', 'b.go'),
      'package main\n\nimport "fmt"\n\nfunc main() {\n\ttype pair struct{}\n}\n',
    );
    writeFileSync(join(root, 'code', 'c.ts'), 'export const first = 1;\n');
    const memory = await learnFolder(join(root, 'code'), {}, never);
    const store = join(root, 'index.bin');
    await saveMemory(store, memory);
    const kept = await loadMemory(store);
    expect(kept?.syntax.tokens).toEqual(memory.syntax.tokens);
    expect(kept?.vocabulary.classes).toBe(memory.vocabulary.classes);
    expect(kept?.base.tokens).toEqual(memory.base.tokens);
  });
});
