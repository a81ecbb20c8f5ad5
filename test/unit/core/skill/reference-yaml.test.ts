import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Json, JsonObject, Tool } from '../../../../src/core/model.ts';
import {
  toolEntry,
  toolFromEntry,
  toolKey,
  toolNameOfKey,
  yamlMapping,
} from '../../../../src/core/skill/reference-yaml.ts';
import { corpus } from '../../../support/corpus.ts';

const tool = (inputSchema: JsonObject, description = 'Does a thing'): Tool => ({
  name: 'thing',
  description,
  inputSchema,
});

/** Both dialects of YAML must read what we write as the same data; maps keep names such as `__proto__` apart. */
function readBack(text: string): readonly unknown[] {
  return (['1.1', '1.2'] as const).map((version) => parse(text, { version, merge: false }));
}

/** JSON without the negative zero that JSON itself loses. */
const json = fc.jsonValue({ noUnicodeString: false }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

describe('the reference YAML', () => {
  it('gives back every schema of every recorded server, in YAML 1.1 and 1.2', () => {
    let seen = 0;
    for (const catalog of corpus())
      for (const one of catalog.tools) {
        for (const read of readBack(yamlMapping([[toolKey(one.name), toolEntry(one)]]))) {
          const [[key, entry]] = Object.entries(read as JsonObject) as [[string, JsonObject]];
          expect(toolNameOfKey(key)).toBe(one.name);
          expect(toolFromEntry(entry)).toEqual({ description: one.description, inputSchema: one.inputSchema });
        }
        seen++;
      }
    expect(seen).toBeGreaterThan(600);
  });

  it('gives back any JSON value under any key', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), json, (name, value) => {
        const key = /\p{Cs}/u.test(name) || name === '__proto__' ? 'key' : name;
        for (const read of readBack(yamlMapping([[key, value]]))) expect(read).toEqual({ [key]: value });
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ...[
      'yes',
      'NO',
      'on',
      'off',
      'y',
      'n',
      'true',
      'null',
      '~',
      '',
      ' padded ',
      '1e3',
      '0x1f',
      '12:30:45',
      '2026-01-31',
    ],
    ...[
      'a: b',
      'a #b',
      '# a',
      '- a',
      '? a',
      '| a',
      '> a',
      '[a]',
      '{a}',
      '*a',
      '&a',
      '!a',
      '%a',
      '@a',
      '`a',
      '---',
      '...',
    ],
    ...[
      '=',
      '<<',
      '.inf',
      'nan',
      'ends:',
      'tab\there',
      'two\nlines',
      'cr\rhere',
      '\u0000',
      '\u0085',
      '\u2028',
      '\ufeff',
      '🐳',
      '日本',
    ],
  ])('keeps the text %j a text', (text) => {
    for (const read of readBack(
      yamlMapping([
        ['key', [text]],
        [text, text],
      ]),
    ))
      expect(read).toEqual({ key: [text], [text]: text });
  });

  it.each<[string, JsonObject]>([
    ['no type at the root', { properties: { a: {} } }],
    ['a root keyword named like an entry', { type: 'object', parameters: 1 }],
    ['a description at the root', { type: 'object', description: 'of the schema', properties: {} }],
    ['no properties', { type: 'object' }],
    ['empty properties', { type: 'object', properties: {} }],
    [
      'definitions and other root keywords',
      {
        type: 'object',
        $defs: { A: { type: 'string' } },
        properties: { a: { $ref: '#/$defs/A' } },
        oneOf: [{}],
        additionalProperties: false,
      },
    ],
    ['properties that are no mapping', { type: 'object', properties: [] }],
    [
      'a big exponent',
      { type: 'object', properties: { a: { maximum: 1e21, minimum: 1e-7, default: 9007199254740991 } } },
    ],
  ])('turns a schema with %s back exactly', (_what, schema) => {
    for (const read of readBack(yamlMapping([['thing', toolEntry(tool(schema))]])))
      expect(toolFromEntry((read as { thing: JsonObject }).thing).inputSchema).toEqual(schema);
  });

  it('keeps a property named __proto__ a property', () => {
    const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}') as JsonObject;
    const text = yamlMapping([['thing', toolEntry(tool(schema))]]);
    expect(text).toContain('    __proto__:\n      type: string\n');
    expect(({} as Record<string, unknown>)['type']).toBeUndefined();
  });

  it('gives a tool named _usage a key of its own', () => {
    for (const name of ['_usage', '\\_usage', '\\', 'plain']) {
      expect(toolKey(name)).not.toBe('_usage');
      expect(toolNameOfKey(toolKey(name))).toBe(name);
    }
  });
});
