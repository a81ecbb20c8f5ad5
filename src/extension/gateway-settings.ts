/** The settings of the gateway as they hold for a folder. What a file may hold is checked here, as in `settings.ts`. */
import * as vscode from 'vscode';
import { MODES, type Mode } from '#core/model.ts';
import { settingIds } from './contributions.ts';

export interface GatewaySettings {
  /** Whether the editor's own clients are told of the gateway. */
  readonly enabled: boolean;
  readonly mode: Mode;
}

export function readGatewaySettings(folder: vscode.Uri): GatewaySettings {
  const value = (id: string): unknown => vscode.workspace.getConfiguration(undefined, folder).get(id);
  const mode = value(settingIds.gatewayMode);
  return {
    enabled: value(settingIds.gatewayEnabled) === true,
    mode: MODES.find((one) => one === mode) ?? 'lazy',
  };
}
