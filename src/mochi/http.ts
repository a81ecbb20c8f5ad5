/**
 * Serves MCP over HTTP on one port: streamable HTTP of both protocol eras at `/mcp`, and the legacy event stream at
 * `/sse`. Loopback unless told otherwise, guarded before a body is read. Knows transports, never tools.
 */
import { createServer as createNodeServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  type Server,
  type ServerNotifier,
} from '@modelcontextprotocol/server';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { faultOfBody, isJson } from './http/body-fault.ts';
import { readBody, sendProblem, sendWebResponse, toWebRequest } from './http/exchange.ts';
import { createGuard, isLoopback } from './http/guard.ts';
import { createSessions } from './http/sessions.ts';
import { createSseStreams } from './http/sse.ts';

export const MCP_PATH = '/mcp';
export const SSE_PATH = '/sse';
const MESSAGES_PATH = '/messages';

/** Milliseconds that requests in progress get at the end. */
const GRACE_MS = 2_000;
/** Milliseconds a client may take to send one request. */
const REQUEST_MS = 30_000;

/** Makes the server behind one session or stream, or, where it does not last, behind one stateless request. */
export type ServerFactory = (
  transport: 'http' | 'sse',
  lasts: boolean,
) => McpServer | Server | Promise<McpServer | Server>;

export interface HttpOptions {
  readonly createServer: ServerFactory;
  readonly logger: Logger;
  /** The interface; anything but loopback needs a token. */
  readonly host: string;
  /** Zero for any free one. */
  readonly port: number;
  readonly token: string | undefined;
  /** Bytes of one request's body. */
  readonly maxBody: number;
}

export interface HttpService {
  /** The address of the streamable endpoint. */
  readonly url: string;
  readonly port: number;
  /** Tells clients of the modern era that a list is another one. */
  readonly notify: Pick<ServerNotifier, 'resourcesChanged' | 'toolsChanged' | 'promptsChanged'>;
  /** Ends gracefully: nothing new, a short while for what runs, then the end. */
  close(): Promise<void>;
}

