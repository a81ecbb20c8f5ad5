/** Activation in a real extension host: what it registers, what it costs, and that it starts nothing. */
import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import Module from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';
import { extension, watchTheOutside } from './outside.ts';

/** Gives, later, how long it took to load the extension's first file, which is not among its own measure. */
function timeLoading(): () => number {
  const modules = Module.prototype as unknown as { load: (file: string) => void };
  const original = modules.load;
  let taken = Number.NaN;
  modules.load = function (this: unknown, file) {
    const before = performance.now();
    original.call(this, file);
    if (file.endsWith(join('dist', 'extension.cjs'))) taken = performance.now() - before;
  };
  return () => {
    modules.load = original;
    return taken;
  };
}

describe('activation', () => {
  // First in the file: later tests would find the extension active already.
  it('starts no process and opens no socket', async function () {
    assert.equal(extension().isActive, false, 'nothing has activated it before it was asked for');
    const outside = watchTheOutside();
    try {
      const loading = timeLoading();
      await extension().activate();
      const [own] = performance.getEntriesByName('mochi/activate');
      // No assertion on time: the figures are for people.
      if (this.test) this.test.title += ` (${loading().toFixed(0)} + ${own?.duration.toFixed(0)} ms of our own)`;
      assert.deepEqual(outside.seen, []);
      childProcess.spawnSync(process.execPath, ['--version'], { env: { ELECTRON_RUN_AS_NODE: '1' } });
      assert.deepEqual(outside.seen, ['spawnSync'], 'a process would have been noticed');
    } finally {
      outside.stop();
    }
    assert.equal(extension().isActive, true);
  });

  it('registers every command that the manifest contributes, and no other', async () => {
    await extension().activate();
    const contributed: string[] = extension().packageJSON.contributes.commands.map(
      (entry: { command: string }) => entry.command,
    );
    const registered = (await vscode.commands.getCommands(true)).filter((id) => id.startsWith('mochi.'));
    // VS Code makes commands of its own for every view.
    const ours = registered.filter((id) => !/^mochi\.(servers|skills)\./.test(id));
    assert.deepEqual(ours.sort(), contributed.sort());
  });

  it('runs the command that shows the log', async () => {
    await vscode.commands.executeCommand('mochi.showLog');
  });
});
