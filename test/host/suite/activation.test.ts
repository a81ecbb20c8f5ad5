/** Activation in a real extension host: what it registers, and that it starts nothing. */
import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import net from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import * as vscode from 'vscode';

const extension = () => {
  const found = vscode.extensions.getExtension('mochi.mochi-skills');
  assert.ok(found, 'the extension is known');
  return found;
};

/**
 * Whether a call comes from the bundled extension or from this file. VS Code's own extensions live in the same host
 * and start processes whenever they like. The first frame is the watcher's.
 */
function isOurs(stack = ''): boolean {
  const callers = stack.split('\n').slice(2).join('\n');
  return callers.includes(join(extension().extensionPath, 'dist')) || callers.includes(__filename);
}

/** Notes every process that we start and every socket that we open from now on. */
function watchTheOutside(): { readonly seen: readonly string[]; stop(): void } {
  const seen: string[] = [];
  const undo: (() => void)[] = [];
  const watch = (owner: object, name: string, what: string) => {
    const methods = owner as Record<string, (...args: unknown[]) => unknown>;
    const original = methods[name];
    assert.ok(original, `${what} exists`);
    methods[name] = function (this: unknown, ...args: unknown[]) {
      if (isOurs(new Error().stack)) seen.push(what);
      return original.apply(this, args);
    };
    undo.push(() => {
      methods[name] = original;
    });
  };
  watch(childProcess.ChildProcess.prototype, 'spawn', 'process');
  for (const name of ['spawnSync', 'execSync', 'execFileSync']) watch(childProcess, name, name);
  watch(net.Socket.prototype, 'connect', 'socket');
  return { seen, stop: () => undo.forEach((restore) => void restore()) };
}

describe('activation', () => {
  // First in the file: later tests would find the extension active already.
  it('starts no process and opens no socket', async () => {
    assert.equal(extension().isActive, false, 'nothing has activated it before it was asked for');
    const outside = watchTheOutside();
    try {
      await extension().activate();
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
    assert.deepEqual(registered.sort(), contributed.sort());
  });

  it('runs the command that shows the log', async () => {
    await vscode.commands.executeCommand('mochi.showLog');
  });
});
