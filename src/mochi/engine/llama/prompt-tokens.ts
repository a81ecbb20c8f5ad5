/**
 * From the parts of a prompt to tokens that fit: markers become the model's own tokens, text never does, and where the
 * whole is too long the parts that may give way are shortened, in steps, so that the next prompt begins alike.
 */
import type { Piece } from '../model-engine.ts';
import type { Token } from './generation.ts';

export interface Tokenizer {
  tokenize(text: string, specialTokens: boolean): Token[];
}

/** Parts lose multiples of this many tokens at their start. */
const STEP = 64;

/** At most `most` tokens, unless parts that give nothing are longer; then their end counts. */
export function promptTokens(
  pieces: readonly Piece[],
  tokenizer: Tokenizer,
  begin: readonly Token[],
  most: number,
): Token[] {
  const parts = pieces.map((piece) => tokenizer.tokenize(piece.text, piece.kind === 'special'));
  let over = begin.length + parts.reduce((sum, part) => sum + part.length, 0) - most;
  const giving = pieces
    .flatMap((piece, at) =>
      piece.kind === 'text' && piece.gives !== undefined ? [{ at, ...{ gives: piece.gives } }] : [],
    )
    .sort((one, other) => one.gives.rank - other.gives.rank);
  for (const { at, gives } of giving) {
    if (over <= 0) break;
    const part = parts[at] ?? [];
    const wanted = gives.at === 'start' ? Math.ceil(over / STEP) * STEP : over;
    const cut = Math.min(part.length, wanted);
    parts[at] = gives.at === 'start' ? part.slice(cut) : part.slice(0, part.length - cut);
    over -= cut;
  }
  const whole = [...begin, ...parts.flat()];
  return whole.length > most ? whole.slice(whole.length - most) : whole;
}

/** How many tokens both begin with. */
export function commonLength(one: readonly Token[], other: readonly Token[]): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one[at] === other[at]) at += 1;
  return at;
}
