/**
 * `mochi serve`: starts the server's own program and stays beside it until it ends, or prints what clients need to
 * start it themselves. On standard streams the child has ours, so nothing of the command line is in between.
 */
import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { commandText } from '#core/command-text.ts';
import { OperationError } from '#core/problem.ts';
import { createFiles } from '#node/files.ts';
import { readToken } from '#node/serve-reach.ts';
import { TOKEN_VARIABLE } from '#protocol/mochi.ts';
import { type Context, MOCHI_PROGRAM } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { createLogView } from './server-words.ts';

/** Where the server listens when nobody says; the server has the same number. */
const DEFAULT_PORT = '6680';
const LOOPBACK = '127.0.0.1';
/** A secret that the server takes from its environment, like its token. */
const KEY_VARIABLE = 'MOCHI_MODEL_KEY';

export async function serve(context: Context): Promise<number> {
  if (context.args.workspace.length > 1)
    throw new OperationError('usage', 'One server learns one folder.', { remedy: 'Give --workspace only once.' });
  const [given] = context.args.workspace;
  if (given !== undefined && (await createFiles().stat(context.folders[0]))?.kind !== 'folder')
    throw new OperationError('usage', `There is no folder ${given}.`, { remedy: 'Name one that exists.' });
  const { printConfig: isPrinting, host = LOOPBACK, allowRemote, tokenFile } = context.args.serve;
  const token = await readToken({ host, allowRemote, tokenFile }, { ...context.host, files: createFiles() });
  return isPrinting ? printConfig(context, token !== undefined) : run(context);
}

/** How the words of the server name files: as they were given, or so that it does not matter where it is started. */
type Spelling = (path: string) => string;
const asGiven: Spelling = (path) => path;

/** The words for the server's program: what was given, with its files spelt like this. */
function words({ args }: Context, spelt: Spelling = asGiven): readonly string[] {
  const file = (path: string | undefined): string | undefined => (path === undefined ? undefined : spelt(path));
  const { transport, host, port, allowRemote, tokenFile, memoryLimit, kiri, logLevel } = args.serve;
  const { engine, modelUrl, adapters, backend } = args.serve;
  // Where a client starts the server itself, nothing listens anywhere.
  const listening = transport === 'http' ? [['--host', host] as const, ['--port', port] as const] : [];
  const given = [
    ['--workspace', args.workspace[0] === '.' ? '.' : file(args.workspace[0])],
    ['--transport', transport],
    ...listening,
    ['--token-file', transport === 'http' ? file(tokenFile) : undefined],
    ['--memory-limit', memoryLimit],
    ['--kiri', kiri],
    ['--engine', engine],
    ['--model', namesServer(args.serve) ? args.model : file(args.model)],
    ['--model-url', modelUrl],
    ...adapters.map((one) => ['--adapter', adapterWord(one, spelt)] as const),
    ['--backend', file(backend)],
    ['--log-level', logLevel],
  ] as const;
  return [
    // One word each, so that a value that begins with a dash stays a value.
    ...given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])),
    ...(allowRemote && transport === 'http' ? ['--allow-remote'] : []),
    ...(args.user ? ['--user'] : []),
  ];
}

/** `DIR` or `DIR:SCALE`. */
function adapterWord(given: string, spelt: Spelling): string {
  const [, folder = given, scale] = /^(.{2,}):([^:/\\]*)$/s.exec(given) ?? [];
  return `${spelt(folder)}${scale === undefined ? '' : `:${scale}`}`;
}

function run(context: Context): Promise<number> {
  const { args, host, signal, terminal } = context;
  const overHttp = args.serve.transport === 'http';
  // For programs, and for whoever asks for a level, the log stays what it is.
  const isShown = terminal.isNoteSeen && args.serve.logLevel === undefined;
  return new Promise((ended, reject) => {
    const child = spawn(process.execPath, [MOCHI_PROGRAM, ...words(context)], {
      cwd: host.cwd,
      env: { ...host.env },
      // Over HTTP the child ends with this pipe, and so with us, however we end.
      stdio: [overHttp ? 'pipe' : 'inherit', 'inherit', isShown ? 'pipe' : 'inherit'],
    });
    if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', createLogView(context));
    const stop = (): void => {
      child.kill('SIGTERM');
    };
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (cause) =>
      reject(new OperationError('crashed', 'The server could not be started.', { cause })),
    );
    child.once('close', (code) => {
      signal.removeEventListener('abort', stop);
      terminal.done();
      ended(code ?? EXIT.failed);
    });
  });
}

