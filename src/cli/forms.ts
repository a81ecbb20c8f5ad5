/** What preview and generate share: the chosen servers, listed, inspected, rendered in every mode and measured. */
import { basename } from 'node:path';
import type { Runtime, Server, Skill } from '#core/model.ts';
import { compare, type FormsOptions, type Inspected, inspect } from '#core/pipeline.ts';
import { OperationError, type Problem } from '#core/problem.ts';
import { textsOfEndpoint } from '#core/scan/lift.ts';
import type { SpansOf } from '#core/scan/secrets.ts';
import { skillNames } from '#core/skill/name.ts';
import type { TokenReport } from '#core/tokens.ts';
import { detectRuntime, readCallScript } from '#node/call-scripts.ts';
import { definitionHash } from '#node/catalog-cache.ts';
import { sha256 } from '#node/digest.ts';
import { createSecretFinder } from '#node/secret-scan.ts';
import { readCatalogs } from './catalogs.ts';
import { type Context, SCRIPTS_FOLDER } from './context.ts';
import { GENERATOR } from './version.ts';
import { findServers, selectServers } from './workspace.ts';

/** One server, ready to be shown or written. */
export interface Forms {
  readonly server: Server;
  readonly inspected: Inspected;
  /** One a mode. */
  readonly skills: readonly Skill[];
  readonly report: TokenReport;
}

export interface FormsResult {
  readonly forms: readonly Forms[];
  readonly failures: readonly { readonly server: Server; readonly error: OperationError }[];
  /** Everything found on the way, findings in server text apart. */
  readonly problems: readonly Problem[];
  readonly runtime: Runtime;
}

export async function makeForms(context: Context): Promise<FormsResult> {
  const { args, counter, signal } = context;
  const found = await findServers(context);
  const chosen = selectServers(found.value.servers, context);
  if (args.name !== undefined && chosen.length !== 1)
    throw new OperationError('usage', '--name names one skill, but several servers are chosen.', {
      remedy: 'Choose one with --servers.',
    });
  const finder = await createSecretFinder();
  await finder.learnTexts(
    chosen.flatMap((server) => textsOfEndpoint(server.endpoint)),
    signal,
  );
  const listed = await readCatalogs(chosen, context, finder.spansOf);
  const runtime = args.runtime === 'auto' ? await detectRuntime(context.host.env) : args.runtime;
  const callScript = await readCallScript(SCRIPTS_FOLDER, runtime);
  const names =
    args.name === undefined
      ? skillNames(listed.map(({ server }) => server.name))
      : { value: [args.name], problems: [] };
  const problems: Problem[] = [...found.problems, ...names.problems];
  const failures: { server: Server; error: OperationError }[] = [];
  const forms: Forms[] = [];
  for (const [index, one] of listed.entries()) {
    signal.throwIfAborted();
    if (one.kind === 'failed') {
      failures.push({ server: one.server, error: one.error });
      continue;
    }
    await finder.learn(one.catalog, undefined, signal);
    const others = found.value.servers.map((server) => server.name).filter((name) => name !== one.server.name);
    const inspected = inspect(one.server, one.catalog, inspectOptions(context, others, finder.spansOf));
    const options: FormsOptions = {
      name: names.value[index] ?? one.server.name,
      runtime,
      callScript,
      compactRules: args.compactRules,
      allowScript: args.allowScript,
      generator: GENERATOR,
      definition: definitionHash(one.server).slice(0, 16),
      digest: sha256,
    };
    problems.push(...one.problems, ...inspected.notes);
    forms.push({ server: one.server, inspected, ...(await compare(one.server, inspected, options, counter, signal)) });
  }
  return { forms, failures, problems, runtime };
}

/** How the command line inspects a catalog; the same for writing a skill and for checking it later. */
export function inspectOptions(
  context: Context,
  otherServers: readonly string[],
  spansOf: SpansOf,
): Parameters<typeof inspect>[2] {
  const { args, folders, home } = context;
  return {
    spansOf,
    paths: { home, folders: folders.map((path) => ({ path, name: basename(path) })) },
    otherServers,
    excludeTools: args.excludeTools,
    includeTools: [],
  };
}
