/**
 * A scriptable MCP server that behaves as badly as it is told: `node fake-mcp-server.ts <scenario>`. Speaks JSON
 * lines on standard streams, or, for scenarios whose name begins with `http` or `sse`, HTTP on a free loopback port
 * that it prints as `port <n>` on standard error. Writes its process number to the file FAKE_STARTS at every start.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly cursor?: string; readonly name?: string; readonly arguments?: unknown };
}
/** What to answer: a result, an error, nothing, or something to do. */
type Answer =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | 'nothing';

const scenario = process.argv[2] ?? 'ok';
const starts = process.env['FAKE_STARTS'];
if (starts !== undefined) appendFileSync(starts, `${process.pid}\n`);

const tool = (name: string, more: object = {}): object => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  ...more,
});
const MODERN = '2026-07-28';
const SLEEPER = 'setTimeout(() => {}, 600_000)';
const methodNotFound: Answer = { error: { code: -32601, message: 'Method not found' } };

const isModern = /modern/.test(scenario);

function initialize(): Answer {
  if (isModern) return { error: { code: -32022, message: 'Unsupported protocol version' } };
  if (scenario === 'old-revision')
    return {
      result: {
        protocolVersion: '2024-11-05',
        capabilities: { tools: {} },
        serverInfo: { name: 'fake', version: '1' },
      },
    };
  return {
    result: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'fake', version: '1.0.0' },
      instructions: 'Use it gently.',
    },
  };
}

function discover(): Answer {
  if (!isModern) return methodNotFound;
  return {
    result: {
      resultType: 'complete',
      supportedVersions: [MODERN],
      capabilities: { tools: {} },
      instructions: 'Modern and gentle.',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fake-modern', version: '2.0.0' } },
    },
  };
}

let lists = 0;

