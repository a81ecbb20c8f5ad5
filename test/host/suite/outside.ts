/** Notes what the extension starts and connects to. VS Code's own extensions share the host and are not counted. */
import assert from 'node:assert/strict';
import childProcess from 'node:child_process';
import net from 'node:net';
import { join } from 'node:path';
import * as vscode from 'vscode';

export const extension = () => {
  const found = vscode.extensions.getExtension('mochi.mochi-skills');
  assert.ok(found, 'the extension is known');
  return found;
};

/**
 * Whether a call comes from the bundled extension or from the test's file. VS Code's own extensions live in the same
 * host and start processes whenever they like. The first frame is the watcher's.
 */
function isOurs(stack = ''): boolean {
  const callers = stack.split('\n').slice(2).join('\n');
  return callers.includes(join(extension().extensionPath, 'dist')) || callers.includes(__filename);
}

/** Notes every process that we start and every socket that we open from now on. */
export function watchTheOutside(): { readonly seen: readonly string[]; stop(): void } {
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
  // Deep calls would push the extension's own frames out of the stack.
  const depth = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  undo.push(() => {
    Error.stackTraceLimit = depth;
  });
  watch(childProcess.ChildProcess.prototype, 'spawn', 'process');
  for (const name of ['spawnSync', 'execSync', 'execFileSync']) watch(childProcess, name, name);
  watch(net.Socket.prototype, 'connect', 'socket');
  return { seen, stop: () => undo.forEach((restore) => void restore()) };
}
