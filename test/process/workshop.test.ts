/** The extension's heavy half with real processes: who may start, with what, and what is left when it is over. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Server } from '../../src/core/model.ts';
import { createApprovals } from '../../src/extension/approval.ts';
import { createWorkshop, type Workshop } from '../../src/extension/workshop.ts';
import { silent } from '../support/mcp-servers.ts';

const fakeServer = fileURLToPath(new URL('../support/fake-mcp-server.ts', import.meta.url));
const never = new AbortController().signal;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mochi-workshop-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const starts = (): number =>
  existsSync(join(folder, 'starts')) ? readFileSync(join(folder, 'starts'), 'utf8').trim().split('\n').length : 0;

function newWorkshop(ask: () => boolean): Workshop {
  let approved: unknown;
  const memory = {
    get: () => approved,
    set: async (value: unknown) => {
      approved = value;
    },
  };
  return createWorkshop({
    language: 'en',
    logger: silent,
    approvals: createApprovals({ memory, ask: async () => ask() }),
    env: process.env,
    platform: process.platform,
    home: folder,
    cacheFolder: join(folder, 'cache'),
    scriptsFolder: fileURLToPath(new URL('../../dist/scripts', import.meta.url)),
    program: { name: 'test', version: '1' },
    folders: () => [folder],
    readsUserFiles: () => false,
    timeoutMs: () => 20_000,
    runtime: () => 'python',
    answer: async () => undefined,
    anthropic: () => Promise.reject(new Error('not here')),
  });
}

async function serverIn(workshop: Workshop, scenario: string): Promise<Server> {
  const entry = {
    command: process.execPath,
    args: [fakeServer, scenario],
    env: { FAKE_STARTS: join(folder, 'starts') },
  };
  writeFileSync(join(folder, '.mcp.json'), JSON.stringify({ mcpServers: { kitchen: entry } }));
  const [server] = (await workshop.discover()).value.servers;
  if (server === undefined) throw new Error('nothing was found');
  return server;
}

describe('listing a server', () => {
  it('starts it after a yes, records its tools, and does not ask again', async () => {
    let asked = 0;
    const workshop = newWorkshop(() => {
      asked += 1;
      return true;
    });
    const server = await serverIn(workshop, 'ok');
    expect(await workshop.recorded(server)).toBeUndefined();
    const { value } = await workshop.list(server, never);
    expect(value.tools.map(({ name }) => name)).toEqual(['echo', 'add']);
    expect((await workshop.recorded(server))?.tools).toHaveLength(2);
    await workshop.list(server, never);
    await workshop.idle();
    expect([asked, starts()]).toEqual([1, 2]);
  });

  it('starts nothing after a no', async () => {
    const workshop = newWorkshop(() => false);
    await expect(workshop.list(await serverIn(workshop, 'ok'), never)).rejects.toMatchObject({
      kind: 'consent-needed',
    });
    expect(starts()).toBe(0);
  });

  it('starts nothing where what was shown changed while it was shown', async () => {
    const workshop = newWorkshop(() => {
      writeFileSync(join(folder, '.env'), 'WHAT=sabotage');
      return true;
    });
    const server = await serverIn(workshop, '${WHAT:-ok}');
    await expect(workshop.list(server, never)).rejects.toMatchObject({ kind: 'consent-needed' });
    expect(starts()).toBe(0);
  });

  it('leaves no process when it is cancelled', async () => {
    const workshop = newWorkshop(() => true);
    const controller = new AbortController();
    const listing = workshop.list(await serverIn(workshop, 'stall'), controller.signal);
    const failing = expect(listing).rejects.toThrow();
    while (starts() === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const pid = Number(readFileSync(join(folder, 'starts'), 'utf8').trim());
    controller.abort();
    await failing;
    await workshop.idle();
    expect(() => process.kill(pid, 0)).toThrow();
  });
});

describe('a written skill', () => {
  it('is the same as its server, until that changes', async () => {
    const workshop = newWorkshop(() => true);
    const server = await serverIn(workshop, 'ok');
    const { value: catalog } = await workshop.list(server, never);
    const request = { server, catalog, skill: 'kitchen', servers: ['kitchen'], counter: 'offline' as const };
    const forms = await workshop.makeForms({ ...request, excludeTools: ['add'] }, never);
    const root = join(folder, '.claude', 'skills');
    const [skill] = forms.skills;
    if (skill === undefined) throw new Error('no skill');
    await workshop.apply((await workshop.plan(skill, root, folder, false)).value, folder, never);
    const [written] = await workshop.written(root);
    if (written === undefined) throw new Error('nothing was written');
    expect(written).toEqual({ root, skill: 'kitchen', server: 'kitchen' });
    const now = { server, catalog };
    expect(await workshop.check(written, now, ['kitchen'], never)).toEqual({ kind: 'same' });
    const [first] = catalog.tools;
    const less = { ...catalog, tools: first === undefined ? [] : [{ ...first, description: 'Else.' }] };
    expect(await workshop.check(written, { server, catalog: less }, ['kitchen'], never)).toMatchObject({
      kind: 'drift',
      drift: { changed: ['echo'] },
      isRedefined: false,
    });
    const moved = { ...server, name: 'pantry' };
    expect(await workshop.check(written, { server: moved, catalog }, [], never)).toMatchObject({ isRedefined: true });
    expect((await workshop.validate(root, 'kitchen')).filter(({ severity }) => severity === 'error')).toEqual([]);
    const costs = await workshop.measureTools(forms, never);
    expect([...costs.keys()]).toEqual(['echo']);
    for (const { native, lazy } of costs.values()) expect(Math.min(native, lazy)).toBeGreaterThan(0);
  });
});
