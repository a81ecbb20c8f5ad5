/**
 * The program of a thread that learns a workspace and answers from what it learned: the second bundle,
 * `dist/mochi-learn.mjs`. What it learns never leaves it; questions come in and answers go out.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { Ask, FromThread, ThreadSetup, ToThread } from './thread-messages.ts';
import { LearnedWorkspace } from './workspace.ts';

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
let isDue = false;
function count(): void {
  hasCounted = true;
  isDue = false;
  const { knowledge } = workspace;
  if (knowledge !== undefined) say({ kind: 'learned', knowledge });
}

workspace.onDidLearn(() => {
  if (!hasCounted) return count();
  if (!isDue) setTimeout(count, COUNT_AFTER_MS);
  isDue = true;
});
workspace.onDidLoad(() => say({ kind: 'answers' }));

function work(ask: Ask, signal: AbortSignal): Promise<unknown> {
  switch (ask.kind) {
    case 'learn':
      return workspace.learn(signal, (progress) => say({ kind: 'progress', progress }), ask.what);
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
  if (ask === 'stop') running.get(id)?.abort(new Error('stopped'));
  else void answer(id, ask);
});
