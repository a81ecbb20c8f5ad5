/**
 * Brings what a real workbench needs into `.vscode-test/`, from the npm registry alone: VS Code's own server and
 * workbench (they are inside code-server's package) and, where none is installed, a headless Chromium.
 * It starts nothing.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { nativeStandIns } from './native-stand-ins.ts';

export const root = join(import.meta.dirname, '..', '..', '..');
export const cache = join(root, '.vscode-test');

const codeServer = process.env['CODE_SERVER_VERSION'] ?? '4.139.1';
/** Servers up to this minor version are made for Node 22. */
const lastOfNode22 = 117;
const node22 = '22.23.3';
const ripgrep = '1.18.0';
const npmChromium = '147.0.0';
const fetchDeadline = 5 * 60_000;

const exec = promisify(execFile);
const inflate = promisify(brotliDecompress);

/** A headless browser and the environment it has to be started with. */
export interface Browser {
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs npm in a folder. The npm that started us is preferred: it is the one that is known to work here. */
async function npm(cwd: string, ...args: readonly string[]): Promise<void> {
  const started = process.env['npm_execpath'];
  const [command, first] = started?.endsWith('.js') ? [process.execPath, [started]] : ['npm', []];
  const shell = command === 'npm' && process.platform === 'win32';
  await exec(command, [...first, ...args, '--loglevel=error'], {
    cwd,
    shell,
    timeout: fetchDeadline,
    maxBuffer: 64 << 20,
  });
}

/** Downloads a package and unpacks its `package/` folder (or the named parts of it) into `folder`. */
async function unpack(spec: string, folder: string, ...parts: readonly string[]): Promise<void> {
  await npm(folder, 'pack', spec);
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new Error(`npm pack left no archive of ${spec}`);
  await exec('tar', ['-xzf', archive, ...parts], { cwd: folder, timeout: fetchDeadline });
  await rm(join(folder, archive));
}

/**
 * Fills a folder of the cache once. The work happens in a sibling that takes the final name in one step, so an
 * interrupted set-up leaves nothing that looks complete, and two at the same time do not disturb each other.
 */
async function prepareOnce(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const ready = join(cache, name);
  if (existsSync(ready)) return ready;
  await mkdir(cache, { recursive: true });
  for (const other of await readdir(cache)) {
    const folder = join(cache, other);
    if (!other.includes('.partial-')) continue;
    const age = Date.now() - (await stat(folder).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs;
    if (age > 2 * fetchDeadline) await rm(folder, { recursive: true, force: true });
  }
  const partial = await mkdtemp(join(cache, `${name}.partial-`));
  try {
    console.log(`Preparing ${name} (once)`);
    await fill(partial);
    await rename(partial, ready);
  } catch (error) {
    if (!existsSync(ready)) throw new Error(`${name} could not be prepared`, { cause: error });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
  return ready;
}

/** The folder of VS Code's server, whose `out/server-main.js` this Node can run without anything being compiled. */
export async function prepareServer(): Promise<string> {
  const folder = await prepareOnce(`code-server-${codeServer}-r3`, async (target) => {
    await unpack(`code-server@${codeServer}`, target);
    const vscode = join(target, 'package', 'lib', 'vscode');
    // `npm ci` refuses this package: its shrinkwrap and its manifest disagree.
    const install = ['install', '--omit=dev', '--ignore-scripts', '--engine-strict=false', '--no-audit', '--no-fund'];
    await npm(vscode, ...install);
    await npm(join(vscode, 'extensions'), ...install);
    for (const [module, text] of nativeStandIns) await standIn(join(vscode, 'node_modules', module), text);
    await addRipgrep(join(vscode, 'node_modules', '@vscode', 'ripgrep'));
    // 200 MB that no test of ours touches.
    for (const unused of ['extensions/copilot', 'node_modules/@github', 'node_modules/@microsoft/mxc-sdk'])
      await rm(join(vscode, unused), { recursive: true, force: true });
  });
  return join(folder, 'package', 'lib', 'vscode');
}

/** Older servers fetch the program that looks for files from a place that is not a registry of packages. */
async function addRipgrep(module: string): Promise<void> {
  if (!existsSync(module)) return;
  const folder = await mkdtemp(join(cache, 'ripgrep.partial-'));
  try {
    const platform = `${process.platform}-${process.arch}`;
    await unpack(`@vscode/ripgrep-universal@${ripgrep}`, folder, `package/bin/${platform}`);
    await mkdir(join(module, 'bin'), { recursive: true });
    const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
    await rename(join(folder, 'package', 'bin', platform, name), join(module, 'bin', name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The Node that this VS Code was made for: on a newer one the extension host of an old server answers nobody. Else the
 * one that runs this.
 */
export async function prepareNode(): Promise<string> {
  const minor = Number(codeServer.split('.')[1]);
  if (minor > lastOfNode22) return process.execPath;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = await prepareOnce(`${name}-${node22}`, (target) => unpack(`${name}@${node22}`, target));
  return join(folder, 'package', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

async function standIn(module: string, text: string): Promise<void> {
  if (!existsSync(module)) return;
  const manifest = JSON.parse(await readFile(join(module, 'package.json'), 'utf8'));
  await writeFile(join(module, typeof manifest.main === 'string' ? manifest.main : 'index.js'), text);
}

const installedBrowsers = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** The browser that `CHROMIUM_PATH` names, else an installed one, else the one npm ships for Linux on x64. */
export async function prepareBrowser(): Promise<Browser> {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && !existsSync(named)) throw new Error(`CHROMIUM_PATH names no file: ${named}`);
  const installed = named ?? installedBrowsers.find((path) => existsSync(path));
  if (installed !== undefined) return { executable: installed, env: {} };
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error('No Chromium found. Install Chrome or Chromium, or let CHROMIUM_PATH name one.');

  const name = `chromium-${npmChromium}-r1`;
  const ready = join(cache, name);
  await prepareOnce(name, async (folder) => {
    await unpack(`@sparticuz/chromium@${npmChromium}`, folder, 'package/bin');
    const packed = join(folder, 'package', 'bin');
    await writeFile(join(folder, 'chromium'), await inflate(await readFile(join(packed, 'chromium.br'))));
    await chmod(join(folder, 'chromium'), 0o755);
    // Its libraries, and a font: without any, pages never finish.
    for (const part of ['al2023', 'fonts']) {
      const tar = join(folder, `${part}.tar`);
      await writeFile(tar, await inflate(await readFile(join(packed, `${part}.tar.br`))));
      await exec('tar', ['-xf', tar], { cwd: folder, timeout: fetchDeadline });
      await rm(tar);
    }
    await writeFile(join(folder, 'fonts.conf'), fontsConf(ready));
    await rm(join(folder, 'package'), { recursive: true });
  });
  return {
    executable: join(ready, 'chromium'),
    env: { LD_LIBRARY_PATH: join(ready, 'lib'), FONTCONFIG_FILE: join(ready, 'fonts.conf') },
  };
}

function fontsConf(folder: string): string {
  const folders = ['/usr/share/fonts', join(folder, 'fonts')].map((path) => `<dir>${path}</dir>`).join('');
  const head = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">';
  return `${head}<fontconfig>${folders}<cachedir>${join(folder, 'fonts-cache')}</cachedir></fontconfig>\n`;
}
