/**
 * Servers put behind the gateway, as the editor does it: the entry that is written is started as Claude Code starts it,
 * with the official client in front, and fronts exactly the servers that were moved.
 */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { createGatewayDesk, type GatewayDesk } from '../../src/extension/gateway-desk.ts';
import { createSecretFinder } from '../../src/node/secret-scan.ts';
import { createWorkspace, mcpJson, serverProgram, type Workspace } from '../support/cli.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/mochi-gateway.mjs', import.meta.url));

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const servers = {
  memory: {
    command: 'node',
    args: [serverProgram('memory')],
    env: { MEMORY_FILE_PATH: '${CLAUDE_PROJECT_DIR}/m.json' },
  },
  everything: { command: 'node', args: [serverProgram('everything'), 'stdio'] },
  left: { command: 'node', args: ['-e', 'process.exit(3)'] },
};

function bench(): { readonly made: Workspace; readonly desk: GatewayDesk; readonly env: Record<string, string> } {
  const made = createWorkspace({ '.mcp.json': mcpJson(servers) });
  cleanups.push(() => made.remove());
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    XDG_CACHE_HOME: join(made.folder, '.cache'),
  };
  const desk = createGatewayDesk({ env, home: env.HOME, platform: process.platform, finder: createSecretFinder });
  return { made, desk, env };
}

/** Writes the entry, after a yes for each of `approved`. */
async function putBehind({ made, desk }: ReturnType<typeof bench>, names: string[], approved = names) {
  for (const server of await desk.configured(made.folder)) {
    const shown = approved.includes(server.name) ? await desk.unapproved(made.folder, server) : undefined;
    if (shown !== undefined) await desk.approve(made.folder, server, shown);
  }
  const before = await desk.read(made.folder);
  const after = desk.put(before, names, PROGRAM, 'normal');
  if (after.kind === 'problem') throw new Error(after.problem.kind);
  await desk.write(made.folder, before, after);
  return { before, after };
}

/** Starts what `.mcp.json` says of the gateway, in another folder, with the variable replaced as Claude Code does it. */
async function start({ made, env }: ReturnType<typeof bench>) {
  const { command, args } = JSON.parse(readFileSync(join(made.folder, '.mcp.json'), 'utf8')).mcpServers[
    'mochi-gateway'
  ];
  const words = args.map((word: string) => word.replaceAll('${CLAUDE_PROJECT_DIR:-.}', made.folder));
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StdioClientTransport({ command, args: words, cwd: '/', stderr: 'pipe', env });
  let errors = '';
  transport.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  cleanups.push(() => client.close());
  await client.connect(transport);
  return { client, errors: () => errors };
}

describe('the entry that stands for servers', () => {
  it('fronts exactly the servers that were moved', async () => {
    const made = bench();
    await putBehind(made, ['memory', 'everything']);
    const { client, errors } = await start(made);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('everything__echo');
    expect(names).toContain('memory__read_graph');
    expect(names.filter((name) => !/^(everything|memory)__/.test(name))).toEqual([]);
    const answer = await client.callTool({ name: 'everything__echo', arguments: { message: 'mochi' } });
    expect(JSON.stringify(answer.content)).toContain('mochi');
    expect(errors()).toBe('');
  });

  it('starts nothing that nobody said yes to, nor what changed since', async () => {
    const made = bench();
    await putBehind(made, ['memory', 'everything'], ['memory']);
    const file = join(made.made.folder, '.mcp.gateway.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('m.json', 'n.json'));
    const { client, errors } = await start(made);
    expect((await client.listTools()).tools).toEqual([]);
    expect(errors()).toMatch(/Not approved, so never started: (memory, everything|everything, memory)/);
  });

  it('goes, and the servers return, when they are taken back', async () => {
    const made = bench();
    const { before } = await putBehind(made, ['everything', 'memory']);
    const now = await made.desk.read(made.made.folder);
    const back = made.desk.take(now, ['everything', 'memory']);
    if (back.kind === 'problem') throw new Error(back.problem.kind);
    await made.desk.write(made.made.folder, now, back);
    expect(await made.desk.read(made.made.folder)).toEqual(before);
  });
});

describe('the two files', () => {
  it('are not written when one is another than what was shown', async () => {
    const made = bench();
    const { before, after } = await putBehind(made, ['memory']);
    writeFileSync(join(made.made.folder, '.mcp.json'), '{"mcpServers":{}}\n');
    await expect(made.desk.write(made.made.folder, after, before)).rejects.toMatchObject({ kind: 'conflict' });
    expect((await made.desk.read(made.made.folder)).gateway).toBe(after.gateway);
  });

  it('are not touched through a link', async () => {
    const made = bench();
    const outside = createWorkspace({ 'other.json': '{}' });
    cleanups.push(() => outside.remove());
    const config = mcpJson(servers);
    symlinkSync(join(outside.folder, 'other.json'), join(made.made.folder, '.mcp.gateway.json'));
    await expect(made.desk.read(made.made.folder)).rejects.toMatchObject({ kind: 'io' });
    await expect(
      made.desk.write(made.made.folder, { config, gateway: '{}' }, { config, gateway: 'changed' }),
    ).rejects.toMatchObject({ kind: 'io' });
    expect(readFileSync(join(outside.folder, 'other.json'), 'utf8')).toBe('{}');
  });
});
