import { describe, expect, it } from 'vitest';
import { canonicalJson, judgeJson, own } from '#core/catalog/read-json.ts';

describe('reading JSON of unknown origin', () => {
  it('finds only what someone wrote', () => {
    expect(own({}, 'constructor')).toBeUndefined();
    expect(own({ constructor: 1 }, 'constructor')).toBe(1);
  });

  it.each([
    ['ok', { a: [1, 'x', null, true] }],
    ['too-deep', [[[[1]]]]],
    ['too-large', 'x'.repeat(100)],
    ['too-large', Array.from({ length: 60 }, () => 1)],
    ['too-large', { ['é'.repeat(50)]: 1 }],
    ['foreign', { a: Number.POSITIVE_INFINITY }],
    ['foreign', [new Date(0)]],
    ['foreign', [() => 1]],
    ['ok', '😀'.repeat(23)],
    ['too-large', '😀'.repeat(25)],
  ])('judges as %s: %j', (verdict, value) => {
    expect(judgeJson(value, { depth: 4, bytes: 100 })).toBe(verdict);
  });

  it('spells a value in one way, __proto__ and all', () => {
    const value = JSON.parse('{"b":1,"__proto__":{"d":[2,{"z":1,"y":2}],"c":null},"a":"é"}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"c":null,"d":[2,{"y":2,"z":1}]},"a":"é","b":1}');
  });
});
