/** Config files in the editor: lenses, problems and repairs, found without anything being started. */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import * as vscode from 'vscode';
import { extension, watchTheOutside } from './outside.ts';

const fileAt = (path: string): vscode.Uri => {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(folder, 'a folder is open');
  return vscode.Uri.joinPath(folder.uri, path);
};

/** Every dialect's file with the servers it names. */
const FILES: ReadonlyMap<string, readonly string[]> = new Map([
  ['.mcp.json', ['memory']],
  ['.vscode/mcp.json', ['garden', 'asked']],
  ['.cursor/mcp.json', ['cellar', 'far']],
  ['.gemini/settings.json', ['attic']],
  ['.codex/config.toml', ['shed']],
  ['.kiro/settings/mcp.json', ['porch']],
]);

async function lensesOf(path: string): Promise<readonly vscode.Command[]> {
  const uri = fileAt(path);
  await vscode.workspace.openTextDocument(uri);
  const lenses: vscode.CodeLens[] = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri, 100);
  return lenses.flatMap(({ command }) => (command?.command === 'mochi.previewSkill' ? [command] : []));
}

/** Waits for something that comes about by an event. */
async function until<T>(what: string, attempt: () => T | undefined): Promise<T> {
  for (const end = Date.now() + 10_000; Date.now() < end; ) {
    const found = attempt();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not in time: ${what}`);
}

const hostile = () => join(extension().extensionPath, 'test', 'host', 'workspaces', 'hostile');

// VS Code opens some of these files by itself and would activate the extension before the first test looks.
before(() => cpSync(hostile(), fileAt('.').fsPath, { recursive: true }));
after(() => {
  for (const name of readdirSync(hostile())) rmSync(fileAt(name).fsPath, { recursive: true, force: true });
});

describe('a workspace that would start programs', () => {
  it('is read, shown and asked about without a process, a socket or a write', async () => {
    const outside = watchTheOutside();
    try {
      // Its settings would answer for the person, too.
      const mode = () => vscode.workspace.getConfiguration('mochi').inspect('skill.mode')?.workspaceValue;
      assert.match(String(await until('the settings of the workspace are read', mode)), /canary/);
      await vscode.commands.executeCommand('mochi.refresh');
      await vscode.commands.executeCommand('mochi.servers.focus');
      for (const path of FILES.keys()) await vscode.window.showTextDocument(fileAt(path));
      // Nobody can be asked in a test, and that is a no.
      for (const path of FILES.keys())
        for (const { arguments: [id] = [] } of await lensesOf(path)) {
          void vscode.commands.executeCommand('mochi.readTools', id);
          await new Promise((resolve) => setTimeout(resolve, 100));
          await vscode.commands.executeCommand('workbench.action.closeQuickOpen');
        }
      assert.deepEqual(outside.seen, []);
    } finally {
      outside.stop();
    }
    const home = process.env['HOME'] ?? '';
    for (const name of ['vscode', 'cursor', 'gemini', 'codex', 'kiro', 'settings'])
      assert.equal(existsSync(join(home, `mochi-canary-${name}`)), false, name);
    for (const folder of ['.claude', '.github', '.agents'])
      assert.equal(existsSync(fileAt(folder).fsPath), false, folder);
  });

  it('is not believed in what belongs to the machine and the person, by its own settings', async () => {
    const settings = () => vscode.workspace.getConfiguration('mochi');
    await until('the settings of the workspace are read', () => settings().inspect('skill.mode')?.workspaceValue);
    assert.equal(settings().get('discovery.userFiles'), false);
    assert.equal(settings().get('tokens.claudeModel'), 'claude-opus-5');
  });

  it('has no untitled document: inputs that run commands are not answered', () => {
    assert.equal(
      vscode.workspace.textDocuments.some((document) => document.isUntitled),
      false,
    );
  });
});

describe('a config file in the editor', () => {
  for (const [path, servers] of FILES)
    it(`has a lens above each server: ${path}`, async () => {
      await vscode.commands.executeCommand('mochi.refresh');
      const lenses = await lensesOf(path);
      assert.deepEqual(
        lenses.map(({ arguments: [id] = [] }) => String(id).split('#').at(-1)),
        servers,
      );
      for (const { title } of lenses) assert.equal(title, 'Preview skill');
    });

  it('shows what is wrong where it is, and repairs it', async () => {
    const uri = fileAt('.kiro/settings/mcp.json');
    await vscode.commands.executeCommand('mochi.refresh');
    const ours = () => vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'Mochi');
    assert.deepEqual(
      ours()
        .map(({ code, range }) => `${String(code)} ${range.start.line + 1}`)
        .filter((text) => text.startsWith('config-')),
      ['config-comment 2', 'config-comment 5', 'config-wrong-root 3'],
    );
    const document = await vscode.workspace.openTextDocument(uri);
    const before = document.getText();
    for (const title of ['Rename `servers` to `mcpServers`', 'Remove comments and trailing commas']) {
      const all = new vscode.Range(0, 0, document.lineCount, 0);
      const actions: vscode.CodeAction[] = await vscode.commands.executeCommand(
        'vscode.executeCodeActionProvider',
        uri,
        all,
        vscode.CodeActionKind.QuickFix.value,
      );
      const action = actions.find((one) => one.title === title);
      assert.ok(action?.edit, title);
      await vscode.workspace.applyEdit(action.edit);
    }
    assert.deepEqual(JSON.parse(document.getText()).mcpServers.porch.command, 'sh');
    await document.save();
    // The file's change is noticed by itself.
    await until('no problem is left', () =>
      ours().some(({ code }) => String(code).startsWith('config-')) ? undefined : true,
    );
    const edit = new vscode.WorkspaceEdit();
    edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), before);
    await vscode.workspace.applyEdit(edit);
    await document.save();
  });

  it('is checked against a schema where VS Code has none', async () => {
    await vscode.extensions.getExtension('vscode.json-language-features')?.activate();
    const uri = fileAt('.roo/mcp.json');
    const text = '{ "mcpServers": { "oven": { "args": "hot" } } }\n';
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    try {
      await vscode.window.showTextDocument(uri);
      const found = await until('a complaint of the schema', () => {
        const others = vscode.languages.getDiagnostics(uri).filter(({ source }) => source !== 'Mochi');
        return others.length > 0 ? others : undefined;
      });
      assert.ok(found.some(({ message }) => /array|command/i.test(message)));
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await vscode.workspace.fs.delete(fileAt('.roo'), { recursive: true });
    }
  });

  it('belongs to an extension that is active', () => {
    assert.equal(extension().isActive, true);
  });
});
