/** Near duplicates: the same with a little changed is known, what is merely alike in kind is not. */
import { describe, expect, it } from 'vitest';
import { NearDuplicates } from '../../../../src/mochi/dataset/near-duplicates.ts';
import { createRandom } from '../../../support/tiny-models.ts';

const tokens = (seed: number, length = 200): Int32Array => {
  const random = createRandom(seed);
  return Int32Array.from({ length }, () => Math.floor(Math.abs(random()) * 40));
};

describe('nearly the same code', () => {
  it('is known when it was seen, whole or with one token of two hundred changed', () => {
    const seen = new NearDuplicates();
    expect(seen.isKnown(tokens(1))).toBe(false);
    expect(seen.isKnown(tokens(1))).toBe(true);
    for (let at = 0; at < 200; at += 20) expect(seen.isKnown(tokens(1).with(at, 999))).toBe(true);
  });

  it('is not what uses the same tokens in another order', () => {
    const seen = new NearDuplicates();
    for (let seed = 1; seed <= 300; seed += 1) expect(seen.isKnown(tokens(seed))).toBe(false);
  });

  it('is not what shares half', () => {
    const seen = new NearDuplicates();
    seen.isKnown(tokens(1));
    const half = Int32Array.from([...tokens(1).subarray(0, 100), ...tokens(2).subarray(0, 100)]);
    expect(seen.isKnown(half)).toBe(false);
  });

  it('is found among the shortest', () => {
    const seen = new NearDuplicates();
    expect(seen.isKnown(Int32Array.of(1, 2))).toBe(false);
    expect(seen.isKnown(Int32Array.of(1, 2))).toBe(true);
    expect(seen.isKnown(Int32Array.of(2, 1))).toBe(false);
    expect(seen.isKnown(new Int32Array())).toBe(false);
  });
});
