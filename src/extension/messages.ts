/**
 * Every sentence the extension shows to people, and the only caller of `vscode.l10n.t`. Foreign text that goes into a
 * sentence is made harmless here. Logs are not its business.
 */
import * as vscode from 'vscode';
import type { DangerKind } from '#core/command-text.ts';
import type { Mode } from '#core/model.ts';
import type { OperationError, OperationErrorKind, ProblemKind } from '#core/problem.ts';
import { settingIds } from './contributions.ts';
import { counted as count } from './figures.ts';
import { shownText } from './shown-text.ts';

export const messages = {
  /** @param command The command's identifier, as keyboard shortcuts name it. */
  commandFailed: (command: string) => vscode.l10n.t('"{0}" could not be finished. The log says why.', command),
  showLog: () => vscode.l10n.t('Show Log'),
  cancel: () => vscode.l10n.t('Cancel'),

  // trust and consent
  notTrusted: () => vscode.l10n.t('This workspace is in Restricted Mode: Mochi starts no server and writes nothing.'),
  manageTrust: () => vscode.l10n.t('Manage Workspace Trust'),
  askToStart: (server: string) => vscode.l10n.t('Start the MCP server "{0}" and read its tools?', shownText(server)),
  askToConnect: (server: string) =>
    vscode.l10n.t('Connect to the MCP server "{0}" and read its tools?', shownText(server)),
  willRun: () => vscode.l10n.t('This runs on your machine, with your rights:'),
  willReach: () => vscode.l10n.t('This address is contacted:'),
  configuredIn: (source: string) => vscode.l10n.t('Configured in {0}', shownText(source)),
  lookAt: () => vscode.l10n.t('Look at this before you agree:'),
  asksAgain: () => vscode.l10n.t('Mochi asks again when anything in the definition changes.'),
  start: () => vscode.l10n.t('Start'),
  connect: () => vscode.l10n.t('Connect'),
  showCommand: () => vscode.l10n.t('Show Whole Command'),
  commandTitle: () => vscode.l10n.t('command'),
  inputTitle: (server: string, input: string) =>
    vscode.l10n.t('"{0}" needs {1}', shownText(server), shownText(input, 60)),
  inputKept: () => vscode.l10n.t('Kept in the secret storage, for this workspace only.'),
  forgetWhat: () => vscode.l10n.t('What should Mochi forget?'),
  forgetAll: () => vscode.l10n.t('All approvals and all answers to inputs'),
  forgetOne: (server: string) => vscode.l10n.t('The approval of "{0}"', shownText(server)),
  forgetKey: () => vscode.l10n.t('The Anthropic key'),
  forgotten: () => vscode.l10n.t('Forgotten. Mochi will ask again.'),
  keyTitle: () => vscode.l10n.t('Anthropic API key'),
  keyPrompt: (model: string) =>
    vscode.l10n.t(
      'Texts of the skill are sent to Anthropic to be counted for {0}. The key is kept in the secret storage.',
      shownText(model),
    ),
  keyRefused: () => vscode.l10n.t('Anthropic refused the key, so it was forgotten. Count again to give another one.'),
  countUnreachable: () =>
    vscode.l10n.t('Anthropic cannot be reached. The estimate stays; look at the network and count again.'),
  countLate: () => vscode.l10n.t('Anthropic did not answer in time. The estimate stays; count again later.'),
  countBusy: () => vscode.l10n.t('Anthropic takes no more questions now. The estimate stays; count again later.'),
  noCount: (model: string, setting: string) =>
    vscode.l10n.t(
      'Anthropic gave no count for {0}. The estimate stays; look at the setting {1}.',
      shownText(model),
      setting,
    ),

  // servers view
  toolsAndTokens: (tools: number, tokens: number) =>
    vscode.l10n.t('{0} tools · {1} tokens', count(tools), count(tokens)),
  countedBy: (tokenizer: string) => vscode.l10n.t('Tokens of its definitions, counted by {0}', tokenizer),
  tokens: (tokens: number) => vscode.l10n.t('{0} tokens', count(tokens)),
  notRead: () => vscode.l10n.t('not read yet'),
  notReadButApproved: () => vscode.l10n.t('not read yet · allowed'),
  reading: () => vscode.l10n.t('reading…'),
  failed: () => vscode.l10n.t('failed'),
  disabled: () => vscode.l10n.t('disabled'),
  shadowed: () => vscode.l10n.t('hidden by another of the same name'),
  approved: () => vscode.l10n.t('You let this definition run before.'),
  notApproved: () => vscode.l10n.t('Mochi asks before it starts this server.'),
  error: () => vscode.l10n.t('Error'),
  warning: () => vscode.l10n.t('Warning'),
  leftOut: () => vscode.l10n.t('left out'),
  needsLook: () => vscode.l10n.t('Its texts have findings that need a look.'),
  fromRecord: () => vscode.l10n.t('As recorded the last time.'),
  previewLens: () => vscode.l10n.t('Preview skill'),
  previewLensRead: (tools: number, tokens: number) =>
    vscode.l10n.t('Preview skill · {0} tools · {1} tokens', count(tools), count(tokens)),

  // generating
  pickServers: () => vscode.l10n.t('Which servers should become skills?'),
  noServers: () => vscode.l10n.t('No MCP servers are configured here.'),
  lookAtHome: () => vscode.l10n.t('Read the Home Folder Too'),
  noFolder: () => vscode.l10n.t('Open a folder first: skills are written into it.'),
  pickMode: () => vscode.l10n.t('Which form should the skill take?'),
  pickTarget: () => vscode.l10n.t('Where should the skill be written?'),
  isDefault: () => vscode.l10n.t('default'),
  targetClaude: () => vscode.l10n.t('Read by Claude Code, VS Code and Copilot'),
  targetGithub: () => vscode.l10n.t('Read by VS Code and Copilot'),
  targetAgents: () => vscode.l10n.t('Read by clients that share one folder'),
  readingTools: (server: string) => vscode.l10n.t('Reading the tools of {0}', shownText(server)),
  counting: () => vscode.l10n.t('Counting with Anthropic'),
  planning: () => vscode.l10n.t('Planning'),
  writing: () => vscode.l10n.t('Writing'),
  readFailed: (server: string, why: string) => `${shownText(server)}: ${shownText(why, 600)}`,
  findingsTitle: (server: string) =>
    vscode.l10n.t('The texts of "{0}" need a look. Write the skill all the same?', shownText(server)),
  writeAnyway: () => vscode.l10n.t('Write All the Same'),
  planTitle: () => vscode.l10n.t('What Mochi would write'),
  confirmWrite: (files: number, folder: string) =>
    vscode.l10n.t('Write {0} files into {1}?', count(files), shownText(folder)),
  write: () => vscode.l10n.t('Write'),
  conflict: (skill: string, files: string) =>
    vscode.l10n.t('{0} was not written: what a person wrote in {1} would be lost.', shownText(skill), shownText(files)),
  showDifference: () => vscode.l10n.t('Show Difference'),
  unchanged: (skills: string) => vscode.l10n.t('Nothing to write: {0} is up to date.', shownText(skills)),
  written: (skills: string, folder: string) =>
    vscode.l10n.t('Wrote {0} into {1}.', shownText(skills), shownText(folder)),
  restartNote: () => vscode.l10n.t('The skills folder is new: Claude Code sees it after a restart.'),
  openSkill: () => vscode.l10n.t('Open SKILL.md'),

  // checking
  checking: () => vscode.l10n.t('Checking skills'),
  noSkills: () => vscode.l10n.t('There are no skills of ours in this workspace.'),
  noSkillsAtAll: () => vscode.l10n.t('There are no skills in this workspace.'),
  checkTitle: () => vscode.l10n.t('Skills and their servers: choose one to write it anew'),
  upToDate: () => vscode.l10n.t('up to date'),
  drifted: (added: number, removed: number, changed: number) =>
    vscode.l10n.t('out of date: {0} tools new, {1} gone, {2} changed', count(added), count(removed), count(changed)),
  redefined: () => vscode.l10n.t("out of date: the server's definition changed"),
  serverGone: (server: string) => vscode.l10n.t('its server "{0}" is no longer configured', shownText(server)),
  toolsUnread: () => vscode.l10n.t('unknown: the tools of its server were not read'),
  pickSkill: () => vscode.l10n.t('Which skill should be validated?'),
  valid: (skill: string) => vscode.l10n.t('{0} is valid.', shownText(skill)),
  invalid: (skill: string, problems: number) =>
    vscode.l10n.t('{0} has {1} problems. They are listed in the Problems view.', shownText(skill), count(problems)),

  // quick fixes
  renameKey: (from: string, to: string) => vscode.l10n.t('Rename `{0}` to `{1}`', from, to),
  removeComments: () => vscode.l10n.t('Remove comments and trailing commas'),
};

