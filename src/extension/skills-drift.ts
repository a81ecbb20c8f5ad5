/** How a generated skill stands against its server, by what is known already: nothing is started and nobody is asked. */
import { OperationError } from '#core/problem.ts';
import type { InstalledSkill } from '#core/skill/library.ts';
import type { DriftState } from './skills-model.ts';
import type { Workshop } from './workshop.ts';
import type { WorkspaceModel } from './workspace-model.ts';

export interface DriftParts {
  readonly servers: Pick<WorkspaceModel, 'load' | 'entries'>;
  workshop(): Promise<Pick<Workshop, 'check' | 'recorded'>>;
  /** Whether configs of the home folder are read, so that a server which is not found is gone. */
  readsUserFiles(): boolean;
}

export async function driftOfSkill(
  { server, root, folderName }: InstalledSkill,
  { servers, workshop, readsUserFiles }: DriftParts,
  signal: AbortSignal,
): Promise<DriftState> {
  if (server === undefined) return { kind: 'unknown' };
  await servers.load();
  const entry = servers.entries.find((one) => one.server.shadowedBy === undefined && one.server.name === server);
  if (entry === undefined) return readsUserFiles() ? { kind: 'no-server', server } : { kind: 'unknown' };
  const heavy = await workshop();
  const catalog = entry.state.kind === 'read' ? entry.state.catalog : await heavy.recorded(entry.server);
  if (catalog === undefined) return { kind: 'unknown' };
  const names = servers.entries.map((one) => one.server.name);
  try {
    const written = { root: root.path, skill: folderName, server };
    return await heavy.check(written, { server: entry.server, catalog }, names, signal);
  } catch (error) {
    // It went away, or cannot be read whole; the view says so elsewhere.
    if (OperationError.is(error)) return { kind: 'unknown' };
    throw error;
  }
}
