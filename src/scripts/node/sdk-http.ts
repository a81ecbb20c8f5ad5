/**
 * Connects the SDK client over HTTP: the stateless revision first, then `initialize`, then legacy HTTP+SSE. A server
 * that wants authorization gets the OAuth flow of `oauth.ts`, unless the config gives it credentials already.
 */
import {
  type Client,
  type OAuthClientProvider,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { CallOptions, Connection, ConnectOptions } from './connection.ts';
import { Fault } from './fault.ts';
import { createFetch, type GuardedFetch } from './http-fetch.ts';
import type { JsonObject } from './json.ts';
import type { Authorization } from './oauth.ts';
import { callTool, hearRaw, newClient, readResource } from './sdk-call.ts';
import { bodyOf, classify, isUnauthorized, statusOf } from './sdk-faults.ts';
import { tooLarge } from './stdio.ts';
import type { Target } from './variables.ts';

type HttpTarget = Target & { kind: 'http' };

/** Answers to `initialize` that mean: not this transport, try the legacy one. */
const NOT_STREAMABLE: ReadonlySet<number> = new Set([400, 404, 405]);
const GOODBYE_MS = 1000;

interface Link {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport | SSEClientTransport;
  /** Rejects when a legacy stream breaks; the SDK would wait for an answer that cannot come. */
  readonly broken: Promise<never>;
}

function open(
  target: HttpTarget,
  sse: boolean,
  guarded: GuardedFetch,
  provider: OAuthClientProvider | undefined,
): { readonly client: Client; readonly transport: Link['transport'] } {
  const options = {
    fetch: guarded.fetch,
    requestInit: { headers: Object.fromEntries(target.headers) },
    ...(provider === undefined ? {} : { authProvider: provider }),
  };
  if (sse) {
    return {
      client: newClient({ versionNegotiation: { mode: 'legacy' } }),
      transport: new SSEClientTransport(target.url, options),
    };
  }
  const reconnectionOptions = {
    initialReconnectionDelay: 500,
    maxReconnectionDelay: 5000,
    reconnectionDelayGrowFactor: 1.5,
    maxRetries: 2,
  };
  return {
    client: newClient({ versionNegotiation: { mode: 'auto' } }),
    transport: new StreamableHTTPClientTransport(target.url, { ...options, reconnectionOptions }),
  };
}

function watch(client: Client, sse: boolean, guarded: GuardedFetch): Promise<never> {
  const broken = new Promise<never>((_, reject) => {
    client.onerror = (error) => {
      if (guarded.tooLarge()) reject(tooLarge());
      else if (sse && error instanceof SseError && error.code === undefined) {
        reject(new Fault('unreachable', 'the connection to the server was lost', { lost: true, cause: error }));
      }
    };
  });
  broken.catch(() => {});
  return broken;
}

class HttpConnection implements Connection {
  readonly #link: Link;
  readonly #guarded: GuardedFetch;
  readonly #target: HttpTarget;
  readonly #options: ConnectOptions;
  #isBroken = false;
  /** The server knows our session; one it forgot needs no goodbye. */
  #hasSession = true;

  constructor(link: Link, guarded: GuardedFetch, target: HttpTarget, options: ConnectOptions) {
    this.#link = link;
    this.#guarded = guarded;
    this.#target = target;
    this.#options = options;
    link.broken.catch(() => {
      this.#isBroken = true;
    });
  }

  get alive(): boolean {
    return !this.#isBroken;
  }

  call(tool: string, args: JsonObject, options: CallOptions): Promise<JsonObject> {
    return this.#ask(tool, options, (signal) => callTool(this.#link.client, tool, args, { ...options, signal }));
  }

  read(uri: string, options: CallOptions): Promise<JsonObject> {
    return this.#ask(uri, options, (signal) => readResource(this.#link.client, uri, { ...options, signal }));
  }

  async #ask(
    what: string,
    options: CallOptions,
    send: (signal: AbortSignal) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    try {
      return await Promise.race([send(AbortSignal.timeout(options.timeoutMs + 50)), this.#link.broken]);
    } catch (error) {
      const where = { ...options, mask: this.#options.mask };
      if (this.#isForgotten(error)) {
        this.#hasSession = false;
        throw new Fault('unreachable', 'the server forgot the session', {
          remedy: 'Try again',
          status: 404,
          lost: true,
        });
      }
      throw faultOf(error, this.#guarded, this.#target, where, what);
    }
  }

  async close(): Promise<void> {
    const { transport, client } = this.#link;
    const told = transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined;
    if (told && this.#hasSession) {
      let timer: NodeJS.Timeout | undefined;
      const limit = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, GOODBYE_MS);
      });
      await Promise.race([transport.terminateSession().catch(() => {}), limit]);
      clearTimeout(timer);
    }
    await client.close().catch(() => {});
  }

  kill(): void {}

  /** A session the server no longer knows; nothing was executed then. */
  #isForgotten(error: unknown): boolean {
    const { transport } = this.#link;
    if (!(transport instanceof StreamableHTTPClientTransport) || transport.sessionId === undefined) return false;
    const status = statusOf(error);
    return status === 404 || (status === 400 && /session/i.test(bodyOf(error)));
  }
}

