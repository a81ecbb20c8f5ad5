/** One answer under a deadline, with a model that is none. */
import { describe, expect, it } from 'vitest';
import { Pace } from '../../../../../src/mochi/engine/llama/generation.ts';
import { fakeRun, fakeVocabulary } from '../../../../support/fake-sequence.ts';

describe('an answer', () => {
  it('is what the model writes until it ends, with the chance and the place of each token', async () => {
    const { run } = fakeRun({ text: 'ab', probability: 0.25 });
    expect(await run()).toEqual({
      text: 'ab',
      tokens: [
        { end: 1, probability: 0.25 },
        { end: 2, probability: 0.25 },
      ],
      reason: 'end',
      evaluated: 8,
      promptTokens: 8,
    });
  });

  it.each([
    ['at most so many tokens', { maxTokens: 3 }, 'ans', 'length'],
    ['before a text that ends it', { stop: ['we'] }, 'ans', 'stop'],
    ['before the first of several', { stop: ['er', 'sw', 'zz'] }, 'an', 'stop'],
    ['before the longer of two that end together', { stop: ['w', 'nsw'] }, 'a', 'stop'],
    ['nothing where it begins with one', { stop: ['a'] }, '', 'stop'],
  ] as const)('is %s', async (_, more, text, reason) => {
    const found = await fakeRun({ text: 'answer' }).run(more);
    expect(found).toMatchObject({ text, reason });
    expect(found.tokens.at(-1)?.end ?? 0).toBe(text.length);
  });

  it('marks characters of several tokens where they are whole', async () => {
    const bytes = new TextEncoder().encode('a🦀b');
    const vocabulary = {
      ...fakeVocabulary,
      textOf: (tokens: readonly number[]) => new TextDecoder().decode(Uint8Array.from(tokens)),
    };
    const found = await fakeRun({ text: String.fromCodePoint(...bytes), vocabulary, probability: 0.5 }).run();
    expect(found.text).toBe('a🦀b');
    expect(found.tokens).toEqual([
      { end: 1, probability: 0.5 },
      { end: 3, probability: 0.5 ** 4 },
      { end: 4, probability: 0.5 },
    ]);
  });

  it('reads only what is new, so that a key costs a token or two', async () => {
    const { run } = fakeRun({ text: 'x' });
    const code = 'const value = rea';
    expect((await run({ asked: code })).evaluated).toBe(code.length);
    expect((await run({ asked: `${code}d` })).evaluated).toBeLessThanOrEqual(2);
    expect((await run({ asked: code })).evaluated).toBeLessThanOrEqual(2);
  });
});

describe('the deadline', () => {
  it('ends reading in pieces, and what was read is kept for the next try', async () => {
    const { run, sequence, now } = fakeRun({ asked: 'q'.repeat(2_000), perRead: 10 });
    expect(await run()).toMatchObject({ text: '', reason: 'deadline' });
    expect(now()).toBeLessThanOrEqual(4_500 + 250);
    expect(Math.max(...sequence.pieces)).toBeLessThanOrEqual(25);
    const read = sequence.contents.length;
    expect(read).toBeGreaterThan(300);
    expect((await run({ deadline: now() + 4_500 })).evaluated).toBe(2_000 - read);
  });

  it('ends writing and gives what is there', async () => {
    const { run, now } = fakeRun({ text: 'y'.repeat(900), perWrite: 50 });
    const found = await run();
    expect(found.reason).toBe('deadline');
    expect(found.text.length).toBeGreaterThan(80);
    expect(now()).toBeLessThanOrEqual(4_600);
  });

  it('is kept where a machine becomes slower in the middle', async () => {
    const pace = new Pace();
    for (let at = 0; at < 20; at += 1) pace.took(512, 5);
    expect(pace.piece(4_500)).toBe(512);
    pace.took(512, 5_000);
    expect(pace.piece(4_500)).toBeLessThanOrEqual(16);
    expect(pace.piece(-1)).toBe(8);
  });
});

describe('an abort', () => {
  it.each(['reading', 'writing'])('is noticed while %s', async (when) => {
    const stop = new AbortController();
    let turns = 0;
    const turn = async (): Promise<void> => {
      turns += 1;
      if (turns === (when === 'reading' ? 2 : 60)) stop.abort(new Error('typed on'));
    };
    const { run, sequence } = fakeRun({ asked: 'q'.repeat(400), text: 'z'.repeat(900), perRead: 5 });
    await expect(run({ signal: stop.signal, turn, deadline: 1e9 })).rejects.toThrow('typed on');
    if (when === 'reading') expect(sequence.contents.length).toBeLessThan(100);
  });

  it('that came before is not even begun', async () => {
    const { run, sequence } = fakeRun({});
    await expect(run({ signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
    expect(sequence.contents).toEqual([]);
  });
});
