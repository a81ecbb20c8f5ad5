/** What is known of one server's tools: as recorded, then as the running server lists them. Starts nothing. */
import type { Catalog, Server } from '#core/model.ts';
import { type CatalogCache, toolListHash } from '#node/catalog-cache.ts';
import type { McpConnection } from '#node/mcp-client.ts';

export interface KnownTools {
  current(): Catalog | undefined;
  /** {@link current}, else what the cache holds. */
  recorded(): Promise<Catalog | undefined>;
  /** Asks the running server and records its answer. Throws OperationError. */
  refresh(connection: McpConnection, signal: AbortSignal): Promise<void>;
}

/** `onDidChange` is called when the tools are others than those known before. */
export function createKnownTools(server: Server, cache: CatalogCache, onDidChange: () => void): KnownTools {
  let known: Catalog | undefined;
  let knownHash: string | undefined;

  const remember = (catalog: Catalog): void => {
    const hash = toolListHash(catalog.tools);
    const isNews = knownHash !== undefined && hash !== knownHash;
    known = catalog;
    knownHash = hash;
    if (isNews) onDidChange();
  };

  return {
    current: () => known,
    async recorded() {
      if (known !== undefined) return known;
      const cached = await cache.read(server);
      // The server may have come up meanwhile, and knows better.
      if (known === undefined && cached !== undefined) remember(cached.catalog);
      return known;
    },
    async refresh(connection, signal) {
      const { value: tools, problems } = await connection.listTools(signal);
      const { serverInfo, instructions, era, protocolVersion } = connection;
      const catalog: Catalog = {
        server: server.name,
        origin: 'live',
        tools,
        era,
        ...(serverInfo !== undefined && { serverInfo }),
        ...(instructions !== undefined && { instructions }),
        ...(protocolVersion !== undefined && { protocolVersion }),
      };
      remember(catalog);
      if (!problems.some((problem) => problem.kind === 'catalog-truncated' && problem.severity === 'error'))
        await cache.write(server, catalog);
    },
  };
}
