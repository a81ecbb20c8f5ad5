/**
 * One server behind the gateway: started when it is first needed, shared by all calls, started anew after a crash or
 * when it no longer answers, and left alone for a while when it keeps failing. Whether it may be started at all is
 * somebody else's decision; without it, only what is known of its tools from before is given.
 */
import type { Catalog, JsonObject, Server, Tool } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { CatalogCache } from '#node/catalog-cache.ts';
import { createDeadline, raceAbort } from '#node/deadline.ts';
import type { CallOptions, ListKind, McpClient, McpConnection } from '#node/mcp-client.ts';
import { createFailures } from './failures.ts';
import { createKnownTools } from './known-tools.ts';

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
  /** Capabilities of the client in front, as far as servers may ask for them. */
  readonly capabilities: () => JsonObject;
  /** Called with every other notification of a server. */
  readonly onNote: (upstream: Upstream, method: string, params: JsonObject) => void;
}

export type RequestOptions = Omit<CallOptions, 'timeoutMs' | 'tool'>;

export interface Upstream {
  readonly server: Server;
  /** What is known of it without starting it. */
  recorded(): Promise<Catalog | undefined>;
  /** The tools, of the running server, else as they were last time, else of the server started for it. */
  catalog(signal: AbortSignal): Promise<Catalog>;
  /** Calls a tool, with the result as the server gave it; starts the server. */
  call(tool: Tool, args: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** Starts the server if it does not run. Throws OperationError, also where it may not be started. */
  wake(signal: AbortSignal): Promise<void>;
  /** A request about resources or prompts; starts the server. */
  request(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject>;
  /** Whether the server runs and has these; starts nothing. */
  offers(what: Parameters<McpConnection['has']>[0]): boolean;
  close(): Promise<void>;
}

type State =
  | { readonly kind: 'idle' }
  | { readonly kind: 'starting'; readonly connection: Promise<McpConnection> }
  | { readonly kind: 'ready'; readonly connection: McpConnection; readonly capabilities: JsonObject }
  | { readonly kind: 'closed' };

/** How long a server that let a call run out of time may take to list its tools before it counts as hung. */
const PROOF_OF_LIFE = 5_000;

export function createUpstream(server: Server, parts: UpstreamParts): Upstream {
  const { client, cache, logger, mayStart, now, onDidChange } = parts;
  const timeoutMs = Math.max(parts.timeoutMs, server.timeoutMs ?? 0);
  const ending = new AbortController();
  let state: State = { kind: 'idle' };
  const known = createKnownTools(server, cache, () => onDidChange('tools'));
  const failures = createFailures(server.name, now);
  /** A deliberate end of a connection is no crash. */
  let letGo: McpConnection | undefined;
  let running = 0;

  const start = async (): Promise<McpConnection> => {
    if (!(await mayStart(server)))
      throw new OperationError('consent-needed', `Server "${server.name}" may not be started: nobody agreed to it.`, {
        remedy: 'Run "mochi gateway --approve" in a terminal of this folder, or add --yes to the command.',
      });
    failures.assertRested();
    let connection: McpConnection;
    const capabilities = parts.capabilities();
    try {
      connection = await client.connect(server, ending.signal, { capabilities });
    } catch (error) {
      failures.add();
      throw error;
    }
    // Closed while it was being started.
    if (ending.signal.aborted) {
      await connection.close();
      throw ending.signal.reason;
    }
    state = { kind: 'ready', connection, capabilities };
    connection.followNotes((method, params) => parts.onNote(upstream, method, params));
    connection.followLists((what) => {
      if (what !== 'tools') onDidChange(what);
      else
        known
          .refresh(connection, ending.signal)
          .catch((error: unknown) => logger.warn(`"${server.name}": ${String(error)}`));
    });
    void connection.closed.then(() => {
      if (state.kind === 'ready' && state.connection === connection) state = { kind: 'idle' };
      if (letGo === connection || ending.signal.aborted) return;
      failures.add();
      logger.warn(`Server "${server.name}" ended; it is started again when it is needed.`);
    });
    try {
      await known.refresh(connection, ending.signal);
    } catch (error) {
      // A server that cannot list its tools may still have resources; one that is gone has nothing.
      logger.warn(`The tools of "${server.name}" could not be read: ${String(error)}`);
      if (state.kind !== 'ready') throw error;
    }
    for (const what of ['resources', 'prompts'] as const) if (connection.has(what)) onDidChange(what);
    return connection;
  };

  /** Whether a client can be asked for more than the server was told when it was greeted. */
  const isOutgrown = (capabilities: JsonObject): boolean =>
    Object.keys(parts.capabilities()).some((name) => !Object.hasOwn(capabilities, name));

  const begin = (before: Promise<void>): Promise<McpConnection> => {
    const connection = before.then(start);
    const starting: State = { kind: 'starting', connection };
    state = starting;
    connection.catch(() => {
      if (state === starting) state = { kind: 'idle' };
    });
    return connection;
  };

  const connect = (): Promise<McpConnection> => {
    switch (state.kind) {
      case 'ready': {
        const { connection, capabilities } = state;
        if (running > 0 || !isOutgrown(capabilities)) return Promise.resolve(connection);
        letGo = connection;
        return begin(connection.close());
      }
      case 'starting':
        return state.connection;
      case 'closed':
        return Promise.reject(new OperationError('crashed', 'The gateway is closing.'));
      case 'idle':
        return begin(Promise.resolve());
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
      // Several calls may have run out of time at once.
      if (letGo === connection || ending.signal.aborted) return;
      logger.warn(`Server "${server.name}" does not answer any more and is ended.`);
      letGo = connection;
      failures.add();
      await connection.close();
    } finally {
      deadline.clear();
    }
  };

  const use = async <T>(work: (connection: McpConnection) => Promise<T>, signal: AbortSignal): Promise<T> => {
    const connection = await raceAbort(connect(), signal);
    running++;
    try {
      const result = await work(connection);
      failures.forget();
      return result;
    } catch (error) {
      if (OperationError.is(error, 'timeout')) void assertAlive(connection);
      throw error;
    } finally {
      running--;
    }
  };

  const upstream: Upstream = {
    server,
    recorded: known.recorded,
    async catalog(signal) {
      const before = await known.recorded();
      if (before !== undefined) return before;
      await raceAbort(connect(), signal);
      const after = known.current();
      if (after !== undefined) return after;
      throw new OperationError('protocol', `The tools of "${server.name}" could not be read.`);
    },
    call: (tool, args, options) =>
      use((connection) => connection.callTool(tool.name, args, { ...options, timeoutMs, tool }), options.signal),
    async wake(signal) {
      await raceAbort(connect(), signal);
    },
    request: (method, params, options) =>
      use((connection) => connection.request(method, params, { ...options, timeoutMs }), options.signal),
    offers: (what) => state.kind === 'ready' && state.connection.has(what),
    async close() {
      const before = state;
      state = { kind: 'closed' };
      ending.abort(new OperationError('crashed', 'The gateway is closing.'));
      if (before.kind === 'ready') await before.connection.close();
      if (before.kind === 'starting') await before.connection.catch(() => {});
    },
  };
  return upstream;
}
