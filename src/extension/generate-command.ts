/**
 * "Generate Skill" from the question which servers to the written folder: choose, read, look at findings, look at the
 * plan as a diff, agree, write. Every step can be left, and nothing is written before the last one.
 */
import * as vscode from 'vscode';
import { MODES, type Mode } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { dangerousChoice, settingChoice } from './choices.ts';
import { failureSentence, messages, modeText, problemText, problemTitle } from './messages.ts';
import { needsChange, showPlans } from './plan-diff.ts';
import { readSettings } from './settings.ts';
import { shownText } from './shown-text.ts';
import type { VirtualDocuments } from './virtual-documents.ts';
import type { WorkspaceModel } from './workspace-model.ts';
import { type PlannedSkill, type ServerEntry, seriousFindings, TARGETS, type Target } from './workspace-model.ts';

export interface GenerateParts {
  readonly model: WorkspaceModel;
  readonly documents: VirtualDocuments;
  readonly logger: Logger;
}

/** What is known before anyone is asked. */
export interface GenerateRequest {
  readonly ids?: readonly string[] | undefined;
  readonly mode?: Mode | undefined;
}

export async function generateSkill(request: GenerateRequest, parts: GenerateParts): Promise<void> {
  const { model } = parts;
  if (vscode.workspace.workspaceFolders === undefined) {
    await vscode.window.showWarningMessage(messages.noFolder());
    return;
  }
  // A config that changed since the figures were shown is read again before anything is planned.
  await model.refresh();
  const ids = request.ids ?? (await pickServers(model));
  if (ids === undefined || ids.length === 0) return;
  const mode = request.mode ?? (await pickMode());
  if (mode === undefined) return;
  const target = await pickTarget();
  if (target === undefined) return;
  const read = await readAll(ids, parts);
  const agreed: string[] = [];
  for (const id of read) if (await acceptFindings(id, parts)) agreed.push(id);
  const planned = await planAll(agreed, mode, target, parts);
  const ready = await withoutConflicts(planned, parts);
  await confirmAndWrite(ready, parts);
}

async function pickServers(model: WorkspaceModel): Promise<readonly string[] | undefined> {
  const usable = model.entries.filter(({ server }) => server.shadowedBy === undefined && !server.disabled);
  if (usable.length === 0) {
    await offerHome();
    return undefined;
  }
  const items = usable.map((entry) => ({
    label: shownText(entry.server.name),
    description: descriptionOf(entry),
    detail: messages.configuredIn(entry.server.source.display),
    picked: usable.length === 1,
    id: entry.server.id,
  }));
  const title = messages.pickServers();
  const chosen = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: title,
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return chosen?.map(({ id }) => id);
}

/** Nothing is configured in the workspace: the home folder may hold something, but is read only when wished. */
export async function offerHome(): Promise<void> {
  if (readSettings().userFiles) {
    await vscode.window.showInformationMessage(messages.noServers());
    return;
  }
  const choice = await vscode.window.showInformationMessage(messages.noServers(), messages.lookAtHome());
  if (choice !== undefined)
    await vscode.commands.executeCommand('workbench.action.openSettings', 'mochi.discovery.userFiles');
}

function descriptionOf({ state }: ServerEntry): string {
  if (state.kind !== 'read') return messages.notRead();
  const { report } = state.forms;
  const native = report.forms.find((form) => form.form === 'native')?.always.tokens ?? 0;
  return messages.toolsAndTokens(report.tools, native);
}

function pickMode(): Promise<Mode | undefined> {
  return settingChoice(messages.pickMode(), MODES, readSettings().mode, modeText);
}

function pickTarget(): Promise<Target | undefined> {
  const texts: Record<Target, () => string> = {
    '.claude/skills': messages.targetClaude,
    '.github/skills': messages.targetGithub,
    '.agents/skills': messages.targetAgents,
  };
  return settingChoice(messages.pickTarget(), TARGETS, readSettings().target, (target) => ({
    label: target,
    description: texts[target](),
  }));
}

/** Reads what was not read yet, one after another, because each may ask. Gives the ids that have tools now. */
async function readAll(ids: readonly string[], { model, logger }: GenerateParts): Promise<readonly string[]> {
  const unread = ids.filter((id) => model.forms(id) === undefined);
  if (unread.length > 0)
    await withProgress('', async (progress, signal) => {
      for (const id of unread) {
        if (signal.aborted) return;
        const name = model.entry(id)?.server.name ?? '';
        progress.report({ message: messages.readingTools(name) });
        await model.readTools(id, signal).catch((error: unknown) => {
          if (!signal.aborted) void tellFailure(name, error, logger);
        });
      }
    });
  return ids.filter((id) => model.forms(id) !== undefined);
}

/**
 * Reads servers one after another, because each may ask; a notification shows which and can cancel. Throws the first
 * OperationError once all were tried.
 */
