/** Foreign text in labels and notifications: plain, visible, one line. */
import { describe, expect, it } from 'vitest';
import { shownText } from '../../../src/extension/shown-text.ts';

describe('foreign text', () => {
  it.each([
    ['rice', 'rice'],
    ['two\nlines\ttab', 'two lines tab'],
    ['a\u200bb\u202ec', 'a\\u{200b}b\\u{202e}c'],
    ['[press](command:evil)', '[press] (command:evil)'],
    ['$(alert) hot', '$ (alert) hot'],
    ['\u{e0041}tag', '\\u{e0041}tag'],
    ['日本語', '日本語'],
  ])('%j is shown as %j', (text, shown) => {
    expect(shownText(text)).toBe(shown);
  });

  it('is cut between characters, however long it is', () => {
    expect(shownText('🍡'.repeat(1_000), 3)).toBe('🍡🍡🍡…');
    expect(shownText('x'.repeat(10_000_000), 5)).toBe('xxxxx…');
  });
});
