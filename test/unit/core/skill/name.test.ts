import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { skillDescription, skillNameOf, skillNames } from '../../../../src/core/skill/name.ts';
import { corpus } from '../../../support/corpus.ts';

describe('skill names', () => {
  it.each([
    ['fal-ai/flux-lora', 'fal-ai-flux-lora'],
    ['My Server', 'my-server'],
    ['A--B', 'a-b'],
    ['-x-', 'x'],
    ['サーバー', 'mcp-server'],
    ['Ünï', 'uni'],
    ['../../x', 'x'],
    ['CON', 'mcp-con'],
    ['aux.', 'mcp-aux'],
    ['claude-helper', 'helper'],
    ['Anthropic', 'mcp-server'],
    ['workspace', 'mcp-workspace'],
    ['', 'mcp-server'],
    [`${'a'.repeat(63)}-b`, 'a'.repeat(63)],
  ])('turn %j into %j', (server, expected) => {
    expect(skillNameOf(server)).toBe(expected);
  });

  it('are valid and unique for any servers', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string({ unit: 'binary' }),
            fc.constantFrom('My Server', 'my-server', 'MY_SERVER', 'x'.repeat(80)),
          ),
          { maxLength: 15 },
        ),
        (servers) => {
          const { value } = skillNames(servers);
          expect(new Set(value).size).toBe(servers.length);
          for (const name of value) expect(name).toMatch(/^(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*$/);
        },
      ),
    );
  });

  it('report a collision with both servers', () => {
    const { value, problems } = skillNames(['My Server', 'other', 'my-server']);
    expect(value).toEqual(['my-server', 'other', 'my-server-2']);
    expect(problems).toMatchObject([
      { kind: 'skill-collision', server: 'my-server', message: expect.stringContaining('"My Server"') },
    ]);
  });
});

describe('skill descriptions', () => {
  it('name the server and its domain in the third person, on one line of the allowed length', () => {
    for (const catalog of corpus()) {
      const text = skillDescription(catalog);
      expect(text).toMatch(new RegExp(`^Calls the ${catalog.server} MCP server\\. Use for .+\\.$`));
      expect(text.length).toBeLessThanOrEqual(200);
    }
  });

  it('use the nouns that people say', () => {
    const github = corpus().find((catalog) => catalog.server === 'github');
    if (github === undefined) throw new Error('no github');
    expect(skillDescription(github)).toBe(
      'Calls the github MCP server. Use for pull requests, issues, repositories, files, branches, commits.',
    );
  });

  it('say something for a server without tools', () => {
    expect(skillDescription({ server: 'x', origin: 'file', tools: [] })).toBe(
      'Calls the x MCP server. Use for tasks with x.',
    );
  });
});