export async function readWithProgress(ids: readonly string[], model: WorkspaceModel): Promise<void> {
  const failures: unknown[] = [];
  // What is asked about is what the files say now.
  await model.refresh();
  await withProgress('', async (progress, signal) => {
    for (const id of ids) {
      if (signal.aborted) return;
      progress.report({ message: messages.readingTools(model.entry(id)?.server.name ?? '') });
      await model.readTools(id, signal).catch((error: unknown) => {
        if (!signal.aborted) failures.push(error);
      });
    }
  });
  if (failures.length > 0) throw failures[0];
}

/** A refusal is the person's own and needs no message. */
export async function tellFailure(name: string, error: unknown, logger: Logger): Promise<void> {
  if (!OperationError.is(error)) throw error;
  logger.warn(`${name}: ${error.kind}: ${error.message}`);
  if (error.kind === 'consent-needed') return;
  await vscode.window.showErrorMessage(messages.readFailed(name, failureSentence(error)));
}

async function acceptFindings(id: string, { model }: GenerateParts): Promise<boolean> {
  const entry = model.entry(id);
  const forms = model.forms(id);
  if (entry === undefined || forms === undefined) return false;
  if (entry.findingsAccepted) return true;
  const findings = seriousFindings(forms).map(
    ({ kind, message, tool }) =>
      `• ${problemTitle(kind)}${tool === undefined ? '' : ` (${shownText(tool, 60)})`}: ${shownText(problemText(message), 300)}`,
  );
  const isAgreed = await dangerousChoice(
    messages.findingsTitle(entry.server.name),
    findings.join('\n'),
    messages.writeAnyway(),
  );
  if (isAgreed) await model.acceptFindings(id, true);
  return isAgreed;
}

function planAll(
  ids: readonly string[],
  mode: Mode,
  target: Target,
  { model, logger }: GenerateParts,
): Promise<readonly PlannedSkill[]> {
  return withProgress(messages.planning(), async (_progress, signal) => {
    const planned: PlannedSkill[] = [];
    for (const id of ids) {
      if (signal.aborted) return [];
      try {
        planned.push(await model.plan(id, mode, target));
      } catch (error) {
        void tellFailure(model.entry(id)?.server.name ?? '', error, logger);
      }
    }
    return planned;
  });
}

/** Tells of every skill that would lose what a person wrote, and gives the others. */
async function withoutConflicts(
  planned: readonly PlannedSkill[],
  { documents }: GenerateParts,
): Promise<readonly PlannedSkill[]> {
  const isFree = ({ plan }: PlannedSkill): boolean => plan.steps.every((step) => step.kind !== 'conflict');
  for (const one of planned.filter((candidate) => !isFree(candidate))) {
    const files = one.plan.steps.flatMap((step) => (step.kind === 'conflict' ? [step.path] : []));
    const message = messages.conflict(one.skill.name, files.slice(0, 5).join(', '));
    void vscode.window.showWarningMessage(message, messages.showDifference()).then((choice) => {
      if (choice !== undefined) return showPlans([one], documents);
      return undefined;
    });
  }
  return planned.filter(isFree);
}

async function confirmAndWrite(planned: readonly PlannedSkill[], parts: GenerateParts): Promise<void> {
  const { model, documents, logger } = parts;
  const changing = planned.filter(needsChange);
  const same = planned.filter((one) => !needsChange(one));
  if (same.length > 0) void vscode.window.showInformationMessage(messages.unchanged(namesOf(same)));
  const [first] = changing;
  if (first === undefined) return;
  await showPlans(changing, documents);
  const files = changing.reduce((sum, { plan }) => sum + plan.steps.filter((step) => step.kind !== 'keep').length, 0);
  const answer = await vscode.window.showInformationMessage(
    messages.confirmWrite(files, first.target),
    messages.write(),
    messages.cancel(),
  );
  if (answer !== messages.write()) return;
  const written: PlannedSkill[] = [];
  await withProgress(messages.writing(), async (_progress, signal) => {
    for (const one of changing) {
      if (signal.aborted) return;
      try {
        await model.apply(one, signal);
        written.push(one);
      } catch (error) {
        if (!signal.aborted) void tellFailure(one.skill.name, error, logger);
      }
    }
  });
  await tellWritten(written);
}

async function tellWritten(written: readonly PlannedSkill[]): Promise<void> {
  const [first] = written;
  if (first === undefined) return;
  const note = written.some(({ isFirst }) => isFirst) ? ` ${messages.restartNote()}` : '';
  const text = `${messages.written(namesOf(written), first.target)}${note}`;
  if ((await vscode.window.showInformationMessage(text, messages.openSkill())) === undefined) return;
  const file = vscode.Uri.joinPath(vscode.Uri.file(first.plan.root), first.skill.name, 'SKILL.md');
  await vscode.window.showTextDocument(file);
}

function namesOf(planned: readonly PlannedSkill[]): string {
  return planned.map(({ skill }) => skill.name).join(', ');
}

/** Progress in a notification that can be cancelled; the signal follows its button. */
export async function withProgress<T>(
  title: string,
  work: (progress: vscode.Progress<{ readonly message: string }>, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    const controller = new AbortController();
    const listening = token.onCancellationRequested(() => controller.abort());
    try {
      return await work(progress, controller.signal);
    } finally {
      listening.dispose();
    }
  });
}
