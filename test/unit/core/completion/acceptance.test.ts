import { describe, expect, it } from 'vitest';
import { GhostText, type TextChange } from '#core/completion/acceptance.ts';

/** Ghost text `File(path)` after `read` that was typed at offset 10. */
const ghost = () => new GhostText(14, 'read', 'File(path)');
const insert = (offset: number, inserted: string, removed = 0): TextChange => ({ offset, removed, inserted });

describe('ghost text', () => {
  it('is typed along, character by character, and then gone without being accepted', () => {
    const shown = ghost();
    const fates = [...'File(path)'].map((char, at) => shown.follow(insert(14 + at, char)));
    expect(fates).toEqual([...Array(9).fill('along'), 'gone']);
    expect(shown.taken).toBeUndefined();
  });

  it('is accepted as a whole in one change, with or without the word before it', () => {
    for (const change of [insert(14, 'File(path)'), insert(10, 'readFile(path)', 4)]) {
      const shown = ghost();
      expect(shown.follow(change)).toBe('whole');
      expect(shown.taken).toEqual({ offset: 14, text: 'File(path)' });
    }
  });

  it('is accepted in parts, which add up', () => {
    const shown = ghost();
    expect(shown.follow(insert(14, 'File'))).toBe('part');
    expect(shown.rest).toBe('(path)');
    expect(shown.follow(insert(18, '(path'))).toBe('part');
    expect(shown.taken).toEqual({ offset: 14, text: 'File(path' });
    expect(shown.follow(insert(23, ')'))).toBe('gone');
  });

  it.each([
    ['another character', insert(14, 'x')],
    ['another word', insert(10, 'write', 4)],
    ['the same text before the word that stands there', insert(10, 'readFile(path)')],
    ['a deletion', insert(13, '', 1)],
    ['a change above', insert(2, 'x')],
  ])('is gone after %s', (_, change) => {
    expect(ghost().follow(change)).toBe('gone');
  });

  it('stays where something is written below', () => {
    expect(ghost().follow(insert(50, 'x'))).toBe('along');
  });

  it('of several lines is the same in a document with other line ends', () => {
    const shown = new GhostText(0, '', 'a {\n}');
    expect(shown.follow(insert(0, 'a {\r\n}'))).toBe('whole');
  });
});
