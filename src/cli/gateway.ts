/**
 * `mochi gateway`: all configured servers behind one, on standard streams. Nobody can be asked there, so it starts only
 * what was approved before or what --yes stands for. With nothing to serve it says what to do, serves an empty list and
 * ends with the code for what needs a person. Standard output carries the protocol; remarks go to the other one.
 */
import { isGateway } from '#core/config/behind-gateway.ts';
import type { Server } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { createGateway, serveGateway } from '#gateway/gateway.ts';
import { createGatewayApprovals, type GatewayApprovals } from '#node/gateway-approvals.ts';
import type { Graces } from '#node/process-tree.ts';
import { resolveEndpoint } from '#node/resolve-endpoint.ts';
import type { SecretFinder } from '#node/secret-scan.ts';
import { createConnector } from './catalogs.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { finderFor } from './finder.ts';
import { noteFailure, noteProblems } from './report.ts';
import { plain } from './terminal.ts';
import { VERSION } from './version.ts';
import { askToStart, findServers, selectServers } from './workspace.ts';

/** Milliseconds that a listing waits for a server; clients give up on a whole gateway sooner than on one server. */
const PATIENCE = 10_000;
/** Clients end a gateway by force after about four seconds; its servers must be gone by then. */
const GRACES: Graces = { afterStdin: 1_000, afterTerm: 1_000, afterKill: 1_000 };

export async function gateway(context: Context): Promise<number> {
  const { args, terminal, t, signal } = context;
  const found = await findServers(context);
  noteProblems(found.problems, context);
  const chosen = selectServers(found.value.servers, context);
  const own = chosen.filter(({ endpoint }) => isGateway(endpoint));
  if (own.length > 0) terminal.note(t('Left out, because it is this gateway: {0}', namesOf(own)));
  const servers = chosen.filter((server) => !own.includes(server));
  const finder = await finderFor(servers, signal);
  const { host, platform, home, folders } = context;
  const approvals = createGatewayApprovals({ env: host.env, platform, home, folders });
  if (args.approve) return approve(servers, approvals, context, finder);
  await noteUnapproved(servers, approvals, context);
  if (servers.length === 0) terminal.note(t('No server was chosen. Run "mochi list" to see what is configured.'));
  const { client, cache } = await createConnector(servers, context, finder.spansOf, GRACES);
  const logger = remarks(context);
  const running = createGateway({
    servers,
    mode: args.mode,
    compactRules: args.compactRules,
    rules: { allow: args.allowTools, deny: args.excludeTools },
    names: args.shortNames ? 'short' : 'full',
    version: VERSION,
    patienceMs: PATIENCE,
    client,
    cache,
    logger,
    timeoutMs: args.timeoutMs,
    now: () => performance.now(),
    mayStart: async (server) => !args.offline && (args.yes || (await approvals.has(server))),
  });
  const service = serveGateway(running, logger);
  const stop = (): void => void service.close();
  signal.addEventListener('abort', stop, { once: true });
  await service.ended;
  await running.close();
  if (signal.aborted) return EXIT.cancelled;
  // Served to the end all the same: an approval counts from the next listing on, with no restart of the client.
  const hadNothing = servers.length === (await unapproved(servers, approvals, context)).length;
  return hadNothing ? EXIT.attention : EXIT.ok;
}

async function approve(
  servers: readonly Server[],
  approvals: GatewayApprovals,
  context: Context,
  finder: SecretFinder,
): Promise<number> {
  const { terminal, t } = context;
  if (servers.length > 0 && !context.args.yes && !terminal.canAsk)
    throw new OperationError('consent-needed', 'Nobody could be asked, so nothing was approved.', {
      remedy: 'Run it in a terminal, or add --yes.',
    });
  const allowed = await askToStart(await runnable(servers, context), context, finder);
  await approvals.add(allowed);
  terminal.note(allowed.length === 0 ? t('Nothing was approved.') : t('Approved: {0}', namesOf(allowed)));
  return allowed.length === servers.length ? EXIT.ok : EXIT.attention;
}

/** Without those that lack a value: an approval is of what would run, and nobody knows what that is. */
async function runnable(servers: readonly Server[], context: Context): Promise<readonly Server[]> {
  const { host, home, folders } = context;
  const found: Server[] = [];
  for (const server of servers) {
    try {
      await resolveEndpoint(server, { env: host.env, home, folders });
      found.push(server);
    } catch (error) {
      if (!OperationError.is(error)) throw error;
      noteFailure(server.name, error, context);
    }
  }
  return found;
}

async function unapproved(
  servers: readonly Server[],
  approvals: GatewayApprovals,
  { args }: Context,
): Promise<readonly Server[]> {
  if (args.yes) return [];
  const answers = await Promise.all(servers.map((server) => approvals.has(server)));
  return servers.filter((_, index) => answers[index] !== true);
}

async function noteUnapproved(
  servers: readonly Server[],
  approvals: GatewayApprovals,
  context: Context,
): Promise<void> {
  const { terminal, t } = context;
  const without = await unapproved(servers, approvals, context);
  if (without.length === 0) return;
  terminal.note(
    t(
      'Not approved, so never started: {0}. Run "mochi gateway --approve" in a terminal, or add --yes.',
      namesOf(without),
    ),
  );
}

function namesOf(servers: readonly Server[]): string {
  return servers.map((server) => plain(server.name)).join(', ');
}

/** Warnings are for whoever reads the client's log of this server; the rest only where it was asked for. */
function remarks({ terminal, logger }: Context): Logger {
  const say = (message: string): void => terminal.note(plain(message));
  return { ...logger, warn: say, error: say };
}
