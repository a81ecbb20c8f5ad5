/** Installing what runs models: what npm is given, and that a failure leaves what was there. npm itself is a script. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BACKEND_VERSION } from '../../../src/mochi/engine/llama/backend.ts';
import {
  BACKEND_PACKAGE_VERSION,
  type BackendOptions,
  backendManifest,
  backendPackages,
  installBackend,
  isBackendInstalled,
} from '../../../src/node/install-backend.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'mochi-backend-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const INSTALLING = `
  const fs = require('node:fs');
  fs.writeFileSync(process.env.NOTES, JSON.stringify({ words: process.argv.slice(2), skip: process.env.NODE_LLAMA_CPP_SKIP_DOWNLOAD }));
  const lock = JSON.parse(fs.readFileSync('package-lock.json'));
  for (const [path, { version }] of Object.entries(lock.packages)) {
    if (path === '') continue;
    fs.mkdirSync(path, { recursive: true });
    fs.writeFileSync(path + '/package.json', JSON.stringify({ version }, undefined, 2));
  }
  fs.mkdirSync('node_modules/node-llama-cpp/llama/addon', { recursive: true });
`;
const failing = (code: string): string =>
  `process.stderr.write('npm error code ${code}\\nnpm error https://user:secret@somewhere/'); process.exit(1);`;

function bench(script: string, more: Partial<BackendOptions> = {}) {
  const program = join(root, 'npm.cjs');
  writeFileSync(program, script);
  const options: BackendOptions = {
    folder: join(root, 'data', 'backend'),
    platform: 'linux',
    arch: 'x64',
    gpu: 'none',
    env: { ...process.env, NOTES: join(root, 'notes.json') },
    signal: new AbortController().signal,
    npm: [process.execPath, program],
    ...more,
  };
  return options;
}

describe('the packages for a machine', () => {
  it.each([
    ['linux', 'x64', 'none', ['linux-x64']],
    ['linux', 'arm', 'none', ['linux-armv7l']],
    ['darwin', 'arm64', 'none', ['mac-arm64-metal']],
    ['win32', 'x64', 'vulkan', ['win-x64', 'win-x64-vulkan']],
    ['linux', 'x64', 'cuda', ['linux-x64', 'linux-x64-cuda', 'linux-x64-cuda-ext']],
  ] as const)('of %s on %s with %s are pinned by version and hash', (platform, arch, gpu, builds) => {
    const names = backendPackages(platform, arch, gpu);
    expect(names).toEqual(['node-llama-cpp', ...builds.map((name) => `@node-llama-cpp/${name}`)]);
    const { lock } = backendManifest(names) as { lock: { packages: Record<string, { integrity?: string }> } };
    for (const [path, { integrity }] of Object.entries(lock.packages))
      if (path !== '') expect(integrity, path).toMatch(/^sha512-/);
    for (const name of names) expect(lock.packages).toHaveProperty([`node_modules/${name}`]);
    const others = Object.keys(lock.packages).filter((path) => path.includes('@node-llama-cpp/'));
    expect(others).toHaveLength(builds.length);
    expect(JSON.stringify(lock)).not.toMatch(/"resolved"|https?:/);
  });

  it.each([
    ['freebsd', 'x64', 'none'],
    ['linux', 'arm64', 'cuda'],
  ] as const)('are refused where there are none: %s on %s with %s', (platform, arch, gpu) => {
    expect(() => backendPackages(platform, arch, gpu)).toThrow('There is no build');
  });

  it('are those that Mochi was tested with', () => {
    expect(BACKEND_PACKAGE_VERSION).toBe(BACKEND_VERSION);
  });
});

describe('installing', () => {
  it('runs no script of a package, downloads nothing else, and is found afterwards', async () => {
    const options = bench(INSTALLING, { registry: 'http://127.0.0.1:9/' });
    expect(await isBackendInstalled(options)).toBe(false);
    await installBackend(options);
    expect(await isBackendInstalled(options)).toBe(true);
    expect(await isBackendInstalled({ ...options, gpu: 'vulkan' })).toBe(false);
    const { words, skip } = JSON.parse(readFileSync(join(root, 'notes.json'), 'utf8')) as {
      words: string[];
      skip: string;
    };
    expect(words).toEqual(expect.arrayContaining(['ci', '--ignore-scripts', '--registry=http://127.0.0.1:9/']));
    expect(skip).toBe('true');
    expect(existsSync(join(options.folder, 'node_modules/node-llama-cpp/llama/addon'))).toBe(false);
    await installBackend(options);
    expect(readdirSync(join(root, 'data'))).toEqual(['backend']);
  });

  it.each([
    ['EINTEGRITY', 'protocol', /not the one that was pinned/],
    ['E401', 'auth-needed', /E401/],
    ['E404', 'not-found', /does not have/],
    ['ENOSPC', 'io', /disk is full/],
    ['ECONNREFUSED', 'unreachable', /ECONNREFUSED/],
  ])('that fails with %s says so without what npm printed, and leaves what was there', async (code, kind, message) => {
    const options = bench(failing(code));
    mkdirSync(options.folder, { recursive: true });
    writeFileSync(join(options.folder, 'kept'), '');
    const failure = installBackend(options);
    await expect(failure).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    await failure.catch((error: unknown) => expect(JSON.stringify(error)).not.toContain('secret'));
    expect(readdirSync(join(root, 'data'))).toEqual(['backend']);
    expect(readdirSync(options.folder)).toEqual(['kept']);
  });

  it('without npm names what else can be done', async () => {
    await expect(installBackend(bench('', { npm: [join(root, 'none')] }))).rejects.toMatchObject({
      kind: 'not-found',
      remedy: expect.stringContaining('--backend'),
    });
  });

  it('ends with its caller, and at its deadline', async () => {
    const stop = new AbortController();
    const hanging = 'setInterval(() => {}, 1_000);';
    setTimeout(() => stop.abort(new Error('cancelled by me')), 150);
    await expect(installBackend(bench(hanging, { signal: stop.signal }))).rejects.toThrow('cancelled by me');
    await expect(installBackend(bench(hanging, { timeoutMs: 100 }))).rejects.toMatchObject({ kind: 'timeout' });
  });
});
