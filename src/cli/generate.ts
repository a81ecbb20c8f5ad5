/** `mochi generate`: plans each skill, shows what would change, and writes it. */
import type { Plan, Skill } from '#core/model.ts';
import { diffPlan, planSkill, summary } from '#core/plan.ts';
import { OperationError, type Problem } from '#core/problem.ts';
import { sha256 } from '#node/digest.ts';
import { createFiles } from '#node/files.ts';
import type { Forms } from '#node/server-forms.ts';
import { applyPlan, readSkillFolder } from '#node/skill-folder.ts';
import { isInside } from '#node/skill-path.ts';
import { type Context, skillsRootOf } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { makeForms } from './forms.ts';
import { noteFailure, noteProblems, printReport } from './report.ts';
import { plain } from './terminal.ts';

type Outcome =
  | { readonly kind: 'written' | 'unchanged' | 'planned'; readonly skill: string; readonly plan: Plan }
  | { readonly kind: 'conflict'; readonly skill: string; readonly plan: Plan }
  | { readonly kind: 'findings'; readonly skill: string; readonly findings: readonly Problem[] }
  | { readonly kind: 'failed'; readonly skill: string; readonly error: OperationError };

export async function generate(context: Context): Promise<number> {
  const { args, terminal, t } = context;
  const { forms, failures, declined, problems, runtime } = await makeForms(context);
  const outcomes: Outcome[] = [];
  if (!args.json) {
    noteProblems(problems, context);
    for (const { server, error } of failures) noteFailure(server.name, error, context);
    if (args.runtime === 'auto') terminal.note(t('The scripts are written for {0}.', runtime));
  }
  for (const one of forms) {
    if (!args.json) printReport(one.report, context);
    const outcome = await writeOne(one, context);
    outcomes.push(outcome);
    if (!args.json) {
      printOutcome(outcome, context);
      terminal.print();
    }
  }
  if (args.json) printJson(forms, outcomes, failures, problems, context);
  else if (forms.length === 0 && failures.length === 0 && declined === 0)
    terminal.print(t('No server was chosen. Run "mochi list" to see what is configured.'));
  if (failures.length > 0 || outcomes.some((outcome) => outcome.kind === 'failed')) return EXIT.failed;
  if (declined > 0) return EXIT.attention;
  return outcomes.some((outcome) => outcome.kind === 'conflict' || outcome.kind === 'findings')
    ? EXIT.attention
    : EXIT.ok;
}

/** The finding kinds that must be accepted before anything is written. */
function serious(findings: readonly Problem[]): readonly Problem[] {
  return findings.filter((finding) => finding.severity !== 'info');
}

async function writeOne({ server, skills, inspected }: Forms, context: Context): Promise<Outcome> {
  const { args, terminal, t, signal, folders } = context;
  const skill = skills.find((one) => one.mode === args.mode);
  if (skill === undefined) throw new Error(`no skill in mode ${args.mode}`);
  const findings = serious(inspected.findings);
  if (findings.length > 0 && !args.acceptFindings && !args.dryRun) {
    if (!args.json) noteProblems(findings, context, true);
    const accepted =
      !args.json &&
      (await terminal.confirm(t("The server's texts need a look. Write the skill all the same?"), signal));
    if (!accepted) return { kind: 'findings', skill: skill.name, findings };
  }
  const root = skillsRootOf(server.source, context);
  const within = args.output === undefined ? (server.source.folder ?? folders[0]) : undefined;
  const isFirst = (await createFiles().stat(root)) === undefined;
  try {
    const outcome = await planAndApply(skill, root, within, context);
    if (outcome.kind !== 'written' || args.json) return outcome;
    if (isFirst) terminal.note(t('A first skills folder is seen by Claude Code after a restart.'));
    if (inspected.endpoint.kind === 'stdio' && !isInside(server.source.folder ?? folders[0], root))
      terminal.note(
        t(
          '{0} lies outside the workspace: paths that its server takes from there will not be found.',
          plain(skill.name),
        ),
      );
    return outcome;
  } catch (error) {
    signal.throwIfAborted();
    if (!OperationError.is(error)) throw error;
    return { kind: 'failed', skill: skill.name, error };
  }
}

