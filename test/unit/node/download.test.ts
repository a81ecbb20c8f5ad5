/** Downloads: whole files only, checked, and gone on with where they broke off. */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DownloadOptions, download } from '../../../src/node/download.ts';

const content = Buffer.from(`GGUF${'0123456789'.repeat(20_000)}`);
const sha256 = createHash('sha256').update(content).digest('hex');
const ends: (() => unknown)[] = [];
let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mochi-download-'));
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  rmSync(root, { recursive: true, force: true });
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function bench(handler: Handler, more: Partial<DownloadOptions> = {}) {
  const ranges: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    ranges.push(request.headers.range);
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/m.gguf`);
  const to = join(root, 'models', 'm.gguf');
  const run = (over: Partial<DownloadOptions> = {}) =>
    download({ url, to, magic: 'GGUF', signal: new AbortController().signal, ...more, ...over });
  return { url, to, ranges, run };
}

/** Gives what is asked for of the content, and breaks off after so many bytes the first time. */
function ranged(breakAfter = Number.POSITIVE_INFINITY, etag = '"a"'): Handler {
  let isFirst = true;
  return (request, response) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const isSame = request.headers['if-range'] === undefined || request.headers['if-range'] === etag;
    const start = isSame ? from : 0;
    const body = content.subarray(start);
    response.writeHead(start > 0 ? 206 : 200, { etag, 'content-length': body.length });
    if (isFirst && breakAfter < body.length) {
      isFirst = false;
      response.write(body.subarray(0, breakAfter), () => setTimeout(() => response.destroy(), 50));
    } else response.end(body);
  };
}

describe('a download', () => {
  it('is there whole, with its hash, and nothing beside it', async () => {
    const { to, run } = await bench(ranged());
    const seen: number[] = [];
    expect(await run({ onProgress: ({ done }) => seen.push(done) })).toEqual({
      sha256,
      bytes: content.length,
      checkedBy: undefined,
    });
    expect(readFileSync(to).equals(content)).toBe(true);
    expect(seen.at(-1)).toBe(content.length);
    expect([existsSync(`${to}.part`), existsSync(`${to}.part.json`)]).toEqual([false, false]);
  });

  it('goes on where it broke off', async () => {
    const { to, ranges, run } = await bench(ranged(50_000));
    await expect(run()).rejects.toMatchObject({ kind: 'unreachable', remedy: expect.stringContaining('goes on') });
    expect(existsSync(to)).toBe(false);
    expect((await run({ sha256 })).checkedBy).toBe('caller');
    expect(ranges[0]).toBeUndefined();
    expect(ranges[1]).toMatch(/^bytes=\d{4,}-$/);
    expect(readFileSync(to).equals(content)).toBe(true);
  });

  it('begins again where the content is another by now, or has no tag to tell', async () => {
    let etag = '"a"';
    const { to, run } = await bench((request, response) =>
      ranged(etag === '"a"' ? 50_000 : undefined, etag)(request, response),
    );
    await expect(run()).rejects.toThrow();
    etag = '"b"';
    await run();
    expect(readFileSync(to).equals(content)).toBe(true);
    const weak = await bench(ranged(50_000, 'W/"a"'));
    await expect(weak.run()).rejects.toThrow();
    await weak.run();
    expect(weak.ranges).toEqual([undefined, undefined]);
  });

  it('is checked by what the hub says of it where it points to the content', async () => {
    const hub =
      (told: string): Handler =>
      (request, response) => {
        if (request.url === '/m.gguf')
          response.writeHead(302, { location: '/content', 'x-linked-etag': `"${told}"` }).end('moved');
        else ranged()(request, response);
      };
    const good = await bench(hub(sha256));
    expect((await good.run()).checkedBy).toBe('server');
    rmSync(good.to);
    const bad = await bench(hub('0'.repeat(64)));
    await expect(bad.run()).rejects.toMatchObject({ kind: 'protocol', message: expect.stringContaining(sha256) });
    expect([existsSync(bad.to), existsSync(`${bad.to}.part`)]).toEqual([false, false]);
  });

  it('that is not what was asked for is thrown away', async () => {
    const { to, run } = await bench((_, response) => response.end('<html>sign in</html>'));
    await expect(run()).rejects.toThrow('no model');
    const other = await bench(ranged());
    await expect(other.run({ sha256: '1'.repeat(64) })).rejects.toThrow('thrown away');
    expect([existsSync(to), existsSync(`${to}.part`)]).toEqual([false, false]);
  });

  it.each([
    [401, 'auth-needed'],
    [404, 'not-found'],
    [500, 'unreachable'],
  ])('refused with %i says so', async (status, kind) => {
    const { run } = await bench((_, response) => response.writeHead(status).end());
    await expect(run()).rejects.toMatchObject({ kind });
  });

  it('never leaves encryption, also when it is told to', async () => {
    const { run } = await bench((_, response) => response.writeHead(302, { location: 'http://example.test/x' }).end());
    await expect(run()).rejects.toMatchObject({ kind: 'usage' });
    const circle = await bench((_, response) => response.writeHead(302, { location: '/m.gguf' }).end());
    await expect(circle.run()).rejects.toThrow('circles');
  });

  it('ends with its caller and where nothing comes, and keeps what it has', async () => {
    const slow: Handler = (_, response) => {
      response.writeHead(200, { etag: '"a"', 'content-length': content.length });
      response.write(content.subarray(0, 1_000));
    };
    const { to, run } = await bench(slow);
    await expect(run({ stallMs: 100 })).rejects.toMatchObject({ kind: 'timeout' });
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('enough')), 100);
    await expect(run({ signal: stop.signal })).rejects.toThrow('enough');
    expect(existsSync(`${to}.part`)).toBe(true);
  });

  it('from a server that is not there names the proxy', async () => {
    const { run } = await bench(ranged());
    await expect(run({ url: new URL('http://127.0.0.1:1/m.gguf') })).rejects.toMatchObject({
      kind: 'unreachable',
      remedy: expect.stringContaining('NODE_USE_ENV_PROXY'),
    });
  });
});
