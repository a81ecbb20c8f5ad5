/** `mochi check`: has a server changed since its skill was written? Exit code 1 says yes, for CI. */
import type { Server } from '#core/model.ts';
import { OperationError, type Problem } from '#core/problem.ts';
import { type Drift, driftOf } from '#core/skill/drift.ts';
import { LOCK_PATH, parseLock, type SkillLock } from '#core/skill/lock.ts';
import { sha256 } from '#node/digest.ts';
import { createFiles } from '#node/files.ts';
import { inspectServer, shortDefinitionHash } from '#node/server-forms.ts';
import { readSkillFolder } from '#node/skill-folder.ts';
import { readCatalogs } from './catalogs.ts';
import { type Context, skillsRoot } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { finderFor, inspectionContext } from './forms.ts';
import { noteFailure, noteProblems } from './report.ts';
import { plain } from './terminal.ts';
import { findServers } from './workspace.ts';

interface Written {
  readonly skill: string;
  readonly lock: SkillLock;
}

type Verdict =
  | { readonly kind: 'same'; readonly skill: string }
  | { readonly kind: 'drift'; readonly skill: string; readonly drift: Drift; readonly isRedefined: boolean }
  | { readonly kind: 'no-server'; readonly skill: string; readonly server: string }
  | { readonly kind: 'failed'; readonly skill: string; readonly error: OperationError };

/** The skills in the root that we wrote, by name. */
export async function writtenSkills(context: Context): Promise<readonly Written[]> {
  const root = skillsRoot(context);
  const found: Written[] = [];
  for (const skill of await createFiles().list(root)) {
    if (!/^[a-z0-9-]+$/.test(skill)) continue;
    const files = await readSkillFolder(root, skill);
    const lock = parseLock(files?.get(LOCK_PATH) ?? '');
    if (lock !== undefined) found.push({ skill, lock });
  }
  return found;
}

export async function check(context: Context): Promise<number> {
  const { args, terminal, t } = context;
  const found = await findServers(context);
  const written = (await writtenSkills(context)).filter(
    ({ lock, skill }) =>
      args.servers.length === 0 || args.servers.includes(lock.server) || args.servers.includes(skill),
  );
  const verdicts = await verdictsOf(written, found.value.servers, context);
  const isBad = verdicts.some((verdict) => verdict.kind === 'drift' || verdict.kind === 'no-server');
  const isFailed = verdicts.some((verdict) => verdict.kind === 'failed');
  if (args.json)
    terminal.print(JSON.stringify({ skills: verdicts.map(jsonOf), problems: found.problems }, undefined, 2));
  else {
    noteProblems(
      found.problems.filter((problem: Problem) => problem.severity === 'error'),
      context,
    );
    if (written.length === 0) terminal.print(t('There are no skills of ours in {0}.', skillsRoot(context)));
    for (const verdict of verdicts) printVerdict(verdict, context);
  }
  return isFailed ? EXIT.failed : isBad ? EXIT.attention : EXIT.ok;
}

async function verdictsOf(
  written: readonly Written[],
  servers: readonly Server[],
  context: Context,
): Promise<readonly Verdict[]> {
  const usable = new Map(
    servers.filter((server) => server.shadowedBy === undefined).map((server) => [server.name, server]),
  );
  const wanted = [...new Set(written.flatMap(({ lock }) => usable.get(lock.server) ?? []))];
  const finder = await finderFor(wanted, context.signal);
  const inspection = inspectionContext(context, servers, finder);
  const listed = await readCatalogs(wanted, context, finder.spansOf);
  const verdicts: Verdict[] = [];
  for (const { skill, lock } of written) {
    const server = usable.get(lock.server);
    const one = listed.find((candidate) => candidate.server === server);
    if (server === undefined) verdicts.push({ kind: 'no-server', skill, server: lock.server });
    else if (one === undefined) {
      const error = new OperationError('consent-needed', `The server "${server.name}" was not started.`, {
        remedy: 'Give --yes.',
      });
      verdicts.push({ kind: 'failed', skill, error });
    } else if (one.kind === 'failed') verdicts.push({ kind: 'failed', skill, error: one.error });
    else {
      const excludeTools = [...inspection.excludeTools, ...lock.excluded];
      const { catalog } = await inspectServer(server, one.catalog, { ...inspection, excludeTools }, context.signal);
      const drift = driftOf(lock, catalog, sha256);
      const isRedefined = lock.definition !== shortDefinitionHash(server);
      verdicts.push(
        drift.same && !isRedefined ? { kind: 'same', skill } : { kind: 'drift', skill, drift, isRedefined },
      );
    }
  }
  return verdicts;
}

function jsonOf(verdict: Verdict): object {
  if (verdict.kind !== 'failed') return verdict;
  return {
    ...verdict,
    error: { kind: verdict.error.kind, message: verdict.error.message, remedy: verdict.error.remedy },
  };
}

function printVerdict(verdict: Verdict, context: Context): void {
  const { terminal, t } = context;
  const name = plain(verdict.skill);
  switch (verdict.kind) {
    case 'same':
      terminal.print(`${terminal.style('green', '✔')} ${t('{0} is up to date', name)}`);
      return;
    case 'drift': {
      terminal.print(`${terminal.style('yellow', '▲')} ${t('{0} is out of date', name)}`);
      const { added, removed, changed } = verdict.drift;
      for (const [sign, tools] of [
        ['+', added],
        ['-', removed],
        ['~', changed],
      ] as const)
        for (const tool of tools) terminal.print(`    ${sign} ${plain(tool)}`);
      if (verdict.isRedefined) terminal.print(`    ${t("the server's definition has changed")}`);
      terminal.print(terminal.style('dim', `    → mochi generate --servers ${plain(verdict.skill)}`));
      return;
    }
    case 'no-server':
      terminal.print(
        `${terminal.style('yellow', '▲')} ${t('{0}: its server "{1}" is no longer configured', name, plain(verdict.server))}`,
      );
      return;
    case 'failed':
      noteFailure(verdict.skill, verdict.error, context);
      return;
    default:
      verdict satisfies never;
  }
}
