/**
 * `mochi serve`: starts the server's own program and stays beside it until it ends, or prints what clients need to
 * start it themselves. On standard streams the child has ours, so nothing of the command line is in between.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { commandText } from '#core/command-text.ts';
import { OperationError } from '#core/problem.ts';
import { createFiles } from '#node/files.ts';
import { type Context, MOCHI_PROGRAM } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { createLogView } from './server-words.ts';

/** Where the server listens when nobody says; the server has the same number. */
const DEFAULT_PORT = '6680';

export async function serve(context: Context): Promise<number> {
  if (context.args.workspace.length > 1)
    throw new OperationError('usage', 'One server learns one folder.', { remedy: 'Give --workspace only once.' });
  const [given] = context.args.workspace;
  if (given !== undefined && (await createFiles().stat(context.folders[0]))?.kind !== 'folder')
    throw new OperationError('usage', `There is no folder ${given}.`, { remedy: 'Name one that exists.' });
  return context.args.serve.printConfig ? printConfig(context) : run(context);
}

/** The words for the server's program: what was given, unchanged. */
function words({ args }: Context): readonly string[] {
  const { transport, host, port, allowRemote, tokenFile, memoryLimit, kiri, logLevel } = args.serve;
  const { engine, modelUrl, adapters, backend } = args.serve;
  const given = [
    ['--workspace', args.workspace[0]],
    ['--transport', transport],
    ['--host', host],
    ['--port', port],
    ['--token-file', tokenFile],
    ['--memory-limit', memoryLimit],
    ['--kiri', kiri],
    ['--engine', engine],
    ['--model', args.model],
    ['--model-url', modelUrl],
    ...adapters.map((one) => ['--adapter', one] as const),
    ['--backend', backend],
    ['--log-level', logLevel],
  ] as const;
  return [
    // One word each, so that a value that begins with a dash stays a value.
    ...given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])),
    ...(allowRemote ? ['--allow-remote'] : []),
    ...(args.user ? ['--user'] : []),
  ];
}

function run(context: Context): Promise<number> {
  const { args, host, signal, terminal } = context;
  const overHttp = args.serve.transport === 'http';
  // For programs, and for whoever asks for a level, the log stays what it is.
  const isShown = terminal.isNoteSeen && args.serve.logLevel === undefined;
  return new Promise((resolve, reject) => {
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
      resolve(code ?? EXIT.failed);
    });
  });
}

/** One entry for clients, in the two files they read, and the command that adds it to Claude Code. */
function printConfig(context: Context): number {
  const { args, terminal, t } = context;
  const overHttp = args.serve.transport === 'http';
  const entry = overHttp ? httpEntry(context) : stdioEntry(context);
  const json = (key: string): string => JSON.stringify({ [key]: { mochi: entry } }, undefined, 2);
  if (args.json) {
    terminal.print(json('mcpServers'));
    return EXIT.ok;
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
  return EXIT.ok;
}

type Entry =
  | { readonly type: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | { readonly type: 'http'; readonly url: string; readonly headers?: { readonly Authorization: string } };

function stdioEntry(context: Context): Entry {
  return { type: 'stdio', command: 'node', args: [MOCHI_PROGRAM, ...words(context)] };
}

function httpEntry({ args: { serve: given }, host: { env } }: Context): Entry {
  const name = given.host ?? '127.0.0.1';
  const shown = name.includes(':') ? `[${name}]` : name;
  const needsToken = given.tokenFile !== undefined || env['MOCHI_TOKEN'] !== undefined;
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
  return commandText({ kind: 'stdio', command: 'claude', args: ['mcp', 'add', ...args], env: {} });
}
