/**
 * The legacy HTTP+SSE transport of revision 2024-11-05, for clients that know nothing newer: one stream a client,
 * and messages posted beside it. Its wire is the old SDK line's; the server behind it is the same as everywhere.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import type { JSONRPCMessage, McpServer, MessageExtraInfo, Server, Transport } from '@modelcontextprotocol/server';
import type { Logger } from '#core/ports.ts';

/** Streams at once; further ones are refused. */
const MAX_STREAMS = 256;
/** Milliseconds between comments that keep a quiet stream open. */
const KEEP_ALIVE_MS = 15_000;

/** The old line's transport behind the new line's interface. */
class SseChannel implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #wire: SSEServerTransport;

  constructor(wire: SSEServerTransport) {
    this.#wire = wire;
  }

  get sessionId(): string {
    return this.#wire.sessionId;
  }

  async start(): Promise<void> {
    this.#wire.onclose = () => this.onclose?.();
    this.#wire.onerror = (error) => this.onerror?.(error);
    this.#wire.onmessage = (message) => this.onmessage?.(message);
    await this.#wire.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#wire.send(message);
  }

  async close(): Promise<void> {
    await this.#wire.close();
  }
}

export interface SseStreams {
  /** Opens a stream; it names `messagesPath` as the place to post to. False where there are too many. */
  open(response: ServerResponse, messagesPath: string): Promise<boolean>;
  has(id: string): boolean;
  /** Takes one posted message. False where its stream is not open. */
  post(id: string, request: IncomingMessage, response: ServerResponse, body: string): Promise<boolean>;
  readonly size: number;
  close(): Promise<void>;
}

export function createSseStreams(createServer: () => Promise<McpServer | Server>, logger: Logger): SseStreams {
  const streams = new Map<string, { readonly wire: SSEServerTransport; readonly server: McpServer | Server }>();
  return {
    get size() {
      return streams.size;
    },
    has: (id) => streams.has(id),
    async open(response, messagesPath) {
      if (streams.size >= MAX_STREAMS) return false;
      const server = await createServer();
      const wire = new SSEServerTransport(messagesPath, response);
      const id = wire.sessionId;
      streams.set(id, { wire, server });
      const keepAlive = setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
      keepAlive.unref();
      response.once('close', () => {
        clearInterval(keepAlive);
        streams.delete(id);
        logger.debug(`event stream ended, ${streams.size} open`);
      });
      await server.connect(new SseChannel(wire));
      return true;
    },
    async post(id, request, response, body) {
      const stream = streams.get(id);
      if (stream === undefined) return false;
      await stream.wire.handlePostMessage(request, response, body);
      return true;
    },
    async close() {
      await Promise.all([...streams.values()].map(({ server }) => server.close()));
      streams.clear();
    },
  };
}
