/** Public names: what every client takes, one for each tool, the same at every start. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { likeNames, MAX_NAME, matchesRule, type Origin, publicNames } from '../../../src/gateway/names.ts';
import { corpus } from '../../support/corpus.ts';

const isFine = (name: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(name) && name.length <= MAX_NAME;

describe('short names', () => {
  it('leave out the server where only one has the tool, and keep it where two do', () => {
    const origins = [
      { server: 'a', name: 'read.file' },
      { server: 'a', name: 'ask' },
      { server: 'b', name: 'ask' },
      { server: 'b', name: `x${'y'.repeat(80)}` },
    ];
    const names = publicNames(origins, 'short');
    expect(names.slice(0, 3)).toEqual(['read_file', 'a__ask', 'b__ask']);
    expect(names[3]).toHaveLength(MAX_NAME);
    expect(publicNames(origins)[1]).toBe('a__ask');
  });
});

describe('public names', () => {
  it.each<{ name: string; origins: readonly Origin[]; expected: readonly (string | RegExp)[] }>([
    {
      name: 'join the names of server and tool',
      origins: [{ server: 'github', name: 'create_issue' }],
      expected: ['github__create_issue'],
    },
    {
      name: 'replace what clients refuse',
      origins: [{ server: 'my server', name: 'files.read' }],
      expected: ['my_server__files_read'],
    },
    {
      name: 'take none of two that would be alike, so that neither depends on the other being there first',
      origins: [
        { server: 'a__b', name: 'c' },
        { server: 'a', name: 'b__c' },
        { server: 'a', name: 'other' },
      ],
      expected: [/^a__b__c_[0-9a-f]{8}$/, /^a__b__c_[0-9a-f]{8}$/, 'a__other'],
    },
    {
      name: 'keep the limit, with a part of their own',
      origins: [
        { server: 'server', name: `${'x'.repeat(70)}1` },
        { server: 'server', name: `${'x'.repeat(70)}2` },
      ],
      expected: [/^server__x{47}_[0-9a-f]{8}$/, /^server__x{47}_[0-9a-f]{8}$/],
    },
  ])('$name', ({ origins, expected }) => {
    const names = publicNames(origins);
    expect(new Set(names).size).toBe(origins.length);
    for (const [index, name] of names.entries()) {
      const wanted = expected[index] ?? '';
      if (typeof wanted === 'string') expect(name).toBe(wanted);
      else expect(name).toMatch(wanted);
    }
  });

  it('are fine and unique whatever servers and tools are called', () => {
    const word = fc.oneof(fc.string({ maxLength: 80 }), fc.stringMatching(/^[ab_.]{0,5}$/));
    const origins = fc.uniqueArray(fc.record({ server: word, name: word }), {
      selector: ({ server, name }) => JSON.stringify([server, name]),
    });
    fc.assert(
      fc.property(origins, (some) => {
        const names = publicNames(some);
        expect(new Set(names).size).toBe(some.length);
        expect(names.filter((name) => !isFine(name))).toEqual([]);
      }),
    );
  });

  it('are fine and unique for all recorded servers at once', () => {
    const origins = corpus().flatMap(({ server, tools }) => tools.map(({ name }) => ({ server, name })));
    const names = publicNames(origins);
    expect(origins.length).toBeGreaterThan(600);
    expect(new Set(names).size).toBe(origins.length);
    expect(names.every(isFine)).toBe(true);
  });
});

describe('rules for tools', () => {
  it.each<[rule: string, server: string, tool: string, expected: boolean]>([
    ['delete', 'x', 'delete', true],
    ['delete', 'x', 'delete_all', false],
    ['delete*', 'x', 'delete_all', true],
    ['github/delete_*', 'github', 'delete_repo', true],
    ['github/delete_*', 'gitlab', 'delete_repo', false],
    ['github/*', 'github', 'anything/with.signs', true],
    ['*/read', 'any', 'read', true],
    ['files/read', 'any', 'files/read', true],
    ['a.c', 'x', 'abc', false],
    ['(', 'x', '(', true],
  ])('%s for %s %s: %s', (rule, server, name, expected) => {
    expect(matchesRule(rule, { server, name })).toBe(expected);
  });
});

describe('names like a word', () => {
  const names = ['github__create_issue', 'github__list_issues', 'memory__read_graph'];

  it.each([
    ['create_issue', 'github__create_issue'],
    ['githubCreateIssue', 'github__create_issue'],
    ['read-graph', 'memory__read_graph'],
  ])('of %s begin with %s', (word, expected) => {
    expect(likeNames(word, names)[0]).toBe(expected);
  });

  it('are none where nothing is alike', () => {
    expect(likeNames('zzz', names)).toEqual([]);
    expect(likeNames('', names)).toEqual([]);
  });
});
