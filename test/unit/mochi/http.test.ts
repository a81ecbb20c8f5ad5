/** What stands before a body is read, what is read of it, and what a broken stream can be sent again. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createEventStore } from '../../../src/mochi/http/event-store.ts';
import { readBody } from '../../../src/mochi/http/exchange.ts';
import { createGuard, isLoopback } from '../../../src/mochi/http/guard.ts';
import { createSessions } from '../../../src/mochi/http/sessions.ts';
import { serveHttp } from '../../../src/mochi/http.ts';
import { createMemoryGuard } from '../../../src/mochi/limits.ts';
import { createMochi } from '../../../src/mochi/server.ts';
import { createTinyAdapter } from '../../support/mochi-fixture/tiny-adapter.ts';

const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const TOKEN = ['a', 'token', 'for', 'tests'].join('-');

function check(listensOn: string, token: string | undefined, headers: object, status: number | undefined): void {
  const given = { host: undefined, origin: undefined, authorization: undefined, ...headers };
  expect(createGuard(listensOn, token).refuse(given)?.status, JSON.stringify(headers)).toBe(status);
}

describe('the guard on loopback', () => {
  it.each([
    [{ host: '127.0.0.1:6680' }],
    [{ host: 'localhost' }],
    [{ host: 'LOCALHOST:1' }],
    [{ host: '[::1]:80' }],
    [{ host: 'localhost', origin: 'http://localhost:3000' }],
    [{ host: 'localhost', origin: 'http://127.0.0.1' }],
    [{ host: 'localhost', origin: 'https://[::1]:8443' }],
  ])('lets %j through', (headers) => check('127.0.0.1', undefined, headers, undefined));

  it.each([
    [{}],
    [{ host: '' }],
    [{ host: 'evil.com' }],
    [{ host: 'evil.com:6680' }],
    [{ host: 'localhost.evil.com' }],
    [{ host: 'evil@127.0.0.1' }],
    [{ host: '127.0.0.1/../evil.com' }],
    [{ host: '127.0.0.1:99999999' }],
    [{ host: '127.0.0.2' }],
    [{ host: '0.0.0.0' }],
    [{ host: 'localhost', origin: 'https://evil.com' }],
    [{ host: 'localhost', origin: 'null' }],
    [{ host: 'localhost', origin: '' }],
    [{ host: 'localhost', origin: 'file://' }],
    [{ host: 'localhost', origin: 'http://localhost.evil.com' }],
    [{ host: 'localhost', origin: 'http://localhost@evil.com' }],
    [{ host: 'localhost', origin: 'not an origin' }],
  ])('refuses %j', (headers) => check('127.0.0.1', undefined, headers, 403));
});

describe('the token', () => {
  it.each([
    [undefined],
    [''],
    [TOKEN],
    ['Bearer'],
    ['Bearer '],
    [`Bearer ${TOKEN}x`],
    [`Bearer ${TOKEN.slice(1)}`],
    [`Basic ${TOKEN}`],
    [`Bearer ${TOKEN} more`],
  ])('is missing in %j', (authorization) => check('127.0.0.1', TOKEN, { host: 'localhost', authorization }, 401));

  it.each([[`Bearer ${TOKEN}`], [`bearer ${TOKEN}`]])('is given by %j', (authorization) =>
    check('127.0.0.1', TOKEN, { host: 'localhost', authorization }, undefined),
  );

  it('comes after the place: a stranger learns nothing about it', () => {
    check('127.0.0.1', TOKEN, { host: 'evil.com', authorization: `Bearer ${TOKEN}` }, 403);
  });
});

describe('the guard beyond loopback', () => {
  const authorization = `Bearer ${TOKEN}`;
  it.each<[object, number | undefined]>([
    [{ host: 'mochi.team.example', authorization }, undefined],
    [{ host: 'mochi.team.example' }, 401],
    [{ host: 'mochi.team.example', origin: 'https://mochi.team.example', authorization }, undefined],
    [{ host: 'mochi.team.example', origin: 'https://evil.com', authorization }, 403],
    [{ host: 'mochi.team.example', origin: 'null', authorization }, 403],
    [{ authorization }, 403],
  ])('answers %j with %s', (headers, status) => check('0.0.0.0', TOKEN, headers, status));

  it.each<[string, boolean]>([
    ['127.0.0.1', true],
    ['127.8.8.8', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.1.4', false],
    ['127.evil.com', false],
    ['', false],
  ])('knows of %j whether it is loopback: %s', (host, expected) => expect(isLoopback(host)).toBe(expected));

  it('does not open without a token', async () => {
    const options = { createServer: () => Promise.reject(new Error('x')), logger: quiet, port: 0, maxBody: 10 };
    await expect(serveHttp({ ...options, host: '0.0.0.0', token: undefined })).rejects.toThrow(/token/);
  });
});

describe('a body', () => {
  async function sizeOf(bytes: number, limit: number): Promise<number | undefined> {
    let give: (body: Buffer | undefined) => void = () => {};
    const seen = new Promise<Buffer | undefined>((resolve) => {
      give = resolve;
    });
    const server = createServer((incoming, response) => {
      readBody(incoming, limit).then((body) => {
        give(body);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const sending = request({ port: (server.address() as AddressInfo).port, method: 'POST' });
    sending.on('error', () => {});
    sending.end(Buffer.alloc(bytes, 'x'));
    const body = await seen;
    server.closeAllConnections();
    server.close();
    return body?.length;
  }

  it.each([
    [0, 10, 0],
    [10, 10, 10],
    [11, 10, undefined],
    [5_000_000, 10, undefined],
    [300_000, 300_000, 300_000],
  ])('of %i bytes under a bound of %i is read as %s', async (bytes, limit, expected) => {
    expect(await sizeOf(bytes, limit)).toBe(expected);
  });
});

describe('the events of a session', () => {
  const message = (id: number) => ({ jsonrpc: '2.0' as const, id, result: { id } });

  it('are sent again for one stream, from the one after the last seen', async () => {
    const store = createEventStore();
    const first = await store.storeEvent('a', message(1));
    await store.storeEvent('b', message(2));
    await store.storeEvent('a', message(3));
    const sent: unknown[] = [];
    expect(await store.getStreamIdForEventId?.(first)).toBe('a');
    const stream = await store.replayEventsAfter(first, { send: async (_, one) => void sent.push(one) });
    expect(stream).toBe('a');
    expect(sent).toEqual([message(3)]);
  });

  it('are nothing for an event nobody knows', async () => {
    const store = createEventStore();
    const sent: unknown[] = [];
    expect(await store.replayEventsAfter('forged', { send: async (_, one) => void sent.push(one) })).toBe('');
    expect(sent).toEqual([]);
  });

  it('are bounded: the oldest go first', async () => {
    const store = createEventStore();
    const first = await store.storeEvent('a', message(0));
    for (let id = 1; id <= 100; id++) await store.storeEvent('a', message(id));
    expect(await store.getStreamIdForEventId?.(first)).toBeUndefined();
    const big = { jsonrpc: '2.0' as const, id: 1, result: { text: 'x'.repeat(900_000) } };
    const kept = await store.storeEvent('a', big);
    await store.storeEvent('a', big);
    expect(await store.getStreamIdForEventId?.(kept)).toBeUndefined();
  });
});

describe('sessions', () => {
  const mochi = createMochi({ adapter: createTinyAdapter(), memory: createMemoryGuard(), logger: quiet, version: '0' });
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };
  const post = (body: unknown, session?: string): Request =>
    new Request('http://localhost/mcp', {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
    });
  const create = (now: () => number, maxSessions = 3) =>
    createSessions({ createServer: async () => mochi.createServer('http'), logger: quiet, now, maxSessions });
  const begin = async (sessions: ReturnType<typeof create>): Promise<string> =>
    (await sessions.handle(post(initialize))).headers.get('mcp-session-id') ?? '';
  const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

  it('begin with initialize, are found by their header, and end with DELETE', async () => {
    const sessions = create(() => 0);
    const id = await begin(sessions);
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect((await sessions.handle(post(ping, id))).status).toBe(200);
    const end = new Request('http://localhost/mcp', { method: 'DELETE', headers: { 'mcp-session-id': id } });
    expect((await sessions.handle(end)).status).toBe(200);
    expect((await sessions.handle(post(ping, id))).status).toBe(404);
    expect(sessions.size).toBe(0);
  });

  it('are not made by anything else', async () => {
    const sessions = create(() => 0);
    for (const body of [ping, [ping], 'no json', '', 'null', '7'])
      expect((await sessions.handle(post(body))).status, String(body)).toBe(400);
    expect((await sessions.handle(new Request('http://localhost/mcp'))).status).toBe(400);
    expect((await sessions.handle(post(ping, 'forged'))).status).toBe(404);
    expect(sessions.size).toBe(0);
  });

  it('end after long silence', async () => {
    let now = 0;
    const sessions = create(() => now);
    const id = await begin(sessions);
    now = 31 * 60_000;
    await begin(sessions);
    expect((await sessions.handle(post(ping, id))).status).toBe(404);
  });

  it('outlast silence while their client holds a stream open', async () => {
    let now = 0;
    const sessions = create(() => now);
    const id = await begin(sessions);
    const gone = new AbortController();
    const headers = { 'mcp-session-id': id, accept: 'text/event-stream' };
    expect((await sessions.handle(new Request('http://localhost/mcp', { headers, signal: gone.signal }))).status).toBe(
      200,
    );
    now = 31 * 60_000;
    await begin(sessions);
    expect(sessions.size).toBe(2);
    gone.abort();
    now = 62 * 60_000 + 2;
    await begin(sessions);
    expect((await sessions.handle(post(ping, id))).status).toBe(404);
  });

  it('make room: the one unused for longest goes', async () => {
    const sessions = create(() => 0);
    const ids = [await begin(sessions), await begin(sessions), await begin(sessions)];
    await sessions.handle(post(ping, ids[0]));
    await begin(sessions);
    const status = async (id = ''): Promise<number> => (await sessions.handle(post(ping, id))).status;
    expect([await status(ids[0]), await status(ids[1]), await status(ids[2])]).toEqual([200, 404, 200]);
    await sessions.close();
    expect(sessions.size).toBe(0);
  });
});
