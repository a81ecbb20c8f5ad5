import { describe, expect, it } from 'vitest';
import { suffixFor } from '#core/completion/below.ts';

describe('what stands below', () => {
  it.each([
    ['is left out where an editor closed the block by itself', '  f(() => {\n    ', '\n  });\n}', ''],
    ['is left out in a block of which the first line is being written', 'f() {\n  const a = ', '\n}', ''],
    ['is left out where it only closes what is open', 'f() {\n  a();\n  ', '\n}\n', ''],
    ['is told where the block has lines already', 'f() {\n  a();\n  ', '\n}\ng();', '\n}\ng();'],
    ['is told where text stands to the right', 'f(() => {\n  ', ' x\n}', ' x\n}'],
    ['is told where a bracket stands to the right', 'f(a', ')\n', ')\n'],
    ['is told where it closes another block', '  if (a) {\n    ', '\n}\ng();', '\n}\ng();'],
    ['is told where it is more than a bracket', 'f() {\n  ', '\n  b();\n}', '\n  b();\n}'],
    ['is told where there is nothing', 'f() {\n  ', '', ''],
  ])('%s', (_, before, after, wanted) => {
    expect(suffixFor({ before, after, isCut: false })).toBe(wanted);
  });
});
