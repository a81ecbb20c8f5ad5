/** Resources and prompts of several servers: whose they are, and that none hides another's. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/model.ts';
import { OperationError } from '../../../src/core/problem.ts';
import { createPassThrough } from '../../../src/gateway/pass-through.ts';
import type { Upstream } from '../../../src/gateway/upstream.ts';
import { serverOf, silent, stdio } from '../../support/mcp-servers.ts';

const never = new AbortController().signal;
const none = (): Promise<never> => Promise.reject(new Error('not for this test'));

/** A server that answers as `answers` says by method, and fails in every other. */
function upstream(name: string, answers: (method: string, params: JsonObject) => JsonObject | undefined, runs = true) {
  const asked: string[] = [];
  const self: Upstream = {
    server: serverOf(name, stdio('x', [])),
    recorded: async () => undefined,
    catalog: none,
    call: none,
    async request(method, params) {
      asked.push(method);
      const answer = answers(method, params);
      if (answer === undefined) throw new OperationError('protocol', 'It does not know this.');
      return answer;
    },
    offers: () => runs,
    close: none,
  };
  return Object.assign(self, { asked });
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

describe('resources', () => {
  it('of several servers stand side by side, of two with one address the first', async () => {
    const made = createPassThrough(
      [upstream('a', resourcesOf('a', 'x://1', 'x://2')), upstream('b', resourcesOf('b', 'x://2', 'x://3'))],
      silent,
    );
    expect((await made.resources(never)).map(({ uri, name }) => `${uri} ${name}`)).toEqual([
      'x://1 a',
      'x://2 a',
      'x://3 b',
    ]);
    expect(await made.read('x://3', never)).toMatchObject({ from: 'b' });
    expect(await made.read('x://2', never)).toMatchObject({ from: 'a' });
  });

  it('that are in no list are looked for at every server that runs', async () => {
    const made = createPassThrough([upstream('a', resourcesOf('a')), upstream('b', resourcesOf('b'))], silent);
    expect(await made.read('b://anything', never)).toMatchObject({ from: 'b' });
    await expect(made.read('c://anything', never)).rejects.toThrow('c://anything');
  });

  it('of a server that fails or does not run hide no other', async () => {
    const idle = upstream('idle', resourcesOf('idle', 'x://0'), false);
    const made = createPassThrough(
      [upstream('bad', () => undefined), idle, upstream('a', resourcesOf('a', 'x://1'))],
      silent,
    );
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
    const shown = await createPassThrough([paged, endless], silent).resources(never);
    expect(shown.filter(({ uri }) => String(uri).startsWith('x'))).toHaveLength(2);
    expect(endless.asked).toHaveLength(50);
  });
});

describe('prompts', () => {
  it('have names of their own and are asked for by their server’s', async () => {
    const made = createPassThrough([upstream('a', resourcesOf('a')), upstream('b', resourcesOf('b'))], silent);
    expect((await made.prompts(never)).map(({ name }) => name)).toEqual(['a__ask', 'b__ask']);
    expect(await made.prompt('b__ask', { city: 'Oslo' }, never)).toEqual({
      messages: [],
      from: 'b',
      asked: { name: 'ask', arguments: { city: 'Oslo' } },
    });
    await expect(made.prompt('ask', undefined, never)).rejects.toThrow('No running server has a prompt "ask"');
  });
});