function list(cursor: string | undefined): Answer {
  lists++;
  switch (scenario) {
    case 'stall-list':
      return 'nothing';
    case 'no-list':
      return methodNotFound;
    case 'list-error':
      return { error: { code: -32603, message: 'Internal \u001b[31merror\u001b[0m' } };
    case 'not-an-array':
      return { result: { tools: { a: 1 } } };
    case 'malformed':
    case 'modern-malformed':
    case 'http-modern-malformed':
      return page([
        tool('good'),
        { name: 'bad', inputSchema: 'no' },
        { description: 'nameless' },
        tool('loose', { inputSchema: {} }),
        tool('late'),
      ]);
    case 'cursor-loop':
      return page([tool(`t-${cursor ?? 'start'}`)], cursor === 'a' ? 'b' : 'a');
    case 'same-page':
      return page([tool('one'), tool('two')], `cursor-${lists}`);
    case 'endless':
      return page([tool(`t-${lists}`)], `cursor-${lists}`);
    case 'pages':
      return page([tool(`page-${cursor ?? '0'}`)], cursor === undefined ? '1' : cursor === '1' ? '2' : undefined);
    case 'second-page-stalls':
      return cursor === undefined ? page([tool('first')], 'next') : 'nothing';
    case 'changing':
      write({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return page(
        [tool(`${cursor ?? 'start'}-${lists > 2 ? 'new' : 'old'}`)],
        cursor === undefined ? 'next' : undefined,
      );
    case 'storm':
      for (let i = 0; i < 2_000; i++) write({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
      return page([tool('calm')]);
    case 'echo-secret':
      return page([tool('leak', { description: `Uses ${process.env['API_TOKEN'] ?? 'nothing'}.` })]);
    case 'environment':
      return page([tool('environment', { description: JSON.stringify(process.env) })]);
    default:
      return page([tool('echo', { annotations: { readOnlyHint: true } }), tool('add')]);
  }
}

function page(tools: readonly object[], nextCursor?: string): Answer {
  return {
    result: {
      ...(isModern && { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }),
      tools,
      ...(nextCursor !== undefined && { nextCursor }),
    },
  };
}

function answer(message: Message): Answer {
  if (scenario === 'http-stall') return 'nothing';
  switch (message.method) {
    case 'server/discover':
      if (scenario === 'silent-on-probe') return 'nothing';
      return discover();
    case 'initialize':
      return initialize();
    case 'tools/list':
      return list(message.params?.cursor);
    case 'tools/call':
      if (message.params?.name === 'hang') return 'nothing';
      return {
        result: {
          ...(isModern && { resultType: 'complete' }),
          content: [{ type: 'text', text: JSON.stringify(message.params) }],
        },
      };
    default:
      return methodNotFound;
  }
}

function write(message: object): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

/** A tool whose properties are named as members of every object are; only text can say so. */
const PROTOTYPE_TOOL =
  '{"name":"__proto__","description":"d","inputSchema":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}}';

function onMessage(message: Message): void {
  if (message.id === undefined || message.method === undefined) return;
  if (scenario === 'stall') return;
  if (scenario === 'dies-on-probe' && message.method === 'server/discover') {
    process.stderr.write('Error: expected an initialize request first\n');
    process.exit(1);
  }
  if (scenario === 'crash-on-list' && message.method === 'tools/list') process.exit(7);
  if (scenario === 'prototype' && message.method === 'tools/list') {
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":[${PROTOTYPE_TOOL}]}}\n`,
    );
    return;
  }
  if (scenario === 'deep' && message.method === 'tools/list') {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":{"tools":[{"name":"deep","inputSchema":${deep}},${JSON.stringify(tool('flat'))}]}}\n`,
    );
    return;
  }
  if (scenario === 'long-line' && message.method === 'tools/list') {
    const chunk = 'x'.repeat(1_000_000);
    process.stdout.write('{"jsonrpc":"2.0","filler":"');
    for (let i = 0; i < 200; i++) process.stdout.write(chunk);
    return;
  }
  const reply = answer(message);
  if (scenario === 'slow-modern-late' && message.method === 'initialize') {
    held = { jsonrpc: '2.0', id: message.id, ...(reply as object) };
    return;
  }
  if (held !== undefined) write(held);
  held = undefined;
  if (reply !== 'nothing') write({ jsonrpc: '2.0', id: message.id, ...reply });
}

/** An answer that is given only with the next one. */
let held: object | undefined;

function readLines(): void {
  let text = '';
  process.stdin.setEncoding('utf8');
  process.stdin.on('data', (chunk: string) => {
    text += chunk;
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') onMessage(JSON.parse(line) as Message);
  });
  process.stdin.on('end', () => {
    if (!scenario.startsWith('ignores-')) process.exit(0);
  });
}

function runStdio(): void {
  switch (scenario) {
    case 'crash':
      process.stderr.write(`\u001b[31mMissing API_KEY\u001b[0m, got ${process.env['API_TOKEN'] ?? 'nothing'}\n`);
      process.exit(3);
      break;
    case 'noise':
      process.stdout.write(
        'Welcome to the fake server!\n{"level":"info","message":"no JSON-RPC"}\n[1,2]\n{"broken": \n',
      );
      break;
    case 'flood':
      setInterval(() => process.stderr.write(`${'e'.repeat(100_000)}\n`), 1);
      break;
    case 'ignores-eof':
      setInterval(() => {}, 1_000);
      break;
    case 'ignores-everything':
      process.on('SIGTERM', () => {});
      setInterval(() => {}, 1_000);
      break;
    case 'grandchild':
    case 'ignores-grandchild': {
      const child = spawn(process.execPath, ['-e', SLEEPER], { stdio: 'ignore' });
      if (starts !== undefined) appendFileSync(starts, `${child.pid}\n`);
      break;
    }
    case 'stray': {
      const child = spawn(process.execPath, ['-e', SLEEPER], { stdio: 'ignore', detached: true });
      child.unref();
      if (starts !== undefined) appendFileSync(starts, `${child.pid}\n`);
      break;
    }
  }
  if (scenario.startsWith('slow-')) setTimeout(readLines, 1_500);
  else readLines();
}

// --- HTTP

function runHttp(): void {
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    readBody(request).then((body) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      if (scenario === 'http-401') {
        response.writeHead(401, { 'www-authenticate': 'Bearer realm="fake", error="invalid_token"' }).end('no');
      } else if (scenario === 'http-500') {
        response.writeHead(500).end('broken');
      } else if (scenario === 'http-404') {
        response.writeHead(404).end('nothing here');
      } else if (scenario === 'http-redirect') {
        response.writeHead(307, { location: 'http://example.invalid/mcp' }).end();
      } else if (scenario === 'http-header' && request.headers['x-key'] !== process.env['FAKE_KEY']) {
        response.writeHead(403).end();
      } else if (scenario === 'sse') {
        stream = serveSse(request, response, path, body, stream);
      } else serveStreamable(request, response, body);
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.stderr.write(`port ${typeof address === 'object' ? address?.port : ''}\n`);
  });
}

function serveStreamable(request: IncomingMessage, response: ServerResponse, body: string): void {
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const message = JSON.parse(body) as Message;
  if (starts !== undefined) appendFileSync(starts, `${message.method}\n`);
  if (message.id === undefined) {
    response.writeHead(202).end();
    return;
  }
  if (scenario === 'http-huge' && message.method === 'tools/list') {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = ' '.repeat(1_000_000);
    response.on('error', () => {});
    const more = (left: number): void => {
      if (left === 0) response.end();
      else if (!response.destroyed) response.write(chunk, () => more(left - 1));
    };
    more(200);
    return;
  }
  const reply = answer(message);
  if (reply === 'nothing') return;
  const status = 'error' in reply && isModern ? 400 : 200;
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply }));
}

function serveSse(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  body: string,
  stream: ServerResponse | undefined,
): ServerResponse | undefined {
  if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /messages\n\n');
    return response;
  }
  if (path !== '/messages') {
    response.writeHead(405).end();
    return stream;
  }
  response.writeHead(202).end();
  const message = JSON.parse(body) as Message;
  if (message.id === undefined) return stream;
  const reply = answer(message);
  if (reply !== 'nothing')
    stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply })}\n\n`);
  return stream;
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

if (/^(?:http|sse)/.test(scenario)) runHttp();
else runStdio();