async function planAndApply(
  skill: Skill,
  root: string,
  within: string | undefined,
  context: Context,
): Promise<Outcome> {
  const { args, terminal, signal } = context;
  const onDisk = await readSkillFolder(root, skill.name, { within });
  const { value: plan, problems } = planSkill(skill, onDisk, root, { force: args.force, digest: sha256 });
  if (!args.json) noteProblems([...skill.problems, ...problems], context);
  const counts = summary(plan);
  if (args.dryRun) {
    if (!args.json) terminal.print(plain(diffPlan(plan)));
    return { kind: 'planned', skill: skill.name, plan };
  }
  if (counts.conflict > 0) return { kind: 'conflict', skill: skill.name, plan };
  if (counts.create + counts.update + counts.delete === 0) return { kind: 'unchanged', skill: skill.name, plan };
  await applyPlan(plan, { signal, within });
  return { kind: 'written', skill: skill.name, plan };
}

function printOutcome(outcome: Outcome, context: Context): void {
  const { terminal, t, host } = context;
  const name = plain(outcome.skill);
  switch (outcome.kind) {
    case 'written':
    case 'planned':
    case 'unchanged': {
      const { create, update, keep, delete: removed } = summary(outcome.plan);
      const folder = `${outcome.plan.root.startsWith(`${host.cwd}/`) ? outcome.plan.root.slice(host.cwd.length + 1) : outcome.plan.root}/${name}`;
      const texts = {
        written: t('Wrote {0}', folder),
        planned: t('Would write {0}', folder),
        unchanged: t('Unchanged: {0}', folder),
      };
      const counts = t('{0} new, {1} changed, {2} kept, {3} removed', create, update, keep, removed);
      terminal.print(`  ${terminal.style('green', '✔')} ${texts[outcome.kind]} (${counts})`);
      return;
    }
    case 'conflict': {
      const files = outcome.plan.steps.filter((step) => step.kind === 'conflict').map((step) => step.path);
      terminal.note(
        terminal.noteStyle(
          'yellow',
          `  ▲ ${t('{0} was not written: {1} would be lost. Give --force to overwrite, or --dry-run to see the difference.', name, files.slice(0, 5).join(', '))}`,
        ),
      );
      return;
    }
    case 'findings':
      terminal.note(
        terminal.noteStyle(
          'yellow',
          `  ▲ ${t('{0} was not written: its texts have findings. Give --accept-findings to write it all the same.', name)}`,
        ),
      );
      return;
    case 'failed':
      noteFailure(outcome.skill, outcome.error, context);
      return;
    default:
      outcome satisfies never;
  }
}

function printJson(
  forms: readonly Forms[],
  outcomes: readonly Outcome[],
  failures: readonly { readonly server: { readonly name: string }; readonly error: OperationError }[],
  problems: readonly Problem[],
  { terminal, args }: Context,
): void {
  const skills = outcomes.map((outcome, index) => ({
    skill: outcome.skill,
    server: forms[index]?.server.name,
    mode: args.mode,
    outcome: outcome.kind,
    ...('plan' in outcome ? { steps: outcome.plan.steps.map(({ kind, path }) => ({ kind, path })) } : {}),
    ...(outcome.kind === 'findings' ? { findings: outcome.findings } : {}),
    ...(outcome.kind === 'failed'
      ? { error: { kind: outcome.error.kind, message: outcome.error.message, remedy: outcome.error.remedy } }
      : {}),
    tokens: forms[index]?.report.forms.find((form) => form.form === args.mode),
  }));
  const failed = failures.map(({ server, error }) => ({
    server: server.name,
    kind: error.kind,
    message: error.message,
    remedy: error.remedy,
  }));
  terminal.print(JSON.stringify({ skills, failures: failed, problems }, undefined, 2));
}
