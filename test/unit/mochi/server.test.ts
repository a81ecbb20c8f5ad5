/** Tools and resources as the protocol carries them: what each transport lists, and the codes of what is refused. */
import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryGuard } from '../../../src/mochi/limits.ts';
import { createMochi, type Mochi, type TransportName } from '../../../src/mochi/server.ts';
import { FAULT_KEY, faultSchema } from '../../../src/protocol/mochi.ts';
import { createTinyAdapter, type TinyAdapter } from '../../support/mochi-fixture/tiny-adapter.ts';

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Answer {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

interface Peer {
  ask(method: string, params?: object): Promise<Answer>;
  readonly heard: readonly { readonly method: string; readonly params?: unknown }[];
}

function mochiOf(adapter: TinyAdapter = createTinyAdapter()): Mochi {
  const memory = createMemoryGuard();
  return createMochi({ adapter, memory, logger: quiet, version: '1.2.3', deadlineMs: 50 });
}

/** A client of the legacy era that says plain messages. */
async function connect(mochi: Mochi, transport: TransportName): Promise<Peer> {
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  const server = mochi.createServer(transport);
  const waiting = new Map<unknown, (answer: Answer) => void>();
  const heard: { method: string; params?: unknown }[] = [];
  mine.onmessage = (message: JSONRPCMessage) => {
    if ('method' in message) heard.push({ method: message.method, params: message.params });
    else waiting.get(message.id)?.(message as Answer);
  };
  await mine.start();
  await server.connect(theirs);
  closing.push(() => server.close());
  let last = 0;
  const ask = (method: string, params: object = {}): Promise<Answer> => {
    const id = ++last;
    const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    void mine.send({ jsonrpc: '2.0', id, method, params: params as Record<string, unknown> });
    return answer;
  };
  const clientInfo = { name: 'test', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  await mine.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return { ask, heard };
}

const peer = (transport: TransportName = 'stdio', adapter?: TinyAdapter) => connect(mochiOf(adapter), transport);

describe('the list of tools', () => {
  it.each<[TransportName, object, boolean]>([
    ['stdio', {}, false],
    ['stdio', { compact: true }, false],
    ['http', {}, false],
    ['http', { compact: true }, true],
    ['http', { compact: false }, false],
    ['sse', {}, true],
    ['sse', { compact: true }, true],
    ['sse', { compact: false }, false],
  ])('over %s asked with %j is compact: %s', async (transport, params, compact) => {
    const { result } = await (await peer(transport)).ask('tools/list', params);
    const text = JSON.stringify(result);
    expect(text.includes('maxLength')).toBe(!compact);
    expect(text.includes('outputSchema')).toBe(!compact);
    expect(result?.['tools']).toHaveLength(3);
  });

  it.each([['yes'], ['true'], [1], [null], [{}]])(
    'is none for a compact of %j, and says which field it is',
    async (compact) => {
      for (const transport of ['stdio', 'http', 'sse'] as const) {
        const { result, error } = await (await peer(transport)).ask('tools/list', { compact });
        expect(result).toBeUndefined();
        expect(error).toMatchObject({ code: -32_602, data: { field: 'compact' } });
      }
    },
  );
});

describe('a call', () => {
  it('answers with structured content and the same as text', async () => {
    const { result } = await (await peer()).ask('tools/call', { name: 'complete_code', arguments: { prefix: 'x' } });
    expect(result).toMatchObject({
      content: [{ type: 'text', text: '()' }],
      structuredContent: { completion: '()', alternatives: ['one', 'two', 'three'] },
    });
    expect(result?.['isError']).toBeUndefined();
  });

  it.each([
    ['invalid', 400, { arguments: { instruction: 7 } }, true],
    ['invalid', 400, {}, true],
    ['timeout', 504, { arguments: { instruction: 'hang' } }, true],
    ['failed', 500, { arguments: { instruction: 'fail' } }, true],
    ['not-ready', 503, { arguments: { instruction: 'q' } }, false],
  ])('that is %s says so in its result, with %i', async (kind, status, params, learned) => {
    const { ask } = await peer('stdio', createTinyAdapter(learned));
    const { result } = await ask('tools/call', { name: 'domain_query', ...params });
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] });
    expect(result?.['structuredContent']).toBeUndefined();
    const meta = (result?.['_meta'] as Record<string, unknown> | undefined)?.[FAULT_KEY];
    expect(faultSchema().parse(meta)).toMatchObject({ kind, status });
  });

  it.each([['nope'], ['__proto__'], ['']])('of a tool named %j is an error of the protocol', async (name) => {
    const { error } = await (await peer()).ask('tools/call', { name, arguments: {} });
    expect(error).toMatchObject({ code: -32_602, data: { field: 'name' } });
  });

  it.each([
    [{}],
    [{ name: 7 }],
    [{ name: 'domain_query', arguments: 'text' }],
    [{ name: 'domain_query', arguments: [] }],
  ])('in the shape %j is refused', async (params) => {
    const { error, result } = await (await peer()).ask('tools/call', params);
    expect(error !== undefined || result?.['isError'] === true).toBe(true);
  });

  it('of a method nobody has is an error of the protocol', async () => {
    expect((await (await peer()).ask('tools/destroy')).error?.code).toBe(-32_601);
  });
});

