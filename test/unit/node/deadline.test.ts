/** Deadlines: they end, and they stand still while somebody else is waited for. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDeadline } from '../../../src/node/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const never = new AbortController().signal;

describe('a deadline', () => {
  it('stands still from the first pause to the end of the last, and goes on with the rest', () => {
    const deadline = createDeadline(never, 100);
    vi.advanceTimersByTime(60);
    const [one, two] = [deadline.pause(), deadline.pause()];
    vi.advanceTimersByTime(10_000);
    one();
    one();
    vi.advanceTimersByTime(10_000);
    expect(deadline.isOver()).toBe(false);
    two();
    vi.advanceTimersByTime(39);
    expect(deadline.isOver()).toBe(false);
    vi.advanceTimersByTime(2);
    expect([deadline.isOver(), deadline.signal.aborted]).toEqual([true, true]);
  });

  it('that was let go of is not woken by the end of a pause', () => {
    const deadline = createDeadline(never, 100);
    const goOn = deadline.pause();
    deadline.clear();
    goOn();
    vi.advanceTimersByTime(1_000);
    expect(deadline.isOver()).toBe(false);
  });
});
