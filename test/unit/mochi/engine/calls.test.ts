import { describe, expect, it } from 'vitest';
import { Calls } from '../../../../src/mochi/engine/calls.ts';
import { ContextIndex } from '../../../../src/mochi/engine/context-index.ts';
import { OpenFile } from '../../../../src/mochi/engine/open-file.ts';
import { Slots } from '../../../../src/mochi/engine/slots.ts';
import { languageOfPath } from '../../../../src/mochi/learn/languages.ts';
import { lex, TokenBuffer } from '../../../../src/mochi/learn/lexer.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

interface Found {
  readonly called: Record<string, number>;
  readonly nearCalled: Record<string, number>;
  readonly outlined: Record<string, number>;
  readonly expected: readonly string[];
}

/** What calls say about the token after `text`; `learned` is the code of files near by. */
function found(text: string, learned = ''): Found {
  const vocabulary = new Vocabulary();
  const lexed = (code: string): TokenBuffer => {
    const buffer = new TokenBuffer(64);
    lex(code, languageOfPath('a.ts'), vocabulary, buffer);
    return buffer;
  };
  const known = lexed(learned);
  const { ids, gaps, length } = lexed(text);
  const file = new OpenFile(vocabulary);
  for (let at = 0; at < length; at += 1) file.push(ids[at] ?? 0, gaps[at] ?? 0);
  const near = ContextIndex.build(
    Int32Array.from([0, ...known.ids.subarray(0, known.length)]),
    Uint8Array.from([2, ...known.gaps.subarray(0, known.length)]),
    vocabulary.size,
  );
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
