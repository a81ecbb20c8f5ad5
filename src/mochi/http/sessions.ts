/**
 * The legacy era over streamable HTTP: a session per `initialize`, found again by its header, ended by DELETE, by
 * long silence or by the server's end. The modern era has no sessions and never comes here.
 */
import { randomUUID } from 'node:crypto';
import {
  isInitializeRequest,
  type McpServer,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Logger } from '#core/ports.ts';
import { createEventStore } from './event-store.ts';

/** Sessions at once; beyond them the one unused for longest ends. */
export const MAX_SESSIONS = 256;
/** Milliseconds of silence, without an open stream, after which a session ends. */
export const SESSION_IDLE_MS = 30 * 60_000;
/** What clients are told to wait before they open a broken stream again, in milliseconds. */
const RETRY_MS = 1_000;

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: McpServer | Server;
  lastUsed: number;
  /** Streams that the client holds open: it is there, however silent. */
  open: number;
}

export interface Sessions {
  /** Answers one request of the legacy era. */
  handle(request: Request): Promise<Response>;
  readonly size: number;
  close(): Promise<void>;
}

export interface SessionOptions {
  readonly createServer: () => Promise<McpServer | Server>;
  readonly logger: Logger;
  readonly now?: () => number;
  readonly maxSessions?: number;
}

function problem(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}

export function createSessions(options: SessionOptions): Sessions {
  const { createServer, logger, now = Date.now, maxSessions = MAX_SESSIONS } = options;
  const sessions = new Map<string, Session>();

  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.server.close();
  };
  const endStale = async (): Promise<void> => {
    for (const [id, { lastUsed, open }] of sessions)
      if (open === 0 && now() - lastUsed > SESSION_IDLE_MS) await end(id);
    // A Map keeps its order of insertion, and a used session is inserted again.
    const byUse = [...sessions].sort(([, a], [, b]) => Math.sign(a.open) - Math.sign(b.open));
    for (const [id] of byUse.slice(0, Math.max(0, sessions.size - maxSessions + 1))) await end(id);
  };
  const touch = (id: string, session: Session): void => {
    session.lastUsed = now();
    sessions.delete(id);
    sessions.set(id, session);
  };

  async function begin(request: Request): Promise<Response> {
    await endStale();
    const server = await createServer();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        sessions.set(id, { transport, server, lastUsed: now(), open: 0 });
        logger.debug(`session begun, ${sessions.size} open`);
      },
    });
    transport.onclose = () => {
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    await server.connect(transport);
    const answer = await transport.handleRequest(request);
    // An `initialize` that was refused leaves nothing behind.
    if (transport.sessionId === undefined) await server.close();
    return answer;
  }

  return {
    get size() {
      return sessions.size;
    },
    async handle(request) {
      const id = request.headers.get('mcp-session-id');
      if (id === null) {
        if (await isInitialize(request)) return begin(request);
        return problem(400, -32_000, 'A session is needed: begin with initialize and send its Mcp-Session-Id header.');
      }
      const session = sessions.get(id);
      if (session === undefined) return problem(404, -32_001, 'This session has ended: begin a new one.');
      touch(id, session);
      const answer = await session.transport.handleRequest(request);
      if (request.method === 'GET' && answer.ok) {
        session.open++;
        const closed = (): void => {
          session.open--;
          session.lastUsed = now();
        };
        request.signal.addEventListener('abort', closed, { once: true });
      }
      return answer;
    },
    async close() {
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}

async function isInitialize(request: Request): Promise<boolean> {
  if (request.method !== 'POST') return false;
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => undefined);
  return (Array.isArray(body) ? body : [body]).some(isInitializeRequest);
}
