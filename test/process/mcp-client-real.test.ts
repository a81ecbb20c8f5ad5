/** Real MCP servers from npm, over every transport they speak. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Endpoint } from '#core/model.ts';
import { createClient, realServer, serverOf, stop, waitFor } from '../support/mcp-servers.ts';

const EVERYTHING = '@modelcontextprotocol/server-everything/dist/index.js';
const FILESYSTEM = '@modelcontextprotocol/server-filesystem/dist/index.js';
const MEMORY = '@modelcontextprotocol/server-memory/dist/index.js';
const never = new AbortController().signal;

async function check(name: string, endpoint: Endpoint, tools: number, some: readonly string[]): Promise<void> {
  const { value, problems } = await createClient().list(serverOf(name, endpoint), never);
  expect(problems).toEqual([]);
  expect(value.tools).toHaveLength(tools);
  expect(value.tools.map((tool) => tool.name)).toEqual(expect.arrayContaining([...some]));
  expect(value).toMatchObject({ server: name, origin: 'live' });
  expect(value.serverInfo?.name).toBeTruthy();
}

async function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function withEverything(mode: string, use: (port: number) => Promise<void>): Promise<void> {
  const port = await freePort();
  const path = join(import.meta.dirname, '../../node_modules', EVERYTHING);
  const child = spawn(process.execPath, [path, mode], { env: { ...process.env, PORT: String(port) }, stdio: 'pipe' });
  try {
    await waitFor(child, /port (\d+)/i);
    await use(port);
  } finally {
    await stop(child);
  }
}

describe('real servers', () => {
  it('lists server-everything over stdio', () =>
    check('everything', realServer(EVERYTHING, 'stdio'), 13, ['echo', 'get-sum']));

  it('lists server-filesystem over stdio', () =>
    check('filesystem', realServer(FILESYSTEM, tmpdir()), 14, ['read_text_file', 'edit_file']));

  it('lists server-memory over stdio', () => check('memory', realServer(MEMORY), 9, ['create_entities']));

  it('lists server-everything over streamable HTTP', () =>
    withEverything('streamableHttp', (port) =>
      check('http', { kind: 'http', url: `http://localhost:${port}/mcp`, headers: {}, sseFallback: true }, 13, [
        'echo',
      ]),
    ));

  it('lists server-everything over SSE', () =>
    withEverything('sse', (port) =>
      check('sse', { kind: 'sse', url: `http://localhost:${port}/sse`, headers: {} }, 13, ['echo']),
    ));

  it('falls back to SSE where an http address knows no streamable HTTP', () =>
    withEverything('sse', (port) =>
      check('fallback', { kind: 'http', url: `http://localhost:${port}/sse`, headers: {}, sseFallback: true }, 13, [
        'echo',
      ]),
    ));

  it('calls tools over one open connection and gives results as sent', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mochi-fs-'));
    writeFileSync(join(folder, 'a.txt'), 'hello');
    const connection = await createClient().connect(serverOf('fs', realServer(FILESYSTEM, folder)), never);
    try {
      const result = await connection.callTool('read_text_file', { path: join(folder, 'a.txt') }, { signal: never });
      expect(result).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
      const denied = await connection.callTool('read_text_file', { path: '/etc/hostname' }, { signal: never });
      expect(denied).toMatchObject({ isError: true });
      expect(connection).toMatchObject({ era: 'legacy', protocolVersion: expect.stringMatching(/^2025-/) });
    } finally {
      await connection.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
