/** Hostile clients of a real Mochi: at its door, in its stream of messages, and in the arguments of its tools. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { FAULT_KEY } from '../../src/protocol/mochi.ts';
import { connect, endAll, type Running, start, TINY, WAYS } from '../support/mochi-fixture/running.ts';

const TOKEN = ['secret', 'of', 'these', 'tests'].join('-');
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mochi-hostile-'));
  writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
  writeFileSync(join(folder, 'short'), 'short\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** On a busy machine a child takes its time. */
const SOON = { timeout: 20_000 };

afterEach(endAll);

type Headers = Readonly<Record<string, string>>;
interface Reply {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** A plain request, with any Host and any method. */
function send(url: string, method: string, headers: Headers = {}, body = ''): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sending = request(url, { method, headers }, (response) => {
      let text = '';
      response.on('data', (data) => {
        text += String(data);
        // A stream that stays open has said enough.
        if (response.headers['content-type'] === 'text/event-stream') sending.destroy();
      });
      response.on('close', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
    });
    sending.on('error', reject);
    // Elsewhere a body without a length would be read as the next request.
    sending.end(/^P/.test(method) ? body : '');
  });
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
});
const serving = (...words: readonly string[]): Running => start(TINY, ['--transport', 'http', '--port', '0', ...words]);

describe('the door of the HTTP server', () => {
  it.each<[string, Headers, number]>([
    ['another Host', { host: 'evil.com' }, 403],
    ['a Host that begins well', { host: 'localhost.evil.com' }, 403],
    ['another Origin', { origin: 'https://evil.com' }, 403],
    ['a null Origin', { origin: 'null' }, 403],
    ['no token', {}, 401],
    ['a wrong token', { authorization: 'Bearer wrong' }, 401],
    ['an empty token', { authorization: 'Bearer ' }, 401],
  ])('is closed to %s, for every method and path', async (_, headers, status) => {
    const url = await serving('--token-file', join(folder, 'token')).url();
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'PATCH', 'HEAD'])
      for (const path of ['/mcp', '/sse', '/messages?sessionId=x', '/', '/nothing']) {
        const reply = await send(url.replace('/mcp', path), method, { ...JSON_HEADERS, ...headers }, initialize);
        expect(reply.status, `${method} ${path}`).toBe(status);
        expect(reply.headers['access-control-allow-origin']).toBeUndefined();
        expect(reply.body).not.toContain(TOKEN);
      }
  });

  it('opens with the token, from a file or the environment, and keeps it to itself', async () => {
    const fromFile = serving('--token-file', join(folder, 'token'));
    const fromEnv = start(TINY, ['--transport', 'http', '--port', '0'], { MOCHI_TOKEN: TOKEN });
    for (const server of [fromFile, fromEnv]) {
      const headers = { ...JSON_HEADERS, authorization: `Bearer ${TOKEN}` };
      expect((await send(await server.url(), 'POST', headers, initialize)).status).toBe(200);
      expect((await send(await server.url(), 'POST', JSON_HEADERS, initialize)).status).toBe(401);
      expect(server.err() + server.out()).not.toContain(TOKEN);
    }
  });

  it('says what it has not: other methods and paths, and sessions that ended', async () => {
    const url = await serving().url();
    const statusOf = async (method: string, path: string, headers: Headers = JSON_HEADERS): Promise<number> =>
      (await send(url.replace('/mcp', path), method, headers)).status;
    expect(await statusOf('PUT', '/mcp')).toBe(405);
    expect(await statusOf('OPTIONS', '/mcp')).toBe(405);
    expect(await statusOf('POST', '/sse')).toBe(405);
    expect(await statusOf('GET', '/messages')).toBe(405);
    expect(await statusOf('GET', '/../../etc/passwd')).toBe(404);
    expect(await statusOf('POST', '/messages?sessionId=forged')).toBe(404);
    expect(await statusOf('GET', '/mcp', { ...JSON_HEADERS, 'mcp-session-id': 'forged' })).toBe(404);
    expect(await statusOf('DELETE', '/mcp', { 'mcp-session-id': '__proto__' })).toBe(404);
  });

  it.each([
    ['beyond loopback without leave', ['--host', '0.0.0.0'], /allow-remote/],
    ['beyond loopback without a token', ['--host', '0.0.0.0', '--allow-remote'], /token/],
    ['on no interface', ['--host', '', '--allow-remote'], /token/],
    ['on no port', ['--port', '70000'], /port/],
    ['on half a port', ['--port', '1.5'], /port/],
    ['over pigeons', ['--transport', 'pigeon'], /transport/],
    ['with a token of five letters', ['--token-file', 'SHORT'], /16 characters/],
    ['with a token that is not there', ['--token-file', 'MISSING'], /token-file/],
    ['with more memory than the law allows', ['--memory-limit', '64'], /memory-limit/],
    ['with words nobody knows', ['--frobnicate'], /frobnicate/],
  ])('is never opened %s', async (_, words, reason) => {
    const given = words.map((word) => (word === 'SHORT' ? join(folder, 'short') : word));
    const server = start(join(import.meta.dirname, '../../dist/mochi.mjs'), ['--transport', 'http', ...given]);
    expect(await server.ended).toBe(2);
    expect(server.err()).toMatch(reason);
    expect(server.out()).toBe('');
    expect(server.err()).not.toContain('short\n');
  });

  it('listens on loopback only', async () => {
    const server = serving();
    expect(await server.url()).toMatch(/^http:\/\/127\.0\.0\.1:/);
  });
});

