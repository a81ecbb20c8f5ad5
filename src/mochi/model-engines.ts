/** From the words of the server to the engine of a model, if one is wanted, and what is told about its state. */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Disposable, Logger } from '#core/ports.ts';
import { adaptersFolder, backendFolder } from '#node/model-place.ts';
import type { Surroundings } from '#node/person-folders.ts';
import { HttpModel } from './engine/http/http-model.ts';
import { watchAdapters } from './engine/llama/adapter-watch.ts';
import { LlamaEngine } from './engine/llama/llama-engine.ts';
import type { ModelEngine, ModelState } from './engine/model-engine.ts';
import { MochiFault } from './limits.ts';
import type { ServeOptions } from './options.ts';

/** Tokens of a context: a few files' worth, and little memory. */
const CONTEXT_TOKENS = 4_096;
const MOST_THREADS = 16;
/** Part of the loading after which there is another word to clients. */
const TOLD_STEP = 0.1;

/** Undefined where only the embedded engine answers. It loads nothing yet. */
export function createModelEngine(
  { models, memoryLimit }: Pick<ServeOptions, 'models' | 'memoryLimit'>,
  around: Surroundings,
  logger: Logger,
): ModelEngine | undefined {
  const { engine, model, adapters, backend, server } = models;
  if (server !== undefined) return new HttpModel({ ...server, logger });
  if (engine === 'embedded' || model === undefined) return undefined;
  const llama = new LlamaEngine({
    program: join(dirname(fileURLToPath(import.meta.url)), 'mochi-llama.mjs'),
    logger,
    backend: backend ?? shippedBackend() ?? backendFolder(around),
    model,
    adapters: adapters.map((one) => ({ ...one })),
    cacheFolder: adaptersFolder(around),
    contextTokens: CONTEXT_TOKENS,
    maxThreads: threads(availableParallelism()),
    memoryBytes: () => memoryLimit - process.memoryUsage.rss(),
  });
  if (adapters.length > 0) followAdapters(llama, adapters, logger);
  return llama;
}

/** Adapters that change are put in the place of the old ones; one that is no good leaves the old one there. */
function followAdapters(llama: LlamaEngine, adapters: ServeOptions['models']['adapters'], logger: Logger): void {
  const folders = adapters.map(({ folder }) => folder);
  watchAdapters(folders, () => {
    llama.adapt(adapters.map((one) => ({ ...one }))).then(
      () => logger.info(`the adapters were loaded anew in ${Math.round(llama.swapMs)} ms`),
      // What is wrong with the model itself is told by its state.
      (error: unknown) => {
        if (llama.state.kind === 'ready') logger.warn(`the adapters stay as they were: ${sentencesOf(error)}`);
      },
    );
  });
}

/** What a package for one platform brings along, beside the program. */
function shippedBackend(): string | undefined {
  const folder = join(dirname(fileURLToPath(import.meta.url)), 'backend');
  return existsSync(join(folder, 'node_modules')) ? folder : undefined;
}

/** One for others on small machines; on larger ones logical processors come in pairs that share what counts here. */
export function threads(processors: number): number {
  const wanted = processors > 4 ? Math.floor(processors / 2) : processors - 1;
  return Math.max(1, Math.min(MOST_THREADS, wanted));
}

/** What is wrong, and what to do about it. */
function sentencesOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const remedy = error instanceof MochiFault ? error.remedy : undefined;
  return remedy === undefined ? error.message : `${error.message} ${remedy}`;
}

/**
 * Tells how the loading goes, in tenths, and its end; a failure to `complain`, once for as long as it is the same one.
 * `alone` is who answers without the model, where somebody does.
 */
export function tellStates(
  model: ModelEngine,
  { say, complain }: { readonly say: (message: string) => void; readonly complain: (message: string) => void },
  alone?: string,
): Disposable {
  let told = 0;
  let complained: string | undefined;
  return model.onDidChange((state: ModelState) => {
    switch (state.kind) {
      case 'loading':
        if (state.share === undefined) told = 0;
        else if (state.share - told >= TOLD_STEP) {
          told = state.share;
          say(`loading the model: ${Math.round(told * 100)} %`);
        }
        return;
      case 'ready':
        complained = undefined;
        say(`the model is ready: ${state.traits.name}`);
        return;
      case 'failed': {
        const words = sentencesOf(state.fault);
        if (words === complained) return;
        complained = words;
        complain(`${alone === undefined ? 'the model is not ready' : `${alone} answers without the model`}: ${words}`);
        return;
      }
      case 'idle':
        return;
      default:
        state satisfies never;
    }
  });
}
