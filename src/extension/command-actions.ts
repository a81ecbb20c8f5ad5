/**
 * What each command does. A command can be called by its name from anywhere, whatever the menus show, so that each
 * says here what it needs, trust first.
 */
import * as vscode from 'vscode';
import { MODES } from '#core/model.ts';
import type { Approvals } from './approval.ts';
import { type CommandId, commandIds, SERVERS_VIEW } from './contributions.ts';
import {
  type GenerateParts,
  type GenerateRequest,
  generateSkill,
  tellFailure,
  withProgress,
} from './generate-command.ts';
import type { InputAnswers } from './input-answers.ts';
import { messages } from './messages.ts';
import { showPlans } from './plan-diff.ts';
import { serverOf } from './servers-view.ts';
import { readSettings } from './settings.ts';
import { checkSkills, type SkillParts, validateSkill } from './skill-commands.ts';

export interface CommandParts extends GenerateParts, SkillParts {
  readonly approvals: Approvals;
  readonly inputs: InputAnswers;
  forgetKey(): PromiseLike<void>;
  showLog(): void;
}

type Action = (...given: unknown[]) => unknown;

export function commandActions(parts: CommandParts): ReadonlyMap<CommandId, Action> {
  const { model } = parts;
  return new Map<CommandId, Action>([
    [commandIds.generateSkill, trusted((given) => generateSkill(requestOf(given), parts))],
    [commandIds.previewSkill, (given) => previewSkill(serverOf(given), parts)],
    [commandIds.checkSkills, () => checkSkills(parts)],
    [commandIds.validateSkill, (given) => validateSkill(given instanceof vscode.Uri ? given : undefined, parts)],
    [commandIds.openPanel, () => vscode.commands.executeCommand(`${SERVERS_VIEW}.focus`)],
    [commandIds.readTools, trusted((given) => readTools(serverOf(given), parts))],
    [commandIds.forgetConsent, (given) => forgetConsent(serverOf(given), parts)],
    [commandIds.refresh, () => model.refresh()],
    [commandIds.showLog, () => parts.showLog()],
  ]);
}

/** Refuses where the workspace is not trusted. */
function trusted(action: Action): Action {
  return async (...given) => {
    if (vscode.workspace.isTrusted) return action(...given);
    const choice = await vscode.window.showWarningMessage(messages.notTrusted(), messages.manageTrust());
    if (choice !== undefined) await vscode.commands.executeCommand('workbench.trust.manage');
    return undefined;
  };
}

/** The panel gives an id and a mode, the tree one of its nodes, a lens an id. */
function requestOf(given: unknown): GenerateRequest {
  const { mode } = { mode: undefined, ...(typeof given === 'object' ? given : {}) };
  return { id: serverOf(given), mode: MODES.find((one) => one === mode) };
}

async function previewSkill(id: string | undefined, parts: CommandParts): Promise<void> {
  const { model, documents } = parts;
  await model.load();
  if (id === undefined) {
    await vscode.commands.executeCommand(commandIds.openPanel);
    return;
  }
  if (model.forms(id) === undefined) await vscode.commands.executeCommand(commandIds.readTools, id);
  if (model.forms(id) === undefined) return;
  const { mode, target } = readSettings();
  await showPlans([await model.plan(id, mode, target)], documents);
}

/** The server that is meant, or one that the person chooses. */
async function readTools(id: string | undefined, { model, logger }: CommandParts): Promise<void> {
  await model.load();
  const wanted = id ?? (await pickServer(model.entries.filter(({ server }) => server.shadowedBy === undefined)));
  const name = wanted === undefined ? undefined : model.entry(wanted)?.server.name;
  if (wanted === undefined || name === undefined) return;
  await withProgress(messages.readingTools(name), async (_progress, signal) => {
    await model.readTools(wanted, signal).catch((error: unknown) => {
      if (!signal.aborted) void tellFailure(name, error, logger);
    });
  });
}

async function pickServer(entries: CommandParts['model']['entries']): Promise<string | undefined> {
  const items = entries.map(({ server }) => ({
    label: server.name.replaceAll('$(', '$ ('),
    description: messages.configuredIn(server.source.display),
    id: server.id,
  }));
  if (items.length === 0) void vscode.window.showInformationMessage(messages.noServers());
  return items.length === 0 ? undefined : (await vscode.window.showQuickPick(items))?.id;
}

async function forgetConsent(id: string | undefined, parts: CommandParts): Promise<void> {
  const { model, approvals, inputs } = parts;
  await model.load();
  const one = id === undefined ? undefined : model.entry(id)?.server;
  if (one !== undefined) await approvals.forget(one);
  else {
    const approved = model.entries.filter((entry) => entry.approved).map(({ server }) => server);
    const items = [
      {
        label: messages.forgetAll(),
        forget: async () => {
          await approvals.forget();
          await inputs.forget();
        },
      },
      { label: messages.forgetKey(), forget: async () => void (await parts.forgetKey()) },
      ...approved.map((server) => ({ label: messages.forgetOne(server.name), forget: () => approvals.forget(server) })),
    ];
    const chosen = await vscode.window.showQuickPick(items, { title: messages.forgetWhat() });
    if (chosen === undefined) return;
    await chosen.forget();
  }
  await model.refresh();
  await vscode.window.showInformationMessage(messages.forgotten());
}
