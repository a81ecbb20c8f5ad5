/** What the editor says about Mochi: the status, its menu, questions and answers. Foreign text is made harmless here. */
import * as vscode from 'vscode';
import type { FaultKind } from '#protocol/mochi.ts';
import { counted as count, timeOfDay } from './figures.ts';
import type { MochiStatus } from './mochi-contract.ts';
import { shownText } from './shown-text.ts';

export const mochiMessages = {
  // status
  statusName: () => vscode.l10n.t('Mochi completions'),
  engine: (name: string) => vscode.l10n.t('Engine: {0}', shownText(name)),
  learned: (files: number, tokens: number) =>
    vscode.l10n.t('Learned: {0} files, {1} tokens', count(files), count(tokens)),
  lastSuggestion: (percent: number, ms: number, engine: string) =>
    vscode.l10n.t('Last suggestion: {0} % sure, by {2} in {1} ms', count(percent), count(ms), shownText(engine)),
  confirmed: (names: number) => vscode.l10n.t('The language server confirmed {0} names in it.', count(names)),
  notConfirmed: () => vscode.l10n.t('The language server was not asked about it.'),
  restsOn: (file: string) =>
    vscode.l10n.t('It rests on what was learned of {0} and on the open file.', shownText(file)),
  taken: (shown: number, accepted: number, kept: number) =>
    vscode.l10n.t(
      'Shown {0}, accepted {1}, still there after 30 s {2}. Counted on this machine only.',
      count(shown),
      count(accepted),
      count(kept),
    ),
  clickFor: () => vscode.l10n.t('Click for more.'),

  // menu
  pause: () => vscode.l10n.t('Pause'),
  pauseDetail: () => vscode.l10n.t('Neither suggest nor learn until resumed'),
  resume: () => vscode.l10n.t('Resume'),
  snooze: (minutes: number) => vscode.l10n.t('Snooze for {0} minutes', count(minutes)),
  languageOn: (language: string) => vscode.l10n.t('Suggest in {0}', shownText(language)),
  languageOff: (language: string) => vscode.l10n.t('Do not suggest in {0}', shownText(language)),
  switchOn: () => vscode.l10n.t('Switch completions on'),
  learnNow: () => vscode.l10n.t('Learn the workspace now'),
  restart: () => vscode.l10n.t('Restart Mochi'),
  ask: () => vscode.l10n.t('Ask the domain…'),
  settings: () => vscode.l10n.t('Settings'),

  // learning
  learning: () => vscode.l10n.t('Mochi learns the workspace'),
  large: (folder: string, files: number) =>
    vscode.l10n.t(
      '{0} has {1} files. Should Mochi learn it? It reads them once, on this machine.',
      shownText(folder),
      count(files),
    ),
  wide: (folder: string) =>
    vscode.l10n.t('{0} holds more than one project. Should Mochi learn all of it?', shownText(folder)),
  learn: () => vscode.l10n.t('Learn'),
  notNow: () => vscode.l10n.t('Not Now'),
  noFolder: () => vscode.l10n.t('Open a folder first: Mochi learns folders on a disk.'),

  // asking
  askTitle: () => vscode.l10n.t('Ask the Domain'),
  askPrompt: () => vscode.l10n.t('Where or how is something done in this code base?'),
  askWithSelection: () =>
    vscode.l10n.t('Where or how is something done in this code base? The selection goes with it.'),
  askExample: () => vscode.l10n.t('for example: how are settings read?'),
  suggestTitle: () => vscode.l10n.t('Suggest Pattern'),
  suggestPrompt: () => vscode.l10n.t('What do you want to achieve?'),
  suggestExample: () => vscode.l10n.t('for example: report an error'),
  tooLong: () => vscode.l10n.t('This is too long.'),
  asking: () => vscode.l10n.t('Mochi looks'),
  answerTitle: () => vscode.l10n.t('answer'),
  patternsTitle: () => vscode.l10n.t('patterns'),
  confidence: (percent: number) =>
    vscode.l10n.t('The first place is the right one with a chance of about {0} %', count(percent)),
  answeredBy: (engine: string, ms: number) => vscode.l10n.t('{0}, {1} ms', engine, count(ms)),
  nothing: () => vscode.l10n.t('Mochi found nothing that fits.'),
  partial: () => vscode.l10n.t('The time ran out: this is a part of the answer.'),
  quoted: () => vscode.l10n.t('Quoted from the files of this workspace:'),
  relevance: (percent: number) => vscode.l10n.t('relevance {0} %', count(percent)),
  where: () => vscode.l10n.t('Where:'),

  // a model server
  keyTitle: () => vscode.l10n.t('Key of the model server'),
  keyPrompt: (url: string) =>
    vscode.l10n.t('Sent to {0} only, and kept in the secret storage. Leave it empty to forget it.', shownText(url)),
  noServer: () => vscode.l10n.t('Name the model server in the settings first.'),

  // for chat
  toolInvocation: (title: string, text: string) => `${title}: ${shownText(text, 80)}`,
  toolQuestion: (title: string) => vscode.l10n.t('{0} with Mochi?', title),
  completeTitle: () => vscode.l10n.t('Complete Code'),
  toolDetail: () =>
    vscode.l10n.t('Mochi looks at what it learned of this workspace; quotes of its files become part of the chat.'),

  // for Claude Code
  addTitle: (file: string) => vscode.l10n.t('Add Mochi to {0}?', shownText(file)),
  addDetail: () =>
    vscode.l10n.t(
      'The entry names a program of this machine; others who share the file need their own. Claude Code asks before it uses it.',
    ),
  add: () => vscode.l10n.t('Add'),
  added: (file: string) => vscode.l10n.t('Mochi stands in {0}. Restart Claude Code to use it.', shownText(file)),
  alreadyThere: (file: string) => vscode.l10n.t('Mochi already stands in {0} like this.', shownText(file)),
  unreadable: (file: string) => vscode.l10n.t('{0} cannot be read as JSON. Correct it first.', shownText(file)),
  changedMeanwhile: (file: string) => vscode.l10n.t('{0} changed in the meantime. Try again.', shownText(file)),
};