/**
 * One entry for clients, in the two files they read, and the command that adds it to Claude Code. A server over HTTP is
 * started by a person, so its own command is printed, too.
 */
function printConfig(given: Context, needsToken: boolean): number {
  const context = withVariables(given);
  const { args, terminal, t } = context;
  const overHttp = args.serve.transport === 'http';
  if (overHttp && Number(args.serve.port) === 0)
    throw new OperationError('usage', 'With --port 0 the address is another one each time.', {
      remedy: 'Name a port with --port.',
    });
  const entry = overHttp ? httpEntry(context, needsToken) : stdioEntry(context);
  const json = (key: string): string => JSON.stringify({ [key]: { mochi: entry } }, undefined, 2);
  if (args.json) {
    terminal.print(json('mcpServers'));
    return EXIT.ok;
  }
  if (overHttp) {
    terminal.print(t('Start the server:'));
    terminal.print(commandOf('node', [MOCHI_PROGRAM, ...words(context, absolute(context))]));
    terminal.print();
  }
  terminal.print(t('For {0}:', '.mcp.json'));
  terminal.print(json('mcpServers'));
  terminal.print();
  terminal.print(t('For {0}:', '.vscode/mcp.json'));
  terminal.print(json('servers'));
  terminal.print();
  terminal.print(t('Or in a terminal:'));
  terminal.print(claudeCommand(entry));
  if ('headers' in entry) terminal.print(t('Replace TOKEN by the token of the server.'));
  const secrets = [overHttp ? TOKEN_VARIABLE : undefined, args.serve.modelUrl === undefined ? undefined : KEY_VARIABLE];
  for (const name of secrets)
    if (name !== undefined && given.host.env[name] && (name !== TOKEN_VARIABLE || args.serve.tokenFile === undefined))
      terminal.print(t('{0} is not printed: whoever starts the server must have it in the environment.', name));
  return EXIT.ok;
}

/** Wherever a client starts it. */
function absolute({ host }: Context): Spelling {
  return (path) => resolve(host.cwd, path);
}

/** The variables that say the same as words, as words: whoever starts the server has another environment. */
function withVariables(context: Context): Context {
  const { args, host } = context;
  const { model, serve: given } = args;
  const variable = (name: string): string | undefined => host.env[name] || undefined;
  const isOfThisMachine = given.engine === 'embedded' || given.engine === 'llama';
  const modelUrl = given.modelUrl ?? (isOfThisMachine ? undefined : variable('MOCHI_MODEL_URL'));
  const serve = { ...given, modelUrl, backend: given.backend ?? variable('MOCHI_BACKEND') };
  // An address takes the place of a file that only the environment names.
  const named = model ?? (namesServer(serve) ? undefined : variable('MOCHI_MODEL'));
  return { ...context, args: { ...args, model: named, serve } };
}

/** Whether `--model` is a name on a model server, and no file. */
function namesServer({ engine, modelUrl }: Pick<Context['args']['serve'], 'engine' | 'modelUrl'>): boolean {
  return modelUrl !== undefined && engine !== 'embedded' && engine !== 'llama';
}

type Entry =
  | { readonly type: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly type: 'http'; readonly url: string; readonly headers?: { readonly Authorization: string } };

function stdioEntry(context: Context): Entry {
  return { type: 'stdio', command: 'node', args: [MOCHI_PROGRAM, ...words(context, absolute(context))] };
}

function httpEntry({ args: { serve: given } }: Context, needsToken: boolean): Entry {
  const listens = given.host ?? LOOPBACK;
  // That means all of its addresses, and is none of them.
  const name = listens === '0.0.0.0' || listens === '::' ? hostname() : listens;
  const shown = name.includes(':') ? `[${name}]` : name;
  return {
    type: 'http',
    url: `http://${shown}:${given.port ?? DEFAULT_PORT}/mcp`,
    ...(needsToken ? { headers: { Authorization: 'Bearer TOKEN' } } : {}),
  };
}

function claudeCommand(entry: Entry): string {
  const args =
    entry.type === 'stdio'
      ? ['mochi', '--', entry.command, ...entry.args]
      : [
          ...['--transport', 'http', 'mochi', entry.url],
          ...(entry.headers === undefined ? [] : ['--header', `Authorization: ${entry.headers.Authorization}`]),
        ];
  return commandOf('claude', ['mcp', 'add', ...args]);
}

function commandOf(command: string, args: readonly string[]): string {
  return commandText({ kind: 'stdio', command, args, env: {} });
}
