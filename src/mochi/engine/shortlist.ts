/**
 * Which of the symbols that some source named are worth describing in full: a rough guess from what the sources say, as
 * an even mixture of them and then as a weighted sum of its parts. The ranker decides; here only the hopeless are left out.
 */
import { kinds } from '../learn/vocabulary.ts';
import type { OpenFile } from './open-file.ts';
import { type Slots, sourceCount } from './slots.ts';

const float = new Float32Array(1);
const bits = new Int32Array(float.buffer);
const depth = 17;

/** About the logarithm to base 2, from `2 ** -17` as 0 to 1 as 1: exact at powers of two and straight between them. */
function logOf(share: number): number {
  float[0] = share;
  return share <= 0 ? 0 : Math.max(0, ((bits[0] ?? 0) / 2 ** 23 - 127 + depth) / depth);
}

/** Found by logistic regression on training files of the completion benchmark. */
const weights = {
  mixed: 7.65,
  chain: 1.02,
  ownChain: 0.33,
  class: 0.4,
  syntaxToken: 0.23,
  nearClass: 1.41,
  nearToken: 0.44,
  made: 2.1,
  like: 0.53,
  likeCopy: 0.3,
  recent: 1.43,
  recentWord: 2.2,
  word: -0.89,
  newLine: 0.33,
  sameLine: -0.59,
};

/**
 * Fills `mixed` and `score` of all slots. `orders` are the lengths of the longest contexts, by source; `classes` and
 * `nearClasses` the chances of each class by twice its number, plus one where it begins a line.
 */
export function weighSlots(
  slots: Slots,
  file: OpenFile,
  orders: readonly number[],
  classes: Float64Array,
  nearClasses: Float64Array,
): void {
  const shares = orders.map((order) => 1.6 ** order);
  const of = shares.reduce((sum, it) => sum + it);
  const { vocabulary, length } = file;
  const lineStart = file.lineStarts[length - 1] ?? 0;
  for (let slot = 0; slot < slots.count; slot += 1) {
    let chain = 0;
    for (let source = 0; source < sourceCount; source += 1)
      chain += (shares[source] ?? 0) * (slots.chain[slot * sourceCount + source] ?? 0);
    chain /= of;
    const symbol = slots.symbols[slot] ?? 0;
    const token = symbol >> 1;
    const place = vocabulary.classOfToken(token) * 2 + (symbol & 1);
    const like = classes[place] ?? 0;
    const nearLike = nearClasses[place] ?? 0;
    slots.class[slot] = like;
    slots.nearClass[slot] = nearLike;
    const last = file.last.get(token);
    const syntaxToken = slots.syntaxToken[slot] ?? 0;
    const nearToken = slots.nearToken[slot] ?? 0;
    const made =
      (slots.made[slot] ?? 0) +
      0.5 * (slots.nearMade[slot] ?? 0) +
      0.2 * (slots.named[slot] ?? 0) +
      0.2 * (slots.member[slot] ?? 0);
    const own = slots.like[slot] ?? 0;
    const copied = slots.likeCopy[slot] ?? 0;
    const mixed =
      chain +
      0.3 * (slots.pointer[slot] ?? 0) * like +
      0.05 * syntaxToken +
      0.2 * (slots.nearPointer[slot] ?? 0) * nearLike +
      0.05 * nearToken +
      0.2 * made +
      0.1 * own +
      0.2 * copied +
      (last === undefined ? 0 : (0.06 / (8 + length - last)) * (0.02 + like));
    slots.mixed[slot] = mixed;
    let score =
      weights.mixed * logOf(mixed) +
      weights.chain * logOf(chain) +
      weights.ownChain * logOf(slots.chain[slot * sourceCount] ?? 0) +
      weights.class * logOf(like) +
      weights.syntaxToken * logOf(syntaxToken) +
      weights.nearClass * logOf(nearLike) +
      weights.nearToken * logOf(nearToken) +
      weights.made * logOf(made) +
      weights.like * logOf(own) +
      weights.likeCopy * logOf(copied) +
      weights.newLine * (symbol & 1);
    if (last !== undefined) {
      const recent = logOf(1 / (length - last));
      score += weights.recent * recent;
      if (vocabulary.kind(token) === kinds.word) score += weights.word + weights.recentWord * recent;
      if (last >= lineStart) score += weights.sameLine;
    }
    slots.score[slot] = score;
  }
}
