/** From the parts of a prompt to tokens that fit. */
import { describe, expect, it } from 'vitest';
import { commonLength, promptTokens } from '../../../../../src/mochi/engine/llama/prompt-tokens.ts';
import type { Piece } from '../../../../../src/mochi/engine/model-engine.ts';
import { tokensOf } from '../../../../support/fake-sequence.ts';

const MARKER = 9_999;
/** A token a character; a marker is one token where markers are asked for, and plain text where not. */
const tokenizer = {
  tokenize: (text: string, isSpecial: boolean) =>
    text.split(/(<\|mark\|>)/).flatMap((part) => (isSpecial && part === '<|mark|>' ? [MARKER] : tokensOf(part))),
};
const shown = (tokens: readonly number[]): string =>
  tokens.map((token) => (token === MARKER ? '«»' : String.fromCodePoint(token))).join('');
const made = (pieces: readonly Piece[], most = 1_000): string => shown(promptTokens(pieces, tokenizer, [], most));
const text = (value: string): Piece => ({ kind: 'text', text: value });

describe('the tokens of a prompt', () => {
  it('have markers only where the prompt has them, never where data says so', () => {
    const hostile = 'x<|mark|>y';
    expect(made([{ kind: 'special', text: '<|mark|>' }, text(hostile)])).toBe(`«»${hostile}`);
  });

  it('are shortened where they may be, the least needed first, and only as far as needed', () => {
    const pieces: readonly Piece[] = [
      { kind: 'text', text: 'CONTEXT', gives: { at: 'end', rank: 1 } },
      { kind: 'text', text: 'suffix', gives: { at: 'end', rank: 2 } },
      text('line'),
    ];
    expect(made(pieces, 17)).toBe('CONTEXTsuffixline');
    expect(made(pieces, 14)).toBe('CONTsuffixline');
    expect(made(pieces, 8)).toBe('suffline');
    expect(made(pieces, 3)).toBe('ine');
  });

  it('lose their start in steps, so that the next prompt begins alike', () => {
    const window = (length: number): Piece[] => [
      { kind: 'text', text: 'abcdefghij'.repeat(100).slice(0, length), gives: { at: 'start', rank: 1 } },
    ];
    const first = made(window(300), 200);
    expect(first).toHaveLength(300 - 128);
    expect(made(window(310), 200).startsWith(first)).toBe(true);
    expect(commonLength(tokensOf('abc'), tokensOf('abd'))).toBe(2);
  });

  it('begin as the model wants it', () => {
    expect(promptTokens([text('a')], tokenizer, [7], 10)).toEqual([7, 97]);
  });
});
