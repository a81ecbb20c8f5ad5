/**
 * Installs what runs models, `node-llama-cpp` with the one build that fits this machine, into a folder of its own: by
 * npm, which knows the person's registry and proxy, from a list that pins version and hash of every package. Nothing of
 * it is run here, no script of a package is, and a folder that is there is replaced only by a whole one.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperationError } from '#core/problem.ts';
import pinned from './backend-packages.json' with { type: 'json' };
import { createDeadline } from './deadline.ts';
import { endProcessTree } from './process-tree.ts';

/** What a graphics card needs besides; without it processors alone are used, and Metal on Apple silicon. */
export const GPUS = ['none', 'vulkan', 'cuda'] as const;
export type Gpu = (typeof GPUS)[number];

export interface BackendOptions {
  /** Where `node_modules` will lie; absolute. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly gpu: Gpu;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** The command for npm; for tests. */
  readonly npm?: readonly string[];
  /** The address of a registry, in the place of the person's own. */
  readonly registry?: string;
  readonly timeoutMs?: number;
}

interface Pin {
  readonly version: string;
  readonly integrity: string;
}

/** Packages as npm's lock file lists them, by path. */
const PACKAGES: ReadonlyMap<string, Pin> = new Map(Object.entries(pinned.packages));
const LIBRARY = 'node-llama-cpp';
const BUILD = '@node-llama-cpp/';
const INSTALL_MS = 15 * 60_000;
/** Sources, for those who build; a fifth of the whole. */
const NOT_NEEDED = ['llama/gitRelease.bundle', 'llama/addon', 'llama/patches'];

const BUILDS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'linux-arm': 'linux-armv7l',
  'darwin-arm64': 'mac-arm64-metal',
  'darwin-x64': 'mac-x64',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

/** The version that is installed. */
export const BACKEND_PACKAGE_VERSION = PACKAGES.get(`node_modules/${LIBRARY}`)?.version ?? '';

/** The packages that a machine needs, by name. Throws OperationError `usage` where there is no build for it. */
export function backendPackages(platform: NodeJS.Platform, arch: string, gpu: Gpu): readonly string[] {
  const build = BUILDS[`${platform}-${arch}`];
  if (build === undefined)
    throw new OperationError('usage', `There is no build for ${platform} on ${arch}.`, {
      remedy: 'Use --model-url with a model server instead.',
    });
  const extra = gpu === 'none' ? [] : [`${build}-${gpu}`, ...(gpu === 'cuda' ? [`${build}-cuda-ext`] : [])];
  const missing = extra.find((name) => !PACKAGES.has(`node_modules/${BUILD}${name}`));
  if (missing !== undefined)
    throw new OperationError('usage', `There is no build with ${gpu} for ${platform} on ${arch}.`, {
      remedy: 'Leave out --gpu.',
    });
  return [LIBRARY, ...[build, ...extra].map((name) => `${BUILD}${name}`)];
}

/** `package.json` and the lock file that npm is given. */
export function backendManifest(names: readonly string[]): { readonly manifest: object; readonly lock: object } {
  const dependencies = Object.fromEntries(names.map((name) => [name, PACKAGES.get(`node_modules/${name}`)?.version]));
  const manifest = { name: 'mochi-backend', version: '1.0.0', private: true, dependencies };
  const chosen = [...PACKAGES].filter(
    ([path]) => !path.startsWith(`node_modules/${BUILD}`) || names.includes(path.slice('node_modules/'.length)),
  );
  const packages = {
    '': { name: manifest.name, version: manifest.version, dependencies },
    ...Object.fromEntries(chosen),
  };
  return {
    manifest,
    lock: { name: manifest.name, version: manifest.version, lockfileVersion: 3, requires: true, packages },
  };
}

/** Whether the version that is pinned is installed there, with the build for this machine. */
export async function isBackendInstalled({
  folder,
  platform,
  arch,
  gpu,
}: Pick<BackendOptions, 'folder' | 'platform' | 'arch' | 'gpu'>): Promise<boolean> {
  const versions = await Promise.all(
    backendPackages(platform, arch, gpu).map(async (name) => {
      const text = await readFile(join(folder, 'node_modules', name, 'package.json'), 'utf8').catch(() => '{}');
      return text.includes(`"version": "${PACKAGES.get(`node_modules/${name}`)?.version}"`);
    }),
  );
  return versions.every((isThere) => isThere);
}

