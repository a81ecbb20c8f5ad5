/** `mochi preview`: the forms of each server side by side, before anything is written. */
import { OperationError } from '#core/problem.ts';
import { shellWord } from '#core/skill/skill-md.ts';
import type { Forms } from '#node/server-forms.ts';
import type { Context } from './context.ts';
import { sessionCosts } from './economics.ts';
import { EXIT } from './exit-codes.ts';
import { makeForms } from './forms.ts';
import { noteFailure, noteProblems, printReport } from './report.ts';
import { plain } from './terminal.ts';

export async function preview(context: Context): Promise<number> {
  const { args, terminal, t } = context;
  const { forms, failures, declined, problems } = await makeForms(context);
  const code = failures.length > 0 ? EXIT.failed : declined > 0 ? EXIT.attention : EXIT.ok;
  if (args.json) {
    const costsOf = await sessionCosts(context);
    const reports = forms.map(({ report, inspected, skills }) => ({
      ...report,
      skills: skills.map(({ mode, name, files }) => ({
        mode,
        name,
        files: files.map((file) => ({ path: file.path, bytes: Buffer.byteLength(file.text) })),
      })),
      economics: costsOf(report),
      findings: inspected.findings,
    }));
    const failed = failures.map(({ server, error }) => ({
      server: server.name,
      kind: error.kind,
      message: error.message,
      remedy: error.remedy,
    }));
    terminal.print(JSON.stringify({ reports, failures: failed, problems }, undefined, 2));
    return code;
  }
  if (args.show !== undefined) {
    showFile(forms, args.show, context);
    return EXIT.ok;
  }
  noteProblems(problems, context);
  for (const { server, error } of failures) noteFailure(server.name, error, context);
  for (const { report, inspected } of forms) {
    printReport(report, context);
    noteProblems(inspected.findings, context, true);
    terminal.print();
  }
  if (forms.length === 0 && failures.length === 0 && declined === 0)
    terminal.print(t('No server was chosen. Run "mochi list" to see what is configured.'));
  else if (forms.length > 0) terminal.print(terminal.style('dim', t('Next: {0}', nextCommand(context))));
  return code;
}

/** `mochi generate` with what was chosen here. */
function nextCommand({ args }: Context): string {
  const servers = args.servers.length === 0 ? '' : ` --servers ${args.servers.map(shellWord).join(',')}`;
  return `mochi generate${servers} --mode ${args.mode}`;
}

/** Prints one file of one skill as it would be written, byte for byte. */
function showFile(forms: readonly Forms[], path: string, { args, terminal }: Context): void {
  for (const { skills } of forms) {
    const file = skills.find((skill) => skill.mode === args.mode)?.files.find((one) => one.path === path);
    if (file !== undefined) {
      terminal.print(file.text.replace(/\n$/, ''));
      return;
    }
  }
  const known = forms[0]?.skills.find((skill) => skill.mode === args.mode)?.files.map((file) => file.path) ?? [];
  throw new OperationError('usage', `No skill has a file "${plain(path)}".`, {
    remedy: `Files: ${known.slice(0, 8).join(', ')}${known.length > 8 ? '…' : ''}.`,
  });
}
