import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Catalog, Endpoint, Server } from '#core/model.ts';
import type { ToolLister } from '#core/ports.ts';
import type { Problem } from '#core/problem.ts';
import {
  createCachedLister,
  createCatalogCache,
  definitionHash,
  eraMemoryFromCache,
  toolListHash,
} from '#node/catalog-cache.ts';
import { serverOf, silent, stdio } from '../../support/mcp-servers.ts';

const secret = ['s3cr3t', 'value'].join('-');
const server = serverOf('srv', stdio('npx', ['-y', 'pkg', '--key', secret], { TOKEN: secret }));
const schema = JSON.parse(
  '{"type":"object","properties":{"__proto__":{"type":"string"},"b":{"default":null},"a":{"enum":[1.5,"NO"]}}}',
);
const catalog: Catalog = {
  server: 'srv',
  origin: 'live',
  tools: [{ name: 'a', description: 'd', inputSchema: schema, outputSchema: true, title: 'A', annotations: { x: 1 } }],
  instructions: 'Do.',
  serverInfo: { name: 'n', version: '1' },
  protocolVersion: '2025-06-18',
  era: 'legacy',
};
const never = new AbortController().signal;

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mochi-cache-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const cacheAt = (path = folder) =>
  createCatalogCache({ folder: path, logger: silent, now: () => new Date('2026-01-02T03:04:05Z') });
const onlyFile = () => join(folder, readdirSync(folder)[0] ?? '');

describe('the catalog cache', () => {
  it('gives back what it was given, with time and hash', async () => {
    await cacheAt().write(server, catalog);
    const read = await cacheAt().read(server);
    expect(read).toEqual({
      listedAt: '2026-01-02T03:04:05.000Z',
      toolsHash: toolListHash(catalog.tools),
      catalog: { ...catalog, origin: 'cache' },
    });
    expect(JSON.stringify(read?.catalog.tools[0]?.inputSchema)).toBe(JSON.stringify(schema));
  });

  it('leaves one file and nothing of the definition in it', async () => {
    await cacheAt().write(server, catalog);
    await cacheAt().write(server, catalog);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(readFileSync(onlyFile(), 'utf8')).not.toContain(secret);
    expect(readFileSync(onlyFile(), 'utf8')).not.toContain('npx');
  });

  it.each([
    ['cut short', (text: string) => text.slice(0, -20)],
    ['changed', (text: string) => text.replace('"Do."', '"Done."')],
    ['of another version', (text: string) => text.replace('"version":1', '"version":99')],
    ['no JSON', () => 'nonsense'],
    ['empty', () => ''],
  ])('ignores a file that is %s, and writes it anew', async (_what, damage) => {
    await cacheAt().write(server, catalog);
    writeFileSync(onlyFile(), damage(readFileSync(onlyFile(), 'utf8')));
    expect(await cacheAt().read(server)).toBeUndefined();
    await cacheAt().write(server, catalog);
    expect(await cacheAt().read(server)).toBeDefined();
  });

  it('does not fail where it cannot write', async () => {
    writeFileSync(join(folder, 'file'), '');
    const cache = cacheAt(join(folder, 'file', 'below'));
    await cache.write(server, catalog);
    expect(await cache.read(server)).toBeUndefined();
  });

  it('hashes tools whatever their order and the order of their keys', () => {
    const a = { name: 'a', description: '', inputSchema: { x: 1, y: 2 } };
    const b = { name: 'b', description: '', inputSchema: {} };
    expect(toolListHash([a, b])).toBe(toolListHash([b, { inputSchema: { y: 2, x: 1 }, description: '', name: 'a' }]));
    expect(toolListHash([a])).not.toBe(toolListHash([{ ...a, description: 'new' }]));
  });

  it('remembers the era of young catalogs only', async () => {
    await cacheAt().write(server, catalog);
    const young = await eraMemoryFromCache(cacheAt(), [server], new Date('2026-01-03T00:00:00Z'));
    const old = await eraMemoryFromCache(cacheAt(), [server], new Date('2026-03-03T00:00:00Z'));
    expect([young.get(definitionHash(server)), old.get(definitionHash(server))]).toEqual(['legacy', undefined]);
  });
});

describe('definitionHash', () => {
  const base: Endpoint = { kind: 'stdio', command: 'c', args: ['a'], env: { A: '1' }, cwd: '/x', envFile: '.env' };
  const http: Endpoint = { kind: 'http', url: 'https://h', headers: { K: 'v' }, sseFallback: true };
  const hash = (endpoint: Endpoint, more: Partial<Server> = {}) => definitionHash(serverOf('s', endpoint, more));

  it('is another one for every change of what is run or reached', () => {
    const input = { id: 'k', kind: 'promptString', description: '', password: true } as const;
    const hashes = [
      hash(base),
      hash({ ...base, command: 'd' }),
      hash({ ...base, args: [] }),
      hash({ ...base, args: ['a', ''] }),
      hash({ ...base, env: { A: '2' } }),
      hash({ ...base, env: { A: null } }),
      hash({ ...base, env: {} }),
      hash({ ...base, cwd: '/y' }),
      hash({ ...base, envFile: '.env2' }),
      hash(base, { name: 't' }),
      hash(base, { inputs: [input] }),
      hash(base, { source: { ...server.source, folder: '/elsewhere' } }),
      hash(http),
      hash({ ...http, headers: { K: 'w' } }),
      hash({ ...http, url: 'https://i' }),
      hash({ kind: 'sse', url: 'https://h', headers: { K: 'v' } }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it('is the same for another order of keys, another file and another deadline', () => {
    const reordered: Endpoint = {
      envFile: '.env',
      cwd: '/x',
      env: { A: '1' },
      args: ['a'],
      command: 'c',
      kind: 'stdio',
    };
    expect(hash(reordered, { timeoutMs: 5, at: { file: 'other' }, id: 'other' })).toBe(hash(base));
  });
});

describe('the cached lister', () => {
  function lister(problems: readonly Problem[] = []): ToolLister & { calls: number } {
    return {
      calls: 0,
      async list() {
        this.calls++;
        return { value: catalog, problems };
      },
    };
  }

  it('answers from the cache when offline, and asks nobody', async () => {
    const inner = lister();
    await createCachedLister({ lister: inner, cache: cacheAt(), offline: () => false }).list(server, never);
    const offline = await createCachedLister({ lister: inner, cache: cacheAt(), offline: () => true }).list(
      server,
      never,
    );
    expect(offline.value).toEqual({ ...catalog, origin: 'cache' });
    expect(inner.calls).toBe(1);
  });

  it('says that nothing is recorded', async () => {
    const cached = createCachedLister({ lister: lister(), cache: cacheAt(), offline: () => true });
    await expect(cached.list(server, never)).rejects.toMatchObject({ kind: 'unreachable' });
  });

  it('does not keep a list that broke off', async () => {
    const inner = lister([{ kind: 'catalog-truncated', severity: 'error', message: 'x' }]);
    await createCachedLister({ lister: inner, cache: cacheAt(), offline: () => false }).list(server, never);
    expect(readdirSync(folder)).toEqual([]);
  });
});
