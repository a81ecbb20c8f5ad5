/**
 * Downloads one large file: goes on where it was broken off, checks size and SHA-256 before the file gets its name, and
 * tells how far it is. Follows redirections by hand, because the hash of the content is told by the first answer.
 */
import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OperationError } from '#core/problem.ts';

export interface DownloadOptions {
  readonly url: URL;
  /** The file to write; absolute. */
  readonly to: string;
  /** In lower case; without it, what the server says of the content is believed. */
  readonly sha256?: string;
  /** Characters that the file begins with. */
  readonly magic?: string;
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: { readonly done: number; readonly total: number | undefined }) => void;
  readonly fetch?: typeof fetch;
  /** Milliseconds without a byte after which it is given up. */
  readonly stallMs?: number;
}

export interface Downloaded {
  readonly sha256: string;
  readonly bytes: number;
  /** By whom the hash was named that was checked; undefined where nobody did. */
  readonly checkedBy: 'caller' | 'server' | undefined;
}

const STALL_MS = 60_000;
const MAX_HOPS = 5;
/** Bytes that are left free on the disk. */
const SPARE = 64 * 2 ** 20;
const PROGRESS_MS = 200;

/** What is known of the part that is there. */
interface Kept {
  readonly url: string;
  readonly etag: string | undefined;
}

/** Throws OperationError, or the signal's reason; the part stays, unless it is not what it should be. */
export async function download(options: DownloadOptions): Promise<Downloaded> {
  const { to, signal } = options;
  signal.throwIfAborted();
  await mkdir(dirname(to), { recursive: true });
  const part = `${to}.part`;
  const kept = await readKept(part, options.url);
  const from = kept?.etag === undefined ? 0 : ((await stat(part).catch(() => undefined))?.size ?? 0);
  const answer = await ask(options, from, kept?.etag);
  const isGoingOn = answer.response.status === 206 && from > 0;
  const start = isGoingOn ? from : 0;
  const hash = createHash('sha256');
  if (isGoingOn) for await (const chunk of createReadStream(part)) hash.update(chunk);
  const length = Number(answer.response.headers.get('content-length') ?? Number.NaN);
  const total = Number.isFinite(length) ? start + length : answer.size;
  await assertRoom(to, (total ?? 0) - start);
  const kind: Kept = { url: options.url.href, etag: strong(answer.response.headers.get('etag')) };
  await writeFile(`${part}.json`, JSON.stringify(kind));
  const bytes = await receive(answer.response, part, start, total, hash, options);
  if (total !== undefined && bytes !== total)
    throw new OperationError('unreachable', `The download ended after ${bytes} of ${total} bytes.`, {
      remedy: 'Try again; it goes on from there.',
    });
  return finish(part, bytes, hash.digest('hex'), answer.sha256, options);
}

async function finish(
  part: string,
  bytes: number,
  found: string,
  told: string | undefined,
  { to, sha256, magic }: DownloadOptions,
): Promise<Downloaded> {
  const wanted = sha256 ?? told;
  const drop = async (message: string, remedy: string): Promise<never> => {
    await Promise.all([part, `${part}.json`].map((path) => rm(path, { force: true })));
    throw new OperationError('protocol', message, { remedy });
  };
  if (wanted !== undefined && wanted !== found)
    await drop(
      `The file has the SHA-256 ${found}, not ${wanted}; it was thrown away.`,
      sha256 === undefined ? 'Try again.' : 'Check --sha256 and the address.',
    );
  if (magic !== undefined && !(await beginsWith(part, magic)))
    await drop('The file is no model; it was thrown away.', 'Check the address: it must name a GGUF file itself.');
  await rename(part, to);
  await rm(`${part}.json`, { force: true });
  return {
    sha256: found,
    bytes,
    checkedBy: sha256 !== undefined ? 'caller' : told === undefined ? undefined : 'server',
  };
}

async function beginsWith(path: string, magic: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    return buffer.subarray(0, bytesRead).toString('latin1') === magic;
  } finally {
    await file.close();
  }
}

async function readKept(part: string, url: URL): Promise<Kept | undefined> {
  try {
    const found: unknown = JSON.parse(await readFile(`${part}.json`, 'utf8'));
    if (typeof found !== 'object' || found === null || !('url' in found) || found.url !== url.href) return undefined;
    return { url: url.href, etag: 'etag' in found && typeof found.etag === 'string' ? found.etag : undefined };
  } catch {
    return undefined;
  }
}

interface Answered {
  readonly response: Response;
  readonly sha256: string | undefined;
  readonly size: number | undefined;
}

