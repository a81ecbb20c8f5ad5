/**
 * What people see in config files themselves: a lens above each server, the problems at their places, and their
 * repairs. Nothing is read until such a file is open or the servers view is.
 */
import * as vscode from 'vscode';
import { DIALECTS } from '#core/config/sources.ts';
import type { Disposable } from '#core/ports.ts';
import type { Problem, Severity } from '#core/problem.ts';
import { fixOf } from './config-fixes.ts';
import { commandIds } from './contributions.ts';
import { messages, problemText, problemTitle } from './messages.ts';
import type { ServerEntry, WorkspaceModel } from './workspace-model.ts';

/** Paths of config files below a workspace folder, as one glob. */
export const CONFIG_GLOB = `{${[
  ...new Set(DIALECTS.flatMap(({ files }) => files.flatMap((file) => (file.anchor === 'folder' ? [file.path] : [])))),
].join(',')}}`;

/** Names of config files wherever they are: user-level ones have no folder in common. */
export const CONFIG_FILES: vscode.DocumentSelector = [
  ...new Set(DIALECTS.flatMap(({ files }) => files.map((file) => file.path.split('/').slice(-2).join('/')))),
].map((path) => ({ scheme: 'file', pattern: `**/${path}` }));

export function createConfigEditing(model: WorkspaceModel): Disposable {
  const lenses = new vscode.EventEmitter<void>();
  const diagnostics = vscode.languages.createDiagnosticCollection('mochi');
  const problems = new Map<string, readonly Problem[]>();
  const publish = (): void => {
    lenses.fire();
    problems.clear();
    diagnostics.clear();
    for (const source of model.sources) {
      const found = model.problems.filter((problem) => problem.at?.file === source.display);
      const uri = vscode.Uri.file(source.path);
      problems.set(uri.toString(), found);
      diagnostics.set(uri, found.map(diagnosticOf));
    }
  };
  const parts: readonly Disposable[] = [
    lenses,
    diagnostics,
    model.onDidChange(publish),
    vscode.languages.registerCodeLensProvider(CONFIG_FILES, {
      onDidChangeCodeLenses: lenses.event,
      async provideCodeLenses(document) {
        await model.load();
        return lensesOf(document, model.entries);
      },
    }),
    vscode.languages.registerCodeActionsProvider(
      CONFIG_FILES,
      {
        provideCodeActions: (document, range) =>
          (problems.get(document.uri.toString()) ?? []).flatMap((problem) => actionsOf(problem, document, range)),
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  ];
  return {
    dispose() {
      for (const part of parts) part.dispose();
    },
  };
}

function lensesOf(document: vscode.TextDocument, entries: readonly ServerEntry[]): vscode.CodeLens[] {
  return entries.flatMap(({ server, state }) => {
    const isHere = vscode.Uri.file(server.source.path).toString() === document.uri.toString();
    if (!isHere || server.shadowedBy !== undefined || server.at.line === undefined) return [];
    const line = Math.min(server.at.line, document.lineCount) - 1;
    const report = state.kind === 'read' ? state.forms.report : undefined;
    const native = report?.forms.find((form) => form.form === 'native')?.always.tokens ?? 0;
    const title = report === undefined ? messages.previewLens() : messages.previewLensRead(report.tools, native);
    return [
      new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
        title,
        command: commandIds.previewSkill,
        arguments: [server.id],
      }),
    ];
  });
}

function diagnosticOf(problem: Problem): vscode.Diagnostic {
  const text = [problem.message, problem.remedy ?? ''].map(problemText).join(' ').trim();
  const diagnostic = new vscode.Diagnostic(
    rangeOf(problem),
    `${problemTitle(problem.kind)}: ${text}`,
    severityOf(problem.severity),
  );
  diagnostic.source = 'Mochi';
  diagnostic.code = problem.kind;
  return diagnostic;
}

/** An empty range is drawn under the word that stands there. */
function rangeOf({ at }: Problem): vscode.Range {
  const line = Math.max(0, (at?.line ?? 1) - 1);
  const column = Math.max(0, (at?.column ?? 1) - 1);
  return new vscode.Range(line, column, line, column);
}

function severityOf(severity: Severity): vscode.DiagnosticSeverity {
  switch (severity) {
    case 'error':
      return vscode.DiagnosticSeverity.Error;
    case 'warning':
      return vscode.DiagnosticSeverity.Warning;
    case 'info':
      return vscode.DiagnosticSeverity.Hint;
    default:
      return severity satisfies never;
  }
}

function actionsOf(problem: Problem, document: vscode.TextDocument, range: vscode.Range): vscode.CodeAction[] {
  if (range.start.line > rangeOf(problem).start.line || range.end.line < rangeOf(problem).start.line) return [];
  const fix = fixOf(problem, document.getText());
  if (fix === undefined) return [];
  const title = fix.kind === 'rename' ? messages.renameKey(fix.from, fix.to) : messages.removeComments();
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  action.edit = new vscode.WorkspaceEdit();
  for (const { offset, length, text } of fix.edits)
    action.edit.replace(
      document.uri,
      new vscode.Range(document.positionAt(offset), document.positionAt(offset + length)),
      text,
    );
  action.isPreferred = true;
  action.diagnostics = [diagnosticOf(problem)];
  return [action];
}
