import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MAX_TOOLS, readTools, readToolsFile } from '#core/catalog/catalog.ts';
import type { ProblemKind } from '#core/problem.ts';

const good = { name: 'good', description: 'Does good.', inputSchema: { type: 'object' } };
const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i++) value = { a: value };
  return value;
};

interface Case {
  readonly list: unknown;
  readonly names: readonly string[];
  readonly kinds?: readonly ProblemKind[];
  /** What the first problem says. */
  readonly says?: RegExp;
}

function check({ list, names, kinds = [], says }: Case): void {
  const read = readTools(list, { server: 'srv' });
  expect(read.value.map((tool) => tool.name)).toEqual(names);
  expect(read.problems.map((problem) => problem.kind)).toEqual(kinds);
  for (const problem of read.problems) {
    expect(problem.server).toBe('srv');
    expect(problem.remedy).toBeTruthy();
  }
  if (says !== undefined) expect(read.problems[0]?.message).toMatch(says);
}

const cases: readonly (readonly [behaviour: string, test: Case])[] = [
  ['reads a good tool', { list: [good], names: ['good'] }],
  ['reads an empty list', { list: [], names: [] }],
  ['says that there is no list', { list: undefined, names: [], kinds: ['catalog-invalid'], says: /no list/ }],
  ['says that a list is none', { list: { a: 1 }, names: [], kinds: ['catalog-invalid'], says: /not an array/ }],
  [
    'names a tool that is no object by its place',
    { list: [good, 7], names: ['good'], kinds: ['tool-invalid'], says: /^Tool 2 is not/ },
  ],
  [
    'names a tool without a name by its place',
    { list: [{ inputSchema: {} }, good], names: ['good'], kinds: ['tool-invalid'], says: /^Tool 1 has no name/ },
  ],
  [
    'leaves out a tool whose schema is no object',
    {
      list: [{ name: 'x', inputSchema: [] }, good],
      names: ['good'],
      kinds: ['tool-invalid'],
      says: /^Tool 1 \("x"\) has an inputSchema that/,
    },
  ],
  [
    'keeps a schema without type object, and warns',
    {
      list: [{ name: 'x', inputSchema: { properties: {} } }],
      names: ['x'],
      kinds: ['tool-invalid'],
      says: /without "type": "object"/,
    },
  ],
  ['keeps a tool without a schema, and warns', { list: [{ name: 'x' }], names: ['x'], kinds: ['tool-invalid'] }],
  [
    'keeps a tool whose description is no text, and warns',
    { list: [{ ...good, description: 5 }], names: ['good'], kinds: ['tool-invalid'] },
  ],
  [
    'uses the first of two tools of one name',
    { list: [good, { ...good, description: 'b' }], names: ['good'], kinds: ['tool-duplicate'] },
  ],
  ['keeps names that differ only by case', { list: [good, { ...good, name: 'Good' }], names: ['good', 'Good'] }],
  [
    'leaves out a tool that is nested too deep',
    {
      list: [{ ...good, name: 'deep', inputSchema: nested(70) }, good],
      names: ['good'],
      kinds: ['tool-invalid'],
      says: /deeper than 64/,
    },
  ],
  [
    'leaves out a tool that is too large',
    {
      list: [{ ...good, name: 'big', description: 'ü'.repeat(1_100_000) }, good],
      names: ['good'],
      kinds: ['tool-invalid'],
      says: /larger than 2000000 bytes/,
    },
  ],
  [
    'leaves out a tool with a value that JSON cannot say',
    {
      list: [{ ...good, name: 'nan', inputSchema: { minimum: Number.NaN } }, good],
      names: ['good'],
      kinds: ['tool-invalid'],
      says: /not JSON/,
    },
  ],
  [
    'names a hostile tool in one short line',
    {
      list: [{ name: `a\nb${'x'.repeat(500)}` }],
      names: [`a\nb${'x'.repeat(500)}`],
      kinds: ['tool-invalid'],
      says: /^Tool 1 \("a\\nbx{60,80}…"\)[^\n]*$/,
    },
  ],
];

