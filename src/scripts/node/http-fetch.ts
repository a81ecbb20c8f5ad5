/**
 * The fetch under the SDK's HTTP transports: caps what a server may send in one message, keeps integers exact in
 * both directions, and remembers how long the server asked to wait.
 */
import { extractWWWAuthenticateParams } from '@modelcontextprotocol/client';
import { markIntegers, parseJson, unmarkIntegers } from './json.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { MESSAGE_LIMIT, tooLarge } from './stdio.ts';

export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

async function cappedText(body: ReadableStream<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MESSAGE_LIMIT) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
}

/** Passes an event stream on line by line, with a cap on the line. */
function guardedLines(onTooLarge: () => void): TransformStream<Uint8Array, Uint8Array> {
  let parts: Uint8Array[] = [];
  let size = 0;
  const flush = (controller: TransformStreamDefaultController<Uint8Array>): void => {
    if (parts.length === 0) return;
    const text = Buffer.concat(parts).toString('utf8');
    parts = [];
    size = 0;
    controller.enqueue(Buffer.from(text.startsWith('data:') ? `data:${markIntegers(text.slice(5))}` : text));
  };
  return new TransformStream({
    transform(chunk, controller): void {
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        parts.push(chunk.subarray(from, at + 1));
        from = at + 1;
        flush(controller);
      }
      if (from === chunk.length) return;
      parts.push(chunk.subarray(from));
      size += chunk.length - from;
      if (size > MESSAGE_LIMIT) {
        onTooLarge();
        controller.error(tooLarge());
      }
    },
    flush,
  });
}

/** What a 401 asks for. */
export interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

export interface GuardedFetch {
  readonly fetch: Fetch;
  /** What the last 401 asked for. */
  challenge(): Challenge;
  /** What the last refusing answer said in `Retry-After`, seconds. */
  retryAfter(): number | undefined;
  /** The server broke a limit: the fault to report instead of what follows from it. */
  tooLarge(): boolean;
}

/** Node's fetch ends a request after 300 s without headers; a longer deadline needs a dispatcher without that limit. */
function patientDispatcher(timeoutMs: number): object | undefined {
  if (timeoutMs < 290_000) return undefined;
  const current: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
  if (typeof current !== 'object' || current === null || typeof current.constructor !== 'function') return undefined;
  try {
    return Reflect.construct(current.constructor, [{ headersTimeout: 0, bodyTimeout: 0 }]);
  } catch {
    return undefined;
  }
}

/** A fetch for one connection. */
export function createFetch(timeoutMs: number): GuardedFetch {
  let retryAfter: number | undefined;
  let challenge: Challenge = {};
  let broken = false;
  let dispatcher: object | undefined;
  const guarded: Fetch = async (url, init = {}) => {
    // The global dispatcher exists only once fetch has been loaded, hence not before the first request.
    dispatcher ??= patientDispatcher(timeoutMs);
    const body = typeof init.body === 'string' ? unmarkIntegers(init.body) : init.body;
    const request: RequestInit = { ...init };
    if (body !== undefined) request.body = body;
    if (dispatcher !== undefined) Object.assign(request, { dispatcher });
    const response = await fetch(url, request);
    if (!response.ok) retryAfter = retryAfterSeconds(response.headers.get('retry-after'), Date.now());
    if (response.status === 401) {
      const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
      challenge = {
        ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
        ...(scope === undefined ? {} : { scope }),
      };
    }
    const type = response.headers.get('content-type') ?? '';
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    if (/text\/event-stream/i.test(type) && response.ok) {
      const lines = guardedLines(() => {
        broken = true;
      });
      return new Response(response.body.pipeThrough(lines), { status, statusText, headers });
    }
    const source = response.body;
    const text = async (): Promise<string> => {
      try {
        return await cappedText(source);
      } catch (error) {
        broken ||= error instanceof Error && error.message === tooLarge().message;
        throw error;
      }
    };
    return Object.defineProperties(response, {
      text: { value: text },
      json: { value: async () => parseJson(await text()) },
    });
  };
  return { fetch: guarded, challenge: () => challenge, retryAfter: () => retryAfter, tooLarge: () => broken };
}
