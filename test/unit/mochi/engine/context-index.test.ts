import { describe, expect, it } from 'vitest';
import { ContextIndex, deepest } from '../../../../src/mochi/engine/context-index.ts';
import { Ranker } from '../../../../src/mochi/engine/ranker.ts';
import { rankerWeights } from '../../../../src/mochi/engine/weights.ts';
import { leakScore } from '../../../bench/mochi-leak.ts';

let seed = 7;
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return Math.floor((seed / 0x80000000) * below);
};
const sequence = (length: number, symbols: number): Int32Array =>
  Int32Array.from({ length }, () => 1 + random(symbols));

/** What followed the last `order` tokens of `context`, counted the slow way. */
function counted(
  tokens: Int32Array,
  context: Int32Array,
  order: number,
  isLeftOut = (_at: number) => false,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (let at = order; at < tokens.length; at += 1) {
    const matches = Array.from({ length: order }, (_, back) => back + 1).every(
      (back) => tokens[at - back] === context[context.length - back],
    );
    const symbol = (tokens[at] ?? 0) * 2;
    if (matches && !isLeftOut(at)) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  }
  return counts;
}

function found(index: ContextIndex, context: Int32Array): Map<number, number>[] {
  const places = new Int32Array(2 * deepest + 4);
  const count = index.intervals(context, context.length, deepest, places);
  return Array.from({ length: count }, (_, at) => {
    const { symbols, counts } = index.followers(places[at * 2] ?? 0, places[at * 2 + 1] ?? 0);
    return new Map(Array.from(symbols, (symbol, it): [number, number] => [symbol, counts[it] ?? 0]));
  });
}

const sorted = (map: ReadonlyMap<number, number>): [number, number][] => [...map].sort(([one], [two]) => one - two);

describe('a context index', () => {
  it('counts what followed each context as counting by hand does', () => {
    const tokens = sequence(600, 4);
    const index = ContextIndex.build(tokens, new Uint8Array(tokens.length), 6);
    for (let round = 0; round < 40; round += 1) {
      const context = sequence(6, 4);
      const all = found(index, context);
      all.forEach((counts, at) => {
        expect(sorted(counts)).toEqual(sorted(counted(tokens, context, at + 1)));
      });
      if (all.length < 6) expect(counted(tokens, context, all.length + 1).size).toBe(0);
    }
  });

  it('leaves masked and hidden positions out, and takes masked ones back', () => {
    const tokens = sequence(400, 3);
    const index = ContextIndex.build(tokens, new Uint8Array(tokens.length), 5);
    const context = tokens.slice(0, 1);
    const whole = sorted(found(index, context)[0] ?? new Map());
    index.mask(100, 200);
    expect(sorted(found(index, context)[0] ?? new Map())).toEqual(
      sorted(counted(tokens, context, 1, (at) => at >= 100 && at < 200)),
    );
    index.mask(0, 0);
    expect(sorted(found(index, context)[0] ?? new Map())).toEqual(whole);
    index.hide(300, 400);
    expect(sorted(found(index, context)[0] ?? new Map())).toEqual(
      sorted(counted(tokens, context, 1, (at) => at >= 300)),
    );
  });

  it.each([0, 1, 2])('is built of %i tokens', (length) => {
    const index = ContextIndex.build(sequence(length, 2), new Uint8Array(length), 4);
    expect(found(index, Int32Array.of(1)).length).toBeLessThanOrEqual(1);
  });
});

describe('the predictor', () => {
  it('scores chance on random tokens: it has not seen the answer', () => {
    const chance = Array.from({ length: 10 }, (_, at) => 1 / (at + 1)).reduce((sum, it) => sum + it) / 20;
    expect(Math.abs(leakScore(new Ranker(rankerWeights()), 6000) - chance)).toBeLessThan(0.015);
  });
});
