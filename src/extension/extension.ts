/** What VS Code loads. It only hands over to the composition; nothing is built, read or decided here. */
import type { ExtensionContext } from 'vscode';
import { type Composition, compose } from './composition.ts';

let running: Composition | undefined;

export function activate(context: ExtensionContext): void {
  running = compose(context);
  context.subscriptions.push(running);
}

/** Waits until no server of ours runs any more. */
export function deactivate(): Promise<void> | undefined {
  const stopping = running?.stop();
  running = undefined;
  return stopping;
}
