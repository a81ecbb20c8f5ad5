/**
 * Tells other clients of Mochi: the editor's own, which starts it itself, and Claude Code by an entry in `.mcp.json`,
 * which is shown as a difference and written after a yes.
 */
import * as vscode from 'vscode';
import type { Disposable } from '#core/ports.ts';
import { SERVER_PROVIDER } from './contributions.ts';
import { folderToAsk } from './mochi-ask.ts';
import { mochiMessages as messages } from './mochi-messages.ts';
import type { VirtualDocuments } from './virtual-documents.ts';

export interface ServerProgram {
  /** `dist/mochi.mjs`, absolute. */
  readonly path: string;
  readonly version: string;
  /** What it is told besides its folder. */
  words(): readonly string[];
  /** The key of a model server, where one is set up. */
  modelKey(): PromiseLike<string | undefined>;
}

/** Without a yes nothing is started here; whether the editor starts what it is told of, it asks itself. */
export function registerDefinitions(program: ServerProgram, folders: () => readonly string[]): readonly Disposable[] {
  if (typeof vscode.lm?.registerMcpServerDefinitionProvider !== 'function') return [];
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> = {
    onDidChangeMcpServerDefinitions: changed.event,
    provideMcpServerDefinitions: () =>
      (vscode.workspace.isTrusted ? folders() : []).map((one) => definition(one, program)),
    async resolveMcpServerDefinition(server) {
      if (!vscode.workspace.isTrusted) return undefined;
      const key = await program.modelKey();
      if (key !== undefined) server.env = { ...server.env, MOCHI_MODEL_KEY: key };
      return server;
    },
  };
  return [
    vscode.lm.registerMcpServerDefinitionProvider(SERVER_PROVIDER, provider),
    vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('mochi.server')) changed.fire();
    }),
    changed,
  ];
}

function definition(folder: string, { path, version, words }: ServerProgram): vscode.McpStdioServerDefinition {
  const name = folder.split(/[/\\]/).at(-1) ?? '';
  const label = (vscode.workspace.workspaceFolders ?? []).length > 1 ? `Mochi (${name})` : 'Mochi';
  const args = [path, `--workspace=${folder}`, ...words()];
  const one = new vscode.McpStdioServerDefinition(
    label,
    process.execPath,
    args,
    { ELECTRON_RUN_AS_NODE: '1' },
    version,
  );
  one.cwd = vscode.Uri.file(folder);
  return one;
}

const FILE = '.mcp.json';

/** Shows what `.mcp.json` would be, and writes it after a yes, if it is still the file that was shown. */
export async function addToClaudeCode(program: ServerProgram, documents: VirtualDocuments): Promise<void> {
  const folder = await folderToAsk();
  if (folder === undefined) return;
  const uri = vscode.Uri.joinPath(folder.uri, FILE);
  const before = await textOf(uri);
  const entry = {
    type: 'stdio',
    command: 'node',
    args: [program.path, '--workspace=${CLAUDE_PROJECT_DIR:-.}'],
  };
  const { withServer } = await import('#core/config/add-server.ts');
  const after = before === null ? undefined : withServer(before, 'mcpServers', 'mochi', entry);
  if (after === undefined) {
    void vscode.window.showWarningMessage(messages.unreadable(FILE));
    return;
  }
  if (after === before) {
    void vscode.window.showInformationMessage(messages.alreadyThere(FILE));
    return;
  }
  const [left, right] = [documents.put(FILE, before ?? ''), documents.put(FILE, after)];
  await vscode.commands.executeCommand('vscode.diff', left, right, `${FILE} (Mochi)`);
  const yes = messages.add();
  const detail = { modal: true, detail: messages.addDetail() };
  if ((await vscode.window.showInformationMessage(messages.addTitle(FILE), detail, yes)) !== yes) return;
  if ((await textOf(uri)) !== before) {
    void vscode.window.showWarningMessage(messages.changedMeanwhile(FILE));
    return;
  }
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(after));
  await vscode.window.showTextDocument(uri);
  void vscode.window.showInformationMessage(messages.added(FILE));
}

/** Undefined where there is no file; null where it is none of ours to change: a link, a folder, or far too large. */
async function textOf(uri: vscode.Uri): Promise<string | undefined | null> {
  const stat = await Promise.resolve(vscode.workspace.fs.stat(uri)).catch(() => undefined);
  if (stat === undefined) return undefined;
  // A link may lead out of the workspace.
  if (stat.type !== vscode.FileType.File || stat.size > 5_000_000) return null;
  const bytes = await vscode.workspace.fs.readFile(uri);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
