/** The settings, read when they are needed. What a setting may hold is checked here: files can be edited by hand. */
import * as vscode from 'vscode';
import { MODES, type Mode, type Runtime } from '#core/model.ts';
import { settingIds } from './contributions.ts';
import { TARGETS, type Target } from './workspace-model.ts';

export interface Settings {
  readonly userFiles: boolean;
  readonly mode: Mode;
  readonly target: Target;
  readonly runtime: Runtime | 'auto';
  readonly timeoutMs: number;
  readonly claudeModel: string;
}

export function readSettings(): Settings {
  const value = (id: string): unknown => vscode.workspace.getConfiguration().get(id);
  const seconds = value(settingIds.timeoutSeconds);
  const model = value(settingIds.claudeModel);
  return {
    userFiles: value(settingIds.userFiles) === true,
    mode: oneOf(value(settingIds.mode), MODES, 'lazy'),
    target: oneOf(value(settingIds.target), TARGETS, '.claude/skills'),
    runtime: oneOf<Runtime | 'auto'>(value(settingIds.runtime), ['auto', 'python', 'node'], 'auto'),
    timeoutMs: 1_000 * Math.min(600, Math.max(1, typeof seconds === 'number' ? seconds : 60)),
    claudeModel: typeof model === 'string' && /^[\w.@:-]{1,100}$/.test(model) ? model : DEFAULT_MODEL,
  };
}

const DEFAULT_MODEL = 'claude-opus-5';

function oneOf<T extends string>(value: unknown, allowed: readonly T[], otherwise: T): T {
  return allowed.find((one) => one === value) ?? otherwise;
}
