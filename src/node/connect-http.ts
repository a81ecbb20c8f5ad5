/**
 * A `fetch` for servers we do not trust: bounds what they can make us hold in memory, and remembers the last
 * failure, which is what tells a missing token from a wrong address. Redirects are the transport's business.
 */
import type { HttpFailure } from './connect-errors.ts';

export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

export interface GuardedFetch {
  readonly fetch: Fetch;
  /** The last answer, where it was no success. */
  failure(): HttpFailure | undefined;
  /** What the network layer threw last; undefined once an answer came. */
  network(): unknown;
  /** Forgets both, before another way is tried. */
  reset(): void;
}

/** Bytes of one answer, or of one line of an event stream. */
export const MAX_ANSWER = 64_000_000;

export function createGuardedFetch(
  inner: Fetch = (input, init) => fetch(input, init),
  limit = MAX_ANSWER,
): GuardedFetch {
  let failure: HttpFailure | undefined;
  let network: unknown;
  return {
    failure: () => failure,
    network: () => network,
    reset() {
      failure = undefined;
      network = undefined;
    },
    async fetch(input, init) {
      let response: Response;
      try {
        response = await inner(input, init);
      } catch (error) {
        if (init?.signal?.aborted !== true) network = error;
        throw error;
      }
      network = undefined;
      // A server may refuse the optional stream of notifications, or the end of a session, and be well otherwise.
      if (init?.method === 'POST' || !response.ok) failure = describe(response, init);
      return limited(response, limit, (error) => {
        network = error;
      });
    },
  };

  function describe(response: Response, init: RequestInit | undefined): HttpFailure | undefined {
    if (response.ok) return undefined;
    if (init?.method === 'DELETE' || (isNotificationStream(init) && response.status === 405)) return failure;
    const challenge = challengeOf(response.headers.get('www-authenticate'));
    return { status: response.status, ...(challenge !== undefined && { challenge }) };
  }
}

function isNotificationStream(init: RequestInit | undefined): boolean {
  return init?.method === 'GET' && new Headers(init.headers).has('mcp-protocol-version');
}

/** Scheme, realm and scope of a challenge; nothing else of it is fit to be shown. */
function challengeOf(header: string | null): string | undefined {
  const scheme = /^\s*([\w-]{1,20})/.exec(header ?? '')?.[1];
  if (header === null || scheme === undefined) return undefined;
  const parts = ['realm', 'scope', 'error'].flatMap((name) => {
    const value = new RegExp(`\\b${name}="([\\w .:/@-]{1,80})"`).exec(header)?.[1];
    return value === undefined ? [] : [`${name} "${value}"`];
  });
  return [scheme, ...parts].join(', ');
}

function limited(response: Response, limit: number, onError: (error: Error) => void): Response {
  const hasBody = response.body !== null && response.status >= 200 && ![204, 205, 304].includes(response.status);
  if (!hasBody || (response.status >= 300 && response.status < 400)) return response;
  const isStream = response.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream') ?? false;
  let size = 0;
  const guard = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const lineEnd = isStream ? chunk.lastIndexOf(10) : -1;
      size = lineEnd === -1 ? size + chunk.length : chunk.length - lineEnd - 1;
      if (size <= limit) controller.enqueue(chunk);
      else {
        const error = new Error(`an answer longer than ${Math.round(limit / 1_000_000)} MB`);
        onError(error);
        controller.error(error);
      }
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body?.pipeThrough(guard) ?? null, { status, statusText, headers });
}
