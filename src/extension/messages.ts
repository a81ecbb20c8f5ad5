/** Every sentence the extension shows to people, and the only caller of `vscode.l10n.t`. Logs are not its business. */
import * as vscode from 'vscode';

export const messages = {
  /** @param command The command's identifier, as keyboard shortcuts name it. */
  commandFailed: (command: string) => vscode.l10n.t('"{0}" could not be finished. The log says why.', command),
  showLog: () => vscode.l10n.t('Show Log'),
};
