/** Resources and prompts of several servers: whose they are, and that none hides another's. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/model.ts';
import { OperationError } from '../../../src/core/problem.ts';
import { createPassThrough, type Exchange } from '../../../src/gateway/pass-through.ts';
import type { Upstream } from '../../../src/gateway/upstream.ts';
import { serverOf, silent, stdio } from '../../support/mcp-servers.ts';

const never = new AbortController().signal;
const none = (): Promise<never> => Promise.reject(new Error('not for this test'));

/** A server that answers as `answers` says by method, and fails in every other. */
function upstream(name: string, answers: (method: string, params: JsonObject) => JsonObject | undefined, runs = true) {
  const asked: string[] = [];
  const woken: string[] = [];
  let isRunning = runs;
  const self: Upstream = {
    server: serverOf(name, stdio('x', [])),
    recorded: async () => undefined,
    catalog: none,
    call: none,
    wake: async () => {
      woken.push(name);
      isRunning = true;
    },
    async request(method, params) {
      asked.push(method);
      const answer = answers(method, params);
      if (answer === undefined) throw new OperationError('protocol', 'It does not know this.');
      return answer;
    },
    offers: () => isRunning,
    close: none,
  };
  return Object.assign(self, { asked, woken });
}

const resourcesOf =
  (name: string, ...uris: readonly string[]) =>
  (method: string, params: JsonObject): JsonObject | undefined => {
    if (method === 'resources/list') return { resources: uris.map((uri) => ({ uri, name })) };
    if (method === 'prompts/list') return { prompts: [{ name: 'ask' }] };
    if (method === 'prompts/get') return { messages: [], from: name, asked: params };
    const uri = String(params['uri']);
    return method === 'resources/read' && (uris.includes(uri) || uri.startsWith(`${name}://`))
      ? { contents: [], from: name }
      : undefined;
  };

const passing = (upstreams: readonly Upstream[]) =>
  createPassThrough({ upstreams, logger: silent, names: 'full', patienceMs: 1_000 });
const directly: Exchange = (_, work) => work({ signal: never });

describe('resources', () => {
  it('of several servers stand side by side, of two with one address the first', async () => {
    const made = passing([
      upstream('a', resourcesOf('a', 'x://1', 'x://2')),
      upstream('b', resourcesOf('b', 'x://2', 'x://3')),
    ]);
    expect((await made.resources(never)).map(({ uri, name }) => `${uri} ${name}`)).toEqual([
      'x://1 a',
      'x://2 a',
      'x://3 b',
    ]);
    expect(await made.read('x://3', never, directly)).toMatchObject({ from: 'b' });
    expect(await made.read('x://2', never, directly)).toMatchObject({ from: 'a' });
  });

  it('that are in no list are looked for at every server that runs', async () => {
    const made = passing([upstream('a', resourcesOf('a')), upstream('b', resourcesOf('b'))]);
    expect(await made.read('b://anything', never, directly)).toMatchObject({ from: 'b' });
    await expect(made.read('c://anything', never, directly)).rejects.toThrow('c://anything');
  });

  it('of a server that fails or does not run hide no other', async () => {
    const idle = upstream('idle', resourcesOf('idle', 'x://0'), false);
    const made = passing([upstream('bad', () => undefined), idle, upstream('a', resourcesOf('a', 'x://1'))]);
    expect((await made.resources(never)).map(({ uri }) => uri)).toEqual(['x://1']);
    expect(idle.asked).toEqual([]);
  });

  it('are read to the last page, and not for ever', async () => {
    const paged = upstream('a', (_, { cursor }) =>
      cursor === undefined ? { resources: [{ uri: 'x://1' }], nextCursor: 'n' } : { resources: [{ uri: 'x://2' }] },
    );
    const endless = upstream('b', (_, { cursor }) => ({
      resources: [{ uri: `y://${String(cursor)}` }],
      nextCursor: `${String(cursor)}+`,
    }));
    const shown = await passing([paged, endless]).resources(never);
    expect(shown.filter(({ uri }) => String(uri).startsWith('x'))).toHaveLength(2);
    expect(endless.asked).toHaveLength(50);
  });
});

describe('the owner of an address', () => {
  it('is who lists it, who has a template of that text, or the only one there is', async () => {
    const templated = upstream('t', (method) =>
      method === 'resources/templates/list' ? { resourceTemplates: [{ uriTemplate: 'x://{id}' }] } : undefined,
    );
    const made = passing([upstream('a', resourcesOf('a', 'x://1')), templated]);
    expect((await made.ownerOf('x://1', never))?.server.name).toBe('a');
    expect((await made.ownerOf('x://{id}', never))?.server.name).toBe('t');
    expect(await made.ownerOf('x://9', never)).toBeUndefined();
    const alone = passing([upstream('a', resourcesOf('a'))]);
    expect((await alone.ownerOf('x://9', never))?.server.name).toBe('a');
  });
});

describe('prompts', () => {
  it('are found by their own name where only one server has it', async () => {
    const made = passing([upstream('a', resourcesOf('a'))]);
    expect((await made.prompt('ask', never)).name).toBe('ask');
  });

  it('of a server that does not run yet start it when they are asked for by name, and no list does', async () => {
    const idle = upstream('a', resourcesOf('a', 'x://1'), false);
    const made = passing([idle]);
    expect(await made.prompts(never)).toEqual([]);
    expect(idle.woken).toEqual([]);
    expect((await made.prompt('a__ask', never)).name).toBe('ask');
    expect(idle.woken).toEqual(['a']);
    const other = upstream('b', resourcesOf('b', 'x://1'), false);
    expect(await passing([other]).read('x://1', never, directly)).toMatchObject({ from: 'b' });
  });

  it('have names of their own and are asked for by their server’s', async () => {
    const made = passing([upstream('a', resourcesOf('a')), upstream('b', resourcesOf('b'))]);
    expect((await made.prompts(never)).map(({ name }) => name)).toEqual(['a__ask', 'b__ask']);
    const { upstream: owner, name } = await made.prompt('b__ask', never);
    expect([owner.server.name, name]).toEqual(['b', 'ask']);
    await expect(made.prompt('ask', never)).rejects.toThrow('No server has a prompt "ask"');
  });
});
