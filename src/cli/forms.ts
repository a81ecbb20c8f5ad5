/** What preview and generate share: the chosen servers, listed, inspected, rendered in every mode and measured. */
import type { Runtime, Server } from '#core/model.ts';
import { OperationError, type Problem } from '#core/problem.ts';
import { skillNameOf, skillNames } from '#core/skill/name.ts';
import { detectRuntime, readCallScript } from '#node/call-scripts.ts';
import type { SecretFinder } from '#node/secret-scan.ts';
import { type Forms, type FormsContext, formsOf, type InspectionContext } from '#node/server-forms.ts';
import { readCatalogs } from './catalogs.ts';
import { type Context, SCRIPTS_FOLDER } from './context.ts';
import { counterOf } from './counter.ts';
import { finderFor } from './finder.ts';
import { GENERATOR } from './version.ts';
import { findServers, selectServers } from './workspace.ts';

export interface FormsResult {
  readonly forms: readonly Forms[];
  readonly failures: readonly { readonly server: Server; readonly error: OperationError }[];
  /** Servers that nobody allowed to start. */
  readonly declined: number;
  /** Everything found on the way, findings in server text apart. */
  readonly problems: readonly Problem[];
  readonly runtime: Runtime;
}

export async function makeForms(context: Context): Promise<FormsResult> {
  const { args, signal } = context;
  const counter = counterOf(context);
  const found = await findServers(context);
  const chosen = selectServers(found.value.servers, context);
  if (args.name !== undefined && chosen.length !== 1)
    throw new OperationError('usage', `--name names one skill, but ${chosen.length} servers are chosen.`, {
      remedy: chosen.length === 0 ? 'Run "mochi list" to see what is configured.' : 'Choose one with --servers.',
    });
  checkName(args.name);
  const finder = await finderFor(chosen, signal);
  const listed = await readCatalogs(chosen, context, finder);
  const runtime = args.runtime === 'auto' ? await detectRuntime(context.host) : args.runtime;
  const formsContext: FormsContext = {
    ...inspectionContext(context, found.value.servers, finder),
    counter,
    runtime,
    callScript: await readCallScript(SCRIPTS_FOLDER, runtime),
    compactRules: args.compactRules,
    allowScript: args.allowScript,
    generator: GENERATOR,
    others: listed.flatMap((one) => (one.kind === 'listed' ? [one.catalog] : [])),
  };
  const wanted = listed.map(({ server }) => server.name);
  const names = args.name === undefined ? skillNames(wanted) : { value: [args.name], problems: [] };
  const problems: Problem[] = [...found.problems, ...names.problems];
  const failures: { server: Server; error: OperationError }[] = [];
  const forms: Forms[] = [];
  for (const [index, one] of listed.entries()) {
    signal.throwIfAborted();
    if (one.kind === 'failed') failures.push({ server: one.server, error: one.error });
    else if (one.catalog.tools.length === 0) {
      problems.push(...one.problems);
      const error = new OperationError('not-found', `Server "${one.server.name}" has no tools.`, {
        remedy: 'Nothing to make a skill of.',
      });
      failures.push({ server: one.server, error });
    } else {
      const made = await formsOf(one.server, one.catalog, names.value[index] ?? '', formsContext, signal);
      problems.push(...one.problems, ...made.inspected.notes);
      forms.push(made);
    }
  }
  return { forms, failures, declined: chosen.length - listed.length, problems, runtime };
}

/** A name that no client would load is refused, with one that would. */
function checkName(name: string | undefined): void {
  if (name === undefined || name === skillNameOf(name)) return;
  throw new OperationError('usage', `"${name}" is no valid name for a skill.`, {
    remedy: `Use lower-case letters, digits and single hyphens, for example ${skillNameOf(name)}.`,
  });
}

export function inspectionContext(
  { args, folders, home }: Context,
  servers: readonly Server[],
  finder: SecretFinder,
): InspectionContext {
  return { finder, home, folders, servers: servers.map((server) => server.name), excludeTools: args.excludeTools };
}
