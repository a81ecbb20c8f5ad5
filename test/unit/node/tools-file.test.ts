import { describe, expect, it } from 'vitest';
import type { Files } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { Fetch } from '#node/connect-http.ts';
import { readCatalogFrom, readToolsFrom } from '#node/tools-file.ts';

const never = new AbortController().signal;
const YAML = 'servers: [{id: a, tools: [{name: t, inputSchema: {type: object}}]}]';

function files(content: Readonly<Record<string, string | Uint8Array>>): Files {
  return {
    stat: async () => undefined,
    list: async () => [],
    async read(path, limit) {
      const found = content[path];
      if (found === undefined) return undefined;
      const bytes = typeof found === 'string' ? new TextEncoder().encode(found) : found;
      if (bytes.length > limit) throw new OperationError('io', 'too large');
      return bytes;
    },
  };
}

const from = (
  location: string,
  fetch: Fetch,
  more: { readonly deadlineMs?: number; readonly signal?: AbortSignal } = {},
) => readCatalogFrom(location, { files: files({}), signal: never, fetch, maxBytes: 1_000, ...more });

const redirect = (to: string): Response => new Response(null, { status: 302, headers: { location: to } });

describe('files of tools', () => {
  it('are read from a path, shown as told', async () => {
    const read = await readToolsFrom('/abs/t.json', {
      files: files({ '/abs/t.json': '{' }),
      signal: never,
      display: 't.json',
    });
    expect(read.problems).toMatchObject([{ at: { file: 't.json' } }]);
  });

  it.each([
    ['in UTF-16', Buffer.from(`\uFEFF${YAML}`, 'utf16le')],
    ['with a byte order mark', `\uFEFF${YAML}`],
    ['with CRLF', YAML.replaceAll(' ', '\r\n ')],
  ])('are read %s', async (_what, content) => {
    const read = await readCatalogFrom('/c.yaml', { files: files({ '/c.yaml': content }), signal: never });
    expect(read.value.servers.map(({ id }) => id)).toEqual(['a']);
  });

  it.each([
    ['missing', {}, 'not-found'],
    ['no text', { '/c.yaml': Uint8Array.of(0xc3, 0x28) }, 'io'],
    ['too large', { '/c.yaml': 'x'.repeat(20_000_001) }, 'io'],
  ] as const)('fail clearly when %s', async (_what, content, kind) => {
    await expect(readCatalogFrom('/c.yaml', { files: files(content), signal: never })).rejects.toMatchObject({ kind });
  });
});

describe('catalogs from the network', () => {
  it('are read, and redirects are followed', async () => {
    const seen: string[] = [];
    const read = await from('https://h/a', async (url) => {
      seen.push(String(url));
      return seen.length === 1 ? redirect('/b') : new Response(YAML);
    });
    expect(seen).toEqual(['https://h/a', 'https://h/b']);
    expect(read.value).toMatchObject({ file: 'https://h', servers: [{ id: 'a' }] });
  });

  it.each([
    ['another scheme', 'ftp://h/c', async () => new Response(YAML), 'usage'],
    ['a file URL', 'file:///etc/passwd', async () => new Response(YAML), 'usage'],
    ['a redirect to another scheme', 'https://h', async () => redirect('file:///etc/passwd'), 'usage'],
    [
      'a redirect from https to http',
      'https://h',
      async () => redirect('http://h'),
      'unreachable',
      /from https to http/,
    ],
    ['redirects without end', 'https://h', async () => redirect('/again'), 'unreachable'],
    ['a failed request', 'https://h', async () => new Response('', { status: 404 }), 'unreachable'],
    ['a refused request', 'https://h', async () => new Response('', { status: 401 }), 'auth-needed'],
    ['too many bytes', 'https://h', async () => new Response('x'.repeat(1_001)), 'io'],
    ['a network that is down', 'https://h', async () => Promise.reject(new TypeError('fetch failed')), 'unreachable'],
  ] as const)('are refused: %s', async (_what, location, fetch, kind, message = /./) => {
    await expect(from(location, fetch)).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
      remedy: expect.any(String),
    });
  });

  it('have a deadline', async () => {
    await expect(from('https://h', () => new Promise(() => {}), { deadlineMs: 10 })).rejects.toMatchObject({
      kind: 'timeout',
    });
  });

  it('can be cancelled', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(from('https://h', () => new Promise(() => {}), { signal })).rejects.toThrow('enough');
  });

  it('never show what stands in the address besides its host', async () => {
    const error = await from('https://me:pass@h/secret?key=1', async () => new Response('', { status: 500 })).catch(
      (thrown) => thrown,
    );
    expect(String(error.message)).toBe('https://h answered with HTTP 500.');
  });
});
