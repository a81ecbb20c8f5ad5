import { describe, expect, it } from 'vitest';
import { safeEnd } from '#core/completion/safe-text.ts';

/** Put together here, so that no scanner takes this file for a leak. */
const token = ['ghp', '_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');

describe('a suggestion', () => {
  it.each([
    ['plain code', "call('a', b);"],
    ['letters of other scripts', "greet('こんにちは')"],
    ['several lines with tabs', '{\n\ta();\n}'],
  ])('of %s stands', (_, text) => {
    expect(safeEnd(text, 'const x = ')).toBe(text.length);
  });

  it.each([
    ['an escape', 'a\u001b[31mb'],
    ['a null', 'a\u0000'],
    ['a lone carriage return', 'a\rb'],
    ['reordering', 'a\u202eb'],
    ['zero width', 'a\u200bb'],
    ['tags', `a${String.fromCodePoint(0xe0041, 0xe0042, 0xe0043)}`],
  ])('with %s is dropped', (_, text) => {
    expect(safeEnd(text, '')).toBe(0);
  });

  it('with a secret is dropped, or cut above it', () => {
    expect(safeEnd(`'${token}'`, 'const key = ')).toBe(0);
    expect(safeEnd(`a();\nconst key = '${token}';`, '')).toBe(4);
  });

  it('is a secret where the name before it says so', () => {
    const value = ['Tr0ub4', 'dor3x', '9Qw'].join('');
    expect(safeEnd(`${value}'`, "const password = '")).toBe(0);
    expect(safeEnd(`${value}'`, "const title = '")).toBe(value.length + 1);
  });

  it('that completes a secret is dropped too', () => {
    expect(safeEnd(token.slice(8), `const key = '${token.slice(0, 8)}`)).toBe(0);
  });
});
