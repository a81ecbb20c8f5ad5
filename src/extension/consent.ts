/**
 * The questions that stand between a definition and a running server: may it start, and what are its inputs. Nothing
 * here can be answered by a file or a setting; where nobody can be asked, the answer is no.
 */
import * as vscode from 'vscode';
import type { Input, Server } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import type { Definition } from './approval.ts';
import { dangerText, messages } from './messages.ts';
import { shownText } from './shown-text.ts';
import type { VirtualDocuments } from './virtual-documents.ts';

/** Longer commands are offered in an editor too, because a dialog may not scroll. */
const LONG = 600;

export async function askToStart(
  server: Server,
  definition: Definition,
  documents: VirtualDocuments,
  logger: Logger,
): Promise<boolean> {
  if (!vscode.workspace.isTrusted) return false;
  const isProcess = definition.kind === 'process';
  const question = isProcess ? messages.askToStart(server.name) : messages.askToConnect(server.name);
  const yes = isProcess ? messages.start() : messages.connect();
  const detail = [
    isProcess ? messages.willRun() : messages.willReach(),
    '',
    definition.text,
    '',
    ...(definition.dangers.length === 0 ? [] : [messages.lookAt()]),
    ...definition.dangers.map((danger) => `⚠ ${dangerText(danger.kind)}: ${danger.part}`),
    ...(definition.dangers.length === 0 ? [] : ['']),
    messages.configuredIn(server.source.display),
    messages.asksAgain(),
  ].join('\n');
  const choices = [yes, ...(definition.text.length > LONG ? [messages.showCommand()] : [])];
  try {
    for (;;) {
      const choice = await vscode.window.showWarningMessage(question, { modal: true, detail }, ...choices);
      if (choice !== messages.showCommand()) return choice === yes;
      const uri = documents.put(`${messages.commandTitle()}.txt`, `${definition.text.replace(/ {2,}\(/g, '\n(')}\n`);
      await vscode.window.showTextDocument(uri, { preview: true });
    }
  } catch (error) {
    logger.warn(`Nobody could be asked about "${server.name}": ${String(error)}`);
    return false;
  }
}

/** Undefined where the person did not answer. */
export async function askForInput(input: Input, server: Server): Promise<string | undefined> {
  const title = messages.inputTitle(server.name, input.id);
  const prompt = `${shownText(input.description, 400)} ${messages.inputKept()}`.trim();
  if (input.kind === 'pickString') {
    const items = (input.options ?? []).map((value) => ({ label: shownText(value), value }));
    const chosen = await vscode.window.showQuickPick(items, { title, placeHolder: prompt, ignoreFocusOut: true });
    return chosen?.value;
  }
  const value = input.default === undefined || input.password ? {} : { value: input.default };
  return vscode.window.showInputBox({ title, prompt, password: input.password, ignoreFocusOut: true, ...value });
}

/** Undefined where the person gave none. */
export async function askForKey(model: string): Promise<string | undefined> {
  const key = await vscode.window.showInputBox({
    title: messages.keyTitle(),
    prompt: messages.keyPrompt(model),
    password: true,
    ignoreFocusOut: true,
  });
  return key?.trim() || undefined;
}
