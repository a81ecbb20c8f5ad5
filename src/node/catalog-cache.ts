/**
 * The last live catalog of every server, kept in a folder of the caller's choice, one file per definition, so that
 * previews work offline. Holds what servers said, never what a definition holds. A file that cannot be trusted is
 * as good as none, and is written anew.
 */
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readServerInfo, readTools } from '#core/catalog/catalog.ts';
import { canonicalJson, isJsonObject, isRecord, own } from '#core/catalog/read-json.ts';
import type { Catalog, Json, JsonObject, Server, Tool } from '#core/model.ts';
import type { Logger, ToolLister } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { Era, EraMemory } from './connect-era.ts';
import { sha256 } from './digest.ts';

/** A catalog as it was. */
export interface CachedCatalog {
  readonly catalog: Catalog;
  /** When the server was asked, ISO 8601. */
  readonly listedAt: string;
  readonly toolsHash: string;
}

export interface CatalogCache {
  read(server: Server): Promise<CachedCatalog | undefined>;
  /** Never throws: a preview must not fail because a disk is full. */
  write(server: Server, catalog: Catalog): Promise<void>;
}

export interface CatalogCacheOptions {
  readonly folder: string;
  readonly logger: Logger;
  readonly now: () => Date;
}

const VERSION = 1;
const MAX_BYTES = 128_000_000;

/**
 * SHA-256 over everything a definition says, variables unexpanded: another argument, variable, header or folder
 * is another hash. What only filters or times (tools to keep, deadlines) is left out.
 */
export function definitionHash(server: Server): string {
  const { endpoint, inputs, name, source } = server;
  return sha256(canonicalJson(toJson({ endpoint, inputs, name, folder: source.folder ?? null })));
}

/** SHA-256 over the tools, in whatever order the server lists them. */
export function toolListHash(tools: readonly Tool[]): string {
  const texts = tools.map((tool) => canonicalJson(toJson(tool)));
  return sha256(texts.sort().join('\n'));
}

export function createCatalogCache(options: CatalogCacheOptions): CatalogCache {
  const pathOf = (server: Server): string => join(options.folder, `${definitionHash(server)}.json`);
  return {
    async read(server) {
      try {
        const path = pathOf(server);
        if ((await stat(path)).size > MAX_BYTES) return undefined;
        const read = parseEntry(await readFile(path, 'utf8'), server);
        if (read === undefined) options.logger.debug(`The cached catalog of "${server.name}" is not usable.`);
        return read;
      } catch {
        return undefined;
      }
    },
    async write(server, catalog) {
      const path = pathOf(server);
      const temporary = `${path}.${process.pid}.${++writes}.tmp`;
      try {
        await mkdir(options.folder, { recursive: true, mode: 0o700 });
        await writeFile(temporary, formatEntry(catalog, options.now()), { mode: 0o600 });
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => {});
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
        options.logger.warn(`The catalog of "${server.name}" could not be cached (${code}).`);
      }
    },
  };
}

let writes = 0;

export interface CachedListerOptions {
  readonly lister: ToolLister;
  readonly cache: CatalogCache;
  /** True when no server may be asked: then only the cache answers. */
  readonly offline: () => boolean;
}

/**
 * A lister that remembers. Live lists that are whole are kept; offline, the last one is given with origin `cache`,
 * and a server that was never listed is an OperationError `unreachable`.
 */
export function createCachedLister({ lister, cache, offline }: CachedListerOptions): ToolLister {
  return {
    async list(server, signal) {
      if (offline()) {
        const cached = await cache.read(server);
        if (cached !== undefined) return { value: cached.catalog, problems: [] };
        throw new OperationError('unreachable', `There is no recorded list of tools of server "${server.name}".`, {
          remedy: 'List it live once, or give its tools from a file.',
        });
      }
      const listed = await lister.list(server, signal);
      if (!listed.problems.some((problem) => problem.kind === 'catalog-truncated' && problem.severity === 'error')) {
        await cache.write(server, listed.value);
      }
      return listed;
    },
  };
}

/** An era memory that begins with what the cached catalogs of `servers` say, where they are younger than `maxAgeMs`. */
export async function eraMemoryFromCache(
  cache: CatalogCache,
  servers: readonly Server[],
  now: Date,
  maxAgeMs = 7 * 24 * 3_600_000,
): Promise<EraMemory> {
  const memory = new Map<string, Era>();
  for (const server of servers) {
    const cached = await cache.read(server);
    // A server that was updated answers the old way for ever, so that an old verdict must lapse.
    if (cached?.catalog.era === undefined || now.getTime() - Date.parse(cached.listedAt) > maxAgeMs) continue;
    memory.set(definitionHash(server), cached.catalog.era);
  }
  return memory;
}

function formatEntry(catalog: Catalog, now: Date): string {
  const body = toJson({
    listedAt: now.toISOString(),
    toolsHash: toolListHash(catalog.tools),
    catalog: { ...catalog, origin: 'cache' },
  });
  return `${JSON.stringify({ version: VERSION, checksum: sha256(canonicalJson(body)), body })}\n`;
}

function parseEntry(text: string, server: Server): CachedCatalog | undefined {
  const entry: unknown = JSON.parse(text);
  if (!isRecord(entry) || own(entry, 'version') !== VERSION) return undefined;
  const body = own(entry, 'body');
  if (!isJsonObject(body, { depth: 80, bytes: MAX_BYTES })) return undefined;
  if (own(entry, 'checksum') !== sha256(canonicalJson(body))) return undefined;
  const listedAt = own(body, 'listedAt');
  const toolsHash = own(body, 'toolsHash');
  const catalog = own(body, 'catalog');
  if (typeof listedAt !== 'string' || typeof toolsHash !== 'string' || !isRecord(catalog)) return undefined;
  const tools = readTools(own(catalog, 'tools'), { server: server.name });
  return {
    listedAt,
    toolsHash,
    catalog: { server: server.name, origin: 'cache', tools: tools.value, ...factsOf(catalog) },
  };
}

function factsOf(catalog: Readonly<Record<string, unknown>>): Omit<Catalog, 'server' | 'origin' | 'tools'> {
  const instructions = own(catalog, 'instructions');
  const protocolVersion = own(catalog, 'protocolVersion');
  const serverInfo = readServerInfo(own(catalog, 'serverInfo'));
  const era = own(catalog, 'era');
  return {
    ...(typeof instructions === 'string' && { instructions }),
    ...(typeof protocolVersion === 'string' && { protocolVersion }),
    ...(serverInfo !== undefined && { serverInfo }),
    ...((era === 'legacy' || era === 'modern') && { era }),
  };
}

/** Our own plain data as JSON: what is undefined goes, as it would on disk. */
function toJson(value: object): JsonObject {
  const copy: Json = JSON.parse(JSON.stringify(value));
  if (isObject(copy)) return copy;
  throw new Error('Only objects are kept.');
}

function isObject(value: Json): value is JsonObject {
  return isRecord(value);
}
