/** Reads the tools of the chosen servers, live, recorded or from files, several at a time and none in another's way. */
import { matchCatalog } from '#core/catalog/match.ts';
import type { Catalog, Server } from '#core/model.ts';
import { OperationError, type Problem, type Reported } from '#core/problem.ts';
import { redact, type SpansOf } from '#core/scan/secrets.ts';
import { type CatalogCache, createCachedLister, createCatalogCache, eraMemoryFromCache } from '#node/catalog-cache.ts';
import { createFiles } from '#node/files.ts';
import { createMcpClient, type McpClient } from '#node/mcp-client.ts';
import type { Graces } from '#node/process-tree.ts';
import { resolveEndpoint } from '#node/resolve-endpoint.ts';
import type { SecretFinder } from '#node/secret-scan.ts';
import { readCatalogFrom, readToolsFrom } from '#node/tools-file.ts';
import { type Context, catalogsFolder } from './context.ts';
import { VERSION } from './version.ts';
import { askToStart } from './workspace.ts';

/** A server with its tools, or with why there are none. */
export type Listed =
  | {
      readonly kind: 'listed';
      readonly server: Server;
      readonly catalog: Catalog;
      readonly problems: readonly Problem[];
    }
  | { readonly kind: 'failed'; readonly server: Server; readonly error: OperationError };

/** Servers started at the same time. */
const CONCURRENT = 4;

/** One result a server, in their order; servers a person said no to are left out. */
export async function readCatalogs(
  servers: readonly Server[],
  context: Context,
  finder: SecretFinder,
): Promise<readonly Listed[]> {
  const { args } = context;
  if (args.toolsInfo !== undefined) return [await fromToolsFile(servers, args.toolsInfo, context)];
  if (args.catalog !== undefined) return fromCatalog(servers, args.catalog, context);
  const list = await lister(servers, context, finder.spansOf);
  const chosen = args.offline ? servers : await askToStart(servers, context, finder);
  return inParallel(chosen, context, list);
}

async function fromToolsFile(servers: readonly Server[], path: string, context: Context): Promise<Listed> {
  const [server] = servers;
  if (server === undefined || servers.length > 1)
    throw new OperationError('usage', '--tools-info gives the tools of one server.', {
      remedy: 'Name it with --servers.',
    });
  const { value, problems } = await readToolsFrom(path, { files: createFiles(), signal: context.signal });
  return { kind: 'listed', server, catalog: { ...value, server: server.name, origin: 'file' }, problems };
}

async function fromCatalog(servers: readonly Server[], location: string, context: Context): Promise<readonly Listed[]> {
  const read = await readCatalogFrom(location, { files: createFiles(), signal: context.signal });
  return servers.map((server): Listed => {
    const matched = matchCatalog(read.value, server.name);
    const problems = [...read.problems, ...matched.problems];
    if (matched.value !== undefined)
      return { kind: 'listed', server, catalog: { ...matched.value, server: server.name }, problems };
    const why = problems.find((problem) => problem.severity === 'error') ?? problems[0];
    const error = new OperationError('not-found', why?.message ?? `The catalog has no tools for "${server.name}".`, {
      remedy: why?.remedy ?? 'Name another catalog, or list the server live.',
    });
    return { kind: 'failed', server, error };
  });
}

type List = (server: Server) => Promise<Reported<Catalog>>;

async function lister(servers: readonly Server[], context: Context, spansOf: SpansOf): Promise<List> {
  const { args, signal } = context;
  const { client, cache } = await createConnector(servers, context, spansOf);
  const cached = createCachedLister({ lister: client, cache, offline: () => args.offline });
  return (server) => cached.list(server, signal);
}

/** What reaches servers, and what was recorded of them. `graces` says how long a server may take to end. */
export async function createConnector(
  servers: readonly Server[],
  context: Context,
  spansOf: SpansOf,
  graces?: Graces,
): Promise<{ readonly client: McpClient; readonly cache: CatalogCache }> {
  const { args, folders, home, host, logger } = context;
  const cache = createCatalogCache({ folder: catalogsFolder(context), logger, now: () => new Date() });
  const client = createMcpClient({
    env: host.env,
    cwd: folders[0],
    logger,
    clientInfo: { name: 'mochi', version: VERSION },
    deadlineMs: args.timeoutMs,
    eras: await eraMemoryFromCache(cache, servers, new Date()),
    redact: (text) => redact(text, spansOf(text)),
    resolveEndpoint: (server) => resolveEndpoint(server, { env: host.env, home, folders }),
    ...(graces === undefined ? {} : { graces }),
  });
  return { client, cache };
}

async function inParallel(servers: readonly Server[], context: Context, list: List): Promise<readonly Listed[]> {
  const { terminal, t, signal } = context;
  const results: Listed[] = [];
  const waiting = new Set<string>();
  let next = 0;
  const show = (): void => {
    if (waiting.size > 0) terminal.progress(t('Reading tools of {0}… (Ctrl-C cancels)', [...waiting].join(', ')));
  };
  const worker = async (): Promise<void> => {
    for (let index = next++; index < servers.length; index = next++) {
      const server = servers[index];
      if (server === undefined) return;
      waiting.add(server.name);
      show();
      try {
        const { value, problems } = await list(server);
        results[index] = { kind: 'listed', server, catalog: value, problems };
      } catch (error) {
        signal.throwIfAborted();
        if (!OperationError.is(error)) throw error;
        results[index] = { kind: 'failed', server, error };
      } finally {
        waiting.delete(server.name);
        show();
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(CONCURRENT, servers.length) }, worker));
  } finally {
    terminal.done();
  }
  return results;
}
