/** What VS Code loads: as little as can be, for it is loaded in one turn. It only hands over to the composition. */
import type { ExtensionContext } from 'vscode';
import type { Composition } from './composition.ts';
import { createTurns } from './turns.ts';

let running: Promise<Composition> | undefined;

/** How long it takes is left among the host's own measures, where whoever looks for slow starts will look. */
export async function activate(context: ExtensionContext): Promise<void> {
  running = start(context);
  context.subscriptions.push(await running);
}

async function start(context: ExtensionContext): Promise<Composition> {
  const start = performance.now();
  const turns = createTurns();
  // Each loads in a turn of its own what the next one needs.
  await turns.take(() => import('./messages.ts'));
  const { compose } = await turns.take(() => import('./composition.ts'));
  const composition = await compose(context, turns);
  performance.measure('mochi/activate', { start, duration: turns.spent });
  return composition;
}

/** Waits until no server of ours runs any more. */
export async function deactivate(): Promise<void> {
  const stopping = running;
  running = undefined;
  await (await stopping?.catch(() => undefined))?.stop();
}
