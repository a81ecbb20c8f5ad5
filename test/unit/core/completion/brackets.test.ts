import { describe, expect, it } from 'vitest';
import { balancedEnd } from '#core/completion/brackets.ts';

describe('brackets', () => {
  it.each([
    ['call(', 'a, b);', 'a, b);'],
    ['', 'a);', 'a'],
    ['f(', 'a]', 'a'],
    ['{ f(', 'a) }', 'a) }'],
    ['{ f(', 'a) } }', 'a) } '],
    ['', '[a, (b)]', '[a, (b)]'],
    ['f(', '")", b)', '")", b)'],
    ['f({ a }); [', '1] }', '1] '],
    ['// a stray ( and {\nf({ a }); g(', 'b)', 'b)'],
    ["it's(", 'a)', 'a)'],
  ])('after %j keep %j to %j', (before, text, wanted) => {
    expect(text.slice(0, balancedEnd(text, { before, after: '', isCut: false }))).toBe(wanted);
  });

  it('may close what lies beyond the text that was read', () => {
    expect(balancedEnd('}', { before: 'a', after: '', isCut: true })).toBe(1);
    expect(balancedEnd('}', { before: 'a', after: '', isCut: false })).toBe(0);
  });
});
