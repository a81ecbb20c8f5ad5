/**
 * The one place where Mochi shows itself unasked: an item in the status bar, quiet whatever happens, with what is known
 * in its hover and what can be done in its menu.
 */
import * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';
import type { Counts } from '#node/acceptance-counts.ts';
import { commandIds, settingIds } from './contributions.ts';
import { messages as shared } from './messages.ts';
import type { MochiStatus } from './mochi-contract.ts';
import type { FullHost } from './mochi-host.ts';
import { mochiMessages as messages, statusText } from './mochi-messages.ts';
import { readCompletionSettings } from './mochi-settings.ts';
import type { Witness } from './mochi-witness.ts';

export interface StatusParts {
  readonly host: FullHost;
  readonly witness: Witness;
  /** How suggestions for a folder were taken so far; undefined before anything was counted. */
  acceptance(folder: string): Counts | undefined;
}

export function createStatusItem({ host, witness, acceptance }: StatusParts): Disposable {
  const item = vscode.window.createStatusBarItem('mochi.status', vscode.StatusBarAlignment.Right, 0);
  item.name = messages.statusName();
  item.command = commandIds.showStatus;
  const show = (): void => {
    const { status } = host;
    const percent = percentOf(status);
    item.text = `${iconOf(status)} Mochi${percent === undefined ? '' : ` ${percent} %`}`;
    item.tooltip = hoverOf(status, { host, witness, acceptance });
    item.accessibilityInformation = { label: `Mochi: ${statusText(status)}`, role: 'button' };
    item.backgroundColor =
      status.kind === 'failed' ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.show();
  };
  let waiting: NodeJS.Timeout | undefined;
  /** Once for all that happens in a turn, and never in the turn in which a suggestion is made or a window opens. */
  const showSoon = (): void => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      show();
    });
  };
  showSoon();
  const following = [host.onDidChangeStatus(showSoon), witness.onDidHappen(showSoon)];
  return {
    dispose() {
      clearTimeout(waiting);
      for (const one of following) one.dispose();
      item.dispose();
    },
  };
}

function percentOf(status: MochiStatus): number | undefined {
  if (status.kind !== 'learning' || status.total === undefined || status.total === 0) return undefined;
  return Math.min(100, Math.floor((100 * (status.done ?? 0)) / status.total));
}

function iconOf({ kind }: MochiStatus): string {
  switch (kind) {
    case 'idle':
    case 'ready':
      return '$(sparkle)';
    case 'starting':
    case 'restarting':
    case 'learning':
      return '$(sync~spin)';
    case 'paused':
      return '$(debug-pause)';
    case 'waiting':
      return '$(question)';
    case 'off':
    case 'restricted':
      return '$(circle-slash)';
    case 'failed':
      return '$(warning)';
    default:
      return kind satisfies never;
  }
}

function hoverOf(status: MochiStatus, { host, witness, acceptance }: StatusParts): vscode.MarkdownString {
  // Neither trusted nor with HTML: engines and folders are named by others.
  const hover = new vscode.MarkdownString();
  const say = (text: string): void => void hover.appendText(text).appendMarkdown('\n\n');
  say(`Mochi: ${statusText(status)}`);
  const state = host.folders.find(({ folder }) => folder === host.lastFolder);
  const stats = state?.stats;
  if (stats !== undefined) {
    say(messages.engine(stats.engine));
    if (stats.files !== undefined && stats.tokens !== undefined) say(messages.learned(stats.files, stats.tokens));
  }
  const { last } = witness;
  if (last !== undefined) {
    const { confidence, latencyMs, engine, confirmed } = last;
    say(messages.lastSuggestion(Math.round(confidence * 100), Math.round(latencyMs), engine));
    if (state !== undefined) say(messages.restsOn(state.folder.split(/[/\\]/).at(-1) ?? ''));
    say(confirmed === undefined ? messages.notConfirmed() : messages.confirmed(confirmed));
  }
  const taken = state === undefined ? undefined : acceptance(state.folder);
  if (taken !== undefined) {
    say(messages.taken(taken.shown, taken.accepted, taken.kept));
  }
  say(messages.clickFor());
  return hover;
}

/** What can be done now, as a menu; the commands do it. */
export async function showStatusMenu(host: FullHost): Promise<void> {
  const { status } = host;
  const editor = vscode.window.activeTextEditor;
  const language = editor?.document.languageId;
  const entry = (icon: string, label: string, command: string, ...args: readonly unknown[]) => ({
    label: `$(${icon}) ${label}`,
    run: () => vscode.commands.executeCommand(command, ...args),
  });
  const isWanted = language !== undefined && readCompletionSettings(editor?.document.uri).isWanted(language);
  const toggle = isWanted ? messages.languageOff : messages.languageOn;
  const items = [
    ...(status.kind === 'paused'
      ? [entry('play', messages.resume(), commandIds.resumeCompletions)]
      : [
          {
            ...entry('debug-pause', messages.pause(), commandIds.pauseCompletions),
            description: messages.pauseDetail(),
          },
          ...[10, 60].map((minutes) =>
            entry('bell-slash', messages.snooze(minutes), commandIds.snoozeCompletions, minutes),
          ),
        ]),
    ...(status.kind === 'off' ? [entry('check', messages.switchOn(), commandIds.resumeCompletions)] : []),
    ...(language === undefined
      ? []
      : [entry(isWanted ? 'circle-slash' : 'check', toggle(language), commandIds.toggleLanguage)]),
    entry('book', messages.learnNow(), commandIds.learnWorkspace),
    entry('debug-restart', messages.restart(), commandIds.restartServer),
    entry('comment', messages.ask(), commandIds.askDomain),
    entry('output', shared.showLog(), commandIds.showLog),
    entry('gear', messages.settings(), 'workbench.action.openSettings', 'mochi.completions'),
  ];
  const title = `Mochi: ${statusText(status)}`;
  const chosen = await vscode.window.showQuickPick(items, { title });
  await chosen?.run();
}

/** Turns suggestions in the language of the open file on or off, in the person's own settings. */
export async function toggleLanguage(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document === undefined) return;
  const isWanted = readCompletionSettings(document.uri).isWanted(document.languageId);
  const configuration = vscode.workspace.getConfiguration();
  const own: unknown = configuration.inspect(settingIds.completionsLanguages)?.globalValue;
  const before = typeof own === 'object' && own !== null ? own : {};
  await configuration.update(
    settingIds.completionsLanguages,
    { ...before, [document.languageId]: !isWanted },
    vscode.ConfigurationTarget.Global,
  );
}
