import { describe, expect, it } from 'vitest';
import { indentOf, type Lines, lineAfter, lineBefore, textAround } from '#core/completion/around.ts';

function linesOf(text: string): Lines & { readonly read: Set<number> } {
  const lines = text.split('\n');
  const read = new Set<number>();
  return {
    count: lines.length,
    read,
    line(at) {
      read.add(at);
      return lines[at] ?? '';
    },
  };
}

describe('the text around a cursor', () => {
  it('is all of a short document', () => {
    const around = textAround(linesOf('one\ntwo three\nfour'), 1, 4);
    expect(around).toEqual({ before: 'one\ntwo ', after: 'three\nfour', isCut: false });
    expect([lineBefore(around), lineAfter(around)]).toEqual(['two ', 'three']);
  });

  it.each([
    ['the start of a document', 0, 0, '', 'one\ntwo three\nfour'],
    ['its end', 2, 4, 'one\ntwo three\nfour', ''],
  ])('is whole at %s', (_, line, character, before, after) => {
    expect(textAround(linesOf('one\ntwo three\nfour'), line, character)).toEqual({ before, after, isCut: false });
  });

  it('is bounded in a line of a megabyte, and says that it was cut', () => {
    const around = textAround(linesOf('x'.repeat(1 << 20)), 0, 500_000);
    expect(around.before.length).toBeLessThanOrEqual(24_000);
    expect(around.after.length).toBeLessThanOrEqual(6_000);
    expect(around.isCut).toBe(true);
  });

  it('reads no more lines of a long document than it needs, and begins with a whole one', () => {
    const lines = linesOf(Array.from({ length: 100_000 }, (_, at) => `line ${at} of many more like it`).join('\n'));
    const around = textAround(lines, 50_000, 3);
    expect(around.before).toMatch(/^line \d+ of many/);
    expect(around.before.length).toBeLessThanOrEqual(24_000);
    expect(lines.read.size).toBeLessThan(2_000);
  });

  it('stays bounded where lines are empty', () => {
    const lines = linesOf('\n'.repeat(100_000));
    expect(textAround(lines, 50_000, 0).isCut).toBe(true);
    expect(lines.read.size).toBeLessThan(2_000);
  });
});

describe('an indent', () => {
  it.each([
    ['  a', '  '],
    ['\t\ta b', '\t\t'],
    ['a', ''],
    ['   ', '   '],
  ])('of %j is %j', (line, indent) => {
    expect(indentOf(line)).toBe(indent);
  });
});
