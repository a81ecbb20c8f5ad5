/** The tools of all servers: none hides another, rules hold, late ones are announced. */
import { describe, expect, it } from 'vitest';
import type { Catalog, Server, Tool } from '../../../src/core/model.ts';
import { OperationError } from '../../../src/core/problem.ts';
import { createShelf, type ToolRules } from '../../../src/gateway/shelf.ts';
import type { Upstream } from '../../../src/gateway/upstream.ts';
import { serverOf, silent, stdio } from '../../support/mcp-servers.ts';

const none = (): Promise<never> => Promise.reject(new Error('not for this test'));
const tool = (name: string): Tool => ({ name, description: '', inputSchema: { type: 'object' } });

interface Scripted extends Upstream {
  asked: number;
  answer: () => Promise<Catalog>;
}

function upstream(name: string, tools: readonly string[], more: Partial<Server> = {}): Scripted {
  const self: Scripted = {
    server: serverOf(name, stdio('x', []), more),
    asked: 0,
    answer: async () => ({ server: name, origin: 'live', tools: tools.map(tool) }),
    recorded: async () => undefined,
    catalog: () => {
      self.asked++;
      return self.answer();
    },
    call: none,
    wake: none,
    request: none,
    offers: () => false,
    close: none,
  };
  return self;
}

function shelf(upstreams: readonly Upstream[], rules: ToolRules = { allow: [], deny: [] }) {
  const arrivals: string[] = [];
  const clock = { now: 0 };
  const made = createShelf({
    upstreams,
    rules,
    names: 'full',
    logger: silent,
    signal: new AbortController().signal,
    patienceMs: 5_000,
    shortPatienceMs: 10,
    now: () => clock.now,
    onDidArrive: () => {
      arrivals.push('came');
      made.changed();
    },
  });
  return { shelf: made, arrivals, clock, names: async () => (await made.tools()).map(({ name }) => name) };
}