describe('resources', () => {
  it('are listed, read and completed', async () => {
    const { ask } = await peer();
    const { result = {} } = await ask('resources/list');
    const uris = (result['resources'] as { uri: string }[]).map(({ uri }) => uri);
    expect(uris).toContain('mochi://patterns/error-handling');
    for (const uri of uris) expect((await ask('resources/read', { uri })).result?.['contents']).toHaveLength(1);
    const ref = { type: 'ref/resource', uri: 'mochi://patterns/{name}' };
    const completed = await ask('completion/complete', { ref, argument: { name: 'name', value: 'err' } });
    expect(completed.result?.['completion']).toEqual({ values: ['error-handling'], total: 1, hasMore: false });
    expect((await ask('resources/templates/list')).result?.['resourceTemplates']).toHaveLength(3);
  });

  it.each([['mochi://../x'], ['file:///etc/passwd'], ['mochi://patterns/unheard-of'], ['']])(
    'at %j are an error of invalid parameters',
    async (uri) => {
      expect((await (await peer()).ask('resources/read', { uri })).error?.code).toBe(-32_602);
    },
  );

  it('come in pages when there are many, each once', async () => {
    const adapter = createTinyAdapter();
    adapter.learn(1_200);
    const { ask } = await peer('stdio', adapter);
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const { result = {} } = await ask('resources/list', cursor === undefined ? {} : { cursor });
      seen.push(...(result['resources'] as { uri: string }[]).map(({ uri }) => uri));
      cursor = result['nextCursor'];
    } while (cursor !== undefined);
    expect(seen).toHaveLength(1_204);
    expect(new Set(seen).size).toBe(1_204);
  });

  it.each([['x'], ['-1'], ['1e3'], ['99999'], [' 0'], ['0x10'], ['NaN']])('know no cursor %j', async (cursor) => {
    expect((await (await peer()).ask('resources/list', { cursor })).error?.code).toBe(-32_602);
  });

  it.each([[{ type: 'ref/resource', uri: 'mochi://other/{name}' }], [{ type: 'ref/prompt', name: 'p' }]])(
    'complete nothing for %j',
    async (ref) => {
      const { error } = await (await peer()).ask('completion/complete', { ref, argument: { name: 'name', value: '' } });
      expect(error?.code).toBe(-32_602);
    },
  );
});

describe('clients that stay', () => {
  it('hear of a learning and of what is going on, and those that left do not', async () => {
    const mochi = mochiOf();
    const one = await connect(mochi, 'stdio');
    const two = await connect(mochi, 'sse');
    const [, close] = closing;
    mochi.resourcesChanged();
    mochi.announce('learned 3 files');
    await expect.poll(() => [one.heard.length, two.heard.length]).toEqual([2, 2]);
    expect(one.heard[0]?.method).toBe('notifications/resources/list_changed');
    expect(one.heard[1]).toMatchObject({ method: 'notifications/message', params: { data: 'learned 3 files' } });
    await close?.();
    mochi.resourcesChanged();
    await expect.poll(() => one.heard.length).toBe(3);
    expect(two.heard).toHaveLength(2);
  });

  it('are let go when they leave', async () => {
    const mochi = mochiOf();
    const server = mochi.createServer('stdio');
    const [, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(theirs);
    let told = 0;
    server.sendResourceListChanged = async () => {
      told++;
    };
    mochi.resourcesChanged();
    await server.close();
    mochi.resourcesChanged();
    expect(told).toBe(1);
  });

  it('are not those of a single request', () => {
    const mochi = mochiOf();
    const server = mochi.createServer('http', false);
    let told = 0;
    server.sendResourceListChanged = async () => {
      told++;
    };
    mochi.resourcesChanged();
    expect(told).toBe(0);
  });
});
