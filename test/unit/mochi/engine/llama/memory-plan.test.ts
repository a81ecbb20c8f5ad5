/** Whether a model fits. */
import { describe, expect, it } from 'vitest';
import { checkFits, estimated, type MemoryNeed } from '../../../../../src/mochi/engine/llama/memory-plan.ts';
import { MochiFault } from '../../../../../src/mochi/limits.ts';

const GIB = 2 ** 30;
const need: MemoryNeed = { weights: GIB, repeated: 0, contexts: GIB / 4, adapters: 0, process: GIB / 10 };

describe('the memory of a model', () => {
  it('is all of its parts, and more than their sum', () => {
    const parts = Object.values(need).reduce((sum, part) => sum + part, 0);
    expect(estimated(need)).toBeGreaterThan(parts);
    expect(estimated({ ...need, repeated: GIB }) - estimated(need)).toBe(GIB);
    expect(estimated({ ...need, adapters: GIB }) - estimated(need)).toBe(GIB);
  });

  it.each([
    ['fits', 2 * GIB, 8 * GIB, undefined],
    ['is more than it may use', GIB, 8 * GIB, /it may use 1.00 GiB/],
    ['is more than is free', 2 * GIB, GIB, /1.00 GiB are free/],
    ['leaves nothing free', 2 * GIB, 1.27 * GIB, /are free/],
  ] as const)('%s', (_, limit, free, message) => {
    const check = (): void => checkFits(need, limit, free);
    if (message === undefined) return expect(check).not.toThrow();
    expect(check).toThrow(message);
    expect(check).toThrow(MochiFault);
  });
});
