/** Finds the configured servers, picks the ones that are meant, and asks before any of them is started. */
import { resolve } from 'node:path';
import { commandText, dangersOf } from '#core/command-text.ts';
import { type Discovered, discover } from '#core/config/discover.ts';
import type { Endpoint, Server } from '#core/model.ts';
import { OperationError, type Reported } from '#core/problem.ts';
import { liftSecrets } from '#core/scan/lift.ts';
import { createFiles } from '#node/files.ts';
import type { SecretFinder } from '#node/secret-scan.ts';
import { endpointToShow } from '#node/shown-endpoint.ts';
import type { Context } from './context.ts';
import { plain } from './terminal.ts';

/** Throws OperationError `usage` for a folder or config that was named and is not there. */
export async function findServers(context: Context): Promise<Reported<Discovered>> {
  const { args, folders, home, host, platform } = context;
  const named = createFiles();
  for (const folder of args.workspace.length > 0 ? folders : [])
    if ((await named.stat(folder))?.kind !== 'folder') throw missing(`There is no folder ${folder}.`);
  for (const config of args.configs)
    if ((await named.stat(resolve(host.cwd, config))) === undefined) throw missing(`There is no file ${config}.`);
  return discover(
    {
      folders,
      ...(args.user ? { home } : {}),
      platform,
      env: host.env,
      onlyExtra: args.onlyConfigs,
      extraConfigs: args.configs.map((config) => resolve(host.cwd, config)),
    },
    createFiles({ confineTo: folders }),
  );
}

function missing(message: string): OperationError {
  return new OperationError('usage', message, { remedy: 'Name one that exists.' });
}

/** The servers to work on: those named, else all that are neither disabled nor shadowed. */
export function selectServers(servers: readonly Server[], { args }: Context): readonly Server[] {
  const usable = servers.filter((server) => server.shadowedBy === undefined);
  if (args.servers.length === 0) return usable.filter((server) => !server.disabled);
  return args.servers.map((name) => {
    const found = usable.find((server) => server.name === name) ?? usable.find((server) => server.id === name);
    if (found !== undefined) return found;
    const names = [...new Set(usable.map((server) => server.name))].join(', ');
    throw new OperationError('usage', `There is no server "${name}".`, {
      remedy: names === '' ? 'Run "mochi list" to see which files were read.' : `Use one of ${names}.`,
    });
  });
}

/** Shows each server's full command, with its variables resolved, and keeps those a person said yes to. `--yes` says it for all. */
export async function askToStart(
  servers: readonly Server[],
  context: Context,
  finder: SecretFinder,
): Promise<readonly Server[]> {
  const { args, terminal, t, signal } = context;
  if (args.yes) return servers;
  const allowed: Server[] = [];
  for (const server of servers) {
    const endpoint = await shownEndpoint(server, context, finder);
    const intro =
      endpoint.kind === 'stdio'
        ? t('{0} wants to start:', plain(server.name))
        : t('{0} wants to connect to:', plain(server.name));
    terminal.note(terminal.noteStyle('bold', intro));
    terminal.note(`  ${commandText(endpoint)}`);
    terminal.note(terminal.noteStyle('dim', `  ${t('configured in {0}', plain(server.source.display))}`));
    for (const danger of dangersOf(endpoint))
      terminal.note(terminal.noteStyle('red', `  ! ${t(`danger: ${danger.kind}`)}: ${danger.part}`));
    if (await terminal.confirm(t('Start it and read its tools?'), signal)) allowed.push(server);
  }
  if (allowed.length < servers.length && !terminal.canAsk)
    terminal.note(
      t('Not started: nobody could be asked. Give --yes to start servers, or --offline to use recorded tools.'),
    );
  return allowed;
}

/** As it would run; as it is spelt where a value is missing, for then it cannot run. */
async function shownEndpoint(
  server: Server,
  { host, home, folders }: Context,
  finder: SecretFinder,
): Promise<Endpoint> {
  try {
    return await endpointToShow(server, { env: host.env, home, folders }, finder);
  } catch (error) {
    if (!OperationError.is(error, 'unresolved-variable')) throw error;
    return liftSecrets(server.endpoint, server.name, finder.spansOf).endpoint;
  }
}
