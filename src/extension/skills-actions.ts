/**
 * What can be done with an installed skill: opened, shown where it lies, deleted. Deleting asks, takes only what lies
 * in its own place, prefers the trash, and does not happen in Restricted Mode.
 */
import * as vscode from 'vscode';
import { OperationError } from '#core/problem.ts';
import type { InstalledSkill } from '#core/skill/library.ts';
import { type CommandId, commandIds } from './contributions.ts';
import { messages, problemText } from './messages.ts';
import { shownText } from './shown-text.ts';
import { skillsMessages } from './skills-messages.ts';
import type { SkillsModel } from './skills-model.ts';
import type { SkillsShelf } from './skills-shelf.ts';

export interface SkillActionParts {
  readonly model: SkillsModel;
  shelf(): Promise<Pick<SkillsShelf, 'checkRemovable'>>;
}

/** Each works from the tree and from the palette, where it asks which skill is meant. */
export function skillActions(parts: SkillActionParts): ReadonlyMap<CommandId, (...given: unknown[]) => unknown> {
  const { model } = parts;
  return new Map<CommandId, (given: unknown) => unknown>([
    [commandIds.refreshSkills, () => model.refresh()],
    [commandIds.openSkill, withSkill(parts, ({ path }) => open(path))],
    [commandIds.revealSkill, withSkill(parts, ({ folder }) => reveal(vscode.Uri.file(folder)))],
    [commandIds.deleteSkill, withSkill(parts, (skill) => deleteSkill(skill, parts), true)],
  ]);
}

/** The folder of the skill that a command was called for from the tree, or the address it was given. */
export function skillUriOf(given: unknown): vscode.Uri | undefined {
  if (given instanceof vscode.Uri) return given;
  const path = pathIn(given);
  return path === undefined ? undefined : vscode.Uri.file(path);
}

/** The path of SKILL.md in a node of the tree. Others may call the commands too, with anything. */
function pathIn(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { kind, id } = { kind: undefined, id: undefined, ...given };
  return kind === 'skill' && typeof id === 'string' ? id : undefined;
}

/** Only skills that the model knows are acted on, whatever a caller gives. */
function withSkill(
  parts: SkillActionParts,
  act: (skill: InstalledSkill) => unknown,
  needsTrust = false,
): (given: unknown) => unknown {
  return async (given) => {
    if (needsTrust && !vscode.workspace.isTrusted) {
      const choice = await vscode.window.showWarningMessage(messages.notTrusted(), messages.manageTrust());
      if (choice !== undefined) await vscode.commands.executeCommand('workbench.trust.manage');
      return;
    }
    await parts.model.load();
    const known = parts.model.skills?.library.skills ?? [];
    const path = pathIn(given);
    const skill = path === undefined ? await pick(known) : known.find((one) => one.path === path);
    if (skill !== undefined) await act(skill);
  };
}

async function pick(skills: readonly InstalledSkill[]): Promise<InstalledSkill | undefined> {
  if (skills.length === 0) {
    await vscode.window.showInformationMessage(messages.noSkillsAtAll());
    return undefined;
  }
  const items = skills.map((skill) => ({
    label: shownText(skill.name || skill.folderName),
    description: shownText(skill.root.display),
    skill,
  }));
  const title = skillsMessages.pickSkill();
  return (await vscode.window.showQuickPick(items, { title, placeHolder: title }))?.skill;
}

async function open(path: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path));
}

/** In the explorer where the folder is part of the workspace, else in the system's. */
async function reveal(folder: vscode.Uri): Promise<void> {
  const isOurs = vscode.workspace.getWorkspaceFolder(folder) !== undefined;
  await vscode.commands.executeCommand(isOurs ? 'revealInExplorer' : 'revealFileInOS', folder);
}

async function deleteSkill(skill: InstalledSkill, { model, shelf }: SkillActionParts): Promise<void> {
  const name = skill.name || skill.folderName;
  if (skill.root.plugin !== undefined) return refuse(name, skillsMessages.belongsToPlugin());
  const check = async (): Promise<boolean> => {
    try {
      await (await shelf()).checkRemovable(skill);
      return true;
    } catch (error) {
      if (!OperationError.is(error)) throw error;
      refuse(name, `${problemText(error.message)} ${problemText(error.remedy ?? '')}`.trim());
      return false;
    }
  };
  if (!(await check())) return;
  const detail = skillsMessages.deleteDetail(skill.folder, skill.files.length + 1);
  const yes = skillsMessages.delete();
  if ((await vscode.window.showWarningMessage(skillsMessages.askToDelete(name), { modal: true, detail }, yes)) !== yes)
    return;
  // The person took time to answer; what lies there may be another folder now.
  if (!(await check())) return;
  if (await remove(vscode.Uri.file(skill.folder), name)) {
    await model.refresh();
    void vscode.window.showInformationMessage(skillsMessages.deleted(name));
  }
}

/** Into the trash, else for good after another yes. */
async function remove(folder: vscode.Uri, name: string): Promise<boolean> {
  try {
    await vscode.workspace.fs.delete(folder, { recursive: true, useTrash: true });
    return true;
  } catch (error) {
    const isThere = await Promise.resolve(vscode.workspace.fs.stat(folder)).then(
      () => true,
      () => false,
    );
    if (!isThere) throw error;
  }
  const forGood = skillsMessages.deleteForGood();
  const answer = await vscode.window.showWarningMessage(skillsMessages.askForGood(name), { modal: true }, forGood);
  if (answer !== forGood) return false;
  await vscode.workspace.fs.delete(folder, { recursive: true, useTrash: false });
  return true;
}

function refuse(name: string, why: string): void {
  void vscode.window.showWarningMessage(skillsMessages.notDeleted(name, why));
}
