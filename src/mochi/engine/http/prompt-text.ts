/**
 * From the parts of a prompt to the one text that a server takes. The server reads markers wherever they stand, so a
 * marker inside of data is broken up; parts that may give way are shortened by a cautious guess at the tokens.
 */
import type { Piece } from '../model-engine.ts';

/** Characters that a token of code has at least, nearly always. */
const CHARACTERS_PER_TOKEN = 3;
/** Parts lose multiples of this many characters at their start, so that the next prompt begins alike. */
const STEP = 192;
const MARKER = /<(?=[|｜/]?[\p{L}\p{N}_▁-]{1,40}[|｜]?>)/gu;

/** Every marker of the families that are known, and all that look like one, get a space after their first character. */
export function unmarked(text: string): string {
  return text.replace(MARKER, (found, at: number) => (isTypeArgument(text, at) ? found : '< '));
}

/** `Map<string>` and `Array<T>` are code, and no vocabulary has a marker right after a name. */
function isTypeArgument(text: string, at: number): boolean {
  return at > 0 && /[\p{L}\p{N}_.]/u.test(text.charAt(at - 1)) && !/^<[|｜]/u.test(text.slice(at, at + 2));
}

/** At most about `tokens` tokens, unless parts that give nothing are longer. */
export function promptText(pieces: readonly Piece[], tokens: number): string {
  const parts = pieces.map((piece) => (piece.kind === 'special' ? piece.text : unmarked(piece.text)));
  let over = parts.reduce((sum, part) => sum + part.length, 0) - Math.max(0, tokens) * CHARACTERS_PER_TOKEN;
  const giving = pieces
    .flatMap((piece, at) => (piece.kind === 'text' && piece.gives !== undefined ? [{ at, gives: piece.gives }] : []))
    .sort((one, other) => one.gives.rank - other.gives.rank);
  for (const { at, gives } of giving) {
    if (over <= 0) break;
    const part = parts[at] ?? '';
    const wanted = gives.at === 'start' ? Math.ceil(over / STEP) * STEP : over;
    const cut = Math.min(part.length, wanted);
    parts[at] = gives.at === 'start' ? part.slice(cut) : part.slice(0, part.length - cut);
    over -= cut;
  }
  return parts.join('');
}
