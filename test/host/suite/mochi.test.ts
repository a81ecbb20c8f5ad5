/** Mochi in a real extension host: the tools that chat agents call, and the child that answers them. */
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { extension } from './outside.ts';

const tools = ['mochi_domain_query', 'mochi_suggest_pattern', 'mochi_complete_code'];

const textOf = (result: vscode.LanguageModelToolResult): string =>
  result.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('\n');

/** Repeats a call while Mochi learns. */
async function invoke(name: string, input: object): Promise<string> {
  for (let left = 60; ; left--) {
    const text = textOf(await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }));
    if (!text.startsWith('503') || left === 0) return text;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

describe('the tools for chat agents', () => {
  it('are known to the editor with their descriptions and schemas', async () => {
    await extension().activate();
    for (const name of tools) {
      const tool = vscode.lm.tools.find((one) => one.name === name);
      assert.ok(tool, `${name} is known`);
      assert.ok(tool.description.length > 40);
      assert.equal((tool.inputSchema as { type?: string }).type, 'object');
    }
  });

  it('are answered by a Mochi of this workspace, and refusals say why', async () => {
    await extension().activate();
    assert.match(await invoke('mochi_domain_query', { instruction: 'how is anything done here?' }), /\S/);
    assert.match(await invoke('mochi_domain_query', { instruction: '' }), /^400 invalid: .*instruction/);
    assert.doesNotMatch(await invoke('mochi_suggest_pattern', { goal: 'throw an error' }), /^\d{3} /);
  });

  it('give up when they are cancelled', async () => {
    await extension().activate();
    const source = new vscode.CancellationTokenSource();
    source.cancel();
    await assert.rejects(
      Promise.resolve(
        vscode.lm.invokeTool(
          'mochi_domain_query',
          { input: { instruction: 'x' }, toolInvocationToken: undefined },
          source.token,
        ),
      ),
    );
  });
});
