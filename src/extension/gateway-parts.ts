/**
 * The gateway in the editor: the two commands, and the definition for the editor's own clients, where the settings want
 * it. Nothing is started here; before the editor starts the gateway, each server that it may not start yet is asked
 * about.
 */
import * as vscode from 'vscode';
import { GATEWAY_FILE } from '#core/config/gateway-files.ts';
import type { Disposable } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { type Action, trusted } from './command-actions.ts';
import { askToStart } from './consent.ts';
import { type CommandId, commandIds, GATEWAY_PROVIDER } from './contributions.ts';
import { type GatewayCommandParts, leaveGateway, useGateway } from './gateway-commands.ts';
import { gatewayMessages as messages } from './gateway-messages.ts';
import { readGatewaySettings } from './gateway-settings.ts';

export interface GatewayPartsOptions extends GatewayCommandParts {
  readonly version: string;
}

export interface GatewayParts extends Disposable {
  readonly actions: ReadonlyMap<CommandId, Action>;
}

export function createGatewayParts(options: GatewayPartsOptions): GatewayParts {
  const owned = registerGateway(options);
  return {
    actions: new Map<CommandId, Action>([
      [commandIds.useGateway, trusted(() => useGateway(options))],
      [commandIds.leaveGateway, trusted(() => leaveGateway(options))],
    ]),
    dispose() {
      for (const part of owned) part.dispose();
    },
  };
}

function registerGateway(options: GatewayPartsOptions): readonly Disposable[] {
  if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') return [];
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () => Promise.all(foldersWithGateway().map((one) => definition(one, options))),
    async resolveMcpServerDefinition(server) {
      if (!vscode.workspace.isTrusted) return undefined;
      if (server.cwd !== undefined) await askForAll(server.cwd.fsPath, options);
      return server;
    },
  };
  const files = vscode.workspace.createFileSystemWatcher(`**/${GATEWAY_FILE}`, false, true, false);
  return [
    vscode.lm.registerMcpServerDefinitionProvider(GATEWAY_PROVIDER, provider),
    files,
    files.onDidCreate(() => changed.fire()),
    files.onDidDelete(() => changed.fire()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('mochi.gateway')) changed.fire();
    }),
    changed,
  ];
}

function foldersWithGateway(): readonly vscode.WorkspaceFolder[] {
  if (!vscode.workspace.isTrusted) return [];
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file');
  return folders.filter(({ uri }) => readGatewaySettings(uri).enabled);
}

async function definition(
  { uri, name }: vscode.WorkspaceFolder,
  { program, version }: GatewayPartsOptions,
): Promise<vscode.McpStdioServerDefinition> {
  const several = (vscode.workspace.workspaceFolders ?? []).length > 1;
  const moved = vscode.Uri.joinPath(uri, GATEWAY_FILE);
  const hasMoved = await Promise.resolve(vscode.workspace.fs.stat(moved)).then(
    () => true,
    () => false,
  );
  const one = new vscode.McpStdioServerDefinition(
    several ? `${messages.label()} (${name})` : messages.label(),
    process.execPath,
    [
      program,
      `--workspace=${uri.fsPath}`,
      ...(hasMoved ? [`--mcp-config=${moved.fsPath}`] : []),
      `--mode=${readGatewaySettings(uri).mode}`,
    ],
    { ELECTRON_RUN_AS_NODE: '1' },
    version,
  );
  one.cwd = uri;
  return one;
}

/** Whatever is answered, the gateway can start; it leaves alone what nobody agreed to. */
async function askForAll(folder: string, { desk: open, documents, log }: GatewayPartsOptions): Promise<void> {
  const desk = await open();
  for (const server of await desk.fronted(folder)) {
    try {
      const shown = await desk.unapproved(folder, server);
      if (shown !== undefined && (await askToStart(server, shown, documents, log)))
        await desk.approve(folder, server, shown);
    } catch (error) {
      if (!OperationError.is(error)) throw error;
      log.warn(`"${server.name}": ${error.message}`);
    }
  }
}
