/**
 * The program of a thread that learns a workspace and answers from what it learned: the second bundle,
 * `dist/mochi-learn.mjs`. What it learns never leaves it; questions come in and answers go out.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Ask, FromThread, ThreadSetup, ToThread } from './thread-messages.ts';
import { LearnedWorkspace, type LearnOutcome, type LearnReach } from './workspace.ts';

const port = parentPort;
if (port === null) throw new Error('This is the program of a thread.');

/** The two bundles are built together, so what arrives is what the types say. */
const setup: ThreadSetup = workerData;
const workspace = new LearnedWorkspace(setup);
const running = new Map<number, AbortController>();
const say = (message: FromThread): void => port.postMessage(message);

/** Milliseconds after a change before habits are counted again: over a big tree that takes longer than the change. */
const COUNT_AFTER_MS = 500;
let hasCounted = false;
let due: NodeJS.Timeout | undefined;
function count(): void {
  hasCounted = true;
  clearTimeout(due);
  due = undefined;
  const { knowledge } = workspace;
  if (knowledge !== undefined) say({ kind: 'learned', knowledge });
}

workspace.onDidLearn(() => {
  if (!hasCounted) return count();
  due ??= setTimeout(count, COUNT_AFTER_MS);
});
workspace.onDidLoad(() => say({ kind: 'answers' }));

/** Whoever has all of it brought up to date is told what that came to, and only then that it is done. */
async function learn(what: LearnReach, signal: AbortSignal): Promise<LearnOutcome> {
  const outcome = await workspace.learn(signal, (progress) => say({ kind: 'progress', progress }), what);
  if (what.reach === 'all' && due !== undefined) count();
  return outcome;
}

function work(ask: Ask, signal: AbortSignal): Promise<unknown> {
  switch (ask.kind) {
    case 'learn':
      return learn(ask.what, signal);
    case 'keep':
      return workspace.keep();
    case 'folders':
      return Promise.resolve(workspace.folders);
    case 'complete':
      return workspace.engine.complete(ask.request, signal);
    case 'answer':
      return workspace.engine.answer(ask.request, signal);
    case 'suggest':
      return workspace.engine.suggest(ask.request, signal);
    default:
      return ask satisfies never;
  }
}

async function answer(id: number, ask: Ask): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    // Messages that came together are all taken in first, so that one that stops this comes in time.
    await new Promise((resolve) => setImmediate(resolve));
    stop.signal.throwIfAborted();
    say({ kind: 'done', id, value: await work(ask, stop.signal) });
  } catch (error) {
    if (!stop.signal.aborted) say({ kind: 'failed', id, message: error instanceof Error ? error.name : 'unknown' });
  } finally {
    running.delete(id);
  }
}

port.on('message', ({ id, ask }: ToThread) => {
  if (ask !== 'stop') return void answer(id, ask);
  running.get(id)?.abort(new Error('stopped'));
  say({ kind: 'stopped' });
});
