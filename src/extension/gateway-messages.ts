/** What the editor says about the gateway. Foreign text is made harmless here. */
import * as vscode from 'vscode';
import type { GatewayProblem } from '#core/config/behind-gateway.ts';
import type { Mode } from '#core/model.ts';
import { shownText } from './shown-text.ts';

const names = (all: readonly string[]): string => shownText(all.join(', '), 300);

export const gatewayMessages = {
  label: () => vscode.l10n.t('Mochi gateway'),
  useTitle: () => vscode.l10n.t('Put Servers Behind the Gateway'),
  useWhich: () => vscode.l10n.t('Which servers of {0} should the gateway stand for?', '.mcp.json'),
  leaveTitle: () => vscode.l10n.t('Take Servers From Behind the Gateway'),
  leaveWhich: () => vscode.l10n.t('Which servers should stand in {0} again?', '.mcp.json'),
  modeWhich: () => vscode.l10n.t('How should the gateway show their tools?'),
  mode: (mode: Mode): string => {
    switch (mode) {
      case 'lazy':
        return vscode.l10n.t('Names only; an agent asks for what it needs. Costs the least.');
      case 'compact':
        return vscode.l10n.t('All tools, without words that say nothing.');
      case 'normal':
        return vscode.l10n.t('All tools as their servers describe them.');
      default:
        return mode satisfies never;
    }
  },
  none: () => vscode.l10n.t('There are no servers in {0} that could be put behind the gateway.', '.mcp.json'),
  noneBehind: () => vscode.l10n.t('No servers stand behind the gateway in this folder.'),
  unsaved: (file: string) => vscode.l10n.t('{0} has changes that are not saved. Save it first.', shownText(file)),
  notApproved: (all: readonly string[]) => vscode.l10n.t('Not put behind the gateway: {0}', names(all)),
  changesTitle: () => vscode.l10n.t('What Mochi would write'),
  useAsk: (all: readonly string[]) => vscode.l10n.t('Put {0} behind the gateway?', names(all)),
  useDetail: () =>
    vscode.l10n.t(
      'Their entries move from .mcp.json to .mcp.gateway.json, and one entry stands for them. It names a program of this machine; others who share the files need their own.',
    ),
  useYes: () => vscode.l10n.t('Put Behind'),
  renewAsk: () => vscode.l10n.t('Write the entry of the gateway anew?'),
  renewYes: () => vscode.l10n.t('Write'),
  nothingToDo: () => vscode.l10n.t('Both files say this already.'),
  leaveAsk: (all: readonly string[]) => vscode.l10n.t('Take {0} from behind the gateway?', names(all)),
  leaveDetail: () => vscode.l10n.t('Their entries return to where they stood in .mcp.json.'),
  leaveYes: () => vscode.l10n.t('Take Back'),
  used: () =>
    vscode.l10n.t('The gateway stands for the servers. Restart Claude Code; it asks before it uses the new entry.'),
  left: () => vscode.l10n.t('The servers stand in {0} again. Restart Claude Code.', '.mcp.json'),
  undo: () => vscode.l10n.t('Undo'),
  undone: () => vscode.l10n.t('Both files are as they were before.'),
  changedMeanwhile: (file: string) =>
    vscode.l10n.t('{0} changed since, so nothing was written. Try again.', shownText(file)),
  untouchable: (file: string) =>
    vscode.l10n.t('{0} cannot be read or written as a text file of this folder. Nothing was written.', shownText(file)),
};

export function gatewayProblemText(problem: GatewayProblem): string {
  switch (problem.kind) {
    case 'missing':
      return vscode.l10n.t('There is no {0} in this folder.', problem.file);
    case 'unreadable':
      return vscode.l10n.t('{0} is no JSON with each server once. Correct it first.', problem.file);
    case 'unknown':
      return vscode.l10n.t('There is no server "{1}" in {0}.', problem.file, shownText(problem.name));
    case 'taken':
      return vscode.l10n.t(
        '{0} already has a server "{1}". Rename one of the two first.',
        problem.file,
        shownText(problem.name),
      );
    default:
      return problem satisfies never;
  }
}
