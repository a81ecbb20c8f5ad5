/** What VS Code made of the manifest, as opposed to what the file says. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';

describe('the extension as VS Code sees it', () => {
  const extension = vscode.extensions.getExtension('mochi.mochi-skills');

  it('runs where the workspace is', () => {
    assert.equal(extension?.extensionKind, vscode.ExtensionKind.Workspace);
  });

  it('shows its texts instead of their keys', () => {
    const { displayName, contributes } = extension?.packageJSON ?? {};
    assert.equal(displayName, 'Mochi');
    assert.equal(contributes.commands[0].title, 'Generate Skill');
    assert.doesNotMatch(JSON.stringify([extension?.packageJSON.capabilities, contributes]), /%[a-zA-Z.]+%/);
  });

  it('sees the workspace of the test', async () => {
    const found = await vscode.workspace.findFiles('**/.mcp.json');
    assert.equal(found.length, 1);
  });
});
