/** The parts about installed skills, built and bound to each other: the view, what can be done in it, the tool for chat. */
import type * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';
import type { CommandId } from './contributions.ts';
import { readSettings } from './settings.ts';
import { skillActions } from './skills-actions.ts';
import { driftOfSkill } from './skills-drift.ts';
import { createSkillsModel } from './skills-model.ts';
import { registerSkillTool } from './skills-tool.ts';
import { createSkillsView } from './skills-view.ts';
import type { Workshop } from './workshop.ts';
import type { WorkspaceModel } from './workspace-model.ts';

export interface SkillsPartsOptions {
  readonly servers: WorkspaceModel;
  readonly log: vscode.LogOutputChannel;
  /** Absolute. */
  readonly home: string;
  workshop(): Promise<Workshop>;
  folders(): readonly string[];
}

export interface SkillsParts extends Disposable {
  readonly actions: ReadonlyMap<CommandId, (...given: unknown[]) => unknown>;
}

export function createSkillsParts({ servers, log, home, workshop, folders }: SkillsPartsOptions): SkillsParts {
  const onFailure = (error: unknown): void =>
    log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  const readsUserFiles = (): boolean => readSettings().userFiles;
  const shelf = async () => (await workshop()).shelf;
  const model = createSkillsModel({
    installed: async (signal) => (await shelf()).installed(signal),
    drift: (skill, signal) => driftOfSkill(skill, { servers, workshop, readsUserFiles }, signal),
    onFailure,
  });
  const view = createSkillsView({ model, folders, home: () => (readsUserFiles() ? home : undefined), onFailure });
  const tool = registerSkillTool(shelf);
  const following = servers.onDidChange(() => void model.recheck().catch(onFailure));
  return {
    actions: skillActions({ model, shelf }),
    dispose() {
      for (const part of [following, tool, view, model]) part.dispose();
    },
  };
}
