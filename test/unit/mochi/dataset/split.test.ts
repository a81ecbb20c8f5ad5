/** The split of files: by name alone, about nine of ten to train on, and never a part without any. */
import { describe, expect, it } from 'vitest';
import { splitFiles } from '../../../../src/mochi/dataset/split.ts';

const paths = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `src/part-${at}/file.ts`);
const countOf = (given: readonly string[], split: string): number =>
  [...splitFiles(given).values()].filter((one) => one === split).length;

describe('files', () => {
  it('are kept aside about one in twenty for each purpose', () => {
    expect(countOf(paths(2000), 'valid')).toBeGreaterThan(70);
    expect(countOf(paths(2000), 'valid')).toBeLessThan(130);
    expect(countOf(paths(2000), 'test')).toBeGreaterThan(70);
    expect(countOf(paths(2000), 'test')).toBeLessThan(130);
  });

  it('stay where they are when others come', () => {
    const before = splitFiles(paths(1000));
    const after = splitFiles([...paths(1500)].reverse());
    for (const path of paths(1000)) expect(after.get(path)).toBe(before.get(path));
  });

  it.each([3, 4, 5, 8, 13, 40])('are in every part, of %i', (count) => {
    for (const split of ['train', 'valid', 'test']) expect(countOf(paths(count), split)).toBeGreaterThan(0);
    expect(splitFiles(paths(count)).size).toBe(count);
  });

  it.each([0, 1, 2])('are all trained on where there are only %i', (count) => {
    expect(countOf(paths(count), 'train')).toBe(count);
  });
});
