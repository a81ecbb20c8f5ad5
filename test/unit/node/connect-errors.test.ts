import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#core/model.ts';
import { OperationError } from '#core/problem.ts';
import { explainFailure, type FailureFacts, shownOutput } from '#node/connect-errors.ts';
import { createGuardedFetch } from '#node/connect-http.ts';
import { redactJson, secretValues, shownAddress } from '#node/connect-secrets.ts';

const facts: FailureFacts = { server: 'srv', secrets: [], redact: (text) => text };
const refused = new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) });

describe('explainFailure', () => {
  it.each([
    [
      'time before everything else',
      { timedOutAfterMs: 60_000, end: { kind: 'exit', code: 1, signal: null } },
      'timeout',
      /within 60 s/,
    ],
    ['an exit', { end: { kind: 'exit', code: 1, signal: null }, http: { status: 500 } }, 'crashed', /exit code 1/],
    ['a signal', { end: { kind: 'exit', code: null, signal: 'SIGSEGV' } }, 'crashed', /signal SIGSEGV/],
    ['a line without end', { end: { kind: 'line-too-long', limit: 64_000_000 } }, 'protocol', /64 MB/],
    [
      'a missing token',
      { http: { status: 401, challenge: 'Bearer' }, address: 'https://h' },
      'auth-needed',
      /at https:\/\/h .*HTTP 401\); it asks for Bearer/,
    ],
    ['a broken server', { http: { status: 502 } }, 'unreachable', /HTTP 502/],
    ['a bad request', { http: { status: 400 } }, 'protocol', /HTTP 400/],
    ['a closed port', { network: refused, address: 'http://h:1' }, 'unreachable', /\(ECONNREFUSED\)/],
    ['anything else', {}, 'protocol', /broke the protocol: odd\./],
  ] as const)('tells %s', (_what, more, kind, message) => {
    const error = explainFailure(new Error('odd.'), { ...facts, ...(more as Partial<FailureFacts>) });
    expect(error).toMatchObject({ kind, message: expect.stringMatching(message), remedy: expect.any(String) });
  });

  it('leaves an explained error alone', () => {
    const error = new OperationError('usage', 'x');
    expect(explainFailure(error, { ...facts, timedOutAfterMs: 1 })).toBe(error);
  });

  it('keeps hostile text short, on one line and free of secrets', () => {
    const error = explainFailure(new Error(`\u001b]0;title\u0007a\nb hunter2hunter2 ${'x'.repeat(900)}`), {
      ...facts,
      secrets: ['hunter2hunter2'],
    });
    expect(error.message).toMatch(/^Server "srv" broke the protocol: a b \[redacted\] x+…\.$/);
    expect(error.message.length).toBeLessThan(400);
  });

  it('redacts before it cuts, so that no half of a secret is left', () => {
    const secret = 'S'.repeat(40);
    const stderr = `${secret}${'x'.repeat(8_192 - 20)}`;
    expect(shownOutput({ ...facts, stderr, secrets: [secret] })).not.toContain('SS');
  });
});

const stdio = (env: Record<string, string>, args: readonly string[] = []): Endpoint => ({
  kind: 'stdio',
  command: 'x',
  args,
  env,
});

describe('secretValues', () => {
  const value = ['v', '1234567890'].join('');
  it.each([
    ['a variable by its name', stdio({ GITHUB_TOKEN: value }), [value]],
    ['no plain variable', stdio({ NODE_ENV: 'production', LOG_PATH: '/var/log/some' }), []],
    ['no short value', stdio({ API_KEY: 'abc' }), []],
    ['a flag with its value', stdio({}, [`--api-key=${value}`]), [value]],
    ['a flag and the next argument', stdio({}, ['--token', value, '--verbose']), [value]],
    ['the password of a URL', stdio({}, [`postgres://me:${value}@host/db`]), [value]],
    [
      'a bearer header, with and without its scheme',
      { kind: 'http', url: 'https://h', headers: { Authorization: `Bearer ${value}` }, sseFallback: false },
      [`Bearer ${value}`, value],
    ],
    [
      'a key of a query',
      { kind: 'sse', url: `https://h/?api_key=${value}&page=1234567890`, headers: { Accept: 'text/html-only' } },
      [value],
    ],
  ] as const)('finds %s', (_what, endpoint, expected) => {
    expect(secretValues(endpoint)).toEqual(expected);
  });

  it('replaces them anywhere in a value, and gives the same object where there are none', () => {
    const tree = { a: ['x', { b: `see ${value}` }], [value]: 1, n: null };
    expect(redactJson(tree, [value])).toEqual({ a: ['x', { b: 'see [redacted]' }], '[redacted]': 1, n: null });
    expect(redactJson(tree, ['other-value'])).toBe(tree);
  });

  it('shows of an address only scheme and host', () => {
    expect(shownAddress(`https://me:${value}@host:8/${value}?k=${value}`)).toBe('https://host:8');
    expect(shownAddress('nonsense')).not.toContain('nonsense');
  });
});

describe('createGuardedFetch', () => {
  const answering = (response: Response) => createGuardedFetch(async () => response.clone(), 10);

  it('remembers the last failure until an answer to a request is well', async () => {
    let status = 401;
    const guarded = createGuardedFetch(
      async () => new Response('', { status, headers: { 'www-authenticate': 'Bearer realm="r"' } }),
    );
    await guarded.fetch('http://h', { method: 'POST' });
    expect(guarded.failure()).toEqual({ status: 401, challenge: 'Bearer, realm "r"' });
    status = 200;
    await guarded.fetch('http://h', { method: 'POST' });
    expect(guarded.failure()).toBeUndefined();
  });

  it('takes no offence at a refused stream of notifications or a refused farewell', async () => {
    const guarded = answering(new Response('', { status: 405 }));
    await guarded.fetch('http://h', { method: 'GET', headers: { 'mcp-protocol-version': 'x' } });
    await guarded.fetch('http://h', { method: 'DELETE' });
    expect(guarded.failure()).toBeUndefined();
  });

  it('cuts off an answer that is too long', async () => {
    const guarded = answering(new Response('x'.repeat(11)));
    await expect((await guarded.fetch('http://h')).text()).rejects.toThrow('longer than');
    expect(guarded.network()).toBeInstanceOf(Error);
  });

  it('measures an event stream by its lines', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const parts = (...texts: string[]) =>
      new Response(ReadableStream.from(texts.map((text) => new TextEncoder().encode(text))), { headers });
    expect(await (await answering(parts('12345\n', '12345\n', '12345\n')).fetch('http://h')).text()).toHaveLength(18);
    await expect((await answering(parts('12345', '1234567')).fetch('http://h')).text()).rejects.toThrow('longer than');
  });
});
