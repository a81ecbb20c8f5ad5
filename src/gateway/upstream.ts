/**
 * One server behind the gateway: started when it is first needed, shared by all calls, started anew after a crash or
 * when it no longer answers, and left alone for a while when it keeps failing. Whether it may be started at all is
 * somebody else's decision; without it, only what is known of its tools from before is given.
 */
import type { Catalog, JsonObject, Server, Tool } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { type CatalogCache, toolListHash } from '#node/catalog-cache.ts';
import { createDeadline, raceAbort } from '#node/deadline.ts';
import type { ListKind, McpClient, McpConnection } from '#node/mcp-client.ts';

export interface UpstreamParts {
  readonly client: McpClient;
  readonly cache: CatalogCache;
  readonly logger: Logger;
  /** Whether a person has said yes to exactly this definition. */
  readonly mayStart: (server: Server) => Promise<boolean>;
  /** Milliseconds for one request, unless the server's own definition gives more. */
  readonly timeoutMs: number;
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Called when a list of the server is another, or can be read for the first time. */
  readonly onDidChange: (what: ListKind) => void;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: JsonObject) => void;
}

export interface Upstream {
  readonly server: Server;
  /** What is known of it without starting it. */
  recorded(): Promise<Catalog | undefined>;
  /** The tools, of the running server, else as they were last time, else of the server started for it. */
  catalog(signal: AbortSignal): Promise<Catalog>;
  /** Calls a tool, with the result as the server gave it; starts the server. */
  call(tool: Tool, args: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** A request about resources or prompts; starts the server. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** Whether the server runs and has these; starts nothing. */
  offers(what: ListKind): boolean;
  close(): Promise<void>;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'starting'; readonly connection: Promise<McpConnection> }
  | { readonly kind: 'ready'; readonly connection: McpConnection }
  | { readonly kind: 'closed' };

/** This many failures in {@link FAILURE_SPAN}, and a server rests for {@link REST} before it is started again. */
const FAILURES = 3;
const FAILURE_SPAN = 300_000;
const REST = 30_000;
/** How long a server that let a call run out of time may take to list its tools before it counts as hung. */
const PROOF_OF_LIFE = 5_000;

export function createUpstream(server: Server, parts: UpstreamParts): Upstream {
  const { client, cache, logger, mayStart, now, onDidChange } = parts;
  const timeoutMs = Math.max(parts.timeoutMs, server.timeoutMs ?? 0);
  const ending = new AbortController();
  let state: State = { kind: 'idle' };
  let known: Catalog | undefined;
  let knownHash: string | undefined;
  let failures: readonly number[] = [];
  /** A deliberate end of a connection is no crash. */
  let letGo: McpConnection | undefined;

  const remember = (catalog: Catalog): void => {
    const hash = toolListHash(catalog.tools);
    const isNews = knownHash !== undefined && hash !== knownHash;
    known = catalog;
    knownHash = hash;
    if (isNews) onDidChange('tools');
  };

  const refresh = async (connection: McpConnection): Promise<void> => {
    const { value: tools, problems } = await connection.listTools(ending.signal);
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
  };

  const failed = (): void => {
    failures = [...failures.filter((at) => now() - at < FAILURE_SPAN), now()];
  };

  const assertRested = (): void => {
    const last = failures.at(-1);
    const left = last === undefined || failures.length < FAILURES ? 0 : last + REST - now();
    if (left <= 0) return;
    throw new OperationError('crashed', `Server "${server.name}" has failed ${failures.length} times in a row.`, {
      remedy: `It is tried again in ${Math.ceil(left / 1_000)} s; its messages are in the gateway's log.`,
    });
  };

  const start = async (): Promise<McpConnection> => {
    if (!(await mayStart(server)))
      throw new OperationError('consent-needed', `Server "${server.name}" may not be started: nobody agreed to it.`, {
        remedy: 'Run "mochi gateway --approve" in a terminal of this folder, or add --yes to the command.',
      });
    assertRested();
    let connection: McpConnection;
    try {
      connection = await client.connect(server, ending.signal);
    } catch (error) {
      failed();
      throw error;
    }
    // Closed while it was being started.
    if (ending.signal.aborted) {
      await connection.close();
      throw ending.signal.reason;
    }
    state = { kind: 'ready', connection };
    connection.followLists((what) => {
      if (what !== 'tools') onDidChange(what);
      else refresh(connection).catch((error: unknown) => logger.warn(`"${server.name}": ${String(error)}`));
    });
    void connection.closed.then(() => {
      if (state.kind === 'ready' && state.connection === connection) state = { kind: 'idle' };
      if (letGo === connection || ending.signal.aborted) return;
      failed();
      logger.warn(`Server "${server.name}" ended; it is started again when it is needed.`);
    });
    try {
      await refresh(connection);
    } catch (error) {
      // A server that cannot list its tools may still have resources; one that is gone has nothing.
      logger.warn(`The tools of "${server.name}" could not be read: ${String(error)}`);
      if (state.kind !== 'ready') throw error;
    }
    for (const what of ['resources', 'prompts'] as const) if (connection.has(what)) onDidChange(what);
    return connection;
  };

  const connect = (): Promise<McpConnection> => {
    switch (state.kind) {
      case 'ready':
        return Promise.resolve(state.connection);
      case 'starting':
        return state.connection;
      case 'closed':
        return Promise.reject(new OperationError('crashed', 'The gateway is closing.'));
      case 'idle': {
        const connection = start();
        const starting: State = { kind: 'starting', connection };
        state = starting;
        connection.catch(() => {
          if (state === starting) state = { kind: 'idle' };
        });
        return connection;
      }
      default:
        return state satisfies never;
    }
  };

  /** A server that does not even list its tools any more is ended, so that the next call finds a new one. */
  const assertAlive = async (connection: McpConnection): Promise<void> => {
    const deadline = createDeadline(ending.signal, PROOF_OF_LIFE);
    try {
      await connection.listTools(deadline.signal);
    } catch {
      logger.warn(`Server "${server.name}" does not answer any more and is ended.`);
      letGo = connection;
      failed();
      await connection.close();
    } finally {
      deadline.clear();
    }
  };

  const use = async <T>(work: (connection: McpConnection) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const connection = await raceAbort(connect(), signal);
    try {
      const result = await work(connection);
      failures = [];
      return result;
    } catch (error) {
      if (OperationError.is(error, 'timeout')) void assertAlive(connection);
      throw error;
    }
  };

  const recorded = async (): Promise<Catalog | undefined> => {
    if (known !== undefined) return known;
    const cached = await cache.read(server);
    // The server may have come up meanwhile, and knows better.
    if (known === undefined && cached !== undefined) remember(cached.catalog);
    return known;
  };

  return {
    server,
    recorded,
    async catalog(signal) {
      const before = await recorded();
      if (before !== undefined) return before;
      await raceAbort(connect(), signal);
      if (known !== undefined) return known;
      throw new OperationError('protocol', `The tools of "${server.name}" could not be read.`);
    },
    call: (tool, args, { signal, onProgress }) =>
      use(
        (connection) =>
          connection.callTool(tool.name, args, { signal, timeoutMs, tool, ...(onProgress && { onProgress }) }),
        signal,
      ),
    request: (method, params, { signal }) =>
      use((connection) => connection.request(method, params, { signal, timeoutMs }), signal),
    offers: (what) => state.kind === 'ready' && state.connection.has(what),
    async close() {
      const before = state;
      state = { kind: 'closed' };
      ending.abort(new OperationError('crashed', 'The gateway is closing.'));
      if (before.kind === 'ready') await before.connection.close();
      if (before.kind === 'starting') await before.connection.catch(() => {});
    },
  };
}
