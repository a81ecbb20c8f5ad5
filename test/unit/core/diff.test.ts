import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, MAX_EDITS, unifiedDiff } from '#core/diff.ts';

/** Applies changes to the lines before, as a reader of the diff would. */
function applied(before: readonly string[], after: readonly string[]): readonly string[] {
  const lines: string[] = [];
  let next = 0;
  for (const { from, removed, to, added } of diffLines(before, after)) {
    lines.push(...before.slice(next, from));
    expect(lines.length).toBe(to);
    lines.push(...after.slice(to, to + added));
    next = from + removed;
  }
  return [...lines, ...before.slice(next)];
}

/** The least number of removed and added lines, by the textbook table. */
function leastEdits(a: readonly string[], b: readonly string[]): number {
  let row = b.map((_, index) => index + 1);
  row.unshift(0);
  for (const [i, line] of a.entries()) {
    const next = [i + 1];
    for (const [j, other] of b.entries())
      next.push(line === other ? (row[j] ?? 0) : 1 + Math.min(row[j + 1] ?? 0, next[j] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

describe('the line diff', () => {
  it('turns one text into the other with the fewest lines', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 14 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(applied(before, after)).toEqual(after);
        const edits = diffLines(before, after).reduce((sum, change) => sum + change.removed + change.added, 0);
        expect(edits).toBe(leastEdits(before, after));
      }),
      { numRuns: 1000 },
    );
  });

  it('stays right beyond its bound', () => {
    const before = Array.from({ length: MAX_EDITS * 2 }, (_, index) => `a${index}`);
    const after = before.map((line, index) => (index % 2 === 0 ? line : `b${index}`));
    expect(applied(before, after)).toEqual(after);
    expect(diffLines(before, after)).toHaveLength(1);
  });

  it('is unified with three lines of context, hunks apart where they do not touch', () => {
    const before = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`).join('');
    const after = before.replace('2\n', 'two\n').replace('\n15\n', '\n').replace('20\n', '20');
    expect(unifiedDiff({ label: 'a/x', text: before }, { label: 'b/x', text: after })).toBe(
      [
        '--- a/x',
        '+++ b/x',
        '@@ -1,5 +1,5 @@',
        ' 1',
        '-2',
        '+two',
        ' 3',
        ' 4',
        ' 5',
        '@@ -12,9 +12,8 @@',
        ' 12',
        ' 13',
        ' 14',
        '-15',
        ' 16',
        ' 17',
        ' 18',
        ' 19',
        '-20',
        '+20',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    );
  });

  it('is empty for equal texts and shows that an empty file appears', () => {
    expect(unifiedDiff({ label: 'a', text: 'x' }, { label: 'b', text: 'x' })).toBe('');
    expect(unifiedDiff({ label: 'a', text: undefined }, { label: 'b', text: '' })).toBe('--- /dev/null\n+++ b\n');
  });
});
