/** Unused definitions fall away, and nothing that a reference could reach. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { pruneSchema } from '#core/catalog/prune.ts';
import type { JsonObject } from '#core/model.ts';

interface Case {
  readonly title: string;
  readonly schema: JsonObject;
  /** What remains; absent where the very same object must come back. */
  readonly kept?: JsonObject;
}

function check({ schema, kept }: Case): void {
  const before = JSON.stringify(schema);
  const result = pruneSchema(schema);
  if (kept === undefined) expect(result).toBe(schema);
  else expect(result).toEqual(kept);
  expect(JSON.stringify(schema)).toBe(before);
  expect(pruneSchema(result)).toBe(result);
}

const a = { type: 'string' };
const ref = (to: string): JsonObject => ({ $ref: to });

const CASES: readonly Case[] = [
  { title: 'no definitions', schema: { type: 'object', properties: { x: a } } },
  { title: 'definitions that are all used', schema: { properties: { x: ref('#/$defs/a') }, $defs: { a } } },
  { title: 'definitions that nobody uses', schema: { type: 'object', $defs: { a, b: a } }, kept: { type: 'object' } },
  {
    title: 'one used and one unused, in both homes',
    schema: { items: [ref('#/$defs/a'), ref('#/definitions/b')], $defs: { a, b: a }, definitions: { a, b: a } },
    kept: { items: [ref('#/$defs/a'), ref('#/definitions/b')], $defs: { a }, definitions: { b: a } },
  },
  {
    title: 'a chain and a cycle, and a cycle that nothing enters',
    schema: {
      anyOf: [ref('#/$defs/a')],
      $defs: { a: ref('#/$defs/b'), b: { items: ref('#/$defs/a') }, c: ref('#/$defs/d'), d: ref('#/$defs/c') },
    },
    kept: { anyOf: [ref('#/$defs/a')], $defs: { a: ref('#/$defs/b'), b: { items: ref('#/$defs/a') } } },
  },
  {
    title: 'a pointer into a definition, with escapes of both kinds',
    schema: {
      not: ref('#/$defs/a~1b/properties/x'),
      if: ref('#/$defs/c%20d'),
      $defs: { 'a/b': { properties: { x: a } }, 'c d': a, e: a },
    },
    kept: {
      not: ref('#/$defs/a~1b/properties/x'),
      if: ref('#/$defs/c%20d'),
      $defs: { 'a/b': { properties: { x: a } }, 'c d': a },
    },
  },
  {
    title: 'names of Object.prototype',
    schema: JSON.parse(
      '{"x":{"$ref":"#/$defs/__proto__"},"$defs":{"__proto__":{"type":"string"},"constructor":{"type":"null"}}}',
    ),
    kept: JSON.parse('{"x":{"$ref":"#/$defs/__proto__"},"$defs":{"__proto__":{"type":"string"}}}'),
  },
  {
    title: 'a property that is called $ref or $defs',
    schema: { properties: { $ref: a, $defs: { properties: { x: ref('#/$defs/b') } } }, $defs: { a, b: a } },
    kept: { properties: { $ref: a, $defs: { properties: { x: ref('#/$defs/b') } } }, $defs: { b: a } },
  },
  { title: 'an $id, an anchor, a dynamic reference', schema: { $defs: { a: { $anchor: 'x' }, b: a } } },
  { title: 'an $id', schema: { $id: 'https://x.example/s', $defs: { b: a } } },
  { title: 'a reference by anchor', schema: { x: ref('#name'), $defs: { b: a } } },
  { title: 'a reference to all definitions', schema: { x: ref('#/$defs'), $defs: { b: a } } },
  { title: 'a broken escape', schema: { x: ref('#/$defs/%zz'), $defs: { b: a } } },
  {
    title: 'a dangling and a remote reference',
    schema: { x: ref('#/$defs/gone'), y: ref('https://x.example/s#/$defs/b'), $defs: { b: a } },
    kept: { x: ref('#/$defs/gone'), y: ref('https://x.example/s#/$defs/b') },
  },
  { title: 'definitions that are no object', schema: { $defs: true } },
];

it.each(CASES)('judges $title', check);

it('brings one real server from 76 kB to 23 kB', () => {
  const { tools }: { tools: { inputSchema: JsonObject }[] } = JSON.parse(
    readFileSync('test/fixtures/corpus/notion.json', 'utf8'),
  );
  const pruned = tools.map((tool) => ({ ...tool, inputSchema: pruneSchema(tool.inputSchema) }));
  expect([JSON.stringify(tools).length, JSON.stringify(pruned).length]).toEqual([76_215, 23_507]);
});

it('is not slowed down by ten thousand definitions', () => {
  const names = Array.from({ length: 10_000 }, (_, index) => `d${index}`);
  const $defs = Object.fromEntries(
    names.map((name, index) => [name, index % 2 === 0 ? ref(`#/$defs/d${index + 2}`) : a]),
  );
  expect(Object.keys(pruneSchema({ x: ref('#/$defs/d0'), $defs })['$defs'] ?? {})).toHaveLength(5_000);
});
