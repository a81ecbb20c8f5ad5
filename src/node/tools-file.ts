/**
 * Tools from files and addresses: the file of `--tools-info`, and the catalog of `--catalog` by path or URL. Reads
 * bytes within limits and hands the text to core; nothing is started and nothing is written.
 */
import { readToolsFile, type ToolsFile } from '#core/catalog/catalog.ts';
import { readToolCatalog, type ToolCatalog } from '#core/catalog/match.ts';
import type { Files } from '#core/ports.ts';
import { OperationError, type Reported } from '#core/problem.ts';
import { errorCode } from './connect-errors.ts';
import type { Fetch } from './connect-http.ts';
import { shownAddress } from './connect-secrets.ts';
import { createDeadline, raceAbort } from './deadline.ts';

/** Bytes of a tools file or a catalog. */
export const MAX_CATALOG_BYTES = 20_000_000;
/** Milliseconds for a catalog from the network, all redirects and the whole answer. */
export const CATALOG_DEADLINE = 30_000;
const MAX_REDIRECTS = 5;

export interface CatalogSourceOptions {
  readonly files: Files;
  readonly signal: AbortSignal;
  /** The path for people; the path itself unless given. */
  readonly display?: string;
  readonly fetch?: Fetch;
  readonly deadlineMs?: number;
  readonly maxBytes?: number;
}

/** Reads a tools file. Throws OperationError `not-found` or `io`; what is wrong in it is a problem instead. */
export async function readToolsFrom(path: string, options: CatalogSourceOptions): Promise<Reported<ToolsFile>> {
  return readToolsFile(await readText(path, options), options.display ?? path);
}

/**
 * Reads a catalog from a path or an http or https URL. Throws OperationError `not-found`, `io`, `unreachable`,
 * `timeout`, `auth-needed` or `usage`; what is wrong in it is a problem instead.
 */
export async function readCatalogFrom(location: string, options: CatalogSourceOptions): Promise<Reported<ToolCatalog>> {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]?.toLowerCase();
  if (scheme === undefined) return readToolCatalog(await readText(location, options), options.display ?? location);
  const text = await download(location, options);
  return readToolCatalog(text, options.display ?? shownAddress(location));
}

async function readText(path: string, options: CatalogSourceOptions): Promise<string> {
  const bytes = await options.files.read(path, options.maxBytes ?? MAX_CATALOG_BYTES);
  if (bytes === undefined) {
    throw new OperationError('not-found', `There is no file "${options.display ?? path}".`, {
      remedy: 'Check the path.',
    });
  }
  return decode(bytes, options.display ?? path);
}

async function download(location: string, options: CatalogSourceOptions): Promise<string> {
  const deadline = createDeadline(options.signal, options.deadlineMs ?? CATALOG_DEADLINE);
  const shown = shownAddress(location);
  try {
    return decode(await raceAbort(fetchBytes(location, deadline.signal, options), deadline.signal), shown);
  } catch (error) {
    if (deadline.isCancelled()) throw options.signal.reason;
    if (deadline.isOver()) {
      throw new OperationError('timeout', `The catalog at ${shown} did not come within ${deadline.ms / 1_000} s.`, {
        remedy: 'Try again, or download it and give the file.',
        cause: error,
      });
    }
    if (OperationError.is(error)) throw error;
    throw new OperationError(
      'unreachable',
      `The catalog at ${shown} cannot be reached (${errorCode(error) ?? 'no answer'}).`,
      {
        remedy: 'Check the address and the network, or download it and give the file.',
        cause: error,
      },
    );
  } finally {
    deadline.clear();
  }
}

async function fetchBytes(location: string, signal: AbortSignal, options: CatalogSourceOptions): Promise<Uint8Array> {
  const get = options.fetch ?? ((input, init) => fetch(input, init));
  let url = webAddress(location);
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const response = await get(url, { signal, redirect: 'manual' });
    const next = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (next === null) return bytesOf(response, shownAddress(url.href), options.maxBytes ?? MAX_CATALOG_BYTES);
    await response.body?.cancel();
    const target = webAddress(new URL(next, url).href);
    if (url.protocol === 'https:' && target.protocol === 'http:') {
      throw new OperationError(
        'unreachable',
        `${shownAddress(url.href)} leads from https to http, which is not followed.`,
        {
          remedy: 'Give an https address.',
        },
      );
    }
    url = target;
  }
  throw new OperationError('unreachable', `${shownAddress(location)} leads on and on without an answer.`, {
    remedy: 'Give the final address.',
  });
}

function webAddress(text: string): URL {
  if (URL.canParse(text)) {
    const url = new URL(text);
    if (url.protocol === 'https:' || url.protocol === 'http:') return url;
  }
  throw new OperationError('usage', 'A catalog comes from a path or from an http or https address.', {
    remedy: 'Give a path, or an address that begins with https:// or http://.',
  });
}

async function bytesOf(response: Response, shown: string, limit: number): Promise<Uint8Array> {
  if (!response.ok) {
    const auth = response.status === 401 || response.status === 403;
    await response.body?.cancel();
    throw new OperationError(auth ? 'auth-needed' : 'unreachable', `${shown} answered with HTTP ${response.status}.`, {
      remedy: auth ? 'Download the catalog yourself and give the file.' : 'Check the address.',
    });
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.length;
    if (size > limit) {
      throw new OperationError('io', `The catalog at ${shown} is larger than ${Math.round(limit / 1_000_000)} MB.`, {
        remedy: 'Give a smaller catalog.',
      });
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function decode(bytes: Uint8Array, shown: string): string {
  try {
    const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
    return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new OperationError('io', `"${shown}" is not text in UTF-8.`, { remedy: 'Save it as UTF-8.', cause: error });
  }
}
