/**
 * The middle of the pipeline on one screen: discover (`config/discover.ts`) → inspect → render → measure → plan
 * (`plan.ts`). Each step is a function of values; the doors to the outside (`ports.ts`) are handed in. The shells around it only ask, show and write.
 */
import type { MachinePaths } from './catalog/neutralise.ts';
import { pruneSchema } from './catalog/prune.ts';
import { withClientFolders } from './config/client-folders.ts';
import {
  type Catalog,
  type CompactRules,
  type Endpoint,
  MODES,
  type Mode,
  type Runtime,
  type Server,
  type Skill,
} from './model.ts';
import type { TokenCounter } from './ports.ts';
import type { Problem } from './problem.ts';
import { cleanCatalog } from './scan/clean.ts';
import { scanCatalog } from './scan/findings.ts';
import { liftSecrets } from './scan/lift.ts';
import type { SpansOf } from './scan/secrets.ts';
import type { Digest } from './skill/lock.ts';
import { renderSkill } from './skill/render.ts';
import { type Places, portableEndpoint, serverConfig } from './skill/server-config.ts';
import { measure, type TokenReport } from './tokens.ts';

export interface InspectOptions {
  /** Finds secrets in texts; see `scan/secrets.ts`. */
  readonly spansOf: SpansOf;
  /** Paths of this machine, none of which may reach a skill. */
  readonly paths: MachinePaths;
  /** The other configured servers, whose names a tool has no business to mention. */
  readonly otherServers: readonly string[];
  /** The tools of other servers where they are known, for descriptions that speak of them. */
  readonly otherTools?: readonly { readonly server: string; readonly tools: readonly string[] }[];
  /** Tools to leave out, and to keep where not empty, by exact name. */
  readonly excludeTools: readonly string[];
  readonly includeTools: readonly string[];
}

/** A catalog ready to be rendered, and the definition ready to be written. */
export interface Inspected {
  readonly catalog: Catalog;
  /** The same tools as the server gave them: what a client without a skill would load. */
  readonly original: Catalog;
  readonly endpoint: Endpoint;
  /** Tools of the server that were left out, by name. */
  readonly excluded: readonly string[];
  /** What a person must know before anything is written: hostile text, secrets. */
  readonly findings: readonly Problem[];
  /** What was changed on the way, and other remarks. */
  readonly notes: readonly Problem[];
}

/** Scans a catalog as it came, then cleans, prunes and selects; lifts secrets out of the definition. */
export function inspect(server: Server, catalog: Catalog, options: InspectOptions): Inspected {
  const { spansOf, paths } = options;
  const folder = server.source.folder ?? paths.folders?.[0]?.path;
  const places: Places = {
    ...(folder === undefined ? {} : { workspaceFolder: folder }),
    ...(paths.home === undefined ? {} : { userHome: paths.home }),
  };
  const exclude = new Set([...(server.excludeTools ?? []), ...options.excludeTools]);
  const include = new Set([...(server.includeTools ?? []), ...options.includeTools]);
  const selected = catalog.tools.filter(
    (tool) => !exclude.has(tool.name) && (include.size === 0 || include.has(tool.name)),
  );
  const named: Catalog = { ...catalog, server: server.name, tools: selected };
  const { otherServers, otherTools = [] } = options;
  const findings = scanCatalog(named, { otherServers, otherTools, spansOf });
  const cleaned = cleanCatalog(named, { spansOf, paths });
  const lifted = liftSecrets(withClientFolders(server.endpoint, server.source), server.name, spansOf);
  const tools = cleaned.value.tools.map((tool) => ({ ...tool, inputSchema: pruneSchema(tool.inputSchema) }));
  return {
    catalog: { ...cleaned.value, tools },
    original: named,
    excluded: catalog.tools.filter((tool) => !selected.includes(tool)).map((tool) => tool.name),
    endpoint: portableEndpoint(lifted.endpoint, places),
    findings: findings.concat(cleaned.problems.filter((problem) => problem.severity === 'error')),
    notes: [...cleaned.problems.filter((problem) => problem.severity !== 'error'), ...lifted.problems],
  };
}

export interface FormsOptions {
  readonly name: string;
  readonly runtime: Runtime;
  readonly callScript: string;
  readonly compactRules: CompactRules;
  readonly allowScript: boolean;
  readonly generator: string;
  /** Hash of the server's whole definition. */
  readonly definition: string;
  readonly digest: Digest;
}

/** The skill of an inspected server in one mode. */
export function render(server: Server, inspected: Inspected, mode: Mode, options: FormsOptions): Skill {
  const config = serverConfig(server, inspected.endpoint);
  return renderSkill({ ...options, catalog: inspected.catalog, excluded: inspected.excluded, mode, config });
}

/** All forms of an inspected server with what they cost. */
export async function compare(
  server: Server,
  inspected: Inspected,
  options: FormsOptions,
  counter: TokenCounter,
  signal?: AbortSignal,
): Promise<{ readonly skills: readonly Skill[]; readonly report: TokenReport }> {
  const skills = MODES.map((mode) => render(server, inspected, mode, options));
  return { skills, report: await measure(inspected.original, skills, counter, signal === undefined ? {} : { signal }) };
}
