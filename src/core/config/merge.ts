/**
 * Which of several servers with the same name counts. Nothing is dropped: the others name the winner.
 *
 * Precedence: files named on the command line first; then row by row of the dialect table; within a row the order of
 * its files (Claude Code: local, project, user, plugin; elsewhere folder before user); then the order of the workspace
 * folders. A client's best entry decides whether that client has the server switched on; a client that has it on goes
 * before one that has it off. Entries that their client does not read never win over ones that it does.
 */
import type { Endpoint, Server } from '../model.ts';
import type { Problem, Reported } from '../problem.ts';
import { quoted } from './document.ts';

/** `servers` come in order of precedence; `ignored` are ids of those that their client does not read. */
export function mergeServers(servers: readonly Server[], ignored: ReadonlySet<string>): Reported<readonly Server[]> {
  const byName = new Map<string, Server[]>();
  for (const server of servers) {
    const group = byName.get(server.name);
    if (group === undefined) byName.set(server.name, [server]);
    else group.push(server);
  }
  const winners = new Map([...byName].map(([name, group]) => [name, winnerOf(group, ignored)]));
  const problems: Problem[] = [];
  const value = servers.map((server): Server => {
    const winner = winners.get(server.name);
    if (winner === undefined || winner === server) return server;
    problems.push(shadowed(server, winner));
    return { ...server, shadowedBy: winner.id };
  });
  return { value, problems };
}

function winnerOf(group: readonly Server[], ignored: ReadonlySet<string>): Server | undefined {
  const read = group.filter((server) => !ignored.has(server.id));
  const candidates = read.length > 0 ? read : group;
  const best = new Map<string, Server>();
  for (const server of candidates) {
    if (!best.has(server.source.dialect)) best.set(server.source.dialect, server);
  }
  return [...best.values()].find((server) => !server.disabled) ?? candidates[0];
}

function shadowed(server: Server, winner: Server): Problem {
  const same = fingerprint(server.endpoint) === fingerprint(winner.endpoint);
  return {
    kind: 'entry-shadowed',
    severity: 'info',
    message: `${quoted(server.name)} is also named in ${winner.at.file}, line ${winner.at.line ?? 1}, which goes first${same ? '; both say the same' : ''}.`,
    remedy: same ? 'Nothing to do, or remove one of them.' : 'Rename one of them if both are needed.',
    at: server.at,
    server: server.name,
  };
}

function fingerprint(endpoint: Endpoint): string {
  return JSON.stringify(endpoint, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      : value,
  );
}
