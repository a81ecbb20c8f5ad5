/**
 * Connects to MCP servers of every transport and both protocol eras, and lists and calls their tools. The only
 * file of this kind that knows the SDK: how a process runs, how pages are walked and what a failure means stand in
 * the `connect-*` files. A server is started once per connection; whether it may be started is asked before.
 * Longer than most files, so that the SDK stays behind this one.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  type DiscoverResult,
  type JSONRPCMessage,
  type MessageExtraInfo,
  ProtocolError,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  SSEClientTransport,
  type StandardSchemaV1,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from '@modelcontextprotocol/client';
import { readServerInfo } from '#core/catalog/catalog.ts';
import { isRecord } from '#core/catalog/read-json.ts';
import type { Catalog, Endpoint, JsonObject, Server, Tool } from '#core/model.ts';
import type { Logger, ToolLister } from '#core/ports.ts';
import { OperationError, type Reported } from '#core/problem.ts';
import { definitionHash } from './catalog-cache.ts';
import { type Answerer, ASKABLE, type Asks, createAsks, type Inputs } from './connect-asks.ts';
import { createEraMemory, type Discovery, type Era, type EraMemory } from './connect-era.ts';
import { explainFailure, type FailureFacts } from './connect-errors.ts';
import { openAddress, openProcess, type Verdict } from './connect-handshake.ts';
import { createGuardedFetch, type Fetch, type GuardedFetch } from './connect-http.ts';
import { listAllTools } from './connect-listing.ts';
import { redactValues, secretValues, shownAddress } from './connect-secrets.ts';
import { openStdioLink, type StdioLink } from './connect-stdio.ts';
import { LinkTransport, TapTransport } from './connect-transport.ts';
import { createDeadline, type Deadline, raceAbort } from './deadline.ts';
import type { Graces } from './process-tree.ts';

export interface McpClientOptions {
  /** The host's environment, of which servers inherit a short list. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The endpoint with every variable expanded. May throw OperationError `unresolved-variable`. */
  readonly resolveEndpoint: (server: Server) => Promise<Endpoint>;
  /** Where a process starts whose definition names no folder and whose source belongs to none; absolute. */
  readonly cwd: string;
  readonly logger: Logger;
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Milliseconds for start, handshake and listing together; a longer `timeoutMs` of the server wins. */
  readonly deadlineMs?: number;
  /** Takes secrets of unknown origin out of what servers print. */
  readonly redact?: (text: string) => string;
  readonly eras?: EraMemory;
  readonly platform?: NodeJS.Platform;
  readonly fetch?: Fetch;
  readonly graces?: Graces;
  /** Milliseconds of silence after which a process is taken for a legacy server. */
  readonly probeMs?: number;
}

/** An open connection to one server. */
export interface McpConnection {
  readonly era: Era;
  readonly protocolVersion: string | undefined;
  readonly serverInfo: Catalog['serverInfo'];
  readonly instructions: string | undefined;
  /** Whether the server says that it has these at all. */
  has(what: ListKind | 'completions' | 'logging'): boolean;
  /** From now on `listener` hears every other notification. One listener a connection. */
  followNotes(listener: (method: string, params: JsonObject) => void): void;
  /** From now on `listener` hears of every list that the server says has changed. One listener a connection. */
  followLists(listener: (what: ListKind) => void): void;
  /** Any other request; the result is as the server sent it. Throws OperationError. */
  request(method: string, params: JsonObject, options: Omit<CallOptions, 'tool'>): Promise<JsonObject>;
  /** All tools, read laxly. Throws OperationError. */
  listTools(signal: AbortSignal): Promise<Reported<readonly Tool[]>>;
  /**
   * Calls a tool and gives its result as the server sent it, also where `isError` is true. Throws OperationError.
   * Over HTTP in the modern era, `tool` is needed where its schema mirrors parameters into headers.
   */
  callTool(name: string, args: JsonObject, options: CallOptions): Promise<JsonObject>;
  /** Resolves once the server is gone, whoever ended it. */
  readonly closed: Promise<void>;
  /** Ends the connection, and a process with all it started. May be called more than once. */
  close(): Promise<void>;
}

