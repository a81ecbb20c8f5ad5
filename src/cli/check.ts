/** `mochi check`: has a server changed since its skill was written? Exit code 1 says yes, for CI. */
import { join } from 'node:path';
import type { Server } from '#core/model.ts';
import { OperationError, type Problem } from '#core/problem.ts';
import { type Drift, driftOf } from '#core/skill/drift.ts';
import { LOCK_PATH, parseLock, type SkillLock } from '#core/skill/lock.ts';
import { skillNameOf } from '#core/skill/name.ts';
import { shellWord } from '#core/skill/skill-md.ts';
import { sha256 } from '#node/digest.ts';
import { createFiles } from '#node/files.ts';
import { inspectServer, shortDefinitionHash } from '#node/server-forms.ts';
import { readCatalogs } from './catalogs.ts';
import { type Context, skillsRoots } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { finderFor } from './finder.ts';
import { inspectionContext } from './forms.ts';
import { noteFailure, noteProblems } from './report.ts';
import { plain } from './terminal.ts';
import { findServers } from './workspace.ts';

interface Written {
  readonly skill: string;
  readonly lock: SkillLock;
}

type Verdict =
  | { readonly kind: 'same'; readonly skill: string }
  | {
      readonly kind: 'drift';
      readonly skill: string;
      readonly drift: Drift;
      readonly isRedefined: boolean;
      /** The command that writes the skill anew in its own form. */
      readonly remedy: string;
    }
  | { readonly kind: 'no-server'; readonly skill: string; readonly server: string }
  | { readonly kind: 'failed'; readonly skill: string; readonly error: OperationError };

const MAX_LOCK_BYTES = 10_000_000;

/** The skills that we wrote, by name. */
export async function writtenSkills(context: Context): Promise<readonly Written[]> {
  const found: Written[] = [];
  for (const root of skillsRoots(context))
    for (const skill of await createFiles().list(root)) {
      if (!/^[a-z0-9-]+$/.test(skill)) continue;
      const bytes = await createFiles().read(join(root, skill, LOCK_PATH), MAX_LOCK_BYTES);
      const lock = bytes === undefined ? undefined : parseLock(new TextDecoder().decode(bytes));
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
  const unknown = args.servers.filter(
    (name) => !written.some(({ skill, lock }) => skill === name || lock.server === name),
  );
  if (unknown.length > 0)
    throw new OperationError('usage', `There is no skill of ours for "${unknown.join('", "')}".`, {
      remedy: 'Run "mochi check" without --servers to see all.',
    });
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
    if (written.length === 0) terminal.print(t('There are no skills of ours in {0}.', skillsRoots(context).join(', ')));
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
  const listed = await readCatalogs(wanted, context, finder);
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
      const isSame = drift.same && !isRedefined;
      verdicts.push(
        isSame
          ? { kind: 'same', skill }
          : { kind: 'drift', skill, drift, isRedefined, remedy: commandFor(skill, lock) },
      );
    }
  }
  return verdicts;
}

/** `mochi generate` with everything that makes this skill what it is. */
function commandFor(skill: string, lock: SkillLock): string {
  const words = ['mochi', 'generate', '--servers', lock.server, '--mode', lock.mode];
  if (skill !== skillNameOf(lock.server)) words.push('--name', skill);
  if (lock.compactRules === 'strict') words.push('--compact-rules', 'strict');
  if (lock.runtime !== 'python') words.push('--runtime', lock.runtime);
  if (lock.excluded.length > 0) words.push('--exclude-tool', lock.excluded.join(','));
  return words.map(shellWord).join(' ');
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
      terminal.print(terminal.style('dim', `    → ${plain(verdict.remedy)}`));
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
