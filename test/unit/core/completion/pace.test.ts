import { describe, expect, it } from 'vitest';
import { createPace } from '#core/completion/pace.ts';

function paceOf(gaps: readonly number[], response: number) {
  const pace = createPace();
  let now = 0;
  pace.typed(now);
  for (const gap of gaps) {
    now += gap;
    pace.typed(now);
  }
  if (response > 0) pace.answered(response);
  return pace;
}

describe('the wait before a question', () => {
  it('is none before anything is known, for an engine that answers at once, and for who asks', () => {
    expect(paceOf([], 0).delay('automatic', 'a')).toBe(0);
    expect(paceOf([100, 100], 5).delay('automatic', 'a')).toBe(0);
    expect(paceOf([100, 100], 900).delay('invoke', 'a')).toBe(0);
  });

  it('follows the rhythm of typing for a slow engine', () => {
    const quick = paceOf([110, 110, 110], 100).delay('automatic', 'abc');
    const slow = paceOf([300, 300, 300], 100).delay('automatic', 'abc');
    expect(slow).toBeGreaterThan(quick);
    expect(quick).toBeGreaterThan(0);
  });

  it('is shorter where much is decided, and for an engine that is slow itself', () => {
    const pace = paceOf([250, 250], 150);
    expect(pace.delay('automatic', 'call(')).toBeLessThan(pace.delay('automatic', 'cal'));
    expect(paceOf([250, 250], 600).delay('automatic', 'cal')).toBeLessThan(pace.delay('automatic', 'cal'));
  });

  it('stays within bounds, and takes a pause for thought for no rhythm', () => {
    for (const gap of [1, 50, 500, 1_999]) {
      const delay = paceOf(Array(20).fill(gap), 50).delay('automatic', 'x');
      expect(delay).toBeGreaterThanOrEqual(60);
      expect(delay).toBeLessThanOrEqual(800);
    }
    expect(paceOf([150, 60_000, 150], 200).delay('automatic', 'x')).toBe(
      paceOf([150, 150], 200).delay('automatic', 'x'),
    );
  });
});
