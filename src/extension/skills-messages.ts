/** Every sentence of the Skills view and of the tool that loads skills; foreign text in them is made harmless here. */
import * as vscode from 'vscode';
import { counted as count } from './figures.ts';
import { shownText } from './shown-text.ts';

export const skillsMessages = {
  // the view
  fits: (fit: number, all: number) => vscode.l10n.t('{0} of {1} fit', count(fit), count(all)),
  overBudget: (names: readonly string[], limit: number) =>
    vscode.l10n.t(
      'The listing has room for {0} characters. Listed by name only: {1}',
      count(limit),
      shownText(names.join(', '), 400),
    ),
  readByNobody: () => vscode.l10n.t('read by no client'),
  plugin: (name: string) => vscode.l10n.t('plugin {0}', shownText(name)),
  cost: (listing: number, body: number) => vscode.l10n.t('{0} + {1} tokens', count(listing), count(body)),
  costOfManual: (body: number) => vscode.l10n.t('not offered · {0} tokens', count(body)),
  costElsewhere: (body: number) => vscode.l10n.t('not read by Claude Code · {0} tokens', count(body)),
  costMeaning: (tokenizer: string) =>
    vscode.l10n.t('Tokens in every session, and once it is loaded, counted by {0}', tokenizer),
  problems: (problems: number) => vscode.l10n.t('{0} problems', count(problems)),
  collides: () => vscode.l10n.t('hidden by another of the same name'),
  isNamedOnly: () => vscode.l10n.t('listed by name only'),
  madeFor: (server: string) => vscode.l10n.t('Generated for the server "{0}"', shownText(server)),

  // deleting
  askToDelete: (skill: string) => vscode.l10n.t('Delete the skill "{0}"?', shownText(skill)),
  deleteDetail: (folder: string, files: number) =>
    vscode.l10n.t(
      '{0}, with {1} files. They are moved to the trash where there is one.',
      shownText(folder),
      count(files),
    ),
  delete: () => vscode.l10n.t('Delete Skill'),
  askForGood: (skill: string) =>
    vscode.l10n.t('There is no trash here. Delete the skill "{0}" for good?', shownText(skill)),
  deleteForGood: () => vscode.l10n.t('Delete for Good'),
  deleted: (skill: string) => vscode.l10n.t('The skill "{0}" was deleted.', shownText(skill)),
  notDeleted: (skill: string, why: string) =>
    vscode.l10n.t('The skill "{0}" was not deleted. {1}', shownText(skill), shownText(why, 400)),
  belongsToPlugin: () => vscode.l10n.t('It belongs to a plugin: remove the plugin where it was installed.'),
  pickSkill: () => vscode.l10n.t('Which skill?'),

  // the tool
  loading: (skill: string) => vscode.l10n.t('Loading the skill "{0}"', shownText(skill, 64)),
};
