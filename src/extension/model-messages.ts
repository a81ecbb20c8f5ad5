/** What the editor says when it fetches a model. */
import * as vscode from 'vscode';
import { shownText } from './shown-text.ts';

export const modelMessages = {
  title: () => vscode.l10n.t('Fetch a model?'),
  library: (name: string) =>
    vscode.l10n.t('{0}, which runs models (MIT): about 50 MB, fetched by npm.', shownText(name)),
  model: (name: string, size: string, host: string, licence: string) =>
    vscode.l10n.t(
      '{0}: {1} from {2}, licence {3}, checked by its hash.',
      shownText(name),
      shownText(size),
      shownText(host),
      shownText(licence),
    ),
  into: (folder: string) =>
    vscode.l10n.t('Into {0}. It runs on this machine; nothing is sent anywhere.', shownText(folder)),
  fetch: () => vscode.l10n.t('Fetch'),
  progress: () => vscode.l10n.t('Mochi fetches a model'),
  progressLibrary: () => vscode.l10n.t('what runs it'),
  progressModel: (percent: number) => `${percent} %`,
  done: () => vscode.l10n.t('The model is there, and Mochi uses it.'),
  there: () => vscode.l10n.t('The model is there already, and Mochi uses it.'),
  failed: (message: string, remedy: string) =>
    vscode.l10n.t('The model was not fetched: {0} {1}', shownText(message), shownText(remedy)),
};
