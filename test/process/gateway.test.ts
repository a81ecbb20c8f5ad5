/** The gateway as clients use it: the official client in front, real servers and unruly ones behind. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client, type VersionNegotiationOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { createWorkspace, mcpJson, serverProgram, type Workspace } from '../support/cli.ts';
import { stop, waitFor } from '../support/mcp-servers.ts';

const CLI = fileURLToPath(new URL('../../dist/cli.mjs', import.meta.url));
const INSPECTOR = fileURLToPath(new URL('../../node_modules/.bin/mcp-inspector', import.meta.url));
const CHILD = fileURLToPath(new URL('./gateway-child.ts', import.meta.url));
const ASKING_CHILD = fileURLToPath(new URL('./gateway-asking-child.ts', import.meta.url));
const MODERN_CHILD = fileURLToPath(new URL('./gateway-modern-child.ts', import.meta.url));
const LEGACY: VersionNegotiationOptions = { mode: 'legacy' };
const MODERN: VersionNegotiationOptions = { mode: 'auto' };

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function workspace(servers: Readonly<Record<string, object>>): Workspace {
  const made = createWorkspace({ '.mcp.json': mcpJson(servers) });
  cleanups.push(() => made.remove());
  return made;
}

interface Front {
  readonly client: Client;
  readonly changes: string[];
  readonly errors: () => string;
}

async function front(
  { folder }: Workspace,
  args: readonly string[],
  versionNegotiation: VersionNegotiationOptions = LEGACY,
  prepare: (client: Client) => void = () => {},
): Promise<Front> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
  prepare(client);
  const changes: string[] = [];
  for (const what of ['tools', 'resources', 'prompts'] as const)
    client.setNotificationHandler(`notifications/${what}/list_changed`, () => {
      changes.push(what);
    });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, 'gateway', ...args],
    cwd: folder,
    stderr: 'pipe',
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', XDG_CACHE_HOME: join(folder, '.cache') },
  });
  let errors = '';
  transport.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  cleanups.push(() => client.close());
  await client.connect(transport);
  return { client, changes, errors: () => errors };
}

const everything = { command: 'node', args: [serverProgram('everything'), 'stdio'] };
const memory = { command: 'node', args: [serverProgram('memory')] };
const broken = { command: 'node', args: ['-e', 'process.exit(3)'] };

/** The unruly server, and what it wrote down. */
function unruly(made: Workspace, name = 'child') {
  const file = join(made.folder, `${name}.events`);
  const entry = { command: 'node', args: [CHILD], env: { EVENTS: file } };
  const events = (): readonly string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);
  return { entry, events, starts: () => events().filter((line) => line.startsWith('start ')).length };
}

function unrulyWorkspace(more: Readonly<Record<string, object>> = {}) {
  const made = workspace({});
  const child = unruly(made);
  made.write('.mcp.json', mcpJson({ child: child.entry, ...more }));
  return { made, child };
}

