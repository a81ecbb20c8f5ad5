/** Numbers and times as the editor shows them. */
import { describe, expect, it } from 'vitest';
import { counted, timeOfDay } from '../../../src/extension/figures.ts';

describe('a number', () => {
  it.each([
    [0, '0'],
    [12.6, '13'],
    [999, '999'],
    [1_000, '1,000'],
    [9_700_000, '9,700,000'],
    [-1_234, '-1,234'],
  ])('%d is shown as %s', (value, text) => {
    expect(counted(value)).toBe(text);
  });
});

describe('a time of day', () => {
  it('has two digits for hours and minutes', () => {
    expect(timeOfDay(new Date(2026, 0, 2, 5, 7, 59))).toBe('05:07');
    expect(timeOfDay(new Date(2026, 0, 2, 15, 40))).toBe('15:40');
  });
});
