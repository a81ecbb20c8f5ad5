/**
 * The gateway between the conformance suites and their fixture: `node gateway-server.ts URL ERA` puts it in front
 * of the server at URL, to which it speaks the revisions of ERA, `legacy` or `modern`, over Mochi's HTTP wiring, says on standard error where it listens, and serves until it is ended.
 */
import { createGateway } from '../../../src/gateway/gateway.ts';
import { serveHttp } from '../../../src/mochi/http.ts';
import { createLog } from '../../../src/mochi/log.ts';
import { createMcpClient } from '../../../src/node/mcp-client.ts';
import { LIMITS } from '../../../src/protocol/mochi.ts';
import { serverOf } from '../mcp-servers.ts';

const logger = createLog(process.env['GATEWAY_LOG'] === undefined ? () => {} : (line) => process.stderr.write(line));
const era = process.argv[3] === 'legacy' ? 'legacy' : 'modern';
const client = createMcpClient({
  eras: { get: () => era, set: () => {} },
  env: process.env,
  resolveEndpoint: async ({ endpoint }) => endpoint,
  cwd: process.cwd(),
  logger,
  clientInfo: { name: 'gateway', version: '1' },
});
const gateway = createGateway({
  servers: [serverOf('fixture', { kind: 'http', url: process.argv[2] ?? '', headers: {}, sseFallback: false })],
  mode: 'normal',
  compactRules: 'safe',
  names: 'short',
  rules: { allow: [], deny: [] },
  version: '1',
  patienceMs: 10_000,
  client,
  // Nothing is kept: the server is running, and is asked.
  cache: { read: async () => undefined, write: async () => {} },
  logger,
  timeoutMs: 60_000,
  now: () => performance.now(),
  mayStart: async () => true,
});
const service = await serveHttp({
  createServer: () => gateway.createServer(),
  logger,
  host: '127.0.0.1',
  port: 0,
  token: undefined,
  maxBody: LIMITS.httpBody,
});
process.stderr.write(`listening on ${service.url}\n`);
