/** Servers that stall, flood, lie and refuse to end. Whatever they do: a clear error or list, and nobody left behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Catalog } from '#core/model.ts';
import type { OperationError, OperationErrorKind, Reported } from '#core/problem.ts';
import type { McpClientOptions } from '../../src/node/mcp-client.ts';
import { createClient, type FakeRun, fake, serverOf, stdio } from '../support/mcp-servers.ts';

const never = new AbortController().signal;
const runs: FakeRun[] = [];

function startable(scenario: string, env: Readonly<Record<string, string>> = {}): FakeRun {
  const run = fake(scenario, env);
  runs.push(run);
  return run;
}

afterEach(() => {
  for (const run of runs.splice(0)) {
    for (const pid of run.alive()) process.kill(pid, 'SIGKILL');
    run.remove();
  }
});

/** Lists the fake once and says what came of it; afterwards exactly one process was started and none is left. */
async function list(scenario: string, options: Partial<McpClientOptions> = {}, starts = 1): Promise<Reported<Catalog>> {
  const run = startable(scenario);
  try {
    return await createClient(options).list(run.server, never);
  } finally {
    expect(run.alive()).toEqual([]);
    expect(run.starts()).toHaveLength(starts);
  }
}

async function failure(scenario: string, options: Partial<McpClientOptions> = {}): Promise<OperationError> {
  return list(scenario, options).then(
    () => Promise.reject(new Error('It did not fail.')),
    (error: OperationError) => error,
  );
}

const names = ({ value }: Reported<Catalog>): readonly string[] => value.tools.map((tool) => tool.name);
const kinds = ({ problems }: Reported<Catalog>): readonly string[] => problems.map((problem) => problem.kind);

