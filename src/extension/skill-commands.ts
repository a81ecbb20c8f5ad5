/** Looks at skills that are already written: do they still fit their servers, and do they keep the rules of clients. */
import * as vscode from 'vscode';
import type { Logger } from '#core/ports.ts';
import type { Problem } from '#core/problem.ts';
import { commandIds } from './contributions.ts';
import { tellFailure, withProgress } from './generate-command.ts';
import { messages, problemText, problemTitle } from './messages.ts';
import { shownText } from './shown-text.ts';
import type { SkillVerdict, Workshop, WrittenSkill } from './workshop.ts';
import { TARGETS, type WorkspaceModel } from './workspace-model.ts';

export interface SkillParts {
  readonly model: WorkspaceModel;
  readonly logger: Logger;
  /** Problems of validated skills. */
  readonly diagnostics: vscode.DiagnosticCollection;
  workshop(): Promise<Workshop>;
  folders(): readonly string[];
}

const rootsOf = (parts: SkillParts): readonly string[] =>
  parts.folders().flatMap((folder) => TARGETS.map((target) => `${folder}/${target}`));

type Checked = { readonly written: WrittenSkill; readonly id?: string; readonly text: string; readonly icon: string };

export async function checkSkills(parts: SkillParts): Promise<void> {
  const { model } = parts;
  await model.refresh();
  const checked = await withProgress(messages.checking(), async (_progress, signal) => {
    const workshop = await parts.workshop();
    const written = (await Promise.all(rootsOf(parts).map((root) => workshop.written(root)))).flat();
    const results: Checked[] = [];
    for (const one of written) {
      if (signal.aborted) return undefined;
      results.push(await checkOne(one, workshop, parts, signal));
    }
    return results;
  });
  if (checked === undefined) return;
  if (checked.length === 0) {
    await vscode.window.showInformationMessage(messages.noSkills());
    return;
  }
  const title = messages.checkTitle();
  const items = checked.map(({ written, text, icon, id }) => ({
    label: `$(${icon}) ${shownText(written.skill)}`,
    description: text,
    id,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: title });
  if (chosen?.id !== undefined) await vscode.commands.executeCommand(commandIds.generateSkill, chosen.id);
}

async function checkOne(
  written: WrittenSkill,
  workshop: Workshop,
  { model, logger }: SkillParts,
  signal: AbortSignal,
): Promise<Checked> {
  const entry = model.entries.find(({ server }) => server.shadowedBy === undefined && server.name === written.server);
  if (entry === undefined) return { written, text: messages.serverGone(written.server), icon: 'question' };
  const { id } = entry.server;
  // Only what was asked about before is asked again here: a check must not be a row of questions.
  if (vscode.workspace.isTrusted && entry.approved)
    await model.readTools(id, signal).catch((error: unknown) => {
      if (!signal.aborted) void tellFailure(entry.server.name, error, logger);
    });
  const state = model.entry(id)?.state;
  if (state?.kind !== 'read') return { written, id, text: messages.toolsUnread(), icon: 'question' };
  const names = model.entries.map(({ server }) => server.name);
  const verdict = await workshop.check(written, { server: entry.server, catalog: state.catalog }, names, signal);
  return { written, id, text: textOf(verdict), icon: verdict.kind === 'same' ? 'check' : 'warning' };
}

function textOf(verdict: SkillVerdict): string {
  if (verdict.kind === 'same') return messages.upToDate();
  const { added, removed, changed, same } = verdict.drift;
  return same ? messages.redefined() : messages.drifted(added.length, removed.length, changed.length);
}

/** Validates the skill of a file or folder, or one that is chosen. */
export async function validateSkill(at: vscode.Uri | undefined, parts: SkillParts): Promise<void> {
  const workshop = await parts.workshop();
  const skill = at === undefined ? await pickSkill(workshop, parts) : await folderOf(at);
  if (skill === undefined) return;
  const name = skill.path.split('/').at(-1) ?? '';
  const problems = await workshop.validate(vscode.Uri.joinPath(skill, '..').fsPath, name);
  parts.diagnostics.clear();
  const files = new Map<string, Problem[]>();
  for (const problem of problems) {
    const file = problem.at?.file ?? `${name}/SKILL.md`;
    files.set(file, [...(files.get(file) ?? []), problem]);
  }
  for (const [file, found] of files)
    parts.diagnostics.set(vscode.Uri.joinPath(skill, '..', file), found.map(diagnosticOf));
  const errors = problems.filter((problem) => problem.severity !== 'info');
  if (errors.length === 0) await vscode.window.showInformationMessage(messages.valid(name));
  else await vscode.window.showWarningMessage(messages.invalid(name, errors.length));
}

async function folderOf(at: vscode.Uri): Promise<vscode.Uri> {
  const stat = await vscode.workspace.fs.stat(at);
  return (stat.type & vscode.FileType.Directory) !== 0 ? at : vscode.Uri.joinPath(at, '..');
}

async function pickSkill(workshop: Workshop, parts: SkillParts): Promise<vscode.Uri | undefined> {
  const items: { readonly label: string; readonly description: string; readonly uri: vscode.Uri }[] = [];
  for (const root of rootsOf(parts))
    for (const name of await workshop.skills(root)) {
      const uri = vscode.Uri.joinPath(vscode.Uri.file(root), name);
      items.push({ label: shownText(name), description: vscode.workspace.asRelativePath(uri), uri });
    }
  if (items.length === 0) {
    await vscode.window.showInformationMessage(messages.noSkillsAtAll());
    return undefined;
  }
  const title = messages.pickSkill();
  return (await vscode.window.showQuickPick(items, { title, placeHolder: title }))?.uri;
}

function diagnosticOf({ at, message, remedy, severity, kind }: Problem): vscode.Diagnostic {
  const line = Math.max(0, (at?.line ?? 1) - 1);
  const column = Math.max(0, (at?.column ?? 1) - 1);
  const level = { error: 0, warning: 1, info: 2 } as const;
  const text = `${problemTitle(kind)}: ${problemText(message)} ${problemText(remedy ?? '')}`.trim();
  const diagnostic = new vscode.Diagnostic(new vscode.Range(line, column, line, column), text, level[severity]);
  diagnostic.source = 'Mochi';
  diagnostic.code = kind;
  return diagnostic;
}