/** Resolves when it listens. Throws OperationError `usage` or `io`. */
export async function serveHttp(options: HttpOptions): Promise<HttpService> {
  const { createServer, logger, host, token, maxBody } = options;
  if (!isLoopback(host) && token === undefined)
    throw new OperationError('usage', `Listening on ${host} needs a token.`, {
      remedy: 'Give --token-file FILE or set MOCHI_TOKEN.',
    });
  const guard = createGuard(host, token);
  const sessions = createSessions({ createServer: async () => createServer('http', true), logger });
  const working = new Set<Promise<void>>();
  const streams = createSseStreams(async () => createServer('sse', true), logger);
  const modern = createMcpHandler(() => createServer('http', false), {
    legacy: 'reject',
    maxRequestBodySize: maxBody,
    onerror: (error) => logger.debug(`request refused: ${error.name}`),
  });

  async function streamable(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!['GET', 'POST', 'DELETE'].includes(request.method ?? '')) return notAllowed(response, 'GET, POST, DELETE');
    const body = await readBody(request, maxBody);
    if (body === undefined) return tooLarge(response);
    if (request.method === 'POST' && refusesBody(request, response, body, true)) return;
    const web = toWebRequest(request, response, body);
    const answer = (await isLegacyRequest(web)) ? sessions.handle(web) : modern.fetch(web);
    const sent = answer.then((one) => sendWebResponse(one, response));
    // Streams that clients keep open for what may come are not work.
    if (request.method !== 'POST') return sent;
    working.add(sent);
    await sent.finally(() => working.delete(sent));
  }

  async function message(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (request.method !== 'POST') return notAllowed(response, 'POST');
    const body = await readBody(request, maxBody);
    if (body === undefined) return tooLarge(response);
    const id = url.searchParams.get('sessionId') ?? '';
    if (streams.has(id) && refusesBody(request, response, body, false)) return;
    if (!(await streams.post(id, request, response, body.toString('utf8'))))
      sendProblem(response, 404, 'This event stream has ended: open a new one.');
  }

  async function eventStream(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') return notAllowed(response, 'GET');
    if (!(await streams.open(response, MESSAGES_PATH))) sendProblem(response, 503, 'Too many event streams are open.');
  }

  const tooLarge = (response: ServerResponse): void =>
    sendProblem(response, 413, `A request may have ${maxBody} bytes.`, ['connection', 'close']);

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host: name, origin, authorization } = request.headers;
    const refusal = guard.refuse({ host: name, origin, authorization });
    if (refusal !== undefined) {
      const challenge = refusal.status === 401 ? ['www-authenticate', 'Bearer'] : [];
      return sendProblem(response, refusal.status, refusal.message, challenge);
    }
    const url = URL.canParse(request.url ?? '', 'http://localhost')
      ? new URL(request.url ?? '', 'http://localhost')
      : undefined;
    if (url?.pathname === MCP_PATH) return streamable(request, response);
    if (url?.pathname === SSE_PATH) return eventStream(request, response);
    if (url?.pathname === MESSAGES_PATH) return message(request, response, url);
    return sendProblem(response, 404, `There is nothing here: use ${MCP_PATH} or ${SSE_PATH}.`);
  }

  const node = createNodeServer({ requestTimeout: REQUEST_MS }, (request, response) => {
    response.on('error', () => {});
    route(request, response).catch((error: unknown) => {
      logger.warn(`request failed: ${error instanceof Error ? error.name : 'unknown'}`);
      if (response.headersSent) response.destroy();
      else sendProblem(response, 500, 'Internal error');
    });
  });
  const port = await listen(node, host, options.port);
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${shown}:${port}${MCP_PATH}`,
    port,
    notify: modern.notify,
    async close() {
      const closed = new Promise<void>((resolve) => node.close(() => resolve()));
      node.closeIdleConnections();
      await Promise.race([Promise.allSettled(working), delay(GRACE_MS, undefined, { ref: false })]);
      await Promise.all([sessions.close(), streams.close(), modern.close()]);
      node.closeAllConnections();
      await closed;
    },
  };
}

/** Whether the body is none of the protocol, and has been answered as such. */
function refusesBody(
  { headers }: IncomingMessage,
  response: ServerResponse,
  body: Uint8Array,
  takesBatches: boolean,
): boolean {
  const fault = isJson(headers['content-type']) ? faultOfBody(body, takesBatches) : undefined;
  if (fault !== undefined) sendProblem(response, 400, fault.message, [], fault.code);
  return fault !== undefined;
}

function notAllowed(response: ServerResponse, allowed: string): void {
  sendProblem(response, 405, 'Method not allowed.', ['allow', allowed]);
}

function listen(node: ReturnType<typeof createNodeServer>, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    node.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, host, port)));
    node.listen(port, host, () => {
      const address: AddressInfo | string | null = node.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** What stands in the way, as a person would say it. */
function cannotListen(cause: NodeJS.ErrnoException, host: string, port: number): OperationError {
  const failed = (message: string, remedy: string): OperationError =>
    new OperationError('io', message, { remedy, cause });
  switch (cause.code) {
    case 'EADDRINUSE':
      return failed(
        `Another program listens on port ${port} of ${host}.`,
        'Choose another port with --port; --port 0 takes a free one.',
      );
    case 'EACCES':
      return failed(`Port ${port} of ${host} is not for everybody.`, 'Choose a port from 1024 on with --port.');
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failed(`--host ${host} is no address of this machine.`, 'Leave it out, or name one that it has.');
    default:
      return failed(
        `Cannot listen on port ${port} of ${host} (${cause.code ?? cause.name}).`,
        'Choose another port with --port; --port 0 takes a free one.',
      );
  }
}