describe('bodies', () => {
  it.each([
    ['ten megabytes', 'x'.repeat(10_000_000), 413, -32_000],
    ['no JSON', '{"jsonrpc":', 400, -32_700],
    ['nothing', '', 400, -32_700],
    ['a number', '7', 400, -32_600],
    ['invalid UTF-8', '\xff\xfe', 400, -32_700],
    ['an empty batch', '[]', 400, -32_600],
    ['a batch of no messages', '[7]', 400, -32_600],
    ['a message without a version', '{"id":5,"method":"ping"}', 400, -32_600],
    ['a hundred thousand brackets', '['.repeat(100_000), 400, -32_700],
    ['a hundred thousand lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400, -32_600],
  ])('of %s are refused, and the next one is served', async (_, body, status, code) => {
    const url = await serving().url();
    const begun = await send(url, 'POST', JSON_HEADERS, initialize);
    const session = { 'mcp-session-id': String(begun.headers['mcp-session-id']) };
    for (const headers of [JSON_HEADERS, { ...JSON_HEADERS, ...session }]) {
      const reply = await send(url, 'POST', headers, body);
      expect(reply.status).toBe(status);
      expect(JSON.parse(reply.body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    }
    expect((await send(url, 'POST', JSON_HEADERS, initialize)).status).toBe(200);
  });

  it.each([
    ['no JSON', '{"a', -32_700],
    ['nothing', '', -32_700],
    ['a number', '7', -32_600],
    ['a batch', `[${initialize}]`, -32_600],
  ])('of %s are refused beside an event stream too', async (_, body, code) => {
    const url = await serving().url();
    const stream = await fetch(url.replace('/mcp', '/sse'));
    const reader = stream.body?.getReader();
    const place = /data: (\S+)/.exec(new TextDecoder().decode((await reader?.read())?.value))?.[1] ?? '';
    const there = new URL(place, url).href;
    const reply = await send(there, 'POST', JSON_HEADERS, body);
    expect(reply.status).toBe(400);
    expect(JSON.parse(reply.body)).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } });
    expect((await send(there, 'POST', JSON_HEADERS, initialize)).status).toBe(202);
    await reader?.cancel();
  });

  it('must be JSON by their own account', async () => {
    const url = await serving().url();
    const headers = { ...JSON_HEADERS, 'content-type': 'text/plain' };
    expect((await send(url, 'POST', headers, initialize)).status).toBe(415);
  });

  it('that never end do not keep others waiting', async () => {
    const server = serving();
    const url = new URL(await server.url());
    const idle = Array.from({ length: 50 }, () => {
      const socket = connectSocket(Number(url.port), url.hostname);
      socket.on('error', () => {});
      socket.write(
        'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
      );
      return socket;
    });
    expect((await send(url.href, 'POST', JSON_HEADERS, initialize)).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    for (const socket of idle) socket.destroy();
  });
});

describe('the stream of messages', () => {
  const answers = (server: Running): { id?: unknown; result?: unknown; error?: { code: number } }[] =>
    server
      .out()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as never);

  it.each([
    ['noise', 'hello\n', -32_700],
    ['half a message', '{"jsonrpc":"2.0","id":\n', -32_700],
    ['a number', '7\n', -32_600],
    ['null', 'null\n', -32_600],
    ['a batch', '[{"jsonrpc":"2.0","id":5,"method":"ping"}]\n', -32_600],
    ['a message without a version', '{"id":5,"method":"ping"}\n', -32_600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}\n', -32_600],
    ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}\n', -32_600],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":5,"result":{}}\n', undefined],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x0a]).toString('latin1'), -32_700],
    ['empty lines', '\n\r\n\n', undefined],
    [
      'deep nesting',
      `{"jsonrpc":"2.0","id":5,"method":"ping","params":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}\n`,
      undefined,
    ],
    ['keys of the prototype', '{"jsonrpc":"2.0","__proto__":{"id":9},"id":5,"method":"ping"}\n', undefined],
  ])('stays in step after %s', async (_, text, code) => {
    const server = start(TINY, []);
    server.write(`${initialize}\n${text}{"jsonrpc":"2.0","id":99,"method":"tools/list"}\n`);
    await expect.poll(() => answers(server).some(({ id }) => id === 99), SOON).toBe(true);
    expect(answers(server).find(({ id }) => id === 99)?.result).toMatchObject({ tools: expect.any(Array) });
    for (const answer of answers(server)) expect(answer).toMatchObject({ jsonrpc: '2.0' });
    // Whoever sent it is told, under no id, because none could be read.
    if (code !== undefined)
      expect(answers(server).filter(({ id }) => id === null)).toMatchObject([{ error: { code } }]);
    expect(server.child.exitCode).toBeNull();
  });

  it('answers a huge id with the same id, and a used id again', async () => {
    const server = start(TINY, []);
    const id = 'i'.repeat(100_000);
    server.write(`${initialize}\n{"jsonrpc":"2.0","id":"${id}","method":"ping"}\n`);
    server.write('{"jsonrpc":"2.0","id":7,"method":"ping"}\n{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
    await expect.poll(() => answers(server).length, SOON).toBe(4);
    expect(answers(server).filter((answer) => answer.id === id)).toHaveLength(1);
    expect(answers(server).filter((answer) => answer.id === 7)).toHaveLength(2);
  });

  it('serves every legacy revision as asked, and answers an unknown one with its own', async () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01']) {
      const server = start(TINY, []);
      server.write(`${initialize.replace('2025-06-18', version)}\n`);
      await expect.poll(() => answers(server).length, SOON).toBe(1);
      const expected = version === '1999-01-01' ? '2025-11-25' : version;
      expect(answers(server)[0]?.result).toMatchObject({ protocolVersion: expected });
    }
  });

  it('serves the modern revision and names the supported ones to an unknown one', async () => {
    const server = start(TINY, []);
    const discover = (id: number, version: string): string =>
      `${JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'server/discover',
        params: {
          _meta: {
            'io.modelcontextprotocol/protocolVersion': version,
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      })}\n`;
    server.write(discover(1, '2099-01-01') + discover(2, '2026-07-28'));
    await expect.poll(() => answers(server).length, SOON).toBe(2);
    expect(answers(server)[0]).toMatchObject({ error: { code: -32_022, data: { supported: ['2026-07-28'] } } });
    expect(answers(server)[1]).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
  });
});

