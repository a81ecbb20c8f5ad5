import { describe, expect, it } from 'vitest';
import { amountOf, cutAt, type Draft, restOf, THRESHOLD } from '#core/completion/amount.ts';

const draft: Draft = {
  text: 'readFile(path, encoding);',
  confidence: 0.2,
  steps: [
    { end: 8, confidence: 0.9 },
    { end: 9, confidence: 0.88 },
    { end: 13, confidence: 0.8 },
    { end: 14, confidence: 0.79 },
    { end: 23, confidence: 0.3 },
    { end: 25, confidence: 0.2 },
  ],
};

describe('how much is shown', () => {
  it.each([
    [0.95, undefined],
    [0.89, 'readFile'],
    [0.5, 'readFile(path,'],
    [0.05, 'readFile(path,'],
  ])('at a threshold of %f is %j', (threshold, text) => {
    expect(amountOf(draft, threshold)?.text).toBe(text);
  });

  it('is the whole where length makes up for doubt', () => {
    const long = {
      text: 'x'.repeat(100),
      confidence: 0.5,
      steps: [
        { end: 4, confidence: 0.6 },
        { end: 100, confidence: 0.5 },
      ],
    };
    expect(amountOf(long, THRESHOLD)?.text).toHaveLength(100);
  });

  it('is all or nothing where an engine knows no steps', () => {
    expect(amountOf({ text: 'abc', confidence: 0.4, steps: [] }, 0.5)?.text).toBe('abc');
    expect(amountOf({ text: 'abc', confidence: 0.1, steps: [] }, 0.5)).toBeUndefined();
    expect(amountOf({ text: '', confidence: 1, steps: [] }, 0.5)).toBeUndefined();
  });

  it('has further lines whole or not at all', () => {
    const steps = [
      { end: 3, confidence: 0.9 },
      { end: 8, confidence: 0.85 },
      { end: 9, confidence: 0.4 },
    ];
    expect(amountOf({ text: 'a()\nb.c()', confidence: 0.4, steps }, 0.5)?.text).toBe('a()');
    expect(amountOf({ text: 'a()\nb.c()', confidence: 0.4, steps }, 0.4)?.text).toBe('a()');
    expect(
      amountOf(
        { text: 'a()\nb.c\nd', confidence: 0.4, steps: [...steps.slice(0, 1), { end: 7, confidence: 0.85 }] },
        0.4,
      )?.text,
    ).toBe('a()\nb.c');
  });

  it('never reaches beyond the text, whatever the steps say', () => {
    expect(
      amountOf(
        {
          text: 'ab',
          confidence: 0.9,
          steps: [
            { end: 1, confidence: 0.9 },
            { end: 9, confidence: 0.9 },
          ],
        },
        0.5,
      )?.text,
    ).toBe('a');
  });
});

describe('a cut', () => {
  it('keeps the steps and the confidence that hold there', () => {
    expect(cutAt(draft, 13)).toEqual({ text: 'readFile(path', confidence: 0.8, steps: draft.steps.slice(0, 3) });
    expect(cutAt(draft, 11).confidence).toBe(0.8);
    expect(cutAt(draft, 99)).toBe(draft);
  });
});

describe('the rest after typing', () => {
  it('has its steps moved, and is surer because what was typed is no longer in doubt', () => {
    const rest = restOf(
      {
        ...draft,
        steps: [
          { end: 9, confidence: 0.5 },
          { end: 13, confidence: 0.4 },
        ],
        confidence: 0.1,
      },
      9,
    );
    expect(rest).toEqual({ text: 'path, encoding);', confidence: 0.2, steps: [{ end: 4, confidence: 0.8 }] });
  });

  it('is as sure as before within a token', () => {
    expect(restOf(draft, 4).steps[0]).toEqual({ end: 4, confidence: 0.9 });
  });
});