/** Throws OperationError, or the signal's reason; then nothing has changed. */
export async function installBackend(options: BackendOptions): Promise<void> {
  const { folder, platform, arch, gpu, signal } = options;
  const { manifest, lock } = backendManifest(backendPackages(platform, arch, gpu));
  const aside = `${folder}.${randomUUID()}`;
  await mkdir(aside, { recursive: true });
  try {
    await writeFile(join(aside, 'package.json'), JSON.stringify(manifest, undefined, 2));
    await writeFile(join(aside, 'package-lock.json'), JSON.stringify(lock, undefined, 2));
    await runNpm(aside, options);
    for (const path of NOT_NEEDED)
      await rm(join(aside, 'node_modules', LIBRARY, path), { recursive: true, force: true });
    signal.throwIfAborted();
    await mkdir(dirname(folder), { recursive: true });
    const old = `${aside}.old`;
    if (existsSync(folder)) await rename(folder, old);
    await rename(aside, folder);
    await rm(old, { recursive: true, force: true });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

async function runNpm(cwd: string, { npm, registry, env, platform, signal, timeoutMs }: BackendOptions): Promise<void> {
  const [command = 'npm', ...first] = npm ?? [platform === 'win32' ? 'npm.cmd' : 'npm'];
  const words = [
    'ci',
    '--ignore-scripts',
    '--omit=optional',
    '--omit=dev',
    '--no-audit',
    '--no-fund',
    // The usual patience is minutes where there is no network at all.
    '--fetch-retries=2',
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=5000',
    '--loglevel=error',
  ];
  const deadline = createDeadline(signal, timeoutMs ?? INSTALL_MS);
  const child = spawn(command, [...first, ...words, ...(registry === undefined ? [] : [`--registry=${registry}`])], {
    cwd,
    // Neither a build nor a download of its own, whatever else is set.
    env: { ...env, NODE_LLAMA_CPP_SKIP_DOWNLOAD: 'true', NODE_LLAMA_CPP_POSTINSTALL: 'skip' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // A batch file is run by its shell only; no word of ours needs quoting.
    shell: platform === 'win32' && npm === undefined,
    windowsHide: true,
    detached: platform !== 'win32',
  });
  let said = '';
  child.stderr.on('data', (data: unknown) => {
    said = `${said}${String(data)}`.slice(-4_000);
  });
  const stop = (): void => void endProcessTree(child);
  deadline.signal.addEventListener('abort', stop, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (deadline.isCancelled()) throw signal.reason;
    if (deadline.isOver())
      throw new OperationError('timeout', 'npm did not finish in time.', { remedy: 'Try again; look at the network.' });
    if (code !== 0) throw npmFailure(said);
  } catch (cause) {
    if (deadline.isCancelled() || OperationError.is(cause)) throw cause;
    throw new OperationError('not-found', 'npm cannot be started.', {
      remedy: `Install Node.js with npm, or put ${LIBRARY}@${BACKEND_PACKAGE_VERSION} into a folder and name it with --backend.`,
      cause,
    });
  } finally {
    deadline.signal.removeEventListener('abort', stop);
    deadline.clear();
  }
}

/** What npm says, by its own codes; its words may hold addresses with keys and are not repeated. */
function npmFailure(said: string): OperationError {
  const code = /\bcode (E[A-Z0-9]+)/.exec(said)?.[1] ?? '';
  switch (code) {
    case 'EINTEGRITY':
      return new OperationError('protocol', 'A package is not the one that was pinned; nothing was installed.', {
        remedy: 'The registry or something on the way changed it. Use another registry.',
      });
    case 'E401':
    case 'E403':
      return new OperationError('auth-needed', `The registry refused a package (${code}).`, {
        remedy: "Log in with npm, or look at the registry in npm's settings.",
      });
    case 'E404':
      return new OperationError('not-found', 'The registry does not have a package.', {
        remedy: 'Use a registry that mirrors all of the public one.',
      });
    case 'ENOSPC':
      return new OperationError('io', 'The disk is full.', { remedy: 'Make room for about 200 MB.' });
    default:
      return new OperationError('unreachable', `npm failed${code === '' ? '' : ` (${code})`}.`, {
        remedy: "Look at the network and at the proxy in npm's settings, then try again.",
        output: code,
      });
  }
}
