/** What the gateway may start: bound to the whole definition, shared by editor and command line, and kept as hashes. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Server } from '../../../src/core/model.ts';
import { createGatewayApprovals, type GatewayApprovalsOptions } from '../../../src/node/gateway-approvals.ts';

let cache = '';
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'mochi-approvals-'));
});
afterEach(() => rmSync(cache, { recursive: true }));

const options = (more: Partial<GatewayApprovalsOptions> = {}): GatewayApprovalsOptions => ({
  env: { XDG_CACHE_HOME: cache, KEY: 'one' },
  platform: 'linux',
  home: '/home/nobody',
  folders: ['/folder'],
  ...more,
});
const server = (folder = '/folder', more: Partial<Server> = {}): Server => ({
  id: 'claude-code:a',
  name: 'a',
  source: {
    id: 'claude-code:/folder/.mcp.json',
    dialect: 'claude-code',
    label: 'Claude Code',
    path: '/folder/.mcp.json',
    display: '.mcp.json',
    scope: 'folder',
    folder,
  },
  endpoint: { kind: 'stdio', command: 'run', args: ['${KEY}'], env: {} },
  inputs: [],
  disabled: false,
  at: { file: '.mcp.json' },
  ...more,
});

describe('an approval for the gateway', () => {
  it('holds for whoever asks with the same definition, wherever the entry stands', async () => {
    await createGatewayApprovals(options()).add([server()]);
    const moved = server('/folder', { id: 'other', source: { ...server().source, path: '/folder/.mcp.gateway.json' } });
    expect(await createGatewayApprovals(options()).has(moved)).toBe(true);
  });

  it.each<[string, Server, Partial<GatewayApprovalsOptions>]>([
    ['another folder', server('/else'), {}],
    ['another name', server('/folder', { name: 'b' }), {}],
    ['another command', server('/folder', { endpoint: { kind: 'stdio', command: 'x', args: [], env: {} } }), {}],
    ['another value of a variable', server(), { env: { KEY: 'two' } }],
    ['no value of a variable', server(), { env: {} }],
  ])('does not hold for %s', async (_what, other, { env, ...more }) => {
    await createGatewayApprovals(options()).add([server()]);
    const around = options({ ...more, ...(env === undefined ? {} : { env: { XDG_CACHE_HOME: cache, ...env } }) });
    expect(await createGatewayApprovals(around).has(other)).toBe(false);
  });

  it('holds where only the drive is spelt differently', async () => {
    const windows = options({ platform: 'win32', env: { LOCALAPPDATA: cache, KEY: 'one' }, folders: ['c:\\work'] });
    await createGatewayApprovals(windows).add([server('c:\\work')]);
    expect(await createGatewayApprovals({ ...windows, folders: ['C:\\work'] }).has(server('C:\\work'))).toBe(true);
  });

  it('is kept as a hash, and a damaged file approves nothing', async () => {
    await createGatewayApprovals(options()).add([server()]);
    const file = join(cache, 'mochi', 'gateway-approvals.json');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
      version: 1,
      hashes: [expect.stringMatching(/^[0-9a-f]{64}$/)],
    });
    writeFileSync(file, '{"version":1,"hashes":');
    expect(await createGatewayApprovals(options()).has(server())).toBe(false);
  });
});