describe('a server that answers', () => {
  const cases: readonly (readonly [
    what: string,
    scenario: string,
    tools: readonly string[],
    problems: readonly string[],
  ])[] = [
    ['a well-behaved one', 'ok', ['echo', 'add'], []],
    ['one of the first revision', 'old-revision', ['echo', 'add'], []],
    ['one that speaks only the modern era', 'modern', ['echo', 'add'], []],
    ['one that prints noise on standard output', 'noise', ['echo', 'add'], []],
    ['one that floods standard error', 'flood', ['echo', 'add'], []],
    ['one that never answers an unknown request', 'silent-on-probe', ['echo', 'add'], []],
    ['one that ignores the end of its input', 'ignores-eof', ['echo', 'add'], []],
    ['one that ignores signals, too', 'ignores-everything', ['echo', 'add'], []],
    ['one that offers tools and does not know the request', 'no-list', [], []],
    ['one with three pages', 'pages', ['page-0', 'page-1', 'page-2'], []],
    ['one whose cursors go round', 'cursor-loop', ['t-start', 't-a', 't-b'], ['catalog-paging']],
    ['one that gives the same page for ever', 'same-page', ['one', 'two'], ['catalog-paging']],
    [
      'one with a malformed tool among good ones',
      'malformed',
      ['good', 'loose', 'late'],
      ['tool-invalid', 'tool-invalid', 'tool-invalid'],
    ],
    [
      'a modern one with a malformed tool',
      'modern-malformed',
      ['good', 'loose', 'late'],
      ['tool-invalid', 'tool-invalid', 'tool-invalid'],
    ],
    ['one whose tool is nested without end', 'deep', ['flat'], ['tool-invalid']],
    ['one whose list changes while it is read', 'changing', ['start-new', 'next-new'], ['catalog-paging']],
    ['one that announces changes in a storm', 'storm', ['calm'], []],
    ['one whose list is no array', 'not-an-array', [], ['catalog-invalid']],
  ];
  it.each(cases)('lists %s', async (_what, scenario, tools, problems) => {
    const listed = await list(scenario, { probeMs: 700 });
    expect(names(listed)).toEqual(tools);
    expect(kinds(listed)).toEqual(problems);
  });

  it('reads the modern era as such, with name and instructions', async () => {
    const { value } = await list('modern');
    expect(value).toMatchObject({
      era: 'modern',
      protocolVersion: '2026-07-28',
      serverInfo: { name: 'fake-modern', version: '2.0.0' },
      instructions: 'Modern and gentle.',
    });
  });

  it.each(['slow-modern', 'slow-modern-late'])(
    'finds the modern era of a server that starts slower than the patience of the question (%s)',
    async (scenario) => {
      const { value } = await list(scenario, { probeMs: 200 });
      expect(value).toMatchObject({ era: 'modern', tools: [{ name: 'echo' }, { name: 'add' }] });
    },
  );

  it('starts a server that dies of the unknown question once more, and not again the next time', async () => {
    const run = startable('dies-on-probe');
    const client = createClient();
    expect((await client.list(run.server, never)).value.era).toBe('legacy');
    expect(run.starts()).toHaveLength(2);
    await client.list(run.server, never);
    expect(run.starts()).toHaveLength(3);
    expect(run.alive()).toEqual([]);
  });

  it('stops an endless list at a cap', async () => {
    const listed = await list('endless');
    expect(listed.value.tools).toHaveLength(200);
    expect(kinds(listed)).toEqual(['catalog-paging']);
  });

  it('keeps names such as __proto__ as data, in tools and in schemas', async () => {
    const [tool] = (await list('prototype')).value.tools;
    expect(tool?.name).toBe('__proto__');
    expect(Object.keys(tool?.inputSchema['properties'] ?? {})).toEqual(['__proto__', 'constructor']);
    expect(({} as { type?: string }).type).toBeUndefined();
  });

  it('labels what it has when a later page does not come', async () => {
    const listed = await list('second-page-stalls', { deadlineMs: 2_500 });
    expect(names(listed)).toEqual(['first']);
    expect(listed.problems).toMatchObject([{ kind: 'catalog-truncated', severity: 'error' }]);
  });

  it('replaces a secret of the definition that a tool repeats', async () => {
    const secret = ['s3cr3t', 'value', '0123456789'].join('-');
    const run = startable('echo-secret', { API_TOKEN: secret });
    const listed = await createClient().list(run.server, never);
    expect(JSON.stringify(listed)).not.toContain(secret);
    expect(listed.value.tools[0]?.description).toBe('Uses [redacted].');
    expect(kinds(listed)).toEqual(['secret']);
  });

  it('passes on only harmless variables of the host, and those of the definition', async () => {
    const env = { ...process.env, GITHUB_TOKEN: 'host-only', HTTPS_PROXY: 'http://proxy.invalid' };
    const { value } = await createClient({ env }).list(startable('environment', { EXTRA: 'given' }).server, never);
    const seen = JSON.parse(value.tools[0]?.description ?? '{}') as Record<string, string>;
    expect(seen).toMatchObject({ EXTRA: 'given', PATH: process.env['PATH'] });
    expect(seen).not.toHaveProperty('GITHUB_TOKEN');
    expect(seen).not.toHaveProperty('HTTPS_PROXY');
  });
});

