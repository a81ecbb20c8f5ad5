import { describe, expect, it } from 'vitest';
import { withinLines } from '#core/completion/lines-shown.ts';

function shown(before: string, text: string, after = '', mayBeSeveral = true): string {
  return withinLines({ text, confidence: 1, steps: [] }, { before, after, isCut: false }, mayBeSeveral).text;
}

describe('a suggestion of several lines', () => {
  it.each([
    ['goes on where its first line opens a block', 'if (a) ', '{\n  b();\n}', '{\n  b();\n}'],
    ['goes on where the line before the cursor did', 'function f() {', '\n  a();\n}', '\n  a();\n}'],
    ['goes on from an empty line', 'f() {\n  ', 'a();\n  b();', 'a();\n  b();'],
    ['stays on its line elsewhere', 'const a = ', '1;\nconst b = 2;', '1;'],
    ['ends where the block does', 'f() {\n  ', 'a();\n  b();\n}\n\ng()', 'a();\n  b();'],
    ['ends with what closes its own block', '  if (a) ', '{\n    b();\n  }\n  c();', '{\n    b();\n  }'],
    [
      'goes on behind what opens again',
      'try ',
      '{\n  a();\n} catch {\n  b();\n}\nc()',
      '{\n  a();\n} catch {\n  b();\n}',
    ],
    ['ends with no blank lines', 'f() {\n  ', 'a();\n\n\n', 'a();'],
    ['follows a colon', 'def f(x):', '\n    return x', '\n    return x'],
  ])('%s', (_, before, text, wanted) => {
    expect(shown(before, text)).toBe(wanted);
  });

  it('is one line where the setting or the text to the right wants that', () => {
    expect(shown('if (a) ', '{\n  b();\n}', '', false)).toBe('{');
    expect(shown('if (a) ', '{\n  b();\n}', ' // note')).toBe('{');
    expect(shown('call(() => ', '{\n  b();\n}', ')')).toBe('{\n  b();\n}');
  });

  it('has an end', () => {
    expect(shown('f() {\n  ', Array(50).fill('a();').join('\n  ')).split('\n').length).toBeLessThanOrEqual(12);
  });
});