async function ask(options: DownloadOptions, from: number, etag: string | undefined): Promise<Answered> {
  let { url } = options;
  let sha256: string | undefined;
  let size: number | undefined;
  for (let hop = 0; hop <= MAX_HOPS; hop++) {
    assertSafe(url);
    const range = from > 0 && etag !== undefined ? { range: `bytes=${from}-`, 'if-range': etag } : undefined;
    const response = await fetchOnce(url, { 'accept-encoding': 'identity', ...range }, options);
    // Hubs tell the hash of the content where they point to it.
    const told = /^"?([0-9a-f]{64})"?$/.exec(response.headers.get('x-linked-etag') ?? '')?.[1];
    sha256 ??= told;
    const linked = Number(response.headers.get('x-linked-size') ?? Number.NaN);
    if (Number.isSafeInteger(linked)) size ??= linked;
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      url = new URL(location, url);
      continue;
    }
    if (response.ok) return { response, sha256, size };
    await response.body?.cancel();
    throw refused(response.status, url);
  }
  throw new OperationError('protocol', `${options.url.host} redirects in circles.`, { remedy: 'Check the address.' });
}

async function fetchOnce(url: URL, headers: Record<string, string>, options: DownloadOptions): Promise<Response> {
  try {
    const call = options.fetch ?? fetch;
    return await call(url, { headers, redirect: 'manual', signal: options.signal });
  } catch (cause) {
    options.signal.throwIfAborted();
    throw new OperationError('unreachable', `${url.host} cannot be reached.`, {
      remedy: 'Look at the network. Behind a proxy set HTTPS_PROXY and NODE_USE_ENV_PROXY=1 (Node 24 or newer).',
      cause,
    });
  }
}

/** What is loaded into memory later must not be changed on the way. */
function assertSafe(url: URL): void {
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) return;
  throw new OperationError('usage', `${url.host} is not asked without encryption.`, {
    remedy: 'Use an https address.',
  });
}

function refused(status: number, url: URL): OperationError {
  if (status === 401 || status === 403)
    return new OperationError('auth-needed', `${url.host} refuses the file (${status}).`, {
      remedy: 'It may ask to accept a licence first; download it in a browser and use --model FILE.',
    });
  if (status === 404)
    return new OperationError('not-found', `${url.host} has no such file.`, { remedy: 'Check the name.' });
  return new OperationError('unreachable', `${url.host} answered ${status}.`, { remedy: 'Try again later.' });
}

async function assertRoom(to: string, needed: number): Promise<void> {
  const disk = await statfs(dirname(to)).catch(() => undefined);
  if (disk === undefined || disk.bavail * disk.bsize >= needed + SPARE) return;
  throw new OperationError('io', `The disk has no room for ${Math.ceil(needed / 2 ** 20)} MiB more.`, {
    remedy: 'Make room, or name another folder with --output.',
  });
}

async function receive(
  response: Response,
  part: string,
  start: number,
  total: number | undefined,
  hash: Hash,
  { signal, onProgress, stallMs = STALL_MS }: DownloadOptions,
): Promise<number> {
  if (response.body === null) throw new OperationError('protocol', 'The answer is empty.', { remedy: 'Try again.' });
  const file = await open(part, start > 0 ? 'a' : 'w');
  const reader = response.body.getReader();
  let done = start;
  let told = 0;
  try {
    for (;;) {
      const next = await within(reader.read(), stallMs, signal);
      if (next.done) break;
      await file.write(next.value);
      hash.update(next.value);
      done += next.value.byteLength;
      const now = performance.now();
      if (now - told < PROGRESS_MS) continue;
      told = now;
      onProgress?.({ done, total });
    }
    onProgress?.({ done, total });
    await file.sync();
    return done;
  } catch (cause) {
    signal.throwIfAborted();
    if (OperationError.is(cause)) throw cause;
    throw new OperationError('unreachable', `The download broke off after ${done} bytes.`, {
      remedy: 'Try again; it goes on from there.',
      cause,
    });
  } finally {
    await reader.cancel().catch(() => {});
    await file.close();
  }
}

async function within<T>(work: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let cancel: () => void = () => {};
  work.catch(() => {});
  try {
    return await Promise.race([
      work,
      new Promise<never>((_, reject) => {
        const stalled = new OperationError('timeout', 'Nothing came for a while.', {
          remedy: 'Try again; it goes on from there.',
        });
        timer = setTimeout(() => reject(stalled), ms);
        cancel = () => reject(signal.reason);
        signal.addEventListener('abort', cancel, { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
  }
}

/** Only a strong tag says that two parts are of one content. */
function strong(etag: string | null): string | undefined {
  return etag === null || etag.startsWith('W/') ? undefined : etag;
}
