/** The file routes of the scripted HTTP server: results of jobs, honest and hostile, under `/files/`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { PIXEL } from './tool-box.ts';

interface Served {
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const attached = (disposition: string, body = 'evil'): Served => ({
  headers: { 'content-type': 'text/plain', 'content-disposition': disposition },
  body,
});
const moved = (location: string): Served => ({ status: 302, headers: { location } });
const typed = (type: string, body: string | Buffer): Served => ({ headers: { 'content-type': type }, body });

const FILES: ReadonlyMap<string, Served> = new Map([
  ['picture.png', typed('image/png', Buffer.from(PIXEL, 'base64'))],
  ['render', typed('image/webp', 'webp')],
  ['model.glb', typed('application/octet-stream', 'glb')],
  ['plain', typed('application/x-unheard-of', 'bytes')],
  ['named', attached(`attachment; filename="fallback.txt"; filename*=UTF-8''r%C3%A9sum%C3%A9.txt`)],
  ['traversal', attached('attachment; filename="../../evil.sh"')],
  ['traversal-windows', attached('attachment; filename="..\\\\..\\\\evil.bat"')],
  ['dots', attached('attachment; filename="..."')],
  ['device', attached('attachment; filename="NUL.txt"')],
  ['hidden', attached('attachment; filename=".bashrc"')],
  ['moved', moved('/files/picture.png')],
  ['to-file', moved('file:///etc/hostname')],
  ['loop', moved('/files/loop')],
  ['gone', { status: 410, headers: {}, body: 'gone' }],
  ['large', typed('text/plain', 'x'.repeat(100_000))],
]);

/** Serves one route. */
export function serveFile(request: IncomingMessage, response: ServerResponse, path: string): void {
  if (path === 'endless') {
    pour(response);
    return;
  }
  // Tells whether headers meant for the MCP server came here too.
  const agent = typed('text/plain', String(request.headers.authorization ?? 'no authorization'));
  const served = path === 'agent' ? agent : (FILES.get(path) ?? { status: 404, headers: {}, body: 'not here' });
  response.writeHead(served.status ?? 200, { ...served.headers });
  response.end(served.body ?? '');
}

/** A body without a length that never ends. */
export function pour(response: ServerResponse, type = 'application/octet-stream', start = ''): void {
  const chunk = Buffer.alloc(262_144, 'x');
  response.writeHead(200, { 'content-type': type });
  response.write(start);
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  response.on('error', () => {});
  more();
}
