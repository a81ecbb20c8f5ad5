/**
 * Puts servers of `.mcp.json` behind the gateway and takes them back. Each server is agreed to as before a start, both
 * files are shown as a difference, and they are written after a yes, if they are still what was shown. Starts nothing.
 */
import * as vscode from 'vscode';
import type { GatewayChange, GatewayFiles } from '#core/config/behind-gateway.ts';
import { CONFIG_FILE, GATEWAY_FILE } from '#core/config/gateway-files.ts';
import { MODES, type Mode, type Server } from '#core/model.ts';
import { OperationError } from '#core/problem.ts';
import type { Definition } from './approval.ts';
import { askToStart } from './consent.ts';
import type { GatewayDesk } from './gateway-desk.ts';
import { gatewayProblemText, gatewayMessages as messages } from './gateway-messages.ts';
import { readGatewaySettings } from './gateway-settings.ts';
import { folderToAsk } from './mochi-ask.ts';
import type { VirtualDocuments } from './virtual-documents.ts';

export interface GatewayCommandParts {
  readonly log: vscode.LogOutputChannel;
  readonly documents: VirtualDocuments;
  /** `dist/mochi-gateway.mjs`, absolute. */
  readonly program: string;
  desk(): Promise<GatewayDesk>;
}

export async function useGateway(parts: GatewayCommandParts): Promise<void> {
  const place = await placeOf(parts);
  if (place === undefined) return;
  const { desk, folder, files } = place;
  const all = files.config === undefined ? [] : desk.inFront(files.config);
  if (all === undefined) return warn(gatewayProblemText({ kind: 'unreadable', file: CONFIG_FILE }));
  // An entry names a program of one version of the extension and one mode: it can be renewed without another server.
  const isThere = files.gateway !== undefined;
  if (all.length === 0 && !isThere) return warn(messages.none());
  const names = all.length === 0 ? [] : await pick(all, messages.useTitle(), messages.useWhich(), !isThere);
  const mode = names === undefined ? undefined : await pickMode(readGatewaySettings(folder.uri).mode);
  if (names === undefined || mode === undefined) return;
  const agreed = await agreeTo(names, folder.uri.fsPath, desk, parts);
  const refused = names.filter((name) => !agreed.some(({ server }) => server.name === name));
  if (refused.length > 0) warn(messages.notApproved(refused));
  if (agreed.length === 0 && names.length > 0) return;
  const chosen = agreed.map(({ server }) => server.name);
  await change(desk.put(files, chosen, parts.program, mode), place, parts, {
    ask: chosen.length === 0 ? messages.renewAsk() : messages.useAsk(chosen),
    detail: messages.useDetail(),
    yes: chosen.length === 0 ? messages.renewYes() : messages.useYes(),
    done: messages.used(),
    async beforeWriting() {
      for (const { server, shown } of agreed)
        if (shown !== undefined) await desk.approve(folder.uri.fsPath, server, shown);
    },
  });
}

export async function leaveGateway(parts: GatewayCommandParts): Promise<void> {
  const place = await placeOf(parts);
  if (place === undefined) return;
  const { desk, files } = place;
  const all = files.gateway === undefined ? [] : desk.behind(files.gateway);
  if (all === undefined) return warn(gatewayProblemText({ kind: 'unreadable', file: GATEWAY_FILE }));
  if (all.length === 0) return warn(messages.noneBehind());
  const names = await pick(all, messages.leaveTitle(), messages.leaveWhich(), true);
  if (names === undefined) return;
  await change(desk.take(files, names), place, parts, {
    ask: messages.leaveAsk(names),
    detail: messages.leaveDetail(),
    yes: messages.leaveYes(),
    done: messages.left(),
    beforeWriting: async () => {},
  });
}

interface Place {
  readonly desk: GatewayDesk;
  readonly folder: vscode.WorkspaceFolder;
  readonly files: GatewayFiles;
}

async function placeOf({ desk: open }: GatewayCommandParts): Promise<Place | undefined> {
  const folder = await folderToAsk();
  if (folder === undefined) return undefined;
  const unsaved = vscode.workspace.textDocuments.find(
    ({ uri, isDirty }) =>
      isDirty &&
      [CONFIG_FILE, GATEWAY_FILE].some((file) => uri.fsPath === vscode.Uri.joinPath(folder.uri, file).fsPath),
  );
  if (unsaved !== undefined) {
    warn(messages.unsaved(unsaved.fileName.split(/[/\\]/).at(-1) ?? ''));
    return undefined;
  }
  const desk = await open();
  try {
    return { desk, folder, files: await desk.read(folder.uri.fsPath) };
  } catch (error) {
    if (!OperationError.is(error)) throw error;
    warn(messages.untouchable(CONFIG_FILE));
    return undefined;
  }
}

