/**
 * From one server's catalog to its forms, with the adapters of this machine filled in: what the command line and the
 * extension both do between listing a server and showing or writing its skill.
 */
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Catalog, CompactRules, Runtime, Server, Skill } from '#core/model.ts';
import { compare, type Inspected, type InspectOptions, inspect } from '#core/pipeline.ts';
import type { TokenCounter } from '#core/ports.ts';
import type { TokenReport } from '#core/tokens.ts';
import { definitionHash } from './catalog-cache.ts';
import { sha256 } from './digest.ts';
import type { SecretFinder } from './secret-scan.ts';

/** One server, ready to be shown or written. */
export interface Forms {
  readonly server: Server;
  readonly inspected: Inspected;
  /** One a mode. */
  readonly skills: readonly Skill[];
  readonly report: TokenReport;
}

export interface InspectionContext {
  readonly finder: SecretFinder;
  /** Absolute. */
  readonly home: string;
  /** The workspace folders, absolute. */
  readonly folders: readonly string[];
  /** Names of all configured servers, the inspected one may be among them. */
  readonly servers: readonly string[];
  readonly excludeTools: readonly string[];
  /** The other catalogs at hand, for descriptions that speak of another server's tools. */
  readonly others?: readonly Catalog[];
}

export interface FormsContext extends InspectionContext {
  readonly counter: TokenCounter;
  readonly runtime: Runtime;
  /** The text of the call script for that runtime, see `call-scripts.ts`. */
  readonly callScript: string;
  readonly compactRules: CompactRules;
  readonly allowScript: boolean;
  /** Name and version, for example `mochi-skills 0.1.0`. */
  readonly generator: string;
}

/** The catalog inspected: the same for showing a skill, for writing it and for checking it later. */
export async function inspectServer(
  server: Server,
  catalog: Catalog,
  context: InspectionContext,
  signal: AbortSignal,
): Promise<Inspected> {
  const { finder, home, folders, servers, excludeTools } = context;
  await finder.learn(catalog, server.endpoint, signal);
  const options: InspectOptions = {
    spansOf: finder.spansOf,
    paths: { home, folders: folders.map((path) => ({ path, name: basename(path) })) },
    otherServers: servers.filter((name) => name !== server.name),
    otherTools: (context.others ?? [])
      .filter((other) => other.server !== server.name)
      .map((other) => ({ server: other.server, tools: other.tools.map((tool) => tool.name) })),
    excludeTools,
    includeTools: [],
  };
  return inspect(server, catalog, options);
}

/** The definition's hash as locks hold it. */
export function shortDefinitionHash(server: Server): string {
  return definitionHash(server).slice(0, 16);
}

/** Inspects, renders in every mode and measures. `name` is the skill's. */
export async function formsOf(
  server: Server,
  catalog: Catalog,
  name: string,
  context: FormsContext,
  signal: AbortSignal,
): Promise<Forms> {
  const inspected = await inspectServer(server, catalog, context, signal);
  // A server of many tools keeps the processor busy for a while; others have a turn in between.
  await setImmediate();
  signal.throwIfAborted();
  const { counter, runtime, callScript, compactRules, allowScript, generator } = context;
  const definition = shortDefinitionHash(server);
  const options = { name, runtime, callScript, compactRules, allowScript, generator, definition, digest: sha256 };
  return { server, inspected, ...(await compare(server, inspected, options, counter, signal)) };
}
