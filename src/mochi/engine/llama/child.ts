/**
 * The program `dist/mochi-llama.mjs`: runs one model for the server that started it and ends with it. Native code that
 * dies takes only this process along, and a long native call holds up nobody's protocol. It keeps nothing.
 */
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Fault } from '#protocol/mochi.ts';
import { MochiFault } from '../../limits.ts';
import { parseRequest, type Reply, type Request } from './messages.ts';
import { type LoadedModel, loadModel } from './model.ts';

/** Milliseconds between two words about the memory. */
const MEMORY_MS = 500;
/** Part of the loading after which there is another word. */
const PROGRESS_STEP = 0.02;

/** Bytes of growth after which an idle moment is used to collect. */
const COLLECT_BYTES = 64 * 2 ** 20;

// As a word of the command line an editor's own Node might not take it.
setFlagsFromString('--expose-gc');
const collector: unknown = runInNewContext('gc');

const ending = new AbortController();
const running = new Map<number, AbortController>();
let loaded: LoadedModel | undefined;
let adapting: Promise<void> = Promise.resolve();
let collectedAt = process.memoryUsage.rss();

const tell = (reply: Reply): void => {
  // Where nobody listens any more, the end is near anyway.
  if (process.connected) process.send?.(reply, undefined, undefined, () => {});
};

/** What the library leaves to be collected lies outside of the heap, so that nothing would collect it for long. */
function collect(): void {
  const used = process.memoryUsage.rss();
  if (running.size > 0 || typeof collector !== 'function' || used < collectedAt + COLLECT_BYTES) return;
  collector();
  collectedAt = process.memoryUsage.rss();
}

const tellMemory = (): void =>
  tell({ kind: 'memory', bytes: process.memoryUsage.rss(), estimatedBytes: loaded?.estimatedBytes ?? 0 });

function faultOf(error: unknown): Fault {
  if (error instanceof MochiFault) return error.data;
  const name = error instanceof Error ? error.name : 'unknown';
  return new MochiFault('failed', `The model failed (${name}).`, { remedy: "See the server's log." }).data;
}

async function load(request: Extract<Request, { kind: 'load' }>): Promise<void> {
  const began = performance.now();
  let told = 0;
  loaded = await loadModel({
    ...request,
    signal: ending.signal,
    onProgress(share) {
      if (share - told < PROGRESS_STEP && share < 1) return;
      told = share;
      tell({ kind: 'progress', share });
    },
    log: (level, message) => tell({ kind: 'log', level, message }),
  });
  tellMemory();
  tell({ kind: 'ready', traits: plain(loaded), swapMs: performance.now() - began });
}

/** Markers that are not there are left out on the way. */
function plain({
  traits: { fim, ...traits },
}: Pick<LoadedModel, 'traits'>): Extract<Reply, { kind: 'ready' }>['traits'] {
  return { ...traits, ...(fim === undefined ? {} : { fim }) };
}

async function adapt(adapters: Extract<Request, { kind: 'adapt' }>['adapters']): Promise<void> {
  const began = performance.now();
  if (loaded === undefined) return;
  const traits = await loaded.adapt(adapters, ending.signal);
  tell({ kind: 'ready', traits: plain({ traits }), swapMs: performance.now() - began });
}

async function answer({ id, ...request }: Extract<Request, { kind: 'generate' }>): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  try {
    if (loaded === undefined) throw new MochiFault('not-ready', 'The model is loading.', {});
    const prompt = request.prompt.map((piece) =>
      piece.kind === 'special' || piece.gives === undefined
        ? { kind: piece.kind, text: piece.text }
        : { kind: piece.kind, text: piece.text, gives: piece.gives },
    );
    const found = await loaded.generate({ ...request, prompt }, stop.signal);
    const { text, tokens, reason, evaluated = 0, promptTokens = 0 } = found;
    tell({ kind: 'generated', id, text, tokens: [...tokens], reason, evaluated, promptTokens });
  } catch (error) {
    if (stop.signal.aborted) tell({ kind: 'aborted', id });
    else tell({ kind: 'failed', id, fault: faultOf(error) });
  } finally {
    running.delete(id);
  }
}

function take(request: Request): void {
  const failed = (error: unknown): void => tell({ kind: 'failed', fault: faultOf(error) });
  switch (request.kind) {
    case 'load':
      load(request).catch(failed);
      return;
    case 'adapt':
      adapting = adapting.then(() => adapt(request.adapters)).catch(failed);
      return;
    case 'generate':
      void answer(request);
      return;
    case 'abort':
      running.get(request.id)?.abort(new Error('aborted'));
      return;
    default:
      request satisfies never;
  }
}

process.on('message', (message) => {
  const request = parseRequest(message);
  if (request !== undefined) take(request);
});
// An ordinary end would wait for the native call that runs; there is nothing here to be kept.
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
// The terminal's interrupt is for the server, which ends this process itself.
process.on('SIGINT', () => {});
setInterval(() => {
  collect();
  tellMemory();
}, MEMORY_MS);
tell({ kind: 'started' });
