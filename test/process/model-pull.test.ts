/** `mochi model` as a person uses it: asked first, fetched from a hub, checked, listed; nothing without a yes. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../support/mochi-fixture/running.ts';

const CLI = join(ROOT, 'dist', 'cli.mjs');
const content = Buffer.from(`GGUF${'model '.repeat(1_000)}`);
const sha256 = createHash('sha256').update(content).digest('hex');
const ends: (() => unknown)[] = [];
let root = '';
let hub = '';
let asked: string[] = [];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'mochi-model-'));
  asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(200, { 'content-length': content.length, etag: '"a"' }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  hub = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(root, { recursive: true, force: true });
});

function mochi(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const env = { ...process.env, HF_ENDPOINT: hub, LC_ALL: 'C', MOCHI_BACKEND: '' };
  const places = ['--output', join(root, 'models'), '--backend', join(root, 'backend')];
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [CLI, 'model', ...words, ...places],
      { cwd: root, env },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    );
    child.stdin?.end();
  });
}

describe('mochi model', () => {
  it('fetches the named file of a repository, checked, and lists it', async () => {
    const name = 'hf:someone/a-model/m.gguf';
    const { code, out, err } = await mochi('pull', name, '--yes', '--sha256', sha256.toUpperCase());
    expect(err).toContain(`SHA-256 ${sha256}`);
    expect(asked).toEqual(['/someone/a-model/resolve/main/m.gguf']);
    const file = join(root, 'models', 'm.gguf');
    expect(out).toContain(`mochi serve --model "${file}"`);
    expect(code).toBe(0);
    expect(readFileSync(file).equals(content)).toBe(true);
    const listed = JSON.parse((await mochi('list', '--json')).out) as { models: string[]; backend: object };
    expect(listed).toMatchObject({ models: [file], backend: { version: null } });
    const again = await mochi('pull', name, '--yes');
    expect([again.code, asked.length]).toEqual([0, 1]);
  });

  it('asks for the default at one revision and takes nothing else for it', async () => {
    const { code, err } = await mochi('pull', '--yes', '--registry', 'http://127.0.0.1:9/');
    // What runs models comes first; its registry is not there.
    expect(err).toMatch(/node-llama-cpp runs models \(MIT\)[\s\S]*npm failed/);
    expect([code, asked, existsSync(join(root, 'backend'))]).toEqual([3, [], false]);
  }, 120_000);

  it('fetches nothing without a yes', async () => {
    const { code, err } = await mochi('pull', 'hf:someone/a-model/m.gguf');
    expect(err).toContain('Nothing was fetched');
    expect([code, asked, readdirSync(root)]).toEqual([1, [], []]);
  });

  it('throws away what is not what it should be', async () => {
    const { code, err } = await mochi('pull', 'hf:a/b/m.gguf', '--yes', '--sha256', '0'.repeat(64));
    expect(err).toContain('thrown away');
    expect([code, readdirSync(join(root, 'models'))]).toEqual([3, []]);
  });

  it.each([
    [['pull', 'ftp://a/m.gguf'], /names no model/],
    [['pull', 'http://a/m.zip'], /names no model/],
    [['pull', 'hf:../../etc/m.gguf'], /names no model/],
    [['pull', 'hf:a/b/m.gguf', '--sha256', 'x'], /is no SHA-256/],
    [['pull', 'backend', '--gpu', 'tpu'], /--gpu tpu is not known/],
    [['drop'], /is not known/],
  ])('refuses %j with what to do', async (words, message) => {
    const { code, err } = await mochi(...words);
    expect(err).toMatch(message);
    expect([code, asked]).toEqual([2, []]);
  });
});
