/**
 * Starts VS Code's server on loopback with folders of its own (home, user data, extensions, workspace), and ends it
 * with everything it started. It knows nothing of browsers or tests.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { prepareNode, prepareServer } from './fetched-parts.ts';

const startDeadline = 60_000;
const installDeadline = 90_000;
const stopGrace = 5_000;

/** Quiet defaults: nothing asks, nothing is looked up, nothing moves while a test looks. */
const quietSettings: Readonly<Record<string, unknown>> = {
  'chat.disableAIFeatures': true,
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'git.enabled': false,
  'window.dialogStyle': 'custom',
  // Older versions ask whether to trust the folder before anything else can be done.
  'security.workspace.trust.startupPrompt': 'never',
  'files.simpleDialog.enable': true,
};

export interface ServerOptions {
  /** Files of the workspace, by path relative to it. */
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly keybindings?: readonly { readonly key: string; readonly command: string }[];
  /** Settings of the machine that the extensions run on: those of scope `machine` count only there. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** Files of the home folder, by path relative to it. */
  readonly homeFiles?: Readonly<Record<string, string>>;
  /** Packages to install before the start, as a user would. */
  readonly vsix?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** VS Code's test switch: needed to load an unpacked extension and a suite, but it hides notification toasts. */
  readonly testSwitch?: boolean;
  /** Whether folders start untrusted, as for a user who has not been asked yet. Default: trust is off, all trusted. */
  readonly restricted?: boolean;
}

export interface WorkbenchServer {
  readonly url: string;
  readonly port: number;
  readonly workspace: string;
  readonly testSwitch: boolean;
  /** What the server has printed so far. */
  log(): string;
  stop(): Promise<void>;
}

interface Folders {
  readonly base: string;
  readonly home: string;
  readonly user: string;
  readonly data: string;
  readonly extensions: string;
  readonly workspace: string;
}

function layOut(options: ServerOptions): Folders {
  const base = mkdtempSync(join(tmpdir(), 'mochi-workbench-'));
  const at = (name: string) => join(base, name);
  const folders: Folders = {
    base,
    home: at('home'),
    user: at('user'),
    data: at('data'),
    extensions: at('extensions'),
    workspace: at('workspace'),
  };
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true });
  const settings = JSON.stringify({ ...quietSettings, ...options.settings });
  const files = { ...options.files };
  for (const [name, text] of Object.entries(files)) write(join(folders.workspace, name), text);
  write(join(folders.user, 'User', 'settings.json'), settings);
  if (options.keybindings) write(join(folders.user, 'User', 'keybindings.json'), JSON.stringify(options.keybindings));
  write(join(folders.user, 'Machine', 'settings.json'), JSON.stringify(options.machineSettings ?? {}));
  for (const [name, text] of Object.entries(options.homeFiles ?? {})) write(join(folders.home, name), text);
  return folders;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** This process' environment without what would make the server believe it runs inside another VS Code or test. */
function serverEnvironment(folders: Folders, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const foreign = /^(VSCODE_|ELECTRON_|VITEST|XDG_|npm_|NODE_OPTIONS$|NODE_ENV$)/;
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  return {
    ...Object.fromEntries(kept),
    HOME: folders.home,
    USERPROFILE: folders.home,
    XDG_RUNTIME_DIR: folders.base,
    EXTENSIONS_GALLERY: '{}',
    ...extra,
  };
}

/** Resolves once the server answers. Throws, with the server's own words, when it ends or stays silent. */
export async function startWorkbenchServer(options: ServerOptions = {}): Promise<WorkbenchServer> {
  const main = join(await prepareServer(), 'out', 'server-main.js');
  const node = await prepareNode();
  const folders = layOut(options);
  const env = serverEnvironment(folders, options.env);
  const common = [
    main,
    '--accept-server-license-terms',
    ...['--server-data-dir', folders.data, '--user-data-dir', folders.user, '--extensions-dir', folders.extensions],
  ];
  const testSwitch = options.testSwitch ?? true;
  const logFile = join(folders.base, 'server.log');
  const log = () => readFileSync(logFile, 'utf8');
  let child: ChildProcess | undefined;
  try {
    for (const vsix of options.vsix ?? [])
      await promisify(execFile)(node, [...common, '--install-extension', vsix, '--force'], {
        env,
        timeout: installDeadline,
      });
    const output = openSync(logFile, 'w');
    child = spawn(
      node,
      [
        ...common,
        ...['--host', '127.0.0.1', '--port', '0', '--without-connection-token'],
        ...['--disable-telemetry', '--disable-experiments', '--disable-update-check'],
        ...(testSwitch ? ['--enable-smoke-test-driver'] : []),
        ...(options.restricted ? [] : ['--disable-workspace-trust']),
      ],
      // A process group of its own: extension hosts survive a parent that is killed alone.
      { env, stdio: ['ignore', output, output], detached: true },
    );
    closeSync(output);
    const stop = stopperOf(child, folders.base);
    const port = await portOf(child, log);
    return { url: `http://localhost:${port}`, port, workspace: folders.workspace, testSwitch, log, stop };
  } catch (error) {
    if (child) signalGroup(child, 'SIGKILL');
    rmSync(folders.base, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

/** The port the system chose, read from the server's log, once the server answers there. */
async function portOf(child: ChildProcess, log: () => string): Promise<number> {
  const end = Date.now() + startDeadline;
  while (Date.now() < end && child.exitCode === null && child.signalCode === null) {
    const port = Number(/listening on (\d+)/.exec(log())?.[1]);
    if (port > 0) {
      const answer = await fetch(`http://localhost:${port}/version`, { signal: AbortSignal.timeout(5_000) }).catch(
        () => undefined,
      );
      if (answer?.ok) return port;
    }
    await sleep(100);
  }
  throw new Error(`The workbench server did not start:\n${log()}`);
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // Nothing of the group is left.
  }
}

function stopperOf(child: ChildProcess, base: string): () => Promise<void> {
  const onExit = () => signalGroup(child, 'SIGKILL');
  process.once('exit', onExit);
  return async () => {
    signalGroup(child, 'SIGTERM');
    const end = Date.now() + stopGrace;
    while (Date.now() < end && child.exitCode === null && child.signalCode === null) await sleep(50);
    onExit();
    process.removeListener('exit', onExit);
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  };
}