export type ListKind = 'tools' | 'resources' | 'prompts';

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Hears what the server says of its progress: `progress`, and `total` and `message` where given. */
  readonly onProgress?: (progress: JsonObject) => void;
  /** Milliseconds; 60 s unless given. */
  readonly timeoutMs?: number;
  readonly tool?: Pick<Tool, 'name' | 'inputSchema'>;
  /**
   * Answers what the server asks while it works; the time for that does not count. With it, a result of the modern era
   * that asks for more (`resultType` `input_required`) is given as it is; without it, it is an error.
   */
  readonly onAsk?: Answerer;
  /** Answers to what an earlier result asked for. Modern era. */
  readonly inputs?: Inputs;
  /** Joined with the request's `_meta`. Modern era. */
  readonly meta?: JsonObject;
}

/** What the connection says of the client for which it is opened. */
export interface Front {
  /** As in the protocol, for example `{ sampling: {} }`: what may be asked of it. */
  readonly capabilities: JsonObject;
}

export interface McpClient extends ToolLister {
  /** Starts and greets the server. Throws OperationError; cancellation throws the signal's reason. */
  connect(server: Server, signal: AbortSignal, front?: Front): Promise<McpConnection>;
}

const DEFAULT_DEADLINE = 60_000;
const MAX_DEADLINE = 600_000;
const DEFAULT_PROBE = 3_000;

export function createMcpClient(options: McpClientOptions): McpClient {
  const context: Context = { ...options, eras: options.eras ?? createEraMemory() };
  return {
    connect: (server, signal, front) =>
      connectWithin(server, createDeadline(signal, deadlineOf(server, options)), { ...context, front }, true),
    async list(server, signal) {
      const deadline = createDeadline(signal, deadlineOf(server, options));
      const connection = await connectWithin(server, deadline, context, false);
      try {
        const { value: tools, problems } = await connection.listTools(deadline.signal);
        return { value: catalogOf(server, connection, tools), problems };
      } finally {
        deadline.clear();
        await connection.close();
      }
    },
  };
}

type Context = McpClientOptions & { readonly eras: EraMemory; readonly front?: Front | undefined };

function deadlineOf(server: Server, options: McpClientOptions): number {
  const wanted = Math.min(server.timeoutMs ?? 0, MAX_DEADLINE);
  return Math.max(options.deadlineMs ?? DEFAULT_DEADLINE, wanted);
}

function catalogOf(server: Server, connection: McpConnection, tools: readonly Tool[]): Catalog {
  const { era, instructions, serverInfo, protocolVersion } = connection;
  return {
    server: server.name,
    origin: 'live',
    tools,
    era,
    ...(instructions !== undefined && { instructions }),
    ...(serverInfo !== undefined && { serverInfo }),
    ...(protocolVersion !== undefined && { protocolVersion }),
  };
}

/** With `releases`, the deadline covers the handshake only and is cleared once the connection stands. */
async function connectWithin(
  server: Server,
  deadline: Deadline,
  context: Context,
  releases: boolean,
): Promise<McpConnection> {
  let session: Session | undefined;
  try {
    const endpoint = await raceAbort(context.resolveEndpoint(server), deadline.signal);
    session = createSession(server, endpoint, context);
    await raceAbort(
      endpoint.kind === 'stdio' ? openStdio(session, endpoint) : openHttp(session, endpoint),
      deadline.signal,
    );
    context.eras.set(session.hash, session.era());
    return createConnection(session, deadline);
  } catch (error) {
    const failure = failureOf(error, session?.facts(), deadline);
    deadline.clear();
    await session?.close();
    throw failure;
  } finally {
    if (releases) deadline.clear();
  }
}

/** The signal's own reason for a cancelled call, else the classified error. */
function failureOf(error: unknown, facts: FailureFacts | undefined, deadline: Deadline): unknown {
  if (deadline.isCancelled()) return deadline.signal.reason;
  if (facts === undefined) return error;
  return explainFailure(error, deadline.isOver() ? { ...facts, timedOutAfterMs: deadline.ms } : facts);
}

type Tap = TapTransport<JSONRPCMessage, TransportSendOptions, MessageExtraInfo>;