function faultOf(
  error: unknown,
  guarded: GuardedFetch,
  target: HttpTarget,
  options: Pick<ConnectOptions, 'timeoutMs' | 'allowedMs' | 'mask'>,
  tool?: string,
): Fault {
  if (guarded.tooLarge()) return tooLarge();
  const place = `${target.url.origin}${target.url.pathname}`;
  return classify(error, {
    timeoutMs: options.allowedMs ?? options.timeoutMs,
    mask: options.mask,
    retryAfter: guarded.retryAfter,
    place,
    tool,
  });
}

/** Time is shared by all attempts: each gets what is left. */
async function attempt(
  target: HttpTarget,
  sse: boolean,
  guarded: GuardedFetch,
  provider: OAuthClientProvider | undefined,
  end: number,
): Promise<Link> {
  const { client, transport } = open(target, sse, guarded, provider);
  const broken = watch(client, sse, guarded);
  const timeout = Math.max(1, end - Date.now());
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DOMException('deadline', 'TimeoutError')), timeout);
  });
  try {
    await Promise.race([client.connect(transport, { timeout }), limit, broken]);
    if (client.getProtocolEra() === 'modern') hearRaw(transport);
    return { client, transport, broken };
  } catch (error) {
    await transport.close().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function connectOnce(
  target: HttpTarget,
  guarded: GuardedFetch,
  provider: OAuthClientProvider | undefined,
  end: number,
): Promise<Link> {
  if (target.sse) return attempt(target, true, guarded, provider, end);
  try {
    return await attempt(target, false, guarded, provider, end);
  } catch (error) {
    const status = statusOf(error);
    if (status === undefined || !NOT_STREAMABLE.has(status)) throw error;
    try {
      return await attempt(target, true, guarded, provider, end);
    } catch (again) {
      // The first refusal says more than a missing legacy stream does.
      const legacy = statusOf(again);
      throw legacy === 401 || legacy === 403 || (legacy === undefined && status !== 400) ? again : error;
    }
  }
}

function hasCredentials(target: HttpTarget): boolean {
  return [...target.headers.keys()].some((name) => name.toLowerCase() === 'authorization');
}

/** Connects. With a 401 and no credentials of its own, the person authorizes once and the call goes on. */
export async function connectHttp(target: HttpTarget, options: ConnectOptions): Promise<Connection> {
  const guarded = createFetch(options.timeoutMs);
  const end = Date.now() + options.timeoutMs;
  let authorization: Authorization | undefined;
  try {
    if (!hasCredentials(target)) {
      const { storedAuthorization } = await import('./oauth.ts');
      authorization = storedAuthorization(target.url);
    }
    const link = await connectOnce(target, guarded, authorization?.provider, end);
    return new HttpConnection(link, guarded, target, options);
  } catch (error) {
    if (!isUnauthorized(error) || hasCredentials(target)) throw faultOf(error, guarded, target, options);
    const { authorize } = await import('./oauth.ts');
    const { provider } = await authorize(target.url, guarded.fetch, guarded.challenge(), options);
    try {
      // The person took their time: the deadline begins anew.
      const link = await connectOnce(target, guarded, provider, Date.now() + options.timeoutMs);
      return new HttpConnection(link, guarded, target, options);
    } catch (again) {
      throw faultOf(again, guarded, target, options);
    }
  }
}
