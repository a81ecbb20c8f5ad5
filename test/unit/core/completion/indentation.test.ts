import { describe, expect, it } from 'vitest';
import { indentedAs } from '#core/completion/indentation.ts';

describe('indentation', () => {
  it.each([
    ['tabs for spaces', '{\n    a\n}', { insertSpaces: false, tabSize: 4 }, '{\n\ta\n}'],
    ['spaces for tabs', '{\n\t\ta\n\t}', { insertSpaces: true, tabSize: 2 }, '{\n    a\n  }'],
    ['what fits as it is', '{\n  a\n}', { insertSpaces: true, tabSize: 2 }, '{\n  a\n}'],
    ['odd columns after tabs', 'x\n      a', { insertSpaces: false, tabSize: 4 }, 'x\n\t  a'],
    ['blank lines bare', 'x\n   \n  a', { insertSpaces: true, tabSize: 2 }, 'x\n\n  a'],
    ['one line alone', '\ta', { insertSpaces: true, tabSize: 2 }, '\ta'],
  ])('writes %s', (_, text, style, wanted) => {
    expect(indentedAs(text, style)).toBe(wanted);
  });
});