async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt++) {
    if (await condition()) return;
    await delay(25);
  }
  throw new Error(`It never came to this: ${what}.`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

const textOf = (result: { readonly content?: unknown }): string =>
  ((result.content as readonly { readonly text?: string }[])[0]?.text ?? '') as string;

describe.each([
  ['legacy', LEGACY],
  ['modern', MODERN],
])('behind the gateway, for a client of the %s era, real servers', (_, era) => {
  it('are listed and called in the normal mode as if there were nothing in between', async () => {
    const made = workspace({ everything, memory });
    const direct = new Client({ name: 'test', version: '1' });
    cleanups.push(() => direct.close());
    await direct.connect(
      new StdioClientTransport({ command: 'node', args: everything.args, cwd: made.folder, stderr: 'ignore' }),
    );
    const { client } = await front(made, ['--yes', '--mode', 'normal'], era);
    const [near, far] = [await client.listTools(), await direct.listTools()];
    expect(near.tools).toHaveLength(far.tools.length + 9);
    for (const tool of far.tools)
      expect(near.tools.find(({ name }) => name === `everything__${tool.name}`)).toMatchObject({
        description: tool.description,
        inputSchema: tool.inputSchema,
        ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
        ...(tool.annotations === undefined ? {} : { annotations: tool.annotations }),
      });
    for (const [name, args] of [
      ['get-sum', { a: 2, b: 3 }],
      ['get-structured-content', { location: 'New York' }],
      ['get-tiny-image', {}],
      ['get-resource-links', { count: 2 }],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
    ] as const) {
      const { _meta: ours, ...through } = await client.callTool({ name: `everything__${name}`, arguments: args });
      const { _meta: its, ...plain } = await direct.callTool({ name, arguments: args });
      expect(through, name).toEqual(plain);
    }
  });

  it('are compacted and still callable in the compact mode', async () => {
    const { client } = await front(workspace({ everything, memory }), ['--yes', '--mode', 'compact'], era);
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(22);
    expect(JSON.stringify(tools)).not.toContain('outputSchema');
    const created = tools.find(({ name }) => name === 'memory__create_entities');
    expect(created?.inputSchema.required).toEqual(['entities']);
    // What clients go by when they ask a person for permission.
    expect(tools.find(({ name }) => name === 'memory__read_graph')?.annotations).toMatchObject({ readOnlyHint: true });
    const result = await client.callTool({ name: 'everything__get-sum', arguments: { a: 2, b: 3 } });
    expect(textOf(result)).toBe('The sum of 2 and 3 is 5.');
  });

  it('are three tools in the lazy mode, through which each can be described and called', async () => {
    const { client } = await front(workspace({ everything, memory }), ['--yes'], era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['describe_tool', 'call_tool', 'list_tools']);
    expect(tools[0]?.description).toContain('get-sum');
    const described = await client.callTool({ name: 'describe_tool', arguments: { name: 'everything__get-sum' } });
    expect(JSON.parse(textOf(described))).toMatchObject({ inputSchema: { required: ['a', 'b'] } });
    const called = (args: object) =>
      client.callTool({ name: 'call_tool', arguments: { name: 'everything__get-sum', arguments: args } });
    expect(textOf(await called({ a: 2, b: 3 }))).toBe('The sum of 2 and 3 is 5.');
    const wrong = await called({ a: 'x' });
    expect(wrong.isError).toBe(true);
    expect(textOf(wrong)).toContain("must have required property 'b'");
  });

  it('say how far they are, and stop when they are told to', async () => {
    const { client } = await front(workspace({ everything }), ['--yes', '--mode', 'compact'], era);
    const name = 'everything__trigger-long-running-operation';
    const seen: unknown[] = [];
    const onprogress = (progress: unknown) => void seen.push(progress);
    await client.callTool({ name, arguments: { duration: 0.5, steps: 3 } }, { onprogress });
    // The last step may come in one piece with the result, and clients then hear only of the result.
    expect(seen.slice(0, 2)).toMatchObject([
      { progress: 1, total: 3 },
      { progress: 2, total: 3 },
    ]);
    const stop = new AbortController();
    const long = client.callTool({ name, arguments: { duration: 60, steps: 2 } }, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 100);
    await expect(long).rejects.toThrow('enough');
    expect(textOf(await client.callTool({ name: 'everything__echo', arguments: { message: 'here' } }))).toContain(
      'here',
    );
  });
});

describe('servers that are reached in other ways', () => {
  it('of the modern era are called, and their changes announced', async () => {
    const made = workspace({ modern: { command: 'node', args: [MODERN_CHILD] } });
    const { client, changes } = await front(made, ['--yes', '--mode', 'compact']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['modern__grow']);
    await client.callTool({ name: 'modern__grow', arguments: {} });
    await until('an announcement', () => changes.includes('tools'));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['modern__grow', 'modern__grown_1']);
  });

  it('over HTTP are listed and called', async () => {
    const port = await freePort();
    const args = [serverProgram('everything'), 'streamableHttp'];
    const server = spawn('node', args, { env: { ...process.env, PORT: String(port) }, stdio: 'pipe' });
    cleanups.push(() => stop(server));
    await waitFor(server, /port (\d+)/i);
    const made = workspace({ web: { type: 'http', url: `http://localhost:${port}/mcp` } });
    const { client } = await front(made, ['--yes', '--mode', 'compact']);
    expect((await client.listTools()).tools).toHaveLength(13);
    expect(textOf(await client.callTool({ name: 'web__echo', arguments: { message: 'here' } }))).toBe('Echo: here');
  });
});