export function modeText(mode: Mode): { readonly label: string; readonly description: string } {
  switch (mode) {
    case 'normal':
      return { label: vscode.l10n.t('Normal'), description: vscode.l10n.t('Everything in SKILL.md') };
    case 'lazy':
      return { label: vscode.l10n.t('Lazy'), description: vscode.l10n.t('An index; details are read when needed') };
    case 'compact':
      return { label: vscode.l10n.t('Compact'), description: vscode.l10n.t('Everything in SKILL.md, shortened') };
    default:
      return mode satisfies never;
  }
}

/** Why a part of a command is dangerous. */
export function dangerText(kind: DangerKind): string {
  switch (kind) {
    case 'shell':
      return vscode.l10n.t('runs a shell');
    case 'superuser':
      return vscode.l10n.t('asks for administrator rights');
    case 'deletes':
      return vscode.l10n.t('deletes files');
    case 'downloads':
      return vscode.l10n.t('uses the network');
    case 'encoded':
      return vscode.l10n.t('hides what it runs by encoding it');
    case 'preload':
      return vscode.l10n.t('loads other code into the program');
    case 'hidden':
      return vscode.l10n.t('holds characters that cannot be seen');
    case 'long':
      return vscode.l10n.t('is very long');
    case 'plain-http':
      return vscode.l10n.t('is not encrypted');
    default:
      return kind satisfies never;
  }
}

