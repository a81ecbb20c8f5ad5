import { describe, expect, it } from 'vitest';
import { parameterRows, valueText } from '../../../../src/core/catalog/schema.ts';
import type { JsonObject } from '../../../../src/core/model.ts';
import { corpus } from '../../../support/corpus.ts';

/** One row as a short line, so that cases read like the document they come from. */
function lines(schema: JsonObject): readonly string[] {
  return parameterRows(schema).map((row) => {
    const extras = row.extras.length === 0 ? '' : ` [${row.extras.join(', ')}]`;
    return `${'  '.repeat(row.depth)}${row.name}${row.required ? '*' : ''} (${row.type})${row.description && ` ${row.description}`}${extras}`;
  });
}

const withProperties = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

describe('parameter lines', () => {
  it.each<[string, JsonObject, readonly string[]]>([
    [
      'the example of the specification',
      withProperties(
        {
          prompt: { type: 'string', description: 'Image prompt' },
          aspect_ratio: { type: 'string', enum: ['16:9', '4:3'], default: '16:9' },
          steps: { type: 'integer', default: 28, minimum: 1, maximum: 100 },
          formats: { type: 'array', items: { enum: ['glb', 'fbx'] } },
        },
        { required: ['prompt'] },
      ),
      [
        'prompt* (string) Image prompt',
        "aspect_ratio (string) [default: 16:9, options: ['16:9', '4:3']]",
        'steps (integer) [default: 28, min: 1, max: 100]',
        "formats (array) [options: ['glb', 'fbx']]",
      ],
    ],
    [
      'pattern, format, lengths and const',
      withProperties({
        a: { type: 'string', pattern: '^x$', format: 'uri', minLength: 1, maxLength: 9 },
        b: { const: 'k' },
      }),
      ['a (string) [format: uri, pattern: ^x$, min length: 1, max length: 9]', 'b (any) [const: k]'],
    ],
    [
      'nested objects',
      withProperties({
        o: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'], additionalProperties: false },
      }),
      ['o (object) [no other properties]', '  x* (number)'],
    ],
    [
      'array items of objects',
      withProperties({
        edits: {
          type: 'array',
          items: { type: 'object', properties: { oldText: { type: 'string' } }, required: ['oldText'] },
        },
      }),
      ['edits (array of object)', '  oldText* (string)'],
    ],
    [
      'branches',
      withProperties({ v: { anyOf: [{ type: 'string' }, { type: 'object', properties: { k: { type: 'null' } } }] } }),
      ['v (string | object)', '  any of (object)', '    k (null)'],
    ],
    ['types that may be null', withProperties({ v: { type: ['string', 'null'] } }), ['v (string | null)']],
    [
      'references',
      withProperties(
        { v: { $ref: '#/$defs/A', description: 'here' } },
        { $defs: { A: { type: 'integer', description: 'there' } } },
      ),
      ['v (integer) here'],
    ],
    [
      'cycles',
      withProperties(
        { n: { $ref: '#/$defs/N' } },
        { $defs: { N: { type: 'object', properties: { next: { $ref: '#/$defs/N' } } } } },
      ),
      ['n (object)', '  next (any) [see: #/$defs/N]'],
    ],
    [
      'network and dangling references',
      withProperties({ a: { $ref: 'https://example.com/s' }, b: { $ref: '#/nowhere' } }),
      ['a (any) [see: https://example.com/s]', 'b (any) [see: #/nowhere]'],
    ],
    [
      'free-form maps',
      withProperties({ m: { type: 'object', additionalProperties: { type: 'string' } } }),
      ['m (object)', '  any other name (string)'],
    ],
    ['boolean schemas', withProperties({ a: true, b: false }), ['a (any)', 'b (nothing)']],
    [
      'unknown keywords',
      withProperties({ a: { type: 'string', 'x-order': 3, deprecated: true } }),
      ['a (string) [x-order: 3, deprecated: true]'],
    ],
    [
      'branches at the root',
      { type: 'object', oneOf: [{ required: ['a'], properties: { a: { type: 'string' } } }] },
      ['one of (object)', '  a* (string)'],
    ],
    ['no properties', { type: 'object' }, []],
  ])('show %s', (_what, schema, expected) => {
    expect(lines(schema)).toEqual(expected);
  });

  it('write values as the specification does', () => {
    expect(valueText(["it's", 1, true, null])).toBe("['it\\'s', 1, true, null]");
    expect(valueText('')).toBe("''");
    expect(valueText({ a: [1] })).toBe('{"a":[1]}');
  });

  it('name every top-level parameter of every recorded tool', () => {
    for (const { tools } of corpus())
      for (const tool of tools) {
        const named = parameterRows(tool.inputSchema).filter((row) => row.depth === 0 && row.named);
        expect(named.map((row) => row.name)).toEqual(
          Object.keys((tool.inputSchema['properties'] as object | undefined) ?? {}),
        );
      }
  });

  it('bound the work on a schema that unfolds without end', () => {
    const branch = { anyOf: Array.from({ length: 20 }, () => ({ $ref: '#/$defs/B' })) };
    const rows = parameterRows(
      withProperties(
        { a: { $ref: '#/$defs/A' } },
        { $defs: { A: branch, B: { anyOf: branch.anyOf.map(() => ({ $ref: '#/$defs/C' })) }, C: branch } },
      ),
    );
    expect(rows.length).toBeLessThanOrEqual(5_000);
  });
});
