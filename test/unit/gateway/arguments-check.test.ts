/** Arguments against schemas: what is wrong, where, and what the tool takes. */
import { describe, expect, it } from 'vitest';
import type { JsonObject, Tool } from '../../../src/core/model.ts';
import { explainArguments } from '../../../src/gateway/arguments-check.ts';
import { corpus } from '../../support/corpus.ts';

const tool = (inputSchema: JsonObject): Tool => ({ name: 't', description: '', inputSchema });
const edits: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'The file.' },
    edits: {
      type: 'array',
      items: { type: 'object', properties: { oldText: { type: 'string' } }, required: ['oldText'] },
    },
    mode: { enum: ['fast', 'safe'] },
  },
  required: ['path'],
  additionalProperties: false,
};

describe('arguments that do not fit', () => {
  it.each<{ name: string; schema: JsonObject; args: JsonObject; says: readonly string[] }>([
    { name: 'lack what is required', schema: edits, args: {}, says: ["must have required property 'path'"] },
    { name: 'have the wrong type', schema: edits, args: { path: 1 }, says: ['arguments/path must be string'] },
    {
      name: 'are wrong deep inside',
      schema: edits,
      args: { path: 'a', edits: [{ old: 1 }] },
      says: ["arguments/edits/0 must have required property 'oldText'"],
    },
    {
      name: 'are none of the choices',
      schema: edits,
      args: { path: 'a', mode: 'x' },
      says: ["options: ['fast', 'safe']"],
    },
    { name: 'have a name too many', schema: edits, args: { path: 'a', pth: 1 }, says: ['additional properties'] },
    {
      name: 'are given to a tool that takes none',
      schema: { type: 'object', additionalProperties: false },
      args: { a: 1 },
      says: ['It takes no arguments.'],
    },
  ])('$name', ({ schema, args, says }) => {
    const text = explainArguments('server__t', tool(schema), args) ?? '';
    expect(text).toContain('do not fit server__t; nothing was called');
    for (const part of says) expect(text).toContain(part);
  });

  it('are told what the tool takes, nested parts too', () => {
    const text = explainArguments('t', tool(edits), {}) ?? '';
    expect(text.split('\n')).toEqual(
      expect.arrayContaining(['- path (string, required): The file.', '  - oldText (string, required)']),
    );
  });
});

describe('arguments that pass', () => {
  const slow = `${'a'.repeat(40)}!`;

  it.each<{ name: string; schema: JsonObject; args: JsonObject }>([
    { name: 'where they fit', schema: edits, args: { path: 'a', edits: [{ oldText: 'b' }], mode: 'safe' } },
    {
      name: 'where a type is unknown',
      schema: { type: 'object', properties: { a: { type: 'weird' } } },
      args: { a: 1 },
    },
    {
      name: 'where the schema refers to another document',
      schema: { type: 'object', properties: { a: { $ref: 'https://example.com/x' } } },
      args: { a: 1 },
    },
    {
      name: 'where a pattern would take for ever',
      schema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } },
      args: { a: slow },
    },
    {
      name: 'where only a pattern allows their names',
      schema: { type: 'object', patternProperties: { '^x-': {} }, additionalProperties: false },
      args: { 'x-a': 1 },
    },
    {
      name: 'for a property that is called pattern',
      schema: { properties: { pattern: { type: 'string' } } },
      args: { pattern: 'x' },
    },
  ])('$name', ({ schema, args }) => {
    expect(explainArguments('t', tool(schema), args)).toBeUndefined();
  });

  it('check a property that is called pattern all the same', () => {
    const schema = { type: 'object', properties: { pattern: { type: 'string' } } };
    expect(explainArguments('t', tool(schema), { pattern: 1 })).toContain('arguments/pattern must be string');
  });
});

it('every recorded tool with required parameters explains what is missing', () => {
  let checked = 0;
  for (const { tools } of corpus())
    for (const one of tools) {
      const required = one.inputSchema['required'];
      if (!Array.isArray(required) || required.length === 0) continue;
      expect(explainArguments(one.name, one, {}), one.name).toContain(`must have required property '${required[0]}'`);
      checked++;
    }
  expect(checked).toBeGreaterThan(500);
});
