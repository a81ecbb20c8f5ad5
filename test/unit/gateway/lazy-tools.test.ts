/** The lazy form: names in the listing, the server's own schema one call away, calls checked before they are made. */
import { describe, expect, it } from 'vitest';
import type { JsonObject, Tool } from '../../../src/core/model.ts';
import { answerLazily, lazyListing, lazyTools, listingLine } from '../../../src/gateway/lazy-tools.ts';
import { publicNames } from '../../../src/gateway/names.ts';
import type { MissingServer, Shelf, ShownTool } from '../../../src/gateway/shelf.ts';
import type { Upstream } from '../../../src/gateway/upstream.ts';
import { corpus } from '../../support/corpus.ts';
import { serverOf, stdio } from '../../support/mcp-servers.ts';

function upstreamOf(name: string): Upstream {
  const none = () => Promise.reject(new Error('not for this test'));
  return {
    server: serverOf(name, stdio('x', [])),
    recorded: async () => undefined,
    catalog: none,
    call: none,
    wake: none,
    request: none,
    offers: () => false,
    close: none,
  };
}

function shownOf(
  catalogs: readonly { readonly server: string; readonly tools: readonly Tool[] }[],
): readonly ShownTool[] {
  const all = catalogs.flatMap(({ server, tools }) => {
    const upstream = upstreamOf(server);
    return tools.map((tool) => ({ upstream, tool }));
  });
  const names = publicNames(all.map(({ upstream, tool }) => ({ server: upstream.server.name, name: tool.name })));
  return all.map((one, index) => ({ ...one, name: names[index] ?? '' }));
}

function shelfOf(tools: readonly ShownTool[], missing: readonly MissingServer[] = []): Shelf {
  return {
    tools: async () => tools,
    find: async (name) => tools.find((one) => one.name === name),
    missing: () => missing,
    missingFor: (name) => missing.find(({ server }) => name.startsWith(`${server}__`)),
    changed: () => {},
  };
}

const tool = (
  name: string,
  description = `Does ${name}. And more.`,
  inputSchema: JsonObject = { type: 'object' },
): Tool => ({
  name,
  description,
  inputSchema,
});
const few = shownOf([{ server: 's', tools: [tool('one'), tool('two', '')] }]);
const adder: Tool = tool('add', 'Adds.', {
  type: 'object',
  properties: { a: { type: 'number' } },
  required: ['a'],
});
const shelf = shelfOf(shownOf([{ server: 'sums', tools: [adder] }]));

describe('describe_tool', () => {
  it('gives for every recorded tool the schema equal to its server’s', async () => {
    const tools = shownOf(corpus());
    const byName = new Map(tools.map((one) => [one.name, one]));
    const all: Shelf = { ...shelfOf(tools), find: async (name) => byName.get(name) };
    expect(tools.length).toBeGreaterThan(600);
    for (const shown of tools) {
      const outcome = await answerLazily('describe_tool', { name: shown.name }, all);
      if (outcome?.kind !== 'text') throw new Error(`no text for ${shown.name}`);
      const described = JSON.parse(outcome.text) as { name: string; description: string; inputSchema: unknown };
      expect(described.inputSchema).toEqual(shown.tool.inputSchema);
      expect([described.name, described.description]).toEqual([shown.name, shown.tool.description]);
    }
  });

  it.each<[JsonObject, string]>([
    [{ name: 'sums__ad' }, 'There is no tool "sums__ad". Did you mean sums__add?'],
    [{ name: 'zzz' }, 'There is no tool "zzz". list_tools names them.'],
    [{}, '"name" is missing.'],
    [{ name: 7 }, '"name" is missing.'],
  ])('answers %j with what to do', async (args, text) => {
    const outcome = await answerLazily('describe_tool', args, shelf);
    expect(outcome).toMatchObject({ kind: 'text', isError: true, text: expect.stringContaining(text) });
  });
});