/** What one connection holds while it is made and while it lives. */
interface Session {
  readonly hash: string;
  readonly name: string;
  /** Relative paths of the definition start here. */
  readonly folder: string;
  readonly context: Context;
  readonly secrets: readonly string[];
  readonly address: string | undefined;
  readonly http: GuardedFetch;
  readonly changes: { count: number; listener: ((what: ListKind) => void) | undefined };
  readonly asks: Asks;
  onNote: ((method: string, params: JsonObject) => void) | undefined;
  client: Client;
  transport: Tap | undefined;
  /** Tells a stateful HTTP server that its session is over. */
  farewell: (() => Promise<void>) | undefined;
  link: StdioLink | undefined;
  /** A process that is just being started, and must not outlive the session either. */
  opening: Promise<StdioLink> | undefined;
  closing: Promise<void> | undefined;
  era(): Era;
  facts(): FailureFacts;
  close(): Promise<void>;
}

function createSession(server: Server, endpoint: Endpoint, context: Context): Session {
  const secrets = secretValues(endpoint);
  const http = createGuardedFetch(context.fetch);
  const session: Session = {
    hash: definitionHash(server),
    name: server.name,
    folder: server.source.folder ?? context.cwd,
    context,
    secrets,
    address: endpoint.kind === 'stdio' ? undefined : shownAddress(endpoint.url),
    http,
    changes: { count: 0, listener: undefined },
    asks: createAsks(),
    onNote: undefined,
    client: new Client(context.clientInfo),
    transport: undefined,
    farewell: undefined,
    link: undefined,
    opening: undefined,
    closing: undefined,
    era: () => session.client.getProtocolEra() ?? 'legacy',
    facts() {
      const end = session.link?.end();
      const failure = http.failure();
      return {
        server: server.name,
        secrets,
        redact: context.redact ?? ((text) => text),
        ...(session.address !== undefined && { address: session.address }),
        ...(end !== undefined && { end }),
        ...(session.link !== undefined && { stderr: session.link.stderr() }),
        ...(failure !== undefined && { http: failure }),
        network: http.network(),
      };
    },
    close() {
      session.closing ??= closeSession(session);
      return session.closing;
    },
  };
  return session;
}

async function closeSession(session: Session): Promise<void> {
  // A server that does not care for good manners is not waited for.
  if (session.farewell !== undefined)
    await Promise.race([session.farewell().catch(() => {}), delay(FAREWELL, undefined, { ref: false })]);
  await session.client.close().catch(() => {});
  await session.transport?.close().catch(() => {});
  const link = await session.opening?.catch(() => undefined);
  await link?.close();
}

const FAREWELL = 1_000;

// --- a process ---------------------------------------------------------------------------------------------------

function openStdio(session: Session, endpoint: Extract<Endpoint, { kind: 'stdio' }>): Promise<void> {
  const { env, platform = process.platform, graces, logger, clientInfo, eras, probeMs } = session.context;
  const options = { server: session.name, endpoint, env, cwd: session.folder, platform, ...(graces && { graces }) };
  return openProcess({
    async start() {
      if (session.closing !== undefined) throw new Error('The session is closed.');
      session.opening = openStdioLink(options);
      session.link = await session.opening;
      logger.debug(`Server "${session.name}" runs as process ${session.link.pid}.`);
      return session.link;
    },
    attach: (link, probe, verdict, again) =>
      attach(session, new LinkTransport(link, parseJSONRPCMessage, probe.accept, again), verdict),
    onRestart: () => logger.info(`Server "${session.name}" ended at server/discover; it is started once more without.`),
    known: eras.get(session.hash),
    clientInfo,
    patience: probeMs ?? DEFAULT_PROBE,
  });
}

