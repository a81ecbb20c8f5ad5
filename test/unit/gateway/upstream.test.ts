/** One server behind the gateway: when it starts, who shares it, what happens when it fails. */
import { describe, expect, it } from 'vitest';
import type { Catalog, JsonObject, Tool } from '../../../src/core/model.ts';
import { OperationError } from '../../../src/core/problem.ts';
import { createUpstream, type UpstreamParts } from '../../../src/gateway/upstream.ts';
import type { CatalogCache } from '../../../src/node/catalog-cache.ts';
import type { ListKind, McpClient, McpConnection } from '../../../src/node/mcp-client.ts';
import { serverOf, silent, stdio } from '../../support/mcp-servers.ts';

const never = new AbortController().signal;
const tool = (name: string): Tool => ({ name, description: '', inputSchema: { type: 'object' } });

/** A client whose servers do as they are told. */
function bench(options: Partial<UpstreamParts> & { readonly cached?: Catalog } = {}) {
  const heard: ListKind[] = [];
  const written: Catalog[] = [];
  const state = {
    starts: 0,
    closes: 0,
    now: 0,
    tools: [tool('one')] as readonly Tool[],
    onStart: async (): Promise<void> => {},
    onCall: async (): Promise<void> => {},
    onList: async (): Promise<void> => {},
    crash: (): void => {},
    change: (_: ListKind): void => {},
  };
  const client: McpClient = {
    list: () => Promise.reject(new Error('not for this test')),
    async connect() {
      state.starts++;
      await state.onStart();
      let end: () => void = () => {};
      const closed = new Promise<void>((resolve) => {
        end = resolve;
      });
      state.crash = end;
      const connection: McpConnection = {
        era: 'legacy',
        protocolVersion: '1',
        serverInfo: undefined,
        instructions: undefined,
        has: (what) => what === 'prompts',
        followNotes: () => {},
        followLists: (listener) => {
          state.change = listener;
        },
        request: async () => ({}),
        listTools: async () => {
          await state.onList();
          return { value: state.tools, problems: [] };
        },
        callTool: async () => {
          await state.onCall();
          return { content: [] };
        },
        closed,
        close: async () => {
          state.closes++;
          end();
        },
      };
      return connection;
    },
  };
  const cache: CatalogCache = {
    read: async () =>
      options.cached === undefined ? undefined : { catalog: options.cached, listedAt: '', toolsHash: '' },
    write: async (_, catalog) => {
      written.push(catalog);
    },
  };
  const upstream = createUpstream(serverOf('s', stdio('x', [])), {
    client,
    cache,
    logger: silent,
    mayStart: async () => true,
    timeoutMs: 1_000,
    now: () => state.now,
    onDidChange: (what) => heard.push(what),
    capabilities: () => ({}),
    onNote: () => {},
    ...options,
  });
  const call = (signal = never) => upstream.call(tool('one'), {}, { signal });
  return { upstream, state, heard, written, call };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const failing = async (): Promise<void> => {
  throw new OperationError('crashed', 'It ended.');
};

describe('an upstream', () => {
  it('starts with the first call, once, and is shared by all', async () => {
    const { upstream, state, call } = bench();
    expect(state.starts).toBe(0);
    await Promise.all([call(), call(), upstream.catalog(never)]);
    await call();
    expect(state.starts).toBe(1);
  });

  it('gives its tools as recorded without starting, and the live ones after', async () => {
    const cached: Catalog = { server: 's', origin: 'cache', tools: [tool('old')] };
    const { upstream, state, heard, written, call } = bench({ cached });
    expect((await upstream.catalog(never)).tools).toEqual([tool('old')]);
    expect(state.starts).toBe(0);
    await call();
    expect((await upstream.catalog(never)).tools).toEqual([tool('one')]);
    expect(heard).toContain('tools');
    expect(written.at(-1)?.tools).toEqual([tool('one')]);
  });

  it('is started anew for a client that can be asked for more, but not while it works', async () => {
    let capabilities: JsonObject = {};
    const { upstream, state, call } = bench({ capabilities: () => capabilities });
    await call();
    let goOn: () => void = () => {};
    state.onCall = () =>
      new Promise((resolve) => {
        goOn = resolve;
      });
    const long = call();
    await settled();
    capabilities = { elicitation: {} };
    state.onCall = async () => {};
    await call();
    expect([state.starts, state.closes]).toEqual([1, 0]);
    goOn();
    await long;
    await call();
    expect([state.starts, state.closes]).toEqual([2, 1]);
    capabilities = {};
    await call();
    expect(state.starts).toBe(2);
    expect(upstream.offers('prompts')).toBe(true);
  });

  it('never starts without consent and says how to give it, but lists what is recorded', async () => {
    const cached: Catalog = { server: 's', origin: 'cache', tools: [tool('old')] };
    const { upstream, state, call } = bench({ cached, mayStart: async () => false });
    await expect(call()).rejects.toMatchObject({
      kind: 'consent-needed',
      remedy: expect.stringContaining('--approve'),
    });
    expect((await upstream.catalog(never)).tools).toEqual([tool('old')]);
    expect(state.starts).toBe(0);
  });

  it('announces what a server offers beside tools once it runs', async () => {
    const { upstream, heard, call } = bench();
    expect(upstream.offers('prompts')).toBe(false);
    await call();
    expect(upstream.offers('prompts')).toBe(true);
    expect(heard).toEqual(['prompts']);
  });

  it('reads and announces a list that changed', async () => {
    const { upstream, state, heard, call } = bench();
    await call();
    state.tools = [tool('one'), tool('two')];
    state.change('tools');
    await settled();
    expect((await upstream.catalog(never)).tools).toHaveLength(2);
    expect(heard).toEqual(['prompts', 'tools']);
  });
});

describe('an upstream that fails', () => {
  it('is started again by the call after a crash', async () => {
    const { upstream, state, call } = bench();
    await call();
    state.crash();
    await settled();
    expect(upstream.offers('prompts')).toBe(false);
    await call();
    expect(state.starts).toBe(2);
  });

  it('rests after three failures in a row, and is tried again after that', async () => {
    const { state, call } = bench();
    state.onStart = failing;
    for (let attempt = 0; attempt < 3; attempt++) await expect(call()).rejects.toThrow('It ended.');
    await expect(call()).rejects.toThrow('has failed 3 times in a row');
    expect(state.starts).toBe(3);
    state.now = 30_001;
    state.onStart = async () => {};
    await call();
    expect(state.starts).toBe(4);
  });

  it('is ended when a call ran out of time and it does not list its tools either', async () => {
    const { state, call } = bench();
    await call();
    state.onCall = async () => {
      throw new OperationError('timeout', 'Too late.');
    };
    state.onList = failing;
    await expect(call()).rejects.toThrow('Too late.');
    await settled();
    expect(state.closes).toBe(1);
    state.onCall = async () => {};
    state.onList = async () => {};
    await call();
    expect(state.starts).toBe(2);
  });

  it('keeps running when only one call ran out of time', async () => {
    const { state, call } = bench();
    await call();
    state.onCall = async () => {
      throw new OperationError('timeout', 'Too late.');
    };
    await expect(call()).rejects.toThrow('Too late.');
    await settled();
    expect(state.closes).toBe(0);
  });

  it('is not ended by a caller who gives up while it starts', async () => {
    const { state, call } = bench();
    let go: () => void = () => {};
    state.onStart = () =>
      new Promise((resolve) => {
        go = resolve;
      });
    const impatient = new AbortController();
    const first = call(impatient.signal);
    const second = call();
    await settled();
    impatient.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    go();
    await second;
    expect(state.starts).toBe(1);
  });

  it('leaves nothing running when it is closed while it starts', async () => {
    const { upstream, state, call } = bench();
    let go: () => void = () => {};
    state.onStart = () =>
      new Promise((resolve) => {
        go = resolve;
      });
    const waiting = call();
    await settled();
    const closing = upstream.close();
    go();
    await closing;
    await expect(waiting).rejects.toThrow('The gateway is closing.');
    expect(state.closes).toBe(1);
    await expect(call()).rejects.toThrow('The gateway is closing.');
  });
});