/** The state in a few words. */
export function statusText(status: MochiStatus): string {
  switch (status.kind) {
    case 'idle':
      return vscode.l10n.t('starts when you type');
    case 'restricted':
      return vscode.l10n.t('off in Restricted Mode');
    case 'off':
      return vscode.l10n.t('switched off in the settings');
    case 'paused':
      return status.until === undefined
        ? vscode.l10n.t('paused')
        : vscode.l10n.t('paused until {0}', timeOfDay(new Date(status.until)));
    case 'waiting':
      return status.reason === 'large'
        ? vscode.l10n.t('large workspace: waits for a yes before it learns')
        : vscode.l10n.t('on battery: learns when plugged in');
    case 'starting':
      return vscode.l10n.t('starting');
    case 'restarting':
      return vscode.l10n.t('starting again');
    case 'learning':
      return status.total === undefined
        ? vscode.l10n.t('learning')
        : vscode.l10n.t('learning: {0} of {1} files', count(status.done ?? 0), count(status.total));
    case 'ready':
      return vscode.l10n.t('ready');
    case 'failed':
      return vscode.l10n.t('failed: {0}', shownText(status.reason, 300));
    default:
      return status satisfies never;
  }
}

/** Why Mochi refused, with what it says itself. */
export function faultText(kind: FaultKind, message: string, remedy: string | undefined): string {
  const said = shownText([message, remedy ?? ''].join(' '), 600).trim();
  switch (kind) {
    case 'invalid':
      return vscode.l10n.t('Mochi does not understand this. {0}', said);
    case 'not-ready':
      return vscode.l10n.t('Mochi is not ready. {0}', said);
    case 'busy':
      return vscode.l10n.t('Mochi is busy. {0}', said);
    case 'timeout':
      return vscode.l10n.t('Mochi was too slow. {0}', said);
    case 'memory':
      return vscode.l10n.t('Mochi would need more memory than it may use. {0}', said);
    case 'failed':
      return vscode.l10n.t('Mochi failed. {0}', said);
    default:
      return kind satisfies never;
  }
}
