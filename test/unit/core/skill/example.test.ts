import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../src/core/model.ts';
import { exampleArguments } from '../../../../src/core/skill/example.ts';

const argumentsOf = (properties: JsonObject, more: JsonObject = {}): unknown =>
  JSON.parse(
    exampleArguments({
      name: 't',
      description: '',
      inputSchema: { type: 'object', properties, required: Object.keys(properties), ...more },
    }),
  );

describe('example arguments', () => {
  it.each<[string, JsonObject, unknown]>([
    ['strings by name', { path: { type: 'string' } }, 'path'],
    ['formats', { path: { type: 'string', format: 'uri' } }, 'https://example.com'],
    ['the least length', { path: { type: 'string', minLength: 8 } }, 'pathxxxx'],
    ['numbers within bounds', { path: { type: 'integer', minimum: 5 } }, 5],
    ['numbers below one', { path: { type: 'number', minimum: 0, maximum: 0.5 } }, 0.5],
    ['options', { path: { enum: ['a', 'b'] } }, 'a'],
    ['defaults', { path: { type: 'string', default: 'd' } }, 'd'],
    ['constants', { path: { const: 3 } }, 3],
    ['empty lists', { path: { type: 'array', items: { type: 'string' } } }, []],
    [
      'lists that must not be empty',
      { path: { type: 'array', items: { type: 'string' }, minItems: 2 } },
      ['item', 'item'],
    ],
    ['nullable types', { path: { type: ['null', 'boolean'] } }, true],
    ['objects without a type', { path: { properties: { a: { type: 'string' } }, required: ['a'] } }, { a: 'a' }],
    ['branches', { path: { anyOf: [{ type: 'integer' }, { type: 'string' }] } }, 1],
  ])('are right for %s', (_what, properties, expected) => {
    expect(argumentsOf(properties)).toEqual({ path: expected });
  });

  it('follow references, and end where these go in circles', () => {
    const $defs = {
      P: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      L: { $ref: '#/$defs/L' },
    };
    expect(argumentsOf({ a: { $ref: '#/$defs/P' }, b: { $ref: '#/$defs/L' } }, { $defs })).toEqual({
      a: { id: 'id' },
      b: 'b',
    });
  });
});