async function attach(session: Session, inner: Transport, verdict: Verdict | undefined): Promise<void> {
  const { context } = session;
  session.client = new Client(context.clientInfo, {
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: HTTP_PROBE } },
    // Whoever calls answers what a tool asks back, or nobody does.
    inputRequired: { autoFulfill: false },
    capabilities: { ...context.front?.capabilities },
  });
  session.client.fallbackRequestHandler = async ({ method, params }, { mcpReq }) => {
    const answer = ASKABLE.has(method) ? session.asks.current() : undefined;
    if (answer === undefined) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, 'Method not found');
    return { ...(await answer({ method, params: isResult(params) ? params : {}, signal: mcpReq.signal })) };
  };
  session.client.fallbackNotificationHandler = async ({ method, params }) => {
    session.onNote?.(method, isResult(params) ? params : {});
  };
  const { changes } = session;
  session.client.setNotificationHandler('notifications/tools/list_changed', () => {
    changes.count++;
    changes.listener?.('tools');
  });
  session.client.setNotificationHandler('notifications/resources/list_changed', () => changes.listener?.('resources'));
  session.client.setNotificationHandler('notifications/prompts/list_changed', () => changes.listener?.('prompts'));
  session.client.onerror = (error) => context.logger.trace(`Server "${session.name}": ${error.name}`);
  const transport = new TapTransport<JSONRPCMessage, TransportSendOptions, MessageExtraInfo>(inner, (id, result) => ({
    jsonrpc: '2.0',
    id,
    result,
  }));
  session.transport = transport;
  const timeout = MAX_DEADLINE;
  switch (verdict?.kind) {
    case undefined:
      return session.client.connect(transport, { timeout });
    case 'legacy':
      return session.client.connect(transport, { timeout, prior: { kind: 'legacy' } });
    case 'modern':
      return session.client.connect(transport, {
        timeout,
        prior: { kind: 'modern', discover: discoverResult(verdict.discovery) },
      });
    default:
      verdict satisfies never;
  }
}

function discoverResult(discovery: Discovery): DiscoverResult {
  return { ...discovery, ttlMs: 0, cacheScope: 'private' };
}

// --- HTTP --------------------------------------------------------------------------------------------------------

const HTTP_PROBE = 15_000;

async function openHttp(session: Session, endpoint: Exclude<Endpoint, { kind: 'stdio' }>): Promise<void> {
  if (!URL.canParse(endpoint.url) || !/^https?:$/.test(new URL(endpoint.url).protocol)) {
    throw new OperationError('usage', `The address of server "${session.name}" is not an http or https URL.`, {
      remedy: 'Give a full address that begins with https:// or http://.',
    });
  }
  const url = new URL(endpoint.url);
  const options = { requestInit: { headers: { ...endpoint.headers } }, fetch: session.http.fetch };
  const sse = (): Promise<void> => {
    session.farewell = undefined;
    return attach(session, new SSEClientTransport(url, options), { kind: 'legacy' });
  };
  if (endpoint.kind === 'sse') return sse();
  return openAddress({
    streamable(verdict) {
      const transport = new StreamableHTTPClientTransport(url, options);
      session.farewell = () => transport.terminateSession();
      return attach(session, transport, verdict);
    },
    sse,
    leave: async () => session.transport?.close(),
    isClosed: () => session.closing !== undefined,
    failure: session.http.failure,
    reset: session.http.reset,
    explain: (failure, cause) => explainFailure(cause, { ...session.facts(), http: failure, network: undefined }),
    known: session.context.eras.get(session.hash),
    sseFallback: endpoint.sseFallback,
  });
}

// --- a connection ------------------------------------------------------------------------------------------------

/** Takes any result; what it holds is judged by those who know more than its type. */
const ANY_RESULT: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'mochi', validate: (value) => ({ value }) },
};

const CALL_TIMEOUT = 60_000;

