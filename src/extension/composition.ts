/**
 * The one place where the extension's parts are built and bound to each other. Building them starts no process, opens
 * no socket and reads no file.
 */
import * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';
import { type CommandId, commandIds } from './contributions.ts';
import { messages } from './messages.ts';

/**
 * Builds everything; disposing of the result lets go of everything, the last built first.
 * @param version The extension's own, for the log.
 */
export function compose(version: string): Disposable {
  const owned: Disposable[] = [];
  const own = <T extends Disposable>(part: T): T => {
    owned.push(part);
    return part;
  };

  const log = own(vscode.window.createOutputChannel('Mochi', { log: true }));
  const commands: Record<CommandId, () => unknown> = {
    [commandIds.showLog]: () => log.show(),
  };
  for (const [id, run] of Object.entries(commands))
    own(vscode.commands.registerCommand(id, () => reportingFailure(id, run, log)));

  log.info(`Mochi ${version} is active`);
  return {
    dispose: () =>
      owned
        .splice(0)
        .reverse()
        .forEach((part) => void part.dispose()),
  };
}

/** Runs a command. A failure goes to the log in full, and to the person as one sentence that leads there. */
async function reportingFailure(id: string, run: () => unknown, log: vscode.LogOutputChannel): Promise<unknown> {
  try {
    return await run();
  } catch (error) {
    log.error(`${id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    const choice = await vscode.window.showErrorMessage(messages.commandFailed(id), messages.showLog());
    if (choice !== undefined) log.show();
    return undefined;
  }
}
