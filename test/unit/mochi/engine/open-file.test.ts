import { describe, expect, it } from 'vitest';
import type { OpenFile } from '../../../../src/mochi/engine/open-file.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';
import { openFileOf } from '../../../support/lexed.ts';

const opened = (text: string): OpenFile => openFileOf(text, new Vocabulary());
const textAt = (file: OpenFile, at: number): string => file.vocabulary.textOf(file.ids[at] ?? 0);

/** The tokens before the cursor with each pair of brackets as its closing one, nearest first. */
function outlineOf(text: string): readonly string[] {
  const file = opened(text);
  const found: string[] = [];
  for (let at = file.length - 1; at > 0; at = file.outer[at] ?? -1) found.push(textAt(file, at));
  return found;
}

describe('the outline of what stands before the cursor', () => {
  it.each([
    ['const dish = bake(flour, [salt, water])', [')', 'bake', '=', 'dish', 'const']],
    ['serve({ a: [1], b }).then(eat', ['eat', '(', 'then', '.', ')', 'serve']],
    ['a)', [')', 'a']],
    ['(a]', [']', 'a', '(']],
  ])('%s', (text, outline) => {
    expect(outlineOf(text)).toEqual(outline);
  });

  it('is the same number wherever it is the same, and leads back to the last place', () => {
    const file = opened('eat(a, b); eat(c(d));');
    const ends = [...Array(file.length).keys()].filter((at) => textAt(file, at) === ';');
    const [first = 0, second = 0] = ends;
    expect(file.outlines[second]).toBe(file.outlines[first]);
    expect(file.previousOutline[second]).toBe(first);
  });
});

describe('a file from which tokens are taken back', () => {
  it('links what comes then to what is left', () => {
    const less = opened('x = a; x = ');
    const more = opened('x = a; x = a; x = a;');
    while (more.length > less.length) more.pop();
    for (const file of [less, more]) for (const text of ['a', ';']) file.push(file.vocabulary.find(text), 0);
    expect(more.previousOutline[more.length - 1]).toBe(less.previousOutline[less.length - 1]);
    expect(textAt(more, more.previousOutline[more.length - 1] ?? 0)).toBe(';');
  });

  it('is as it was before they came', () => {
    const text = 'function eat(a, b) { if (a) { serve(b); } return [a';
    const more = opened(`${text}, (b)] } ) x(`);
    const less = opened(text);
    while (more.length > less.length) more.pop();
    more.push(0, 2);
    less.push(0, 2);
    const state = (file: OpenFile): unknown => ({
      bracket: textAt(file, file.bracketAt),
      open: Array.from(file.isOpen.subarray(0, file.length)),
      around: Array.from(file.enclosing.subarray(0, file.length)),
      last: textAt(file, file.last.get(file.vocabulary.find('b')) ?? 0),
      before: file.previousOutline[file.length - 1],
      headers: [...file.headers()],
    });
    expect(state(more)).toEqual(state(less));
  });
});

describe('the brackets that declare names for the code at the cursor', () => {
  it('are the parameters of the functions around it, not of those before', () => {
    const file = opened('function cook(x) { } function serve(a) { return eat((b) => { if (c) {');
    const names = [...file.headers()].map((at) => textAt(file, at + 1));
    expect(names).toEqual(['c', 'b', 'a']);
  });
});
