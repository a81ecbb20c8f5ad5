/** Halves and brain floats: rounding, limits and special values. */
import { describe, expect, it } from 'vitest';
import {
  brainFloatsToFloats,
  firstNotFinite,
  floatsToHalves,
  halvesToFloats,
} from '../../../../../src/mochi/engine/peft/floats.ts';
import { createRandom } from '../../../../support/tiny-models.ts';

const half = (value: number): number | undefined => floatsToHalves(Float32Array.of(value))?.[0];

describe('halves', () => {
  it('are read back as the same bits, all that are finite', () => {
    const finite = Uint16Array.from({ length: 65_536 }, (_, bits) => bits).filter((bits) => (bits & 0x7c00) !== 0x7c00);
    expect(floatsToHalves(halvesToFloats(finite))).toEqual(finite);
  });

  it.each([
    [1, 0x3c00],
    [-2, 0xc000],
    [0, 0],
    [-0, 0x8000],
    [65_504, 0x7bff],
    [65_519, 0x7bff],
    [2 ** -24, 1],
    [2 ** -25, 0],
    [1.5 * 2 ** -25, 1],
    [2 ** -14, 0x0400],
    // Ties go to the even neighbour, at both sides.
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [1.5 * 2 ** -24, 2],
    [2.5 * 2 ** -24, 2],
    [1e-40, 0],
  ])('of %d are %i', (value, bits) => {
    expect(half(value)).toBe(bits);
  });

  it.each([65_520, -70_000, 1e30, Number.POSITIVE_INFINITY, Number.NaN])('refuse %d', (value) => {
    expect(half(value)).toBeUndefined();
  });

  it('are the nearest there is', () => {
    const random = createRandom(3);
    const values = Float32Array.from({ length: 20_000 }, () =>
      Math.max(-6e4, Math.min(6e4, random() * 10 ** (random() * 2))),
    );
    const back = halvesToFloats(floatsToHalves(values) ?? new Uint16Array());
    for (const [place, value] of values.entries()) {
      const error = Math.abs((back[place] ?? 0) - value);
      expect(error).toBeLessThanOrEqual(Math.max(Math.abs(value) * 2 ** -11, 2 ** -25));
    }
  });
});

describe('brain floats', () => {
  it('are the upper half of a float', () => {
    expect([...brainFloatsToFloats(Uint16Array.of(0x3f80, 0xc000, 0x0000, 0x7f80))]).toEqual([
      1,
      -2,
      0,
      Number.POSITIVE_INFINITY,
    ]);
  });
});

describe('what is not finite', () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('%d is found where it stands', (odd) => {
    expect(firstNotFinite(Float32Array.of(1, 2, odd, 4))).toBe(2);
  });

  it('is not there among the largest and smallest numbers', () => {
    expect(firstNotFinite(Float32Array.of(3.4e38, -3.4e38, 1e-45, 0))).toBe(-1);
  });
});
