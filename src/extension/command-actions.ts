/**
 * What each command does. A command can be called by its name from anywhere, whatever the menus show, so that each
 * says here what it needs, trust first.
 */
import * as vscode from 'vscode';
import { MODES } from '#core/model.ts';
import type { Approvals } from './approval.ts';
import { type CommandId, commandIds } from './contributions.ts';
import {
  type GenerateParts,
  type GenerateRequest,
  generateSkill,
  readWithProgress,
  tellFailure,
} from './generate-command.ts';
import type { InputAnswers } from './input-answers.ts';
import { messages } from './messages.ts';
import { serverOf } from './servers-view.ts';
import { checkSkills, type SkillParts, validateSkill } from './skill-commands.ts';
import { skillUriOf } from './skills-actions.ts';

export interface CommandParts extends GenerateParts, SkillParts {
  readonly approvals: Approvals;
  readonly inputs: InputAnswers;
  forgetKey(): PromiseLike<void>;
  /** Shows the panel, on a server where one is given. */
  openPanel(id?: string): PromiseLike<void>;
  showLog(): void;
}

export type Action = (...given: unknown[]) => unknown;

export function commandActions(parts: CommandParts): ReadonlyMap<CommandId, Action> {
  const { model } = parts;
  return new Map<CommandId, Action>([
    [commandIds.generateSkill, trusted((given) => generateSkill(requestOf(given), parts))],
    [commandIds.previewSkill, (given) => parts.openPanel(serverOf(given))],
    [commandIds.checkSkills, () => checkSkills(parts)],
    [commandIds.validateSkill, (given) => validateSkill(skillUriOf(given), parts)],
    [commandIds.openPanel, () => parts.openPanel()],
    [commandIds.readTools, trusted((given) => readTools(serverOf(given), parts))],
    [commandIds.forgetConsent, (given) => forgetConsent(serverOf(given), parts)],
    [commandIds.refresh, () => model.refresh()],
    [commandIds.showLog, () => parts.showLog()],
  ]);
}

/** Refuses where the workspace is not trusted. */
export function trusted(action: Action): Action {
  return async (...given) => {
    if (vscode.workspace.isTrusted) return action(...given);
    const choice = await vscode.window.showWarningMessage(messages.notTrusted(), messages.manageTrust());
    if (choice !== undefined) await vscode.commands.executeCommand('workbench.trust.manage');
    return undefined;
  };
}

/** The panel gives ids and a mode, the tree one of its nodes, a lens an id. */
function requestOf(given: unknown): GenerateRequest {
  const { mode, ids }: { mode?: unknown; ids?: unknown } = typeof given === 'object' && given !== null ? given : {};
  const one = serverOf(given);
  const several = Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : undefined;
  return { ids: several ?? (one === undefined ? undefined : [one]), mode: MODES.find((known) => known === mode) };
}

/** The server that is meant, or one that the person chooses. */
async function readTools(id: string | undefined, { model, logger }: CommandParts): Promise<void> {
  await model.load();
  const wanted = id ?? (await pickServer(model.entries.filter(({ server }) => server.shadowedBy === undefined)));
  const name = wanted === undefined ? undefined : model.entry(wanted)?.server.name;
  if (wanted === undefined || name === undefined) return;
  await readWithProgress([wanted], model).catch((error: unknown) => tellFailure(name, error, logger));
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