describe('call_tool', () => {
  it.each<[string, JsonObject]>([
    ['an object', { name: 'sums__add', arguments: { a: 1 } }],
    ['an object written as a text', { name: 'sums__add', arguments: '{"a":1}' }],
  ])('passes on arguments that are %s', async (_, args) => {
    expect(await answerLazily('call_tool', args, shelf)).toMatchObject({
      kind: 'call',
      shown: { tool: adder },
      args: { a: 1 },
    });
  });

  it.each<[JsonObject, string]>([
    [{ name: 'sums__add' }, "must have required property 'a'"],
    [{ name: 'sums__add', arguments: { a: 'x' } }, 'arguments/a must be number'],
    [{ name: 'sums__add', arguments: [1] }, 'Give the arguments as a JSON object'],
    [{ name: 'sums__add', arguments: '{"a":' }, 'Give the arguments as a JSON object'],
    [{ name: 'sums_add', arguments: {} }, 'Did you mean sums__add?'],
  ])('refuses %j and says why', async (args, text) => {
    const outcome = await answerLazily('call_tool', args, shelf);
    expect(outcome).toMatchObject({ kind: 'text', isError: true, text: expect.stringContaining(text) });
  });
});

describe('list_tools', () => {
  const two = shelfOf(
    shownOf([
      { server: 'sums', tools: [adder] },
      { server: 'other', tools: [tool('find', 'Looks up a word.')] },
    ]),
  );

  it.each<[JsonObject, string]>([
    [{}, 'sums__add: Adds\nother__find: Looks up a word'],
    [{ server: 'sums' }, 'sums__add: Adds'],
    [{ word: 'WORD' }, 'other__find: Looks up a word'],
    [{ server: 'none' }, 'No tool fits. The servers are: sums, other.'],
  ])('answers %j', async (args, text) => {
    expect(await answerLazily('list_tools', args, two)).toEqual({ kind: 'text', text, isError: false });
  });
});

describe('a server whose tools are not there', () => {
  const partial = shelfOf(shownOf([{ server: 'sums', tools: [adder] }]), [
    { server: 'broken', why: 'It ended.' },
    { server: 'slow', why: 'It is slow.' },
  ]);
  const broken = 'The tools of server "broken" are not there. It ended.';
  const slow = 'The tools of server "slow" are not there. It is slow.';

  it.each<[JsonObject, string]>([
    [{}, `sums__add: Adds\n${broken}\n${slow}`],
    [{ server: 'sums' }, 'sums__add: Adds'],
    [{ server: 'broken' }, `No tool fits. The servers are: sums.\n${broken}`],
  ])('is named by list_tools for %j', async (args, text) => {
    expect(await answerLazily('list_tools', args, partial)).toEqual({ kind: 'text', text, isError: false });
  });

  it.each(['describe_tool', 'call_tool'])('is what %s answers for each of its tools', async (tool) => {
    const outcome = await answerLazily(tool, { name: 'broken__x' }, partial);
    expect(outcome).toEqual({ kind: 'text', text: broken, isError: true });
  });
});

it('any other name is none of ours', async () => {
  expect(await answerLazily('sums__add', {}, shelf)).toBeUndefined();
});

describe('the listing', () => {
  it('has a line for each tool, with its first sentence where there is one', () => {
    expect(few.map(listingLine)).toEqual(['s__one: Does one', 's__two']);
    expect(lazyListing(few)).toBe('s__one: Does one\ns__two');
  });

  it('has names alone where the lines are too many, and counts where the names are', () => {
    const many = shownOf([{ server: 'big', tools: Array.from({ length: 40 }, (_, index) => tool(`tool_${index}`)) }]);
    expect(lazyListing(many, 600)).toMatch(/^big__\{tool_0,tool_1,.*,tool_39\}$/);
    expect(lazyListing(many, 200)).toBe('big: 40 tools\nlist_tools names the tools of a server.');
  });

  it('never makes a description longer than clients take, and is the same every time', () => {
    const everything = shownOf(corpus());
    for (const tools of [[], few, everything]) {
      for (const { description } of lazyTools(tools)) expect(Buffer.byteLength(description)).toBeLessThanOrEqual(2_048);
      expect(lazyTools(tools)).toEqual(lazyTools(tools));
    }
  });
});