describe('readTools', () => {
  it.each(cases)('%s', (_behaviour, test) => check(test));

  it('survives a tool that holds itself', () => {
    const cyclic: Record<string, unknown> = { type: 'object' };
    cyclic['self'] = cyclic;
    check({ list: [{ name: 'c', inputSchema: cyclic }, good], names: ['good'], kinds: ['tool-invalid'] });
  });

  it('stops at the limit of tools and says so', () => {
    const list = Array.from({ length: MAX_TOOLS + 1 }, (_, index) => ({ ...good, name: `t${index}` }));
    const read = readTools(list, { server: 'srv' });
    expect(read.value).toHaveLength(MAX_TOOLS);
    expect(read.problems).toMatchObject([{ kind: 'catalog-truncated' }]);
  });

  it('hands on the very schema that came in', () => {
    const schema = {
      type: 'object',
      'x-unknown': [1, null],
      properties: { a: { $ref: '#/$defs/a' } },
      $defs: { a: {} },
    };
    for (const key of ['inputSchema', 'parameters']) {
      expect(readTools([{ name: 'a', [key]: schema }], { server: 's' }).value[0]?.inputSchema).toBe(schema);
    }
  });

  it('prefers inputSchema to parameters', () => {
    const [tool] = readTools([{ name: 'a', inputSchema: { type: 'object' }, parameters: { type: 'string' } }], {
      server: 's',
    }).value;
    expect(tool?.inputSchema).toEqual({ type: 'object' });
  });

  it('keeps title, annotations and any output schema', () => {
    const more = { title: 'T', annotations: { readOnlyHint: true }, outputSchema: true };
    expect(readTools([{ ...good, ...more }], { server: 's' }).value[0]).toEqual({ ...good, ...more });
  });

  it('takes __proto__ and constructor for names like others', () => {
    const text =
      '[{"name":"__proto__","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"}}}},{"name":"constructor","__proto__":{"inputSchema":1}}]';
    const read = readTools(JSON.parse(text), { server: 's' });
    expect(read.value.map((tool) => tool.name)).toEqual(['__proto__', 'constructor']);
    expect(JSON.stringify(read.value[0]?.inputSchema)).toContain('"__proto__":{"type":"string"}');
    expect(Object.prototype).not.toHaveProperty('inputSchema');
  });
});

const file = 'tools.json';

describe('readToolsFile', () => {
  it.each([
    ['an array', [good]],
    ['an object with tools', { tools: [good] }],
    ['a single tool', good],
    ['an answer of JSON-RPC', { jsonrpc: '2.0', id: 1, result: { tools: [good] } }],
  ])('reads %s', (_what, value) => {
    expect(readToolsFile(`\uFEFF${JSON.stringify(value)}`, file)).toEqual({ value: { tools: [good] }, problems: [] });
  });

  it('keeps what a recording says of the server', () => {
    const facts = { instructions: 'Do.', protocolVersion: '2025-06-18', serverInfo: { name: 'n', version: '1' } };
    expect(readToolsFile(JSON.stringify({ ...facts, tools: [] }), file).value).toEqual({ ...facts, tools: [] });
  });

  it('says where JSON breaks', () => {
    expect(readToolsFile('{\n  "tools": [,]\n}', file)).toMatchObject({
      value: { tools: [] },
      problems: [{ kind: 'catalog-invalid', severity: 'error', at: { file, line: 2, column: 13 } }],
    });
  });

  it.each(['', '3', '{}', '{"tools": 1}'])('explains what is no tools file: %j', (text) => {
    const read = readToolsFile(text, file);
    expect(read.value.tools).toEqual([]);
    expect(read.problems).toMatchObject([{ kind: 'catalog-invalid', at: { file } }]);
  });

  it('survives truncation at every character', () => {
    const text = JSON.stringify({ tools: [good] });
    for (let end = 0; end < text.length; end++) {
      expect(readToolsFile(text.slice(0, end), file).problems).toHaveLength(1);
    }
  });

  it.each([
    ['everything', 13],
    ['notion', 24],
    ['zereight-gitlab', 201],
    ['xcodebuild', 24],
  ])('reads the recording of %s', (name, count) => {
    const text = readFileSync(join(import.meta.dirname, `../../../fixtures/corpus/${name}.json`), 'utf8');
    const read = readToolsFile(text, file);
    expect(read.value.tools).toHaveLength(count);
    const raw = JSON.parse(text) as { tools: { inputSchema: unknown }[] };
    expect(read.value.tools.map((tool) => tool.inputSchema)).toEqual(raw.tools.map((tool) => tool.inputSchema));
  });
});