/** What went wrong with an operation, in a few words. */
export function failureText(kind: OperationErrorKind): string {
  switch (kind) {
    case 'not-found':
      return vscode.l10n.t('The program or file was not found.');
    case 'crashed':
      return vscode.l10n.t('The server ended unexpectedly.');
    case 'auth-needed':
      return vscode.l10n.t('The server wants a sign-in.');
    case 'timeout':
      return vscode.l10n.t('The server did not answer in time.');
    case 'protocol':
      return vscode.l10n.t('The server does not keep to the protocol.');
    case 'unreachable':
      return vscode.l10n.t('The server cannot be reached.');
    case 'consent-needed':
      return vscode.l10n.t('It was not allowed.');
    case 'unresolved-variable':
      return vscode.l10n.t('A variable of the definition has no value.');
    case 'outside-root':
      return vscode.l10n.t('The path leads out of the workspace folder.');
    case 'conflict':
      return vscode.l10n.t('Something changed in the meantime.');
    case 'io':
      return vscode.l10n.t('A file could not be read or written.');
    case 'usage':
      return vscode.l10n.t('This cannot be done now.');
    default:
      return kind satisfies never;
  }
}

/** What went wrong, with what the one who noticed says about it, in English. */
export function failureSentence(error: OperationError): string {
  return shownText([failureText(error.kind), error.message, error.remedy ?? ''].join(' '), 800).trim();
}

let saysProblem = (english: string): string => english;

/** How sentences of problems are said; known once the part is loaded that finds problems. */
export function teachProblems(say: (english: string) => string): void {
  saysProblem = say;
}

/** A sentence of a problem, its message or its remedy, in the person's language. */
export function problemText(english: string): string {
  return saysProblem(english);
}

/** Why there is no exact count, and what to do. */
export function countFailure(error: OperationError, model: string): string {
  switch (error.kind) {
    case 'auth-needed':
      return messages.keyRefused();
    case 'unreachable':
      return messages.countUnreachable();
    case 'timeout':
      return messages.countLate();
    case 'conflict':
      return messages.countBusy();
    case 'protocol':
      return messages.noCount(model, settingIds.claudeModel);
    default:
      return failureSentence(error);
  }
}

/** The heading of a problem; its message is the detail. */
export function problemTitle(kind: ProblemKind): string {
  switch (kind) {
    case 'config-syntax':
      return vscode.l10n.t('Syntax error');
    case 'config-encoding':
      return vscode.l10n.t('Encoding');
    case 'config-too-large':
      return vscode.l10n.t('Too large');
    case 'config-too-deep':
      return vscode.l10n.t('Nested too deeply');
    case 'config-unreadable':
      return vscode.l10n.t('Unreadable file');
    case 'config-wrong-root':
      return vscode.l10n.t('Wrong key');
    case 'config-comment':
      return vscode.l10n.t('Comment or trailing comma');
    case 'entry-invalid':
      return vscode.l10n.t('Invalid server entry');
    case 'entry-unsupported':
      return vscode.l10n.t('Not supported');
    case 'entry-duplicate':
      return vscode.l10n.t('Named twice');
    case 'entry-shadowed':
      return vscode.l10n.t('Hidden by another server');
    case 'entry-name':
      return vscode.l10n.t('Server name');
    case 'variable-unknown':
      return vscode.l10n.t('Unknown variable');
    case 'package-unpinned':
      return vscode.l10n.t('Package without a version');
    case 'tool-invalid':
      return vscode.l10n.t('Invalid tool');
    case 'tool-duplicate':
      return vscode.l10n.t('Tool named twice');
    case 'catalog-invalid':
      return vscode.l10n.t('Invalid tool catalog');
    case 'catalog-match':
      return vscode.l10n.t('No matching tool catalog');
    case 'catalog-truncated':
      return vscode.l10n.t('Incomplete tool catalog');
    case 'catalog-paging':
      return vscode.l10n.t('Paging of the tool catalog');
    case 'skill-name':
      return vscode.l10n.t('Skill name');
    case 'skill-collision':
      return vscode.l10n.t('Skills of the same name');
    case 'skill-invalid':
      return vscode.l10n.t('Invalid skill');
    case 'skill-large':
      return vscode.l10n.t('Large skill');
    case 'description-shortened':
      return vscode.l10n.t('Description shortened');
    case 'schema-lossy':
      return vscode.l10n.t('Schema shortened');
    case 'path-neutralised':
      return vscode.l10n.t('Path of this machine removed');
    case 'secret':
      return vscode.l10n.t('Secret');
    case 'poisoned':
      return vscode.l10n.t('Instructions to the model');
    case 'shadowing':
      return vscode.l10n.t('Speaks of another server');
    case 'hidden-unicode':
      return vscode.l10n.t('Hidden characters');
    case 'suspicious-url':
      return vscode.l10n.t('Suspicious address');
    case 'plan-conflict':
      return vscode.l10n.t('Would be lost');
    case 'drift':
      return vscode.l10n.t('Out of date');
    default:
      return kind satisfies never;
  }
}
