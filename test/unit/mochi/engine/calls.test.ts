import { describe, expect, it } from 'vitest';
import { Calls } from '../../../../src/mochi/engine/calls.ts';
import { Slots } from '../../../../src/mochi/engine/slots.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';
import { indexOf, openFileOf } from '../../../support/lexed.ts';

interface Found {
  readonly called: Record<string, number>;
  readonly nearCalled: Record<string, number>;
  readonly outlined: Record<string, number>;
  readonly expected: readonly string[];
}

/** What calls say about the token after `text`; `learned` is the code of files near by. */
function found(text: string, learned = ''): Found {
  const vocabulary = new Vocabulary();
  const near = indexOf(learned, vocabulary);
  const file = openFileOf(text, vocabulary);
  const slots = new Slots();
  slots.clear();
  const calls = new Calls(slots);
  calls.find(file, learned === '' ? undefined : near, undefined);
  const named = (shares: Float32Array): Record<string, number> =>
    Object.fromEntries(
      Array.from({ length: slots.count }, (_, slot) => slot)
        .filter((slot) => (shares[slot] ?? 0) > 0)
        .map((slot) => [vocabulary.textOf((slots.symbols[slot] ?? 0) >> 1), shares[slot] ?? 0]),
    );
  return {
    called: named(slots.called),
    nearCalled: named(slots.nearCalled),
    outlined: named(slots.outlined),
    expected: calls.expected.map((token) => vocabulary.textOf(token)),
  };
}

describe('calls of the same in the file', () => {
  it('tell what an argument begins with', () => {
    expect(found('bake(dish, heat.low); bake(cake, heat.high); bake(pie, ').called).toEqual({ heat: 1 });
    expect(found('bake(dish, low); bake(f(a, b), high); bake(pie, ').called).toEqual({ low: 0.5, high: 0.5 });
  });

  it('tell what stands behind an argument, whatever it is made of', () => {
    expect(found('bake(f(a, b), c); bake([1, 2], c); bake(pie').called).toEqual({ ',': 1 });
    expect(found('bake(f(a, b), c); bake([1, 2], c); bake(pie, c').called).toEqual({ ')': 1 });
  });

  it('tell nothing of an argument that they do not have, nor do calls of others', () => {
    expect(found('bake(a); bake(b, ').called).toEqual({});
    expect(found('fry(a, b); bake(b, ').called).toEqual({});
    expect(found('bake[a, b]; bake(b, ').called).toEqual({});
  });

  it('name what an argument may be', () => {
    expect(found('function bake(dish, heat) {} bake(pie, lowHeat); bake(cake, ').expected).toEqual(['lowHeat', 'heat']);
    expect(found('function bake(dish, heat) {} bake(pie, lowHeat); bake(cake').expected).toEqual([]);
  });
});

describe('calls of the same in files near by', () => {
  it('tell what an argument begins with and what stands behind it', () => {
    const learned = 'bake(dish, heat.low);\nbake(cake, heat.high);\n';
    expect(found('bake(pie, ', learned).nearCalled).toEqual({ heat: 1 });
    expect(found('bake(pie', learned).nearCalled).toEqual({ ',': 1 });
    expect(found('fry(pie', learned).nearCalled).toEqual({});
  });
});

describe('what followed the same outline', () => {
  it('is told whatever stood in the brackets', () => {
    expect(found('const a = cook(x, y).then(eat);\nconst b = cook(z)').outlined).toEqual({ '.': 1 });
  });
});
