/**
 * The scripted server over HTTP: every path is a server of another kind, so that one process serves all cases.
 * It runs inside the test process.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pour, serveFile } from './http-files.ts';
import { answer, brokenBytes, type Era, failure, isFields, MODERN, success } from './protocol.ts';
import { type Fields, type Outcome, TOOLS, type Value } from './tool-box.ts';

interface Session {
  readonly number: number;
  count: number;
}

const sessions = new Map<string, Session>();
const streams = new Map<string, ServerResponse>();
/** How often a job was asked about, by path and id. */
const asked = new Map<string, number>();
/** Requests that were received, for cases that want to know: `method path`. */
const received: string[] = [];

function plain(
  response: ServerResponse,
  status: number,
  message: Value,
  headers: Readonly<Record<string, string>> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(message === null ? '' : JSON.stringify(message));
}

function event(response: ServerResponse, data: string | Buffer): void {
  response.write('event: message\ndata: ');
  response.write(data);
  response.write('\n\n');
}

/** Writes the answer to a call in the way the path asks for. */
function reply(response: ServerResponse, path: string, id: Value, outcome: Outcome, era: Era): void {
  const streaming = path === '/mcp';
  if (outcome.kind === 'silence') return;
  if (outcome.kind === 'exit') {
    response.socket?.destroy();
    return;
  }
  if (outcome.kind === 'flood') {
    pour(response, 'application/json', '{"jsonrpc":"2.0","id":');
    return;
  }
  const message = success(id, outcome.result, era);
  const bytes = outcome.kind === 'broken' ? brokenBytes(message) : Buffer.from(JSON.stringify(message));
  if (!streaming) {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(bytes);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': a comment\nid: 1\n\n');
  if (outcome.kind === 'noisy') for (const line of outcome.lines) event(response, line);
  event(response, '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"working"}}');
  event(response, bytes);
  response.end();
}

/** What is wrong with the headers of a request of the stateless revision; undefined when nothing is. */
function headerMismatch(request: IncomingMessage, message: Fields): string | undefined {
  const params = isFields(message['params']) ? message['params'] : {};
  if (request.headers['mcp-protocol-version'] !== MODERN) return 'MCP-Protocol-Version';
  if (request.headers['mcp-method'] !== message['method']) return 'Mcp-Method';
  if (message['method'] === 'resources/read' && request.headers['mcp-name'] !== params['uri']) return 'Mcp-Name';
  if (message['method'] !== 'tools/call') return undefined;
  if (request.headers['mcp-name'] !== params['name']) return 'Mcp-Name';
  const args = isFields(params['arguments']) ? params['arguments'] : {};
  const wanted = `=?base64?${Buffer.from(String(args['name'])).toString('base64')}?=`;
  const given = request.headers['mcp-param-tenant'];
  if (params['name'] === 'tenant' && given !== args['name'] && given !== wanted) return 'Mcp-Param-Tenant';
  return undefined;
}

/** Statuses that a path answers a tool call with before it is even looked at; undefined lets it pass. */
function refuse(response: ServerResponse, path: string, message: Fields, session: Session | undefined): boolean {
  if (message['method'] !== 'tools/call') return false;
  const params = isFields(message['params']) ? message['params'] : {};
  const args = isFields(params['arguments']) ? params['arguments'] : {};
  const key = `${path} ${String(params['name'])} ${String(args['request_id'])}`;
  const times = (asked.get(key) ?? 0) + 1;
  asked.set(key, times);
  const polls = params['name'] === 'render_status' || params['name'] === 'render_result';
  if (path === '/overloaded' || (path === '/busy' && polls && times <= 2) || (path === '/busy-once' && times === 1)) {
    plain(response, 429, { error: 'slow down' }, { 'retry-after': path === '/busy' ? '0' : '7' });
    return true;
  }
  if (path === '/cut' && polls && times <= 1) {
    response.socket?.destroy();
    return true;
  }
  if (path === '/forgetful' && session !== undefined && session.number % 2 === 1) {
    plain(response, 404, failure(null, -32001, 'Session not found'));
    return true;
  }
  if (path === '/endless') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write(': still here\n\n'), 50);
    response.on('close', () => clearInterval(timer));
    return true;
  }
  if (path === '/flooding') {
    pour(response, 'text/event-stream', 'data: ');
    return true;
  }
  return false;
}

/** What `/older` answers to `initialize`, whatever it was asked for, and wants in a header from then on. */
const OLDER = '2025-03-26';

const STATELESS: ReadonlySet<string> = new Set(['/stateless', '/modern']);

