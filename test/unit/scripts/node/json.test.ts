/** JSON with exact integers. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exactInteger, own, parseJson, sameJson, writeJson } from '../../../../src/scripts/node/json.ts';

const TEXTS: readonly string[] = [
  '{"id":12345678901234567890}',
  '[-98765432109876543210,1,9007199254740991,9007199254740993]',
  '{"12345678901234567890":"12345678901234567890 \\" 12345678901234567890"}',
  '{"__proto__":{"a":1},"constructor":2}',
];

describe('JSON', () => {
  for (const text of TEXTS) test(`${text} comes back as it was`, () => expect(writeJson(parseJson(text))).toBe(text));

  test('floats and exponents stay numbers', () => {
    expect(parseJson('[1.2345678901234567890,1e400,12345678901234567890e0]')).toEqual([
      1.2345678901234567,
      Number.POSITIVE_INFINITY,
      12345678901234567000,
    ]);
  });

  test('a large integer is told by its digits', () => {
    expect(exactInteger(own(parseJson('{"a":12345678901234567890}'), 'a'))).toBe('12345678901234567890');
    expect(exactInteger('12345678901234567890')).toBeUndefined();
  });

  test('a name of the prototype is not there', () => expect(own(parseJson('{}'), 'constructor')).toBeUndefined());

  test('any JSON value comes back equal', () => {
    fc.assert(fc.property(fc.json(), (text) => sameJson(parseJson(writeJson(parseJson(text))), parseJson(text))));
  });

  test('equality ignores the order of keys and nothing else', () => {
    expect(sameJson({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
    expect(sameJson({ a: 1 }, { a: 1, b: undefined })).toBe(false);
    expect(sameJson([1, 2], [2, 1])).toBe(false);
    expect(sameJson(true, 1)).toBe(false);
  });
});
