/**
 * A scripted MCP server on loopback that wants OAuth, and its authorization server in one: discovery, registration,
 * code with PKCE, refresh. It says yes to everybody and remembers what it was asked; it is no model of a real one.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface OAuthScript {
  /** Put into the metadata instead of the real address. */
  readonly authorizationEndpoint?: string;
  /** Clients may be named by the address of their metadata. */
  readonly clientIdDocuments?: boolean;
  /** Answers the browser with an error instead of a code. */
  readonly refuses?: boolean;
}

export interface OAuthServer {
  readonly url: string;
  /** Paths asked for, in order, with the grant where there is one. */
  readonly asked: readonly string[];
  /** Client ids that came to the authorization endpoint. */
  readonly clients: readonly string[];
  /** Makes every access token worthless; refresh tokens stay. */
  expire(): void;
  /** Makes refresh tokens worthless too. */
  revoke(): void;
  close(): Promise<void>;
}

interface Grant {
  readonly challenge: string;
  readonly redirect: string;
  readonly client: string;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(Buffer.from(part as Uint8Array));
  return Buffer.concat(parts).toString('utf8');
}

function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(value === undefined ? undefined : JSON.stringify(value));
}

function answerMcp(message: { id?: unknown; method?: string; params?: { arguments?: unknown } }): unknown {
  const reply = (result: unknown): unknown => ({ jsonrpc: '2.0', id: message.id, result });
  if (message.method === 'initialize') {
    const serverInfo = { name: 'guarded', version: '1' };
    return reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
  }
  if (message.method === 'tools/call') {
    return reply({ content: [{ type: 'text', text: `called with ${JSON.stringify(message.params?.arguments)}` }] });
  }
  return { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } };
}

class Script {
  readonly asked: string[] = [];
  readonly clients: string[] = [];
  readonly grants = new Map<string, Grant>();
  readonly access = new Set<string>();
  readonly refresh = new Set<string>();
  readonly #script: OAuthScript;
  origin = '';

  constructor(script: OAuthScript) {
    this.#script = script;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.origin);
    const body = request.method === 'POST' ? await bodyOf(request) : '';
    const form = new URLSearchParams(body);
    this.asked.push(`${url.pathname}${form.has('grant_type') ? ` ${form.get('grant_type')}` : ''}`);
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource')) {
      json(response, 200, { resource: `${this.origin}/mcp`, authorization_servers: [this.origin] });
    } else if (url.pathname === '/.well-known/oauth-authorization-server') json(response, 200, this.#metadata());
    else if (url.pathname === '/register')
      json(response, 201, { ...JSON.parse(body), client_id: `client-${randomUUID()}` });
    else if (url.pathname === '/authorize') this.#authorize(url.searchParams, response);
    else if (url.pathname === '/token') this.#token(form, response);
    else if (url.pathname === '/mcp') this.#mcp(request, body, response);
    else json(response, 404, { error: 'not found' });
  }

  #metadata(): unknown {
    return {
      issuer: this.origin,
      authorization_endpoint: this.#script.authorizationEndpoint ?? `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      registration_endpoint: `${this.origin}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: this.#script.clientIdDocuments ?? false,
    };
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirect = query.get('redirect_uri') ?? '';
    const client = query.get('client_id') ?? '';
    const back = new URL(redirect);
    if (query.get('code_challenge_method') !== 'S256') throw new Error('no PKCE');
    this.clients.push(client);
    back.searchParams.set('state', query.get('state') ?? '');
    back.searchParams.set('iss', this.origin);
    if (this.#script.refuses) back.searchParams.set('error', 'access_denied');
    else {
      const code = randomUUID();
      this.grants.set(code, { challenge: query.get('code_challenge') ?? '', redirect, client });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  #token(form: URLSearchParams, response: ServerResponse): void {
    if (form.get('grant_type') === 'refresh_token') {
      const known = this.refresh.delete(form.get('refresh_token') ?? '');
      if (known) this.#issue(response);
      else json(response, 400, { error: 'invalid_grant' });
      return;
    }
    const grant = this.grants.get(form.get('code') ?? '');
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const fits = grant !== undefined && grant.challenge === proof && grant.redirect === form.get('redirect_uri');
    this.grants.delete(form.get('code') ?? '');
    if (fits && grant.client === form.get('client_id')) this.#issue(response);
    else json(response, 400, { error: 'invalid_grant' });
  }

  #issue(response: ServerResponse): void {
    const access = randomUUID();
    const refresh = randomUUID();
    this.access.add(access);
    this.refresh.add(refresh);
    json(response, 200, { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600 });
  }

  #mcp(request: IncomingMessage, body: string, response: ServerResponse): void {
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '');
    if (!this.access.has(token)) {
      const place = `${this.origin}/.well-known/oauth-protected-resource/mcp`;
      json(response, 401, { error: 'who are you' }, { 'www-authenticate': `Bearer resource_metadata="${place}"` });
    } else if (request.method !== 'POST') json(response, 405, undefined);
    else {
      const message = JSON.parse(body);
      if (message.id === undefined) json(response, 202, undefined);
      else json(response, 200, answerMcp(message));
    }
  }
}

export async function startOAuthServer(options: OAuthScript = {}): Promise<OAuthServer> {
  const script = new Script(options);
  const server = createServer((request, response) => {
    script.handle(request, response).catch(() => json(response, 500, { error: 'broken script' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  script.origin = `http://127.0.0.1:${port}`;
  return {
    url: `${script.origin}/mcp`,
    asked: script.asked,
    clients: script.clients,
    expire: () => script.access.clear(),
    revoke: () => {
      script.access.clear();
      script.refresh.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
