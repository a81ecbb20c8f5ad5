/**
 * Who may talk to the HTTP server at all: the Host and Origin checks against DNS rebinding, and the bearer token.
 * Looks at headers only. What is refused is answered before any byte of a body is read.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '#node/serve-reach.ts';

export { isLoopback };

/** The headers that decide, as the request spells them. */
export interface GuardedHeaders {
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly message: string;
}

export interface Guard {
  /** Undefined where the request may pass. */
  refuse(headers: GuardedHeaders): Refusal | undefined;
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The host's name in lower case and without its port; undefined where it is none. */
function nameOf(host: string | undefined): string | undefined {
  const found = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i.exec(host ?? '');
  return found?.[1]?.toLowerCase();
}

function originNameOf(origin: string): string | undefined {
  if (!/^https?:\/\//i.test(origin) || !URL.canParse(origin)) return undefined;
  return new URL(origin).hostname.toLowerCase();
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/**
 * On loopback, Host and Origin must name this machine. Beyond it any Host is let through, since a server has many
 * names there and the token is what protects it, but a page may only call the host that it came from.
 */
export function createGuard(listensOn: string, token: string | undefined): Guard {
  const local = isLoopback(listensOn);
  const isKnown = (name: string): boolean => LOOPBACK_NAMES.has(name) || name === listensOn.toLowerCase();
  const expected = token === undefined ? undefined : digest(token);
  return {
    refuse({ host, origin, authorization }) {
      const name = nameOf(host);
      if (name === undefined || (local && !isKnown(name)))
        return { status: 403, message: 'The Host header names another machine.' };
      if (origin !== undefined) {
        const from = originNameOf(origin);
        if (from === undefined || !(isKnown(from) || (!local && from === name)))
          return { status: 403, message: 'The Origin header names another site.' };
      }
      if (expected === undefined) return undefined;
      const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
      if (given !== undefined && timingSafeEqual(digest(given), expected)) return undefined;
      return { status: 401, message: 'Give the token as "Authorization: Bearer TOKEN".' };
    },
  };
}
