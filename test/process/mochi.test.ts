/** Mochi as a real child over each transport and era, with the official client: what it lists, answers and refuses. */
import { afterEach, describe, expect, it } from 'vitest';
import { FAULT_KEY } from '../../src/protocol/mochi.ts';
import {
  type Connected,
  connect,
  endAll,
  SHIPPED,
  start,
  TINY,
  WAYS,
  type Way,
} from '../support/mochi-fixture/running.ts';

/** On a busy machine a child takes its time. */
const SOON = { timeout: 20_000 };

afterEach(endAll);

const faultOf = (result: unknown): Record<string, unknown> =>
  ((result as { _meta?: Record<string, Record<string, unknown>> })._meta?.[FAULT_KEY] ?? {}) as never;
const query = { name: 'domain_query', arguments: { instruction: 'where?' } };
const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.each(WAYS)('over $transport in the $era era, Mochi', (way: Way) => {
  it('answers all three tools and reads all it lists', async () => {
    const { client } = await connect(way);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['domain_query', 'complete_code', 'suggest_pattern']);
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
    expect(JSON.stringify(tools).includes('maxLength')).toBe(way.transport !== 'sse');

    const answer = await client.callTool(query);
    expect(answer.structuredContent).toMatchObject({ response: 'where?||512', engine: 'tiny' });
    const code = await client.callTool({ name: 'complete_code', arguments: { prefix: 'x', language: 'go' } });
    expect(code.structuredContent).toMatchObject({ completion: '(go)' });
    const patterns = await client.callTool({ name: 'suggest_pattern', arguments: { goal: 'throw' } });
    expect(patterns.structuredContent).toMatchObject({ patterns: [{ name: 'error-handling' }] });

    const { resources } = await client.listResources();
    expect(resources).toHaveLength(6);
    for (const { uri } of resources) {
      const first = await client.readResource({ uri });
      expect(first.contents[0]?.uri).toBe(uri);
      expect(await client.readResource({ uri })).toEqual(first);
    }
    expect((await client.listResourceTemplates()).resourceTemplates).toHaveLength(3);
    const ref = { type: 'ref/resource', uri: 'mochi://patterns/{name}' } as const;
    const { completion } = await client.complete({ ref, argument: { name: 'name', value: 'err' } });
    expect(completion.values).toEqual(['error-handling']);
  });

  it('refuses with a reason: bad arguments, what is too slow, unknown tools and addresses', async () => {
    const { client } = await connect(way, TINY, ['--deadline', '50']);
    const bad = await client.callTool({ name: 'domain_query', arguments: { instruction: 7 } });
    expect(bad.isError).toBe(true);
    expect(faultOf(bad)).toMatchObject({ status: 400, field: 'instruction' });
    const slow = await client.callTool({ name: 'domain_query', arguments: { instruction: 'hang' } });
    expect(faultOf(slow)).toMatchObject({ status: 504 });
    const failed = await client.callTool({ name: 'domain_query', arguments: { instruction: 'fail' } });
    expect(faultOf(failed)).toMatchObject({ status: 500 });
    expect(JSON.stringify(failed)).not.toContain('private');
    await expect(client.callTool({ name: 'nope', arguments: {} })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.readResource({ uri: 'mochi://patterns/../x' })).rejects.toMatchObject({ code: -32_602 });
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toMatchObject({ code: -32_602 });
    expect((await client.callTool(query)).isError).toBeFalsy();
  });

  it('says 503 until it has learned, and then answers the same client', async () => {
    const { client, pid } = await connect(way, TINY, ['--empty']);
    const early = await client.callTool(query);
    expect(faultOf(early)).toMatchObject({ status: 503, kind: 'not-ready' });
    expect((await client.listResources()).resources).toHaveLength(1);
    process.kill(pid, 'SIGUSR2');
    await expect.poll(async () => (await client.callTool(query)).isError ?? false, SOON).toBe(false);
    expect((await client.listResources()).resources).toHaveLength(9);
  });

  it('answers 200 calls at once, each with its own answer', async () => {
    const { client } = await connect(way);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        client.callTool({ name: 'domain_query', arguments: { instruction: `question ${index}` } }),
      ),
    );
    answers.forEach((answer, index) => {
      expect(answer.structuredContent).toMatchObject({ response: `question ${index}||512` });
    });
  });

  it('dies by kill -9 without hanging its client, and a new one serves at once', async () => {
    const { client, pid } = await connect(way);
    // Over HTTP with sessions the client hopes to find its stream again, for as long as it would wait for an answer.
    const slow = client.callTool({ name: 'domain_query', arguments: { instruction: 'hang' } }, { timeout: 3_000 });
    const outcome = slow.then(
      () => 'answered',
      () => 'failed',
    );
    await client.callTool(query);
    process.kill(pid, 'SIGKILL');
    if (way.transport === 'sse') await client.close();
    expect(await outcome).toBe('failed');
    expect((await (await connect(way)).client.callTool(query)).isError).toBeFalsy();
  });
});

describe('clients that listen', () => {
  const heard = async (way: Way): Promise<number> => {
    const { client, pid }: Connected = await connect(way, TINY, ['--empty']);
    let count = 0;
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      count++;
    });
    const listening = way.era === 'modern' ? await client.listen({ resourcesListChanged: true }) : undefined;
    // The stream of a session is opened beside the first answers.
    await client.listTools();
    for (let tries = 0; tries < 100 && count === 0; tries++) {
      process.kill(pid, 'SIGUSR2');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await listening?.close();
    return count;
  };

  it.each(WAYS)('over $transport in the $era era hear that something was learned', async (way) => {
    expect(await heard(way)).toBeGreaterThan(0);
  });
});

describe('the end', () => {
  it('comes with the end of standard input, quietly and at once', async () => {
    const server = start(TINY, []);
    server.write('{"jsonrpc":"2.0","id":1,"method":"server/discover"}\n');
    await expect.poll(() => server.out(), SOON).not.toBe('');
    server.child.stdin?.end();
    expect(await server.ended).toBe(0);
  });

  it('comes with the end of whoever started it over HTTP', async () => {
    const server = start(SHIPPED, ['--transport', 'http', '--port', '0']);
    await server.url();
    server.child.stdin?.end();
    expect(await server.ended).toBe(0);
  });

  it('is graceful on a signal: a call in progress still gets its answer', async () => {
    const server = start(TINY, ['--transport', 'http', '--port', '0', '--deadline', '800']);
    const url = await server.url();
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'domain_query',
        arguments: { instruction: 'hang aloud' },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'domain_query',
    };
    const answer = fetch(url, { method: 'POST', body, headers });
    await expect.poll(() => server.err(), SOON).toContain('reached');
    server.child.kill('SIGTERM');
    expect(JSON.stringify(await (await answer).json())).toContain('504 timeout');
    expect(await server.ended).toBe(0);
    expect(isThere(server.child.pid ?? 0)).toBe(false);
  });
});

describe('standard output', () => {
  it('carries the protocol only, whatever a library prints', async () => {
    const server = start(TINY, ['--noise']);
    for (let id = 1; id <= 20; id++) {
      server.write(`{"jsonrpc":"2.0","id":${id},"method":"tools/list"}\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await expect.poll(() => server.out().split('\n').length, SOON).toBe(21);
    for (const line of server.out().trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0', result: { tools: expect.any(Array) } });
    for (const line of server.err().trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ time: expect.any(String), level: expect.any(String) });
    expect(server.err()).not.toContain('says hello');
  });
});
