/** What is special to the Node call script: one file that needs nothing, exact integers on every transport, wrappers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { callEnvironment, execute } from '../../support/call-servers/run-case.ts';
import { makeSkillFolder, type SkillFolder } from '../../support/call-servers/skill-folder.ts';
import { node } from './node-runtime.ts';

let folder: SkillFolder;
let http: Server | undefined;
beforeEach(() => {
  folder = makeSkillFolder({ script: node.script, config: { mcpServers: {} }, tools: [], form: 'bare' });
});
afterEach(() => {
  folder.dispose();
  http?.closeAllConnections();
  http?.close();
  http = undefined;
});

function configure(definition: object): void {
  const config = { mcpServers: { one: definition } };
  writeFileSync(join(folder.skill, 'references', 'mcp.json'), JSON.stringify(config));
}

function call(script: string, ...argv: readonly string[]) {
  const env = callEnvironment(folder.root, { XDG_STATE_HOME: join(folder.root, 'state') });
  return execute(node.interpreter, [script, ...argv], { cwd: folder.root, env });
}

const BIG = '12345678901234567890';
/** Answers by hand, so that no JSON library rounds what passes: the arguments come back as structured content. */
const ANSWER = `function answer(line) {
  const { id, method } = JSON.parse(line);
  if (id === undefined) return undefined;
  const head = '{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',';
  if (method === 'initialize') return head + '"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}';
  if (method !== 'tools/call' || !line.includes(':12345678901234567890,') && line.includes('1234567')) return head + '"error":{"code":-32601,"message":"no"}}';
  return head + '"result":{"content":[],"structuredContent":' + line.match(/"arguments":({.*?})/)[1] + '}}';
}`;

const STDIO_SERVER = `${ANSWER}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const reply = answer(line);
  if (reply !== undefined) console.log(reply);
});`;

async function serveHttp(stream: boolean): Promise<string> {
  const answer: (line: string) => string | undefined = new Function(`${ANSWER}; return answer;`)();
  http = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    const reply = request.method === 'POST' ? answer(body) : undefined;
    if (reply === undefined) response.writeHead(request.method === 'POST' ? 202 : 405).end();
    else {
      response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
      response.end(stream ? `event: message\ndata: ${reply}\n\n` : reply);
    }
  });
  await new Promise<void>((resolve) => http?.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`;
}

describe('Integers beyond 2^53', () => {
  const shown = `{\n  "id": ${BIG},\n  "text": "${BIG}"\n}\n`;
  const args = `{"id":${BIG},"text":"${BIG}"}`;

  async function check(definition: object, ...more: readonly string[]): Promise<void> {
    configure(definition);
    const ran = await call(folder.script, 'any', args, ...more);
    expect([ran.exit, ran.stdout], ran.stderr).toEqual([0, shown]);
  }

  const stdio = { type: 'stdio', command: process.execPath, args: ['-e', STDIO_SERVER] };
  test('pass unchanged over stdio', () => check(stdio));
  test('pass unchanged over HTTP with JSON', async () => check({ type: 'http', url: await serveHttp(false) }));
  test('pass unchanged over HTTP with an event stream', async () =>
    check({ type: 'http', url: await serveHttp(true) }));
  test('pass unchanged through a session', async () => {
    try {
      await check(stdio, '--session', 'exact');
    } finally {
      await call(folder.script, '--session-stop', 'exact');
    }
  });
});

describe('The bundled file', () => {
  test('imports nothing but Node itself, and nothing slow before it is needed', () => {
    const text = readFileSync(node.script, 'utf8');
    const names = [...text.matchAll(/(?:\bfrom|\bimport)\s*["']([^"']+)["']/g)].map((match) => match[1] ?? '');
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !/^(?:node:)?(?:[a-z_]+)(?:\/promises)?$/.test(name))).toEqual([]);
    expect(names).not.toContain('node:http');
  });

  test('runs under a wrapper, whose options come before those of the caller', async () => {
    configure({ type: 'stdio', command: process.execPath, args: ['-e', STDIO_SERVER] });
    const wrapper = join(folder.skill, 'scripts', 'wrapper.mjs');
    const baked = `['--submit-tool', 'start', '--status-tool', 'state', '--output', 'baked']`;
    writeFileSync(
      wrapper,
      `import { main } from './mcp_async_call.mjs';\nawait main([...${baked}, ...process.argv.slice(2)]);\n`,
    );
    const plain = await call(wrapper, '--tool', 'any', '--args', '{"a":1}');
    expect([plain.exit, plain.stdout], plain.stderr).toEqual([0, '{\n  "a": 1\n}\n']);
    const job = await call(wrapper, '--args', '{"id":"j1","status":"working"}', '--wait', '0', '--json');
    expect(job.exit, job.stderr).toBe(0);
    const { id, status, resume } = JSON.parse(job.stdout).job;
    expect([id, status]).toEqual(['j1', 'running']);
    expect(resume).toContain(`${wrapper} `);
    expect(resume).toContain('--output baked');
    expect(resume).toMatch(/--resume j1$/);
  });

  test('does not run when it is only imported', async () => {
    const importer = join(folder.skill, 'scripts', 'importer.mjs');
    writeFileSync(importer, `import { main } from './mcp_async_call.mjs';\nconsole.log(typeof main);\n`);
    const ran = await call(importer);
    expect([ran.exit, ran.stdout]).toEqual([0, 'function\n']);
  });
});
