/** Arguments held against schemas: what is refused, in which words, and what is let pass. */
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../../src/scripts/node/json.ts';
import { checkArguments } from '../../../../src/scripts/node/schema-check.ts';

interface Row {
  readonly name: string;
  readonly schema: unknown;
  readonly good?: readonly string[];
  /** Arguments and the mistakes in them. */
  readonly bad?: readonly (readonly [string, readonly string[]])[];
}

const ROWS: readonly Row[] = [
  {
    name: 'types',
    schema: { properties: { a: { type: 'integer' }, b: { type: ['string', 'null'] }, c: { type: 'array' } } },
    good: ['{"a":1}', '{"a":1.0}', '{"a":12345678901234567890}', '{"b":null}', '{"b":"x"}', '{"c":[]}', '{"d":1}'],
    bad: [
      ['{"a":"1"}', ['a: expected integer, got string "1"']],
      ['{"a":1.5}', ['a: expected integer, got number 1.5']],
      ['{"a":true}', ['a: expected integer, got boolean true']],
      ['{"b":12345678901234567890}', ['b: expected string or null, got number 12345678901234567890']],
      ['{"c":{}}', ['c: expected array, got object']],
    ],
  },
  {
    name: 'required and unknown properties',
    schema: {
      type: 'object',
      required: ['path', 'constructor'],
      properties: { path: { type: 'string' }, constructor: { type: 'string' } },
      additionalProperties: false,
    },
    good: ['{"path":"a","constructor":"b"}'],
    bad: [
      [
        '{"pth":"a"}',
        ['path: required (string)', 'constructor: required (string)', 'pth: unknown property; did you mean path?'],
      ],
      ['{"path":"a","constructor":"b","toString":1}', ['toString: unknown property; known: path, constructor']],
    ],
  },
  {
    name: 'choices',
    schema: { properties: { mode: { enum: ['a', 'b', null, 1] }, kind: { const: { x: 1 } } } },
    good: ['{"mode":null}', '{"mode":1}', '{"kind":{"x":1}}'],
    bad: [
      ['{"mode":"x"}', ['mode: "x" is not allowed; use one of "a", "b", null, 1']],
      ['{"kind":2}', ['kind: 2 is not allowed; use {"x":1}']],
    ],
  },
  {
    name: 'bounds',
    schema: {
      properties: {
        n: { minimum: 1, exclusiveMaximum: 5 },
        old: { minimum: 1, exclusiveMinimum: true },
        s: { minLength: 2, maxLength: 3 },
        l: { minItems: 1, maxItems: 2 },
      },
    },
    good: ['{"n":1,"s":"😀😀","l":[1],"old":2}'],
    bad: [
      ['{"n":0}', ['n: must be at least 1, got 0']],
      ['{"n":5}', ['n: must be less than 5, got 5']],
      ['{"old":1}', ['old: must be more than 1, got 1']],
      ['{"s":"a"}', ['s: needs at least 2 characters, got 1']],
      ['{"s":"abcd"}', ['s: takes at most 3 characters, got 4']],
      ['{"l":[]}', ['l: needs at least 1 items, got 0']],
      ['{"l":[1,2,3]}', ['l: takes at most 2 items, got 3']],
    ],
  },
  {
    name: 'patterns, also those that do not compile or never end',
    schema: {
      properties: {
        p: { pattern: '^[a-z]+$' },
        broken: { pattern: '(' },
        slow: { pattern: '^(a+)+$' },
        long: { pattern: `^${'a'.repeat(300)}$` },
      },
    },
    good: ['{"p":"abc"}', '{"broken":"x"}', '{"long":"x"}', `{"slow":"${'a'.repeat(40)}!"}`],
    bad: [['{"p":"A"}', ['p: "A" does not match the pattern ^[a-z]+$']]],
  },
  {
    name: 'nesting and references',
    schema: {
      properties: {
        list: { type: 'array', items: { $ref: '#/$defs/edit' } },
        same: { $ref: '#/properties/list' },
        loop: { $ref: '#/properties/loop' },
        gone: { $ref: '#/$defs/none' },
      },
      $defs: { edit: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } } },
    },
    good: ['{"list":[{"a":"x"}],"loop":1,"gone":2}'],
    bad: [
      ['{"list":[{"a":5}]}', ['list[0].a: expected string, got number 5']],
      ['{"same":[{}]}', ['same[0].a: required (string)']],
    ],
  },
  {
    name: 'unions tell about the nearest branch',
    schema: {
      properties: {
        t: {
          anyOf: [{ type: 'string' }, { type: 'object', required: ['line'], properties: { line: { type: 'number' } } }],
        },
        k: {
          oneOf: [
            { type: 'object', properties: { type: { const: 'a' }, x: { type: 'number' } } },
            { type: 'object', properties: { type: { const: 'b' }, y: { type: 'number' } } },
          ],
        },
        all: { allOf: [{ minimum: 1 }, { maximum: 2 }] },
      },
    },
    good: ['{"t":"x"}', '{"t":{"line":1}}', '{"k":{"type":"b","y":1}}'],
    bad: [
      ['{"t":{"line":"3"}}', ['t.line: expected number, got string "3"']],
      ['{"t":5}', ['t: expected string or object, got number 5']],
      ['{"k":{"type":"b","y":"1"}}', ['k.y: expected number, got string "1"']],
      ['{"all":3}', ['all: must be at most 2, got 3']],
    ],
  },
  { name: 'what it does not know', schema: { type: 'weird', if: {}, properties: { a: true } }, good: ['{"a":1}'] },
  { name: 'no schema at all', schema: undefined, good: ['{"a":1}'] },
  { name: 'a closed schema', schema: { properties: { a: false } }, bad: [['{"a":1}', ['a: nothing is allowed here']]] },
];

function check(row: Row): void {
  for (const text of row.good ?? []) expect(checkArguments(parseJson(text), row.schema), text).toEqual([]);
  for (const [text, mistakes] of row.bad ?? [])
    expect(checkArguments(parseJson(text), row.schema), text).toEqual(mistakes);
}

describe('Argument check', () => {
  for (const row of ROWS) test(row.name, () => check(row));
});