describe.each(WAYS)('arguments over $transport in the $era era', (way) => {
  it('that are hostile get a failed result that names the field, and the server serves on', async () => {
    const { client } = await connect(way);
    const call = async (name: string, args: Record<string, unknown>) => {
      const result = await client.callTool({ name, arguments: args });
      const meta = (result as { _meta?: Record<string, { field?: string; status?: number }> })._meta;
      return { isError: result.isError === true, fault: meta?.[FAULT_KEY] };
    };
    // The HTTP body has its own bound, tested apart.
    const long = 'x'.repeat(way.transport === 'stdio' ? 10_000_000 : 2_000_000);
    const cases: readonly (readonly [string, Record<string, unknown>, string])[] = [
      ['complete_code', { prefix: 'x', path: '../../etc/passwd' }, 'path'],
      ['complete_code', { prefix: long }, 'prefix'],
      ['domain_query', { instruction: long }, 'instruction'],
      ['domain_query', { instruction: { $regex: '(a+)+$' } }, 'instruction'],
      ['domain_query', { instruction: 'q', max_tokens: 'many' }, 'max_tokens'],
      ['suggest_pattern', { goal: 'g', shell: 'rm -rf /' }, 'shell'],
    ];
    for (const [name, args, field] of cases)
      expect(await call(name, args), `${name} ${field}`).toMatchObject({
        isError: true,
        fault: { status: 400, field },
      });
    // The protocol library drops this key before any of our code sees it.
    expect((await call('suggest_pattern', JSON.parse('{"goal":"g","__proto__":{"a":1}}'))).isError).toBe(false);
    const fine = ['(a+)+$', '${7*7}', '`id`', '$(id)', '\u0000\u202e\ud800', '<script>', '../../x', "'; DROP TABLE"];
    for (const instruction of fine)
      expect((await call('domain_query', { instruction })).isError, instruction).toBe(false);
  });
});