describe('instructions of servers', () => {
  it('reach the client once they are known, under the name of each', async () => {
    const made = workspace({ everything, memory });
    const first = await front(made, ['--yes']);
    expect(first.client.getInstructions()).toBeUndefined();
    await first.client.listTools();
    await first.client.close();
    const { client } = await front(made, []);
    expect(client.getInstructions()).toMatch(/^# everything\n\S/);
    expect(Buffer.byteLength(client.getInstructions() ?? '')).toBeLessThanOrEqual(2_048);
  });
});

describe('the Inspector', () => {
  it('lists and calls through the gateway', async () => {
    const made = workspace({ everything });
    const inspect = (...args: readonly string[]): unknown => {
      const front = ['-q', '--', process.execPath, CLI, 'gateway', '--yes'];
      const out = execFileSync(INSPECTOR, ['--cli', ...args, '--format', 'json', ...front], {
        cwd: made.folder,
        env: { ...process.env, XDG_CACHE_HOME: join(made.folder, '.cache') },
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      return JSON.parse(out);
    };
    expect(inspect('--method', 'tools/list')).toMatchObject({
      result: { tools: [{ name: 'describe_tool' }, { name: 'call_tool' }, { name: 'list_tools' }] },
    });
    const call = JSON.stringify({ name: 'everything__get-sum', arguments: { a: 1, b: 2 } });
    const called = inspect('--method', 'tools/call', '--tool-name', 'call_tool', '--tool-args-json', call);
    expect(called).toMatchObject({ result: { content: [{ text: 'The sum of 1 and 2 is 3.' }] } });
  });
});

describe('resources and prompts', () => {
  it('of a server that runs are passed through, and announced when it comes up', async () => {
    const { client, changes } = await front(workspace({ everything }), ['--yes', '--mode', 'compact']);
    expect((await client.listPrompts()).prompts).toEqual([]);
    await client.callTool({ name: 'everything__echo', arguments: { message: 'x' } });
    await until('an announcement', () => changes.includes('resources') && changes.includes('prompts'));
    const [resource] = (await client.listResources()).resources;
    expect((await client.readResource({ uri: resource?.uri ?? '' })).contents).toHaveLength(1);
    const { resourceTemplates } = await client.listResourceTemplates();
    const fitting = resourceTemplates[0]?.uriTemplate.replace(/\{.*\}/, '1') ?? '';
    expect((await client.readResource({ uri: fitting })).contents).toHaveLength(1);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('everything__args-prompt');
    const prompt = await client.getPrompt({ name: 'everything__args-prompt', arguments: { city: 'Oslo' } });
    expect(JSON.stringify(prompt.messages)).toContain('Oslo');
  });

  it('that nobody has are refused by name', async () => {
    const { client } = await front(workspace({ everything }), ['--yes']);
    await expect(client.readResource({ uri: 'none://x' })).rejects.toThrow('none://x');
    await expect(client.getPrompt({ name: 'none' })).rejects.toThrow('No server has a prompt "none"');
  });
});

describe('without consent', () => {
  it('nothing is started: tools are listed as recorded, calls are refused with the way to allow them', async () => {
    const { made, child } = unrulyWorkspace();
    const first = await front(made, ['--mode', 'compact']);
    expect((await first.client.listTools()).tools).toEqual([]);
    expect(first.errors()).toContain('Not approved, so never started: child');
    expect(child.starts()).toBe(0);
    const allowed = await front(made, ['--mode', 'compact', '--yes']);
    expect((await allowed.client.listTools()).tools).toHaveLength(6);
    await allowed.client.close();
    const again = await front(made, ['--mode', 'compact']);
    expect((await again.client.listTools()).tools).toHaveLength(6);
    const refused = await again.client.callTool({ name: 'child__echo', arguments: {} });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain('mochi gateway --approve');
    expect(child.starts()).toBe(1);
  });

  it('a list that is empty says why, and is whole as soon as somebody agrees, with no restart', async () => {
    const { made } = unrulyWorkspace();
    const { client } = await front(made, []);
    const listed = async () => textOf(await client.callTool({ name: 'list_tools', arguments: {} }));
    expect(await listed()).toMatch(/server "child" are not there\. .*mochi gateway --approve/);
    await made.mochi('gateway', '--approve', '--yes');
    expect(await listed()).toContain('child__echo: Does echo');
  });

  it.each([
    ['nothing approved', true, [], 1, 'Not approved, so never started: child'],
    ['nothing configured', false, [], 1, 'No server was chosen.'],
    ['something to serve', true, ['--yes'], 0, ''],
  ] as const)('a gateway with %s ends with what a script can tell', async (_, isConfigured, args, expected, words) => {
    const made = isConfigured ? unrulyWorkspace().made : workspace({});
    const { code, err } = await made.mochi('gateway', ...args);
    expect([code, err]).toEqual([expected, expect.stringContaining(words)]);
  });

  it('a definition that was approved runs, and one that changed since does not', async () => {
    const { made, child } = unrulyWorkspace();
    const { code, err } = await made.mochi('gateway', '--approve', '--yes');
    expect([code, err]).toEqual([0, expect.stringContaining('Approved: child')]);
    const approved = await front(made, ['--mode', 'compact']);
    expect((await approved.client.callTool({ name: 'child__echo', arguments: {} })).isError).not.toBe(true);
    expect(child.starts()).toBe(1);
    await approved.client.close();
    made.write('.mcp.json', mcpJson({ child: { ...child.entry, env: { ...child.entry.env, MORE: '1' } } }));
    const changed = await front(made, ['--mode', 'compact']);
    expect((await changed.client.listTools()).tools).toEqual([]);
    expect(child.starts()).toBe(1);
  });

  it('an approval ends with a change of the file of variables that a definition names', async () => {
    const { made, child } = unrulyWorkspace();
    made.write('.mcp.json', mcpJson({}));
    made.write('.vscode/mcp.json', JSON.stringify({ servers: { child: { ...child.entry, envFile: 'some.env' } } }));
    made.write('some.env', 'NODE_OPTIONS=');
    await made.mochi('gateway', '--approve', '--yes');
    const approved = await front(made, ['--mode', 'compact']);
    expect((await approved.client.listTools()).tools).toHaveLength(6);
    await approved.client.close();
    made.write('some.env', 'NODE_OPTIONS=--require=./evil.js');
    const changed = await front(made, ['--mode', 'compact']);
    const refused = await changed.client.callTool({ name: 'child__echo', arguments: {} });
    expect(textOf(refused)).toContain('nobody agreed');
    expect(child.starts()).toBe(1);
  });

  it('approvals are not looked for in the workspace, and hold no text of a definition', async () => {
    const { made, child } = unrulyWorkspace();
    await made.mochi('gateway', '--approve', '--yes');
    const book = readFileSync(join(made.folder, '.cache', 'mochi', 'gateway-approvals.json'), 'utf8');
    expect(book).not.toContain('EVENTS');
    mkdirSync(join(made.folder, '.mochi'));
    writeFileSync(join(made.folder, '.mochi', 'gateway-approvals.json'), book);
    made.write('.cache/mochi/gateway-approvals.json', '{');
    const { client } = await front(made, ['--mode', 'compact']);
    expect((await client.listTools()).tools).toEqual([]);
    expect(child.starts()).toBe(0);
  });
});

describe('trouble behind the gateway', () => {
  it('of one server hides no other', async () => {
    const { made } = unrulyWorkspace({
      broken,
      silent: { command: 'node', args: ['-e', 'setInterval(() => {}, 1e6)'] },
    });
    const { client, errors } = await front(made, ['--yes', '--mode', 'compact']);
    expect((await client.listTools(undefined, { timeout: 50_000 })).tools.map(({ name }) => name)).toContain(
      'child__echo',
    );
    expect(errors()).toContain('Left out "broken"');
    expect((await client.callTool({ name: 'child__echo', arguments: {} })).isError).not.toBe(true);
  });

  it('a server that hangs is named, and neither a listing nor a mistyped name waits for its end', async () => {
    const { made, child } = unrulyWorkspace({ hung: { command: 'sleep', args: ['100'] }, broken });
    // Whatever waited for the hung server would wait longer than the client does.
    const { client } = await front(made, ['--yes', '--timeout', '300']);
    expect((await client.listTools()).tools[0]?.description).toContain('child__echo');
    const ask = async (name: string, args: Readonly<Record<string, unknown>>) =>
      textOf(await client.callTool({ name, arguments: args }));
    const listed = await ask('list_tools', {});
    expect(listed).toContain('child__echo: Does echo');
    expect(listed).toContain('server "hung" are not there. It is slow to start; its tools follow.');
    expect(listed).toMatch(/server "broken" are not there\. .*exit code 3/);
    expect(await ask('describe_tool', { name: 'broken__x' })).toContain('exit code 3');
    expect(await ask('call_tool', { name: 'broken__x' })).toContain('exit code 3');
    expect(await ask('call_tool', { name: 'child__ecko' })).toContain('Did you mean child__echo');
    expect(child.starts()).toBe(1);
  });

  it('a server whose first start takes long comes in later, and a call by its name waits for it', async () => {
    const { made } = unrulyWorkspace();
    const late = unruly(made, 'late');
    const program = `setTimeout(() => import(${JSON.stringify(pathToFileURL(CHILD).href)}), 4_000)`;
    made.write('.mcp.json', mcpJson({ memory, late: { ...late.entry, args: ['--input-type=module', '-e', program] } }));
    const { client, changes } = await front(made, ['--yes', '--mode', 'compact']);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('late__echo');
    expect((await client.callTool({ name: 'late__echo', arguments: {} })).isError).not.toBe(true);
    await until('an announcement', () => changes.includes('tools'));
    expect(await names()).toContain('late__echo');
    expect(late.starts()).toBe(1);
  });

  it('a server that failed is why its tool cannot be called, in the other modes too', async () => {
    const { made } = unrulyWorkspace({ broken });
    const { client } = await front(made, ['--yes', '--mode', 'compact']);
    const answer = await client.callTool({ name: 'broken__x', arguments: {} });
    expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining('exit code 3')]);
  });

  it('a server that dies in a call is told of, and is started again by the next call', async () => {
    const { made, child } = unrulyWorkspace();
    const { client } = await front(made, ['--yes', '--mode', 'compact']);
    const died = await client.callTool({ name: 'child__die', arguments: {} });
    expect([died.isError, textOf(died)]).toEqual([true, expect.stringContaining('exit code 9')]);
    expect((await client.callTool({ name: 'child__echo', arguments: {} })).isError).not.toBe(true);
    expect(child.starts()).toBe(2);
  });

  it('a server that is killed between calls is started again by the next call', async () => {
    const { made, child } = unrulyWorkspace();
    const { client, errors } = await front(made, ['--yes', '--mode', 'compact']);
    const { pid } = JSON.parse(textOf(await client.callTool({ name: 'child__echo', arguments: {} }))) as {
      pid: number;
    };
    process.kill(pid, 'SIGKILL');
    await until('the end is noticed', () => errors().includes('"child" ended'));
    const next = JSON.parse(textOf(await client.callTool({ name: 'child__echo', arguments: {} }))) as { pid: number };
    expect(next.pid).not.toBe(pid);
    expect(child.starts()).toBe(2);
  });

  it('a server that hangs runs out of time, is ended, and is started again by the next call', async () => {
    const { made, child } = unrulyWorkspace();
    const { client, errors } = await front(made, ['--yes', '--mode', 'compact', '--timeout', '2']);
    const hung = await client.callTool({ name: 'child__freeze', arguments: {} });
    expect([hung.isError, textOf(hung)]).toEqual([true, expect.stringContaining('did not answer within 2 s')]);
    await until('it is ended', () => errors().includes('does not answer any more'));
    await until('it answers again', async () => {
      const result = await client.callTool({ name: 'child__echo', arguments: {} });
      return result.isError !== true;
    });
    expect(child.starts()).toBe(2);
  });

  it('a call that is cancelled is cancelled at its server', async () => {
    const { made, child } = unrulyWorkspace();
    const { client } = await front(made, ['--yes', '--mode', 'compact']);
    const stop = new AbortController();
    const waiting = client.callTool({ name: 'child__wait', arguments: {} }, { signal: stop.signal });
    waiting.catch(() => {});
    await until('the call has arrived', () => child.events().includes('waiting'));
    stop.abort(new Error('enough'));
    await until('the cancellation has arrived', () => child.events().includes('cancelled'));
    await expect(waiting).rejects.toThrow('enough');
  });

  it('an error that a server answers with keeps its code, its words and its data', async () => {
    const { made } = unrulyWorkspace();
    const { client } = await front(made, ['--yes', '--mode', 'compact']);
    await expect(client.callTool({ name: 'child__refuse', arguments: {} })).rejects.toMatchObject({
      code: -32011,
      message: expect.stringContaining('Not today.'),
      data: { until: 'tomorrow' },
    });
  });

  it.each(['compact', 'lazy'])('a list that changes is announced and read anew in the mode %s', async (mode) => {
    const { made } = unrulyWorkspace();
    const { client, changes } = await front(made, ['--yes', '--mode', mode]);
    const before = JSON.stringify((await client.listTools()).tools);
    expect(before).not.toContain('grown_6');
    if (mode === 'lazy') await client.callTool({ name: 'call_tool', arguments: { name: 'child__grow' } });
    else await client.callTool({ name: 'child__grow', arguments: {} });
    await until('an announcement', () => changes.includes('tools'));
    expect(JSON.stringify((await client.listTools()).tools)).toContain('grown_6');
  });
});

describe('the gateway', () => {
  it('shows and calls only what the rules let', async () => {
    const { made } = unrulyWorkspace();
    const rules = ['--exclude-tool', 'child/d*,freeze', '--allow-tool', 'echo,die'];
    const { client } = await front(made, ['--yes', '--mode', 'normal', ...rules]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['child__echo']);
    await expect(client.callTool({ name: 'child__die', arguments: {} })).rejects.toThrow(
      'There is no tool "child__die"',
    );
  });

  it('does not start itself where it stands beside the servers it fronts', async () => {
    const { made, child } = unrulyWorkspace({ gateway: { command: 'node', args: [CLI, 'gateway', '--yes'] } });
    const { client, errors } = await front(made, ['--yes', '--mode', 'normal']);
    expect((await client.listTools()).tools).toHaveLength(6);
    expect(errors()).toContain('Left out, because it is this gateway: gateway');
    expect(child.starts()).toBe(1);
  });

  it('answers what is no message with the error that JSON-RPC has for it, and stays in step', async () => {
    const { folder } = workspace({});
    const child = spawn(process.execPath, [CLI, 'gateway'], { cwd: folder, env: { PATH: process.env['PATH'] ?? '' } });
    cleanups.push(() => void child.kill('SIGKILL'));
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += String(chunk);
    });
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 9, method: 'ping' });
    child.stdin.write(`hello\n7\n[${ping}]\n{"id":1,"method":"ping"}\n${ping}\n`);
    await until('the gateway has answered', () => out.includes('"id":9'));
    const answers = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32_700],
      [null, -32_600],
      [null, -32_600],
      [null, -32_600],
      [9, undefined],
    ]);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin.end();
    expect(await ended).toBeTypeOf('number');
  });

  it('ends with its client, and with it every server, also one that does not care', async () => {
    const { made, child } = unrulyWorkspace();
    made.write('.mcp.json', mcpJson({ child: { ...child.entry, env: { ...child.entry.env, STUBBORN: '1' } } }));
    const { client } = await front(made, ['--yes', '--mode', 'compact']);
    const { pid } = JSON.parse(textOf(await client.callTool({ name: 'child__echo', arguments: {} }))) as {
      pid: number;
    };
    await client.close();
    await until('the server is gone', () => {
      try {
        process.kill(pid, 0);
        return false;
      } catch {
        return true;
      }
    });
    expect(child.starts()).toBe(1);
  });
});

