/**
 * Between Node's request and response and those of the web standard, which the protocol library speaks. Bodies are
 * read under a bound, answers are streamed with back-pressure, and a client that goes away aborts its request.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Much more than a body may have: so much is read and dropped, so that the client gets to see the refusal. */
const DRAIN_FACTOR = 16;

/** The whole body, or undefined where it has more than `limit` bytes. Throws when the client breaks off. */
export async function readBody(request: IncomingMessage, limit: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: Buffer = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size <= limit) chunks.push(bytes);
    else if (size > limit * DRAIN_FACTOR) break;
  }
  return size <= limit ? Buffer.concat(chunks) : undefined;
}

/** The request for the library, with a signal that fires when the client goes away before its answer is complete. */
export function toWebRequest(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): Request {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the client went away'));
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
  return new Request(new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`), {
    method: request.method ?? 'GET',
    headers,
    signal: gone.signal,
    ...(body === undefined || body.length === 0 ? {} : { body: new Uint8Array(body) }),
  });
}

/** Writes the library's answer; resolves when it is out or the client is gone. */
export async function sendWebResponse(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, [...answer.headers].flat());
  if (answer.body === null) {
    response.end();
    return;
  }
  response.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(answer.body), response);
  } catch (error) {
    // A stream that the client closed is how clients end one.
    if (!response.destroyed) throw error;
  }
}

/** A refusal in the shape of the protocol, for what never reaches the library. */
export function sendProblem(
  response: ServerResponse,
  status: number,
  message: string,
  more: readonly string[] = [],
  code = -32_000,
) {
  response.writeHead(status, ['content-type', 'application/json', ...more]);
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}
