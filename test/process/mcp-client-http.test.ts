/** Servers over HTTP that are modern, closed, broken or hostile. */
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#core/model.ts';
import type { OperationErrorKind } from '#core/problem.ts';
import { createClient, fakeHttp, serverOf } from '../support/mcp-servers.ts';

const never = new AbortController().signal;

async function withFake(
  scenario: string,
  use: (url: string) => Promise<void>,
  env: Record<string, string> = {},
): Promise<void> {
  const { url, stop } = await fakeHttp(scenario, env);
  try {
    await use(url);
  } finally {
    await stop();
  }
}

const http = (url: string, more: Partial<Extract<Endpoint, { kind: 'http' }>> = {}): Endpoint => ({
  kind: 'http',
  url,
  headers: {},
  sseFallback: true,
  ...more,
});

describe('servers over HTTP', () => {
  it.each([
    ['a legacy one', 'http', 'legacy', ['echo', 'add']],
    ['a modern one', 'http-modern', 'modern', ['echo', 'add']],
    ['a modern one with a malformed tool', 'http-modern-malformed', 'modern', ['good', 'loose', 'late']],
  ] as const)('lists %s', (_what, scenario, era, tools) =>
    withFake(scenario, async (url) => {
      const { value } = await createClient().list(serverOf('h', http(url)), never);
      expect(value.era).toBe(era);
      expect(value.tools.map((tool) => tool.name)).toEqual(tools);
    }),
  );

  it('falls back to SSE, and calls a tool there', () =>
    withFake('sse', async (url) => {
      const connection = await createClient().connect(serverOf('h', http(`${url}/sse`)), never);
      expect(await connection.callTool('echo', { a: 1 }, { signal: never })).toMatchObject({
        content: [{ type: 'text' }],
      });
      await connection.close();
    }));

  it('sends the headers of the definition', () =>
    withFake(
      'http-header',
      async (url) => {
        const list = (key: string) =>
          createClient().list(serverOf('h', http(url, { headers: { 'X-Key': key } })), never);
        expect((await list('open')).value.tools).toHaveLength(2);
        await expect(list('shut')).rejects.toMatchObject({ kind: 'auth-needed' });
      },
      { FAKE_KEY: 'open' },
    ));

  const failures: readonly (readonly [what: string, scenario: string, kind: OperationErrorKind, message: RegExp])[] = [
    [
      'asks for a token',
      'http-401',
      'auth-needed',
      /HTTP 401\); it asks for Bearer, realm "fake", error "invalid_token"/,
    ],
    ['is broken', 'http-500', 'unreachable', /HTTP 500/],
    ['has nothing there', 'http-404', 'unreachable', /HTTP 404/],
    ['sends us elsewhere', 'http-redirect', 'unreachable', /another host \(HTTP 307\)/],
    ['answers with 200 MB', 'http-huge', 'unreachable', /longer than 64 MB/],
  ];
  it.each(failures)('is explained when it %s', (_what, scenario, kind, message) =>
    withFake(scenario, async (url) => {
      const listing = createClient().list(serverOf('h', http(url)), never);
      const error = await listing.catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'OperationError', kind, message: expect.stringMatching(message) });
    }),
  );

  it.each([
    ['http', false],
    ['sse', true],
  ] as const)('is unreachable where nobody listens (%s)', async (_what, isSse) => {
    const url = 'http://127.0.0.1:9/mcp';
    const endpoint: Endpoint = isSse ? { kind: 'sse', url, headers: {} } : http(url);
    await expect(createClient().list(serverOf('h', endpoint), never)).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.not.stringContaining('/mcp'),
    });
  });

  it.each(['file:///etc/passwd', 'javascript:alert(1)', 'unix:///run/x.sock', 'nonsense'])(
    'refuses the address %s',
    async (url) => {
      await expect(createClient().list(serverOf('h', http(url)), never)).rejects.toMatchObject({ kind: 'usage' });
    },
  );

  it('is a timeout when it never answers', () =>
    withFake('http-stall', async (url) => {
      const listing = createClient({ deadlineMs: 1_000 }).list(serverOf('h', http(url)), never);
      await expect(listing).rejects.toMatchObject({ kind: 'timeout' });
    }));
});