function createConnection(session: Session, opened: Deadline): McpConnection {
  const { client, transport } = session;
  let markClosed: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    markClosed = resolve;
  });
  client.onclose = () => markClosed();
  session.link?.ended.then(() => markClosed());

  const within = async <T>(deadline: Deadline, work: () => Promise<T>): Promise<T> => {
    session.http.reset();
    try {
      return await work();
    } catch (error) {
      throw failureOf(error, session.facts(), deadline);
    }
  };
  const instructions = client.getInstructions();
  return {
    era: session.era(),
    protocolVersion: client.getNegotiatedProtocolVersion(),
    serverInfo: readServerInfo(client.getServerVersion()),
    instructions: instructions === undefined ? undefined : redactValues(instructions, session.secrets),
    has: (what) => client.getServerCapabilities()?.[what] !== undefined,
    followLists(listener) {
      session.changes.listener = listener;
      if (session.era() !== 'modern') return;
      // Servers of the modern era speak of changes only to those who listen; one that does not know how stays silent.
      const filter = { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true };
      client.listen(filter, { timeout: MAX_DEADLINE }).catch((error: unknown) => {
        session.context.logger.trace(`Server "${session.name}" tells of no changes: ${String(error)}`);
      });
    },
    followNotes(listener) {
      session.onNote = listener;
    },
    async request(method, params, options) {
      const deadline = createDeadline(options.signal, options.timeoutMs ?? CALL_TIMEOUT);
      const leave = answering(session, options, deadline);
      try {
        return await within(deadline, async () => {
          const all = { ...params, ...additions(session, options) };
          const sent = client.request({ method, params: all }, ANY_RESULT, settingsFor(options, deadline));
          return resultObject(await raceAbort(sent, deadline.signal));
        });
      } finally {
        leave();
        deadline.clear();
      }
    },
    closed,
    close: () => session.close().finally(markClosed),
    async listTools(signal) {
      const deadline = opened.signal === signal ? opened : createDeadline(signal, opened.ms);
      const request = async (cursor: string | undefined): Promise<unknown> => {
        const params = cursor === undefined ? {} : { cursor };
        const sent = client.request({ method: 'tools/list', params }, ANY_RESULT, {
          timeout: MAX_DEADLINE,
          signal: deadline.signal,
        });
        const result = await raceAbort(sent, deadline.signal);
        return transport?.takeListing(result) ?? result;
      };
      try {
        return await within(deadline, () =>
          listAllTools({
            server: session.name,
            request,
            changes: () => session.changes.count,
            isCancelled: deadline.isCancelled,
            secrets: session.secrets,
          }),
        );
      } finally {
        if (deadline !== opened) deadline.clear();
      }
    },
    async callTool(name, args, options) {
      const deadline = createDeadline(options.signal, options.timeoutMs ?? CALL_TIMEOUT);
      const leave = answering(session, options, deadline);
      const call = { name, arguments: { ...args }, ...additions(session, options) };
      const { tool } = options;
      const settings = settingsFor(options, deadline);
      try {
        return await within(deadline, async () => {
          const sent: Promise<unknown> =
            session.era() === 'modern' && tool !== undefined
              ? client.callTool(call, {
                  ...settings,
                  toolDefinition: { name, inputSchema: { ...tool.inputSchema, type: 'object' } },
                })
              : client.request({ method: 'tools/call', params: call }, ANY_RESULT, settings);
          return resultObject(await raceAbort(sent, deadline.signal));
        });
      } finally {
        leave();
        deadline.clear();
      }
    },
  };
}

/** The longest that a call may take in all, with whatever a person has to answer in between. */
const WITH_ANSWERS = 6 * MAX_DEADLINE;

/** What the SDK is to do besides keeping our deadline. */
function settingsFor({ onProgress, onAsk }: CallOptions, { signal }: Deadline) {
  const onprogress = (progress: object): void => {
    if (isResult(progress)) onProgress?.(progress);
  };
  return {
    timeout: onAsk === undefined ? MAX_DEADLINE : WITH_ANSWERS,
    signal,
    ...(onAsk !== undefined && { allowInputRequired: true }),
    ...(onProgress !== undefined && { onprogress }),
  };
}

/** Takes the server's questions while a call runs; the function ends that. */
function answering(session: Session, { onAsk }: CallOptions, deadline: Deadline): () => void {
  if (onAsk === undefined) return () => {};
  return session.asks.enter(async (ask) => {
    const resume = deadline.pause();
    try {
      return await onAsk(ask);
    } finally {
      resume();
    }
  });
}

/** What a request of the modern era carries besides its own parameters. */
function additions(session: Session, { inputs, meta }: CallOptions): object {
  if (session.era() !== 'modern') return {};
  return {
    ...(inputs !== undefined && { inputResponses: { ...inputs.responses } }),
    ...(inputs?.state !== undefined && { requestState: inputs.state }),
    ...(meta !== undefined && { _meta: { ...meta } }),
  };
}

function resultObject(result: unknown): JsonObject {
  if (isResult(result)) return result;
  throw new Error('the result of the call is not an object');
}

/** Results come out of JSON, so that being an object is all there is to ask. */
function isResult(value: unknown): value is JsonObject {
  return isRecord(value);
}