describe('the tools of all servers', () => {
  it('are in the order of the servers, and asked for once', async () => {
    const a = upstream('a', ['x', 'y']);
    const { names } = shelf([a, upstream('b', ['x'])]);
    expect(await names()).toEqual(['a__x', 'a__y', 'b__x']);
    await names();
    expect(a.asked).toBe(1);
  });

  it('are asked for again when a list has changed', async () => {
    const a = upstream('a', ['x']);
    const made = shelf([a]);
    await made.names();
    a.answer = async () => ({ server: 'a', origin: 'live', tools: [tool('z')] });
    made.shelf.changed();
    expect(await made.names()).toEqual(['a__z']);
    expect(await made.shelf.find('a__x')).toBeUndefined();
  });

  it('are those of the others where a server fails, which is asked again after a rest and announced', async () => {
    const bad = upstream('bad', ['x']);
    const good = bad.answer;
    bad.answer = () => Promise.reject(new OperationError('crashed', 'It\u001b[31m\nended.', { remedy: 'Mend it.' }));
    const { names, arrivals, clock, shelf: made } = shelf([bad, upstream('good', ['y'])]);
    expect(await names()).toEqual(['good__y']);
    expect(made.missing()).toEqual([{ server: 'bad', why: 'It [31m ended. Mend it.' }]);
    bad.answer = good;
    expect([await names(), await made.find('bad__x'), bad.asked]).toEqual([['good__y'], undefined, 1]);
    expect(made.missingFor('bad__x')).toEqual(made.missing()[0]);
    clock.now = 30_000;
    await names();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(arrivals).toEqual(['came']);
    expect(await names()).toEqual(['bad__x', 'good__y']);
    expect(made.missing()).toEqual([]);
  });

  it('come at once from a server that nobody had agreed to and somebody has now', async () => {
    const asks = upstream('asks', ['x']);
    const good = asks.answer;
    asks.answer = () => Promise.reject(new OperationError('consent-needed', 'Nobody agreed.'));
    const { names } = shelf([asks]);
    expect(await names()).toEqual([]);
    asks.answer = good;
    expect(await names()).toEqual(['asks__x']);
  });

  it('are waited for as long as there is nothing else to show', async () => {
    const slow = upstream('slow', ['x']);
    const comes = (): void => {
      const coming = new Promise((resolve) => setTimeout(resolve, 40)).then(async () => ({
        server: 'slow',
        origin: 'live' as const,
        tools: [tool('x')],
      }));
      slow.answer = () => coming;
    };
    comes();
    expect(await shelf([slow]).names()).toEqual(['slow__x']);
    comes();
    const other = shelf([slow, upstream('quick', ['y'])]);
    expect(await other.names()).toEqual(['quick__y']);
    expect((await other.shelf.find('slow__x'))?.name).toBe('slow__x');
  });

  it('are given without another wait where a server hangs, also to who asks for a name that nobody has', async () => {
    const hung = upstream('hung', []);
    hung.answer = () => new Promise(() => {});
    const { names, shelf: made } = shelf([hung, upstream('a', ['x'])]);
    expect(await names()).toEqual(['a__x']);
    const settled: string[] = [];
    const work = [names(), made.find('zzz')].map((one) => one.then(() => settled.push('done')));
    // Far fewer turns than the shortest timer takes.
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect(settled).toEqual(['done', 'done']);
    await Promise.all(work);
    expect([hung.asked, made.missing()]).toEqual([
      1,
      [{ server: 'hung', why: 'It is slow to start; its tools follow.' }],
    ]);
  });

  it('do not wait for one that is slow, and announce it when it comes', async () => {
    const slow = upstream('slow', ['x']);
    let go: (catalog: Catalog) => void = () => {};
    const coming = new Promise<Catalog>((resolve) => {
      go = resolve;
    });
    slow.answer = () => coming;
    const { names, arrivals } = shelf([slow, upstream('quick', ['y'])]);
    expect(await names()).toEqual(['quick__y']);
    expect(arrivals).toEqual([]);
    go({ server: 'slow', origin: 'live', tools: [tool('x')] });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(arrivals).toEqual(['came']);
    expect(await names()).toEqual(['slow__x', 'quick__y']);
  });
});

describe('a tool is found', () => {
  it('by its public name, and by its own where only one server has it', async () => {
    const made = shelf([upstream('a', ['x', 'only']), upstream('b', ['x'])]).shelf;
    expect((await made.find('b__x'))?.upstream.server.name).toBe('b');
    expect((await made.find('only'))?.name).toBe('a__only');
    expect(await made.find('x')).toBeUndefined();
  });

  it('without asking a broken server each time', async () => {
    const bad = upstream('bad', []);
    bad.answer = () => Promise.reject(new Error('no'));
    const made = shelf([bad, upstream('a', ['x'])]).shelf;
    await made.tools();
    await made.find('a__x');
    expect(bad.asked).toBe(1);
  });
});

describe('rules', () => {
  const servers = () => [
    upstream('git', ['read', 'delete_all', 'delete_one'], { excludeTools: ['delete_one'] }),
    upstream('mem', ['read', 'write'], { includeTools: ['read'] }),
  ];

  it.each<[string, ToolRules, readonly string[]]>([
    ['of the definitions hold by themselves', { allow: [], deny: [] }, ['git__read', 'git__delete_all', 'mem__read']],
    ['deny', { allow: [], deny: ['git/delete_*'] }, ['git__read', 'mem__read']],
    ['allow nothing else', { allow: ['mem/*'], deny: [] }, ['mem__read']],
    ['deny what they allow', { allow: ['read'], deny: ['mem/*'] }, ['git__read']],
    [
      'bring nothing back that a definition leaves out',
      { allow: ['*'], deny: [] },
      ['git__read', 'git__delete_all', 'mem__read'],
    ],
  ])('%s', async (_, rules, expected) => {
    const made = shelf(servers(), rules);
    expect(await made.names()).toEqual(expected);
    if (!expected.includes('git__delete_all')) expect(await made.shelf.find('git__delete_all')).toBeUndefined();
  });
});
