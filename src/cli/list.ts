/** `mochi list`: which servers are configured where. Starts nothing. */
import { commandText } from '#core/command-text.ts';
import type { Server } from '#core/model.ts';
import { liftSecrets } from '#core/scan/lift.ts';
import { findSecrets } from '#core/scan/secrets.ts';
import { createCatalogCache } from '#node/catalog-cache.ts';
import { type Context, catalogsFolder } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { noteProblems } from './report.ts';
import { plain, table } from './terminal.ts';
import { findServers } from './workspace.ts';

function stateOf(server: Server, { t }: Context): string {
  if (server.shadowedBy !== undefined) return t('shadowed');
  return server.disabled ? t('disabled') : '';
}

export async function list(context: Context): Promise<number> {
  const { args, terminal, t, logger } = context;
  const { value, problems } = await findServers(context);
  const cache = createCatalogCache({ folder: catalogsFolder(context), logger, now: () => new Date() });
  const rows = await Promise.all(
    value.servers.map(async (server) => {
      const cached = await cache.read(server);
      const endpoint = liftSecrets(server.endpoint, server.name, findSecrets).endpoint;
      return { server, tools: cached?.catalog.tools.length, reach: commandText(endpoint) };
    }),
  );
  if (args.json) {
    const servers = rows.map(({ server, tools, reach }) => ({
      name: server.name,
      transport: server.endpoint.kind,
      reach,
      client: server.source.label,
      source: server.source.display,
      line: server.at.line,
      disabled: server.disabled,
      shadowed: server.shadowedBy !== undefined,
      ...(tools === undefined ? {} : { recordedTools: tools }),
    }));
    const sources = value.sources.map(({ dialect, label, display, scope }) => ({
      dialect,
      client: label,
      path: display,
      scope,
    }));
    terminal.print(JSON.stringify({ sources, servers, problems }, undefined, 2));
    return EXIT.ok;
  }
  noteProblems(problems, context);
  if (rows.length === 0) {
    terminal.print(t('No MCP servers are configured here.'));
    terminal.print(
      t('Looked in {0}. Give --user to read the home folder too, or --mcp-config FILE.', context.folders.join(', ')),
    );
    return EXIT.ok;
  }
  const lines = table(
    [
      { title: t('server') },
      { title: t('via') },
      { title: t('tools'), align: 'right' },
      { title: t('configured in'), flexible: true },
      { title: '' },
    ],
    rows.map(({ server, tools }) => [
      plain(server.name),
      server.endpoint.kind,
      tools === undefined ? '?' : String(tools),
      plain(server.source.display),
      stateOf(server, context),
    ]),
    terminal.width,
  );
  lines.forEach((line, index) => {
    terminal.print(index === 0 ? terminal.style('dim', line) : line);
  });
  terminal.print(
    terminal.style('dim', t('{0} servers in {1} files. Next: mochi preview', rows.length, value.sources.length)),
  );
  return EXIT.ok;
}
