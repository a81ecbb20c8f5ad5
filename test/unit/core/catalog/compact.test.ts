import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compactTool, safeDescription } from '../../../../src/core/catalog/compact.ts';
import { isJsonObject, jsonObject } from '../../../../src/core/json.ts';
import type { Json, JsonObject, Tool } from '../../../../src/core/model.ts';
import { corpus } from '../../../support/corpus.ts';

function reference(name: string): readonly Tool[] {
  const url = new URL(`../../../fixtures/compact-reference/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(url, 'utf8')) as { tools: Tool[] }).tools;
}

const described = (description: string): Tool => ({
  name: 'thing',
  description: '',
  inputSchema: { type: 'object', properties: { p: { type: 'string', description } }, required: [] },
});

const propertyOf = (tool: Tool): JsonObject => (tool.inputSchema['properties'] as { p: JsonObject }).p;

describe('the strict rules', () => {
  it('turn all 33 tools of the reference pair into its compact form', () => {
    const compact = reference('compact');
    const made = reference('normal').map((tool) => compactTool(tool, 'strict'));
    expect(made).toHaveLength(33);
    expect(made).toEqual(compact);
  });

  it('save 31 percent or more of the reference list', () => {
    const before = JSON.stringify(reference('normal')).length;
    const after = JSON.stringify(reference('normal').map((tool) => compactTool(tool, 'strict'))).length;
    expect(1 - after / before).toBeGreaterThan(0.31);
  });

  it.each<[string, string | undefined]>([
    ['Rename a thing. Keywords: rename, mv', 'Rename a thing.'],
    ['A b. Use for X / (translation). Examples: z', 'A b.'],
    ['CPU / memory usage of the host', 'CPU'],
    ['Use format YYYY-MM-DD for dates', undefined],
    ['IMPORTANT: read this first', undefined],
    ['Retry on 4xx/5xx', 'Retry on 4xx/5xx'],
    ['keywords: lower', 'keywords: lower'],
    ['a'.repeat(150), 'a'.repeat(150)],
    ['a'.repeat(151), `${'a'.repeat(150)}...`],
    ['é'.repeat(100), `${'é'.repeat(75)}...`],
  ])('cut %j as upstream does', (text, expected) => {
    expect(propertyOf(compactTool(described(text), 'strict'))['description']).toBe(expected);
  });
});

/** Names of all properties, nested ones too, with what is required: the shape a call needs. */
function shapeOf(schema: Json | undefined): Json {
  if (!isJsonObject(schema)) return null;
  const shape: [string, Json][] = [['[]', shapeOf(schema['items'])]];
  const properties = schema['properties'];
  if (isJsonObject(properties))
    for (const [name, inner] of Object.entries(properties)) shape.push([`.${name}`, shapeOf(inner)]);
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[keyword];
    if (Array.isArray(branches)) shape.push([keyword, branches.map(shapeOf)]);
  }
  for (const keyword of ['type', 'enum', 'const', '$ref', 'default', 'required']) {
    const value = schema[keyword];
    if (value !== undefined) shape.push([keyword, value]);
  }
  return jsonObject(shape);
}

describe('the safe rules', () => {
  it('keep the shape of every recorded tool: names, types, options, defaults, required, nesting', () => {
    let nested = 0;
    for (const { tools } of corpus())
      for (const tool of tools) {
        const made = compactTool(tool, 'safe');
        expect(shapeOf(made.inputSchema), tool.name).toEqual(shapeOf(tool.inputSchema));
        if (JSON.stringify(shapeOf(tool.inputSchema)).includes('"[]":{"[]":null,".')) nested++;
      }
    expect(nested).toBeGreaterThan(20);
  });

  it('never empty a description and never exceed their limits', () => {
    for (const { tools } of corpus())
      for (const tool of tools) {
        const made = compactTool(tool, 'safe');
        expect(made.description === '', tool.name).toBe(tool.description.trim() === '');
        expect([...made.description].length).toBeLessThanOrEqual(303);
      }
  });

  it.each<[string, string]>([
    ['IMPORTANT: read this first', 'IMPORTANT: read this first'],
    ['Use format YYYY-MM-DD for dates', 'Use format YYYY-MM-DD for dates'],
    ['CPU / memory usage of the host', 'CPU / memory usage of the host'],
    ['Delete a file / 删除文件', 'Delete a file'],
    ['Rename a thing. Keywords: rename, mv', 'Rename a thing.'],
    ['Rename. Keywords: mv\nNeeds a path.', 'Rename. Needs a path.'],
    ['MyKeywords: stay', 'MyKeywords: stay'],
    [`One sentence. ${'word '.repeat(60)}`, `One sentence. ${'word '.repeat(27).trim()}...`],
    [
      `${'A long first sentence that goes on for quite a while, yes indeed. '.repeat(3)}`,
      `${'A long first sentence that goes on for quite a while, yes indeed. '.repeat(2)}`.trim(),
    ],
    ['🐳'.repeat(200), `${'🐳'.repeat(150)}...`],
  ])('shorten %j without damage', (text, expected) => {
    expect(safeDescription(text)).toBe(expected);
  });

  it('take a property named like a keyword for a property', () => {
    const tool: Tool = {
      name: 't',
      description: '',
      inputSchema: { type: 'object', properties: { pattern: { type: 'string', pattern: 'x' }, format: {} } },
    };
    expect(compactTool(tool, 'safe').inputSchema['properties']).toEqual({ pattern: { type: 'string' }, format: {} });
  });
});
