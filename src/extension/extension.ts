/** What VS Code loads. It only hands over to the composition; nothing is built, read or decided here. */
import type { ExtensionContext } from 'vscode';
import { compose } from './composition.ts';

export function activate(context: ExtensionContext): void {
  context.subscriptions.push(compose(String(context.extension.packageJSON.version)));
}

/** Everything is let go through the context's subscriptions; VS Code looks for this name all the same. */
export function deactivate(): void {}
