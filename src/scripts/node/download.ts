/** Fetches the files that a job's result points to: http and https only, through redirects too, up to a size. */
import { Fault, oneLine } from './fault.ts';
import { dispositionName, extensionOfType, hasExtension, safeName, splitName, urlName } from './file-names.ts';
import { isObject, parseJson } from './json.ts';
import type { Options } from './options.ts';
import { retryAfterSeconds } from './retry-after.ts';
import type { SavedFile, Saver } from './saver.ts';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const REDIRECT_LIMIT = 5;
const LEAST_SECONDS = 300;
const URL_LIMIT = 8192;
const JSON_DEPTH = 4;

/** The http(s) addresses among the strings of a value, also inside strings that are JSON; in order, once each. */
export function harvestUrls(value: unknown): readonly string[] {
  const found = new Set<string>();
  const visit = (item: unknown, depth: number): void => {
    if (Array.isArray(item)) for (const inner of item) visit(inner, depth);
    else if (isObject(item)) for (const inner of Object.values(item)) visit(inner, depth);
    else if (typeof item === 'string') visitText(item.trim(), depth);
  };
  const visitText = (text: string, depth: number): void => {
    if (/^https?:\/\//i.test(text)) {
      if (text.length <= URL_LIMIT && !/[\s\u0000-\u001f]/.test(text) && URL.canParse(text)) found.add(text);
    } else if (/^[[{]/.test(text) && depth < JSON_DEPTH) {
      try {
        visit(parseJson(text), depth + 1);
      } catch {
        // Text that only looks like JSON holds no addresses.
      }
    }
  };
  visit(value, 0);
  return [...found];
}

/** Passwords in an address become a header; fetch refuses them. */
function request(address: URL): { readonly url: URL; readonly headers: Record<string, string> } {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { url, headers: { accept: '*/*' } };
  url.username = '';
  url.password = '';
  const pair = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  return { url, headers: { accept: '*/*', authorization: `Basic ${pair}` } };
}

async function follow(start: string, signal: AbortSignal): Promise<{ response: Response; url: URL }> {
  let here = new URL(start);
  for (let redirects = 0; redirects <= REDIRECT_LIMIT; redirects += 1) {
    const { url, headers } = request(here);
    const response = await fetch(url, { headers, redirect: 'manual', signal });
    if (!REDIRECTS.has(response.status)) return { response, url: here };
    await response.body?.cancel();
    const location = response.headers.get('location') ?? '';
    const next = URL.canParse(location, here.href) ? new URL(location, here) : undefined;
    if (next === undefined || (next.protocol !== 'http:' && next.protocol !== 'https:')) {
      throw new Fault('protocol', `${start} redirects to ${oneLine(location, 200)}, which is no http(s) address`, {
        remedy: 'Nothing was read',
      });
    }
    here = next;
  }
  throw new Fault('protocol', `${start} redirects too often`, { remedy: 'Open it by hand' });
}

function tooBig(url: string, limit: number): Fault {
  return new Fault('protocol', `${url} is larger than ${limit} bytes`, { remedy: 'Raise --max-bytes if you want it' });
}

async function* capped(response: Response, url: string, limit: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  if (response.body === null) return;
  for await (const chunk of response.body) {
    size += chunk.length;
    if (size > limit) throw tooBig(url, limit);
    yield chunk;
  }
}

function failure(url: string, error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')) {
    return new Fault('timeout', `${url} was not read in time`, { remedy: 'Give --timeout more seconds' });
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const detail = cause instanceof Error ? cause.message : error instanceof Error ? error.message : String(error);
  return new Fault('unreachable', `cannot read ${url}: ${oneLine(detail, 200)}`, { transient: true, cause: error });
}

/** Saves what an address holds. Throws Fault; nothing is left behind then. */
export async function download(url: string, saver: Saver, options: Options, id: string): Promise<SavedFile> {
  const seconds = Math.max(LEAST_SECONDS, options.timeout ?? 0);
  try {
    const { response, url: last } = await follow(url, AbortSignal.timeout(seconds * 1000));
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Fault('protocol', `${url} answers HTTP ${response.status}`, {
        remedy: "The job's result may have expired",
        transient: response.status === 429 || response.status === 503,
        retryAfter: retryAfterSeconds(response.headers.get('retry-after'), Date.now()),
      });
    }
    const length = Number(response.headers.get('content-length') ?? 0);
    if (length > options.maxBytes) {
      await response.body?.cancel();
      throw tooBig(url, options.maxBytes);
    }
    const mime = (response.headers.get('content-type')?.split(';')[0] ?? '').trim().toLowerCase();
    const fromUrl = safeName(urlName(last));
    const named = safeName(dispositionName(`;${response.headers.get('content-disposition') ?? ''}`));
    const name = named || fromUrl || safeName(id) || 'output';
    const extension = extensionOfType(mime) || (hasExtension(fromUrl) ? splitName(fromUrl)[1] : '') || '.bin';
    return await saver.write({ name, extension, id }, capped(response, url, options.maxBytes), mime, { url });
  } catch (error) {
    throw failure(url, error);
  }
}