/** A client that answers what it is asked, and how often it was. */
function answering(): { readonly prepare: (client: Client) => void; readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    prepare(client) {
      client.registerCapabilities({ elicitation: { form: {} }, sampling: {} });
      client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(String(params.message));
        return { action: 'accept', content: { branch: 'main' } };
      });
      client.setRequestHandler('sampling/createMessage', () => {
        asked.push('sample');
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Mochi' } };
      });
    },
  };
}

describe.each([
  ['legacy', 'legacy', LEGACY],
  ['legacy', 'modern', MODERN],
  ['modern', 'legacy', LEGACY],
  ['modern', 'modern', MODERN],
])('a server of the %s era that asks back, for a client of the %s era,', (server, _, era) => {
  const entry = { command: 'node', args: [ASKING_CHILD, server] };

  it('is answered by the client', async () => {
    const { prepare, asked } = answering();
    const { client } = await front(workspace({ asking: entry }), ['--yes', '--mode', 'compact'], era, prepare);
    const result = await client.callTool({ name: 'asking__ask', arguments: {} });
    expect(JSON.parse(textOf(result))).toMatchObject({
      action: 'accept',
      content: { branch: 'main' },
      sample: 'Mochi',
    });
    expect(asked.toSorted()).toEqual(['Which branch?', 'sample']);
  });

  it('hears that a client which cannot be asked will not answer, and nothing hangs', async () => {
    const { client } = await front(workspace({ asking: entry }), ['--yes', '--mode', 'compact'], era);
    const outcome = await client.callTool({ name: 'asking__ask', arguments: {} }).then(
      (result) => (result.isError === true ? textOf(result) : 'answered'),
      (error: unknown) => String(error),
    );
    expect(outcome).toMatch(/elicitation|capabilit|not answer|support/i);
  });
});

it('a log message of a server reaches the client whose call it belongs to, from the level it wants', async () => {
  const { prepare } = answering();
  const logs: unknown[] = [];
  const made = workspace({ asking: { command: 'node', args: [ASKING_CHILD, 'legacy'] } });
  const { client } = await front(made, ['--yes', '--mode', 'normal'], LEGACY, (one) => {
    prepare(one);
    one.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data));
  });
  await client.callTool({ name: 'asking__ask', arguments: {} });
  expect(logs).toEqual(['about to ask']);
  await client.setLoggingLevel('error');
  await client.callTool({ name: 'asking__ask', arguments: {} });
  expect(logs).toEqual(['about to ask']);
});

it('prompts and completions of a server that does not run yet are there for who asks by name', async () => {
  const { client } = await front(workspace({ everything }), ['--yes', '--short-names'], LEGACY);
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'E' },
  });
  expect(completion.values).toContain('Engineering');
});
