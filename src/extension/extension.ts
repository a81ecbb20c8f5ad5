/** What VS Code loads. It only hands over to the composition; nothing is built, read or decided here. */
import type { ExtensionContext } from 'vscode';
import { type Composition, compose } from './composition.ts';

let running: Composition | undefined;

/** How long it takes is left among the host's own measures, where whoever looks for slow starts will look. */
export function activate(context: ExtensionContext): void {
  const start = performance.now();
  running = compose(context);
  context.subscriptions.push(running);
  performance.measure('mochi/activate', { start });
}

/** Waits until no server of ours runs any more. */
export function deactivate(): Promise<void> | undefined {
  const stopping = running?.stop();
  running = undefined;
  return stopping;
}
