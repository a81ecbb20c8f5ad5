/** The thread that runs Mochi, where it ends: what it ran is gone, who waits is told, and there is another one. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openMochiThread } from '../../src/node/mochi-thread.ts';
import { silent } from '../support/mcp-servers.ts';

const never = new AbortController().signal;
const setup = {
  env: {},
  platform: process.platform,
  home: '/',
  runtime: process.execPath,
  program: '',
  clientInfo: { name: 'test', version: '1' },
};
let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'mochi-thread-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));

/** A thread whose program is `code`, with its messages in `message` and its door in `port`. */
function threadOf(code: string) {
  const file = join(base, 'thread.cjs');
  writeFileSync(
    file,
    `const port = require('node:worker_threads').parentPort;\nport.on('message', (message) => {${code}});`,
  );
  const errors: string[] = [];
  const logger = { ...silent, error: (text: string) => void errors.push(text) };
  const startWords = async () => ({ words: ['--engine=none'], key: undefined });
  return { thread: openMochiThread({ logger, setup, file, startWords }), errors };
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the thread of Mochi', () => {
  it('tells who waits when it fails, and ends what it ran', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60_000)'], { detached: true, stdio: 'ignore' });
    const gone = new Promise((resolve) => child.once('exit', (_code, signal) => resolve(signal)));
    const { thread, errors } = threadOf(
      `port.postMessage({ kind: 'spawned', pid: ${child.pid} }); setImmediate(() => { throw new RangeError('broken'); });`,
    );
    const mochi = thread.open('/code');
    const failure = await mochi.ready(never).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'crashed' });
    expect(mochi.state.kind).toBe('failed');
    expect(errors).toEqual(['The thread of Mochi failed: RangeError']);
    if (process.platform !== 'win32') expect(await gone).toBe('SIGKILL');
    else child.kill();
    expect(isAlive(child.pid ?? 0)).toBe(false);
  });

  it('is made anew when something is wanted after it was lost', async () => {
    const { thread } = threadOf(
      "if (message.kind === 'start') process.exit(3); else port.postMessage({ kind: 'answer', id: message.id, value: true });",
    );
    const mochi = thread.open('/code');
    await expect(mochi.ready(never)).rejects.toMatchObject({ kind: 'crashed' });
    expect(await thread.isLearned('/code')).toBe(true);
    await mochi.restart();
    await thread.end();
  });

  it('rejects what it was asked when it is lost', async () => {
    const { thread } = threadOf('process.exit(0);');
    await expect(thread.isLearned('/code')).rejects.toMatchObject({ kind: 'crashed' });
  });

  it('is told of what is given up, and its answer is not waited for', async () => {
    const { thread } = threadOf(
      "if (message.kind === 'cancel') port.postMessage({ kind: 'log', level: 'error', message: `cancelled ${message.id}` });" +
        "if (message.kind === 'start') port.postMessage({ kind: 'state', folder: '/code', turn: 1," +
        " state: { kind: 'ready', pid: 1, connection: { connection: 1, version: '1' } } });" +
        "if (message.call?.what === 'isLearned') port.postMessage({ kind: 'answer', id: message.id, value: false });" +
        "if (message.kind === 'end') port.close(); if (message.call?.what === 'stop') port.postMessage({ kind: 'answer', id: message.id });",
    );
    const client = await thread.open('/code').ready(never);
    const abort = new AbortController();
    const asked = client.complete({ prefix: '' }, abort.signal);
    abort.abort(new Error('typed on'));
    await expect(asked).rejects.toThrow('typed on');
    await expect(client.complete({ prefix: '' }, abort.signal)).rejects.toThrow('typed on');
    expect(await thread.isLearned('/code')).toBe(false);
    await thread.end();
  });

  it('is ended by force where it does not end by itself', async () => {
    const { thread } = threadOf(
      "if (message.kind === 'call') port.postMessage({ kind: 'answer', id: message.id, value: 1 });",
    );
    await thread.isLearned('/code');
    await thread.end();
    await thread.end();
  });

  it('is given the words of each start', async () => {
    const { thread, errors } = threadOf(
      "if (message.kind === 'start') port.postMessage({ kind: 'needs-words', id: 9 });" +
        "if (message.kind === 'words') { port.postMessage({ kind: 'log', level: 'error', message: JSON.stringify(message) }); process.exit(0); }",
    );
    await thread
      .open('/code')
      .ready(never)
      .catch(() => undefined);
    expect(errors).toEqual(['{"kind":"words","id":9,"words":{"words":["--engine=none"]}}']);
  });
});