describe('a server that fails', () => {
  const cases: readonly (readonly [what: string, scenario: string, kind: OperationErrorKind, message: RegExp])[] = [
    ['never answers', 'stall', 'timeout', /did not answer within 1\.5 s/],
    ['never answers the list', 'stall-list', 'timeout', /did not answer/],
    ['ends at once', 'crash', 'crashed', /exit code 3/],
    ['ends at the list', 'crash-on-list', 'crashed', /exit code 7/],
    ['sends a line of 200 MB', 'long-line', 'protocol', /line longer than 64 MB/],
    ['answers the list with an error', 'list-error', 'protocol', /broke the protocol: .*Internal error\.$/],
  ];
  it.each(cases)('is explained when it %s', async (_what, scenario, kind, message) => {
    const error = await failure(scenario, { deadlineMs: scenario.startsWith('stall') ? 1_500 : 30_000, probeMs: 300 });
    expect(error).toMatchObject({ name: 'OperationError', kind });
    expect(error.message).toMatch(message);
    expect(error.remedy).toBeTruthy();
  });

  it('shows the last output, without escape sequences and without secrets', async () => {
    const secret = ['s3cr3t', 'value', '0123456789'].join('-');
    const run = startable('crash', { API_TOKEN: secret });
    const redact = (text: string): string => text.replaceAll('Missing', 'MISSING');
    await expect(createClient({ redact }).list(run.server, never)).rejects.toMatchObject({
      kind: 'crashed',
      output: 'MISSING API_KEY, got [redacted]',
    });
    expect(run.starts()).toHaveLength(1);
  });

  it('keeps no more of a flood than the end of it', async () => {
    const run = startable('flood');
    const connection = await createClient().connect(run.server, never);
    const call = connection.callTool('hang', {}, { signal: never, timeoutMs: 700 });
    const error = await call.catch((thrown: OperationError) => thrown);
    expect(error).toMatchObject({ kind: 'timeout' });
    expect(String(error['output']).length).toBeGreaterThan(1_000);
    expect(String(error['output']).length).toBeLessThanOrEqual(8_192);
    await connection.close();
    expect(run.alive()).toEqual([]);
  });

  it.each([
    ['a program that does not exist', stdio('no-such-program-anywhere', [])],
    ['a file that does not exist', stdio('./no/such/file', [])],
    ['a folder to start in that does not exist', { ...stdio(process.execPath, []), cwd: '/no/such/folder' }],
  ] as const)('is not found with %s', async (_what, endpoint) => {
    await expect(createClient().list(serverOf('x', endpoint), never)).rejects.toMatchObject({ kind: 'not-found' });
  });

  it('throws the reason of the caller who cancels, and ends the process', async () => {
    const run = startable('stall-list');
    const controller = new AbortController();
    const listing = createClient().list(run.server, controller.signal);
    setTimeout(() => controller.abort(new Error('enough')), 600);
    await expect(listing).rejects.toThrow('enough');
    expect(run.alive()).toEqual([]);
  });

  it('leaves nobody behind when cancelled while it starts', async () => {
    const run = startable('ok');
    const controller = new AbortController();
    const listing = createClient().list(run.server, controller.signal);
    setImmediate(() => controller.abort(new Error('enough')));
    await expect(listing).rejects.toThrow('enough');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(run.alive()).toEqual([]);
  });
});

describe('what a server starts', () => {
  it.each([
    ['a grandchild', 'grandchild'],
    ['a grandchild of a server that ignores the end of its input', 'ignores-grandchild'],
    ['a grandchild in a process group of its own', 'stray'],
  ])('ends with it: %s', async (_what, scenario) => {
    const listed = await list(scenario, {}, 2);
    expect(names(listed)).toEqual(['echo', 'add']);
  });

  it('ends with a connection that is closed twice, and calls fail clearly after that', async () => {
    const run = startable('grandchild');
    const connection = await createClient().connect(run.server, never);
    expect(run.alive()).toHaveLength(2);
    expect(await connection.callTool('echo', { text: 'hi' }, { signal: never })).toMatchObject({
      content: [{ type: 'text' }],
    });
    await Promise.all([connection.close(), connection.close()]);
    await connection.closed;
    expect(run.alive()).toEqual([]);
    await expect(connection.callTool('echo', {}, { signal: never })).rejects.toMatchObject({ name: 'OperationError' });
  });
});

describe('when our own process ends', () => {
  it('no server outlives it, though it ignores signals and the end of its input', async () => {
    const run = startable('ignores-everything');
    const program = fileURLToPath(new URL('../support/connect-and-exit.ts', import.meta.url));
    const [code] = await once(
      spawn(process.execPath, [program, JSON.stringify(run.server)], { stdio: 'inherit' }),
      'exit',
    );
    expect(code).toBe(5);
    expect(run.starts()).toHaveLength(1);
    await expect.poll(run.alive, { timeout: 5_000 }).toEqual([]);
  });
});
