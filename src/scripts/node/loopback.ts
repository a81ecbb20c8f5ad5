/** The address on this machine to which the browser returns after authorization. Answers one callback, nothing else. */
import type { RequestListener, Server } from 'node:http';
import { Fault } from './fault.ts';

const PAGE = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><title>Mochi</title><p>${text} You can close this page.</p>\n`;

export interface Loopback {
  /** The redirect address, with the port it got. */
  readonly redirect: string;
  /** Waits for the callback that carries `state`; its query. Throws `timeout`. */
  wait(state: string, timeoutMs: number): Promise<URLSearchParams>;
  close(): void;
}

async function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Opens the loopback address, on the port of an earlier registration where that is free. */
export async function openLoopback(earlier: string | undefined): Promise<Loopback> {
  let deliver: ((query: URLSearchParams) => boolean) | undefined;
  // Loaded here only: this module alone would double the start of every call.
  const { createServer } = await import('node:http');
  const listener: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const host = request.headers.host ?? '';
    const headers = { 'content-type': 'text/html; charset=utf-8', connection: 'close', 'cache-control': 'no-store' };
    if (request.method !== 'GET' || url.pathname !== '/callback' || !/^(?:127\.0\.0\.1|localhost):\d+$/.test(host)) {
      response.writeHead(404, headers).end();
      return;
    }
    const accepted = deliver?.(url.searchParams) ?? false;
    response.writeHead(accepted ? 200 : 400, headers);
    response.end(PAGE(accepted ? 'The answer has arrived.' : 'This is not the answer that was waited for.'));
  };
  const server = createServer(listener);
  const wanted = earlier === undefined ? 0 : Number(new URL(earlier).port);
  const port = await listen(server, wanted).catch(() => listen(server, 0));
  return {
    redirect: `http://127.0.0.1:${port}/callback`,
    wait: (state, timeoutMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(
            new Fault('timeout', `no authorization within ${Math.round(timeoutMs / 1000)} s`, {
              remedy: 'Run the command again and open the printed address in a browser',
            }),
          );
        }, timeoutMs);
        deliver = (query) => {
          if (query.get('state') !== state) return false;
          clearTimeout(timer);
          resolve(query);
          return true;
        };
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