function handleMessage(request: IncomingMessage, response: ServerResponse, path: string, message: Fields): void {
  const era: Era = path === '/modern' ? 'modern' : 'legacy';
  const id = message['id'];
  const wrong = era === 'modern' && id !== undefined ? headerMismatch(request, message) : undefined;
  if (id !== undefined && message['method'] === 'initialize' && era === 'modern') {
    plain(response, 400, failure(id, -32022, 'Unsupported protocol version', { supported: [MODERN] }));
    return;
  }
  if (id !== undefined && wrong !== undefined) {
    plain(response, 400, failure(id, -32020, `Header mismatch: ${wrong}`));
    return;
  }
  const given = String(request.headers['mcp-session-id'] ?? '');
  let session = sessions.get(given);
  const headers: Record<string, string> = {};
  if (!STATELESS.has(path) && message['method'] === 'initialize') {
    const fresh = randomUUID();
    session = { number: [...sessions.values()].length + 1, count: 0 };
    sessions.set(fresh, session);
    headers['mcp-session-id'] = fresh;
  } else if (!STATELESS.has(path) && session === undefined) {
    plain(response, 400, failure(null, -32000, 'Bad Request: no valid session'));
    return;
  }
  if (refuse(response, path, message, session)) return;
  const isOlder = path === '/older';
  if (isOlder && headers['mcp-session-id'] === undefined && request.headers['mcp-protocol-version'] !== OLDER) {
    plain(response, 400, failure(null, -32000, 'Bad Request: MCP-Protocol-Version'));
    return;
  }
  const around = {
    ...(isOlder ? { revision: OLDER } : {}),
    files: `http://${request.headers.host ?? ''}/files`,
    next: () => (session === undefined ? 1 : ++session.count),
  };
  const answered = answer(message, era, around);
  if (answered.kind === 'none') plain(response, 202, null);
  else if (answered.kind === 'message' && message['method'] !== 'tools/call')
    plain(response, 200, answered.message, headers);
  else if (answered.kind === 'outcome') reply(response, path, answered.id, answered.outcome, era);
  else if (isFields(answered.message['result']))
    reply(response, path, id ?? null, { kind: 'result', result: answered.message['result'] }, era);
  else plain(response, 200, answered.message);
}

/** The legacy transport: answers go to the stream, the POST itself is only acknowledged. */
function handleLegacyPost(request: IncomingMessage, response: ServerResponse, url: URL, message: Fields): void {
  const stream = streams.get(url.searchParams.get('session') ?? '');
  if (stream === undefined) {
    plain(response, 404, null);
    return;
  }
  plain(response, 202, null);
  const around = { files: `http://${request.headers.host ?? ''}/files`, next: () => 1 };
  const answered = answer(message, 'legacy', around);
  if (answered.kind === 'message') event(stream, JSON.stringify(answered.message));
  if (answered.kind !== 'outcome') return;
  const { outcome } = answered;
  if (outcome.kind === 'exit') stream.socket?.destroy();
  else if (outcome.kind === 'broken') event(stream, brokenBytes(success(answered.id, outcome.result, 'legacy')));
  else if (outcome.kind === 'noisy') {
    for (const line of outcome.lines) event(stream, line);
    event(stream, JSON.stringify(success(answered.id, outcome.result, 'legacy')));
  }
}

function openStream(response: ServerResponse, foreign: number | undefined): void {
  const name = randomUUID();
  streams.set(name, response);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(
    `event: endpoint\ndata: ${foreign === undefined ? '' : `http://localhost:${foreign}`}/message?session=${name}\n\n`,
  );
  response.on('close', () => streams.delete(name));
}

/** Paths that answer every request alike, whatever it says; true when this was one. */
function handleFixed(request: IncomingMessage, response: ServerResponse, url: URL): boolean {
  const path = url.pathname;
  if (path === '/locked' && request.headers.authorization !== 'Bearer open-sesame-1234') {
    plain(response, 401, { error: 'unauthorized' }, { 'www-authenticate': 'Bearer realm="scripted"' });
  } else if (path === '/moved') {
    plain(response, 307, null, { location: '/mcp' });
  } else if (path === '/moved-away') {
    plain(response, 307, null, { location: `http://localhost:${request.socket.localPort}/mcp` });
  } else if (path === '/html') {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<h1>Welcome</h1>');
  } else if (path === '/received') {
    plain(response, 200, received);
  } else if (path.startsWith('/files/')) {
    serveFile(request, response, path.slice('/files/'.length));
  } else if ((path === '/sse' || path === '/sse-foreign') && request.method === 'GET') {
    openStream(response, path === '/sse-foreign' ? request.socket.localPort : undefined);
  } else {
    return false;
  }
  return true;
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  received.push(`${request.method ?? ''} ${url.pathname}`);
  if (handleFixed(request, response, url)) return;
  if (request.method === 'DELETE') {
    sessions.delete(String(request.headers['mcp-session-id'] ?? ''));
    plain(response, 200, null);
    return;
  }
  if (request.method !== 'POST' || url.pathname.startsWith('/sse')) {
    plain(response, 405, null);
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const message: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
  if (!isFields(message)) plain(response, 400, null);
  else if (url.pathname === '/message') handleLegacyPost(request, response, url, message);
  else handleMessage(request, response, url.pathname, message);
}

/** Starts the server on a free port of the loopback; `tools` counts what it offers. */
export async function start(): Promise<{ readonly url: string; readonly tools: number; close(): void }> {
  const server: Server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    tools: TOOLS.length,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