async function pick(
  all: readonly string[],
  title: string,
  placeHolder: string,
  needsOne: boolean,
): Promise<readonly string[] | undefined> {
  const items = all.map((name) => ({ label: name.replaceAll('$(', '$ ('), name, picked: needsOne }));
  const chosen = await vscode.window.showQuickPick(items, { canPickMany: true, title, placeHolder });
  return chosen === undefined || (needsOne && chosen.length === 0) ? undefined : chosen.map(({ name }) => name);
}

async function pickMode(usual: Mode): Promise<Mode | undefined> {
  const items = [usual, ...MODES.filter((mode) => mode !== usual)].map((mode) => ({
    label: mode,
    detail: messages.mode(mode),
    mode,
  }));
  const options = { title: messages.useTitle(), placeHolder: messages.modeWhich() };
  return (await vscode.window.showQuickPick(items, options))?.mode;
}

interface Agreed {
  readonly server: Server;
  /** What was shown; undefined where it was agreed to before. */
  readonly shown: Definition | undefined;
}

async function agreeTo(
  names: readonly string[],
  folder: string,
  desk: GatewayDesk,
  { documents, log }: GatewayCommandParts,
): Promise<readonly Agreed[]> {
  const agreed: Agreed[] = [];
  for (const server of await desk.configured(folder)) {
    if (!names.includes(server.name)) continue;
    try {
      const shown = await desk.unapproved(folder, server);
      if (shown === undefined || (await askToStart(server, shown, documents, log))) agreed.push({ server, shown });
    } catch (error) {
      if (!OperationError.is(error)) throw error;
      log.warn(`"${server.name}": ${error.message}`);
    }
  }
  return agreed;
}

interface Words {
  readonly ask: string;
  readonly detail: string;
  readonly yes: string;
  readonly done: string;
  beforeWriting(): Promise<void>;
}

async function change(
  wanted: GatewayChange,
  { desk, folder, files }: Place,
  { documents }: GatewayCommandParts,
  { ask, detail, yes, done, beforeWriting }: Words,
): Promise<void> {
  if (wanted.kind === 'problem') return warn(gatewayProblemText(wanted.problem));
  const after: GatewayFiles = { config: wanted.config, gateway: wanted.gateway };
  if (after.config === files.config && after.gateway === files.gateway) return warn(messages.nothingToDo());
  await show(files, after, documents);
  if ((await vscode.window.showInformationMessage(ask, { modal: true, detail }, yes)) !== yes) return;
  await beforeWriting();
  if (!(await written(desk, folder, files, after))) return;
  void vscode.window.showInformationMessage(done, messages.undo()).then(async (choice) => {
    if (choice === messages.undo() && (await written(desk, folder, after, files)))
      void vscode.window.showInformationMessage(messages.undone());
  });
}

async function show(before: GatewayFiles, after: GatewayFiles, documents: VirtualDocuments): Promise<void> {
  const rows = [
    { file: CONFIG_FILE, left: before.config, right: after.config },
    { file: GATEWAY_FILE, left: before.gateway, right: after.gateway },
  ];
  const resources = rows.map(({ file, left, right }) => {
    const put = (text: string | undefined) => (text === undefined ? undefined : documents.put(file, text));
    const [one, other] = [put(left), put(right)];
    return [other ?? one, one, other];
  });
  await vscode.commands.executeCommand('vscode.changes', messages.changesTitle(), resources);
}

async function written(
  desk: GatewayDesk,
  { uri }: vscode.WorkspaceFolder,
  before: GatewayFiles,
  after: GatewayFiles,
): Promise<boolean> {
  try {
    await desk.write(uri.fsPath, before, after);
    return true;
  } catch (error) {
    if (!OperationError.is(error)) throw error;
    warn(error.kind === 'conflict' ? messages.changedMeanwhile(CONFIG_FILE) : messages.untouchable(CONFIG_FILE));
    return false;
  }
}

function warn(text: string): void {
  void vscode.window.showWarningMessage(text);
}
