/**
 * A model in this process: the base, loaded once, and contexts on it, each with its own adapters, so that adapters are
 * changed without loading the base again. Checks memory before anything is loaded and after. Knows no protocol.
 */
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { MochiFault } from '../../limits.ts';
import type { FimMarkers, Generated, Generation, ModelTraits } from '../model-engine.ts';
import { type BaseShape, readBaseShape } from '../peft/base-shape.ts';
import { type PreparedAdapter, prepareAdapter } from '../peft/prepare-adapter.ts';
import {
  type Library,
  type LibraryContext,
  type LibraryInsights,
  type LibraryLlama,
  type LibraryModel,
  type LibrarySequence,
  openBackend,
} from './backend.ts';
import { generate, Pace, type Sequence } from './generation.ts';
import { Lane } from './lanes.ts';
import { checkFits, estimated, type MemoryNeed } from './memory-plan.ts';
import type { AdapterWish, LoadWish } from './messages.ts';
import { commonLength, promptTokens } from './prompt-tokens.ts';
import { unseenBytes } from './unseen-bytes.ts';

/** Larger ones cost hundreds of megabytes with a large vocabulary, and no speed on a processor. */
const BATCH_ON_CPU = 64;
const BATCH_ON_GPU = 512;
const SMALLEST_CONTEXT = 512;
/** Contexts with adapters that are not in use are kept for the way back, as many as these. */
const MOST_CONTEXTS = 4;
/** Part of the deadline that reading the prompt may take. */
const READING_SHARE = 0.6;
const LEAST_READ = 128;

export interface LoadedModel {
  readonly traits: ModelTraits;
  /** What was estimated before the loading, for the whole process. */
  readonly estimatedBytes: number;
  generate(request: Generation, signal: AbortSignal): Promise<Generated>;
  /** Puts these adapters in the place of the present ones; answers in progress end with the old ones. */
  adapt(adapters: readonly AdapterWish[], signal: AbortSignal): Promise<ModelTraits>;
  dispose(): Promise<void>;
}

export interface LoadOptions extends Omit<LoadWish, 'kind'> {
  readonly signal: AbortSignal;
  readonly onProgress: (share: number) => void;
  readonly log: (level: 'debug' | 'warn', message: string) => void;
}

interface Applied {
  readonly prepared: PreparedAdapter;
  readonly bytes: number;
  readonly scale: number;
}

/** A context with the one sequence that is used of it. */
interface Opened {
  readonly context: LibraryContext;
  readonly sequence: Sequence;
}

type Purpose = Generation['purpose'];

/** Throws a MochiFault: `not-ready`, `memory`, or `failed` for what cannot be loaded. */
export async function loadModel(options: LoadOptions): Promise<LoadedModel> {
  const base = await asFaults(() => readBaseShape(options.model));
  const adapters = await prepared(options.adapters, base, options);
  const library = await openBackend(options.backend);
  const llama = await library.getLlama({
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: options.maxThreads,
    logLevel: 'warn',
    logger: (level, message) => options.log('warn', `llama ${level}: ${message.trim()}`),
  });
  const plan = await planFor(options, base, adapters, library, llama);
  options.signal.throwIfAborted();
  const model = await llama
    .loadModel({
      modelPath: options.model,
      gpuLayers: llama.gpu === false ? 0 : 'auto',
      useMmap: llama.gpu !== false,
      ignoreMemorySafetyChecks: llama.gpu === false,
      onLoadProgress: options.onProgress,
    })
    .catch((cause: unknown) => {
      options.log('debug', `loading failed: ${cause instanceof Error ? cause.message : 'unknown'}`);
      throw unloadable(options.model);
    });
  const loaded = new Loaded(options, base, adapters, model, plan);
  try {
    await loaded.warmUp();
    checkAfter(options.memoryBytes);
    return loaded;
  } catch (error) {
    await loaded.dispose();
    throw error;
  }
}

interface Plan {
  readonly need: MemoryNeed;
  readonly contextTokens: number;
  readonly batch: number;
}

/** The largest context that fits, halved until it does. Throws the fault of the smallest one. */
async function planFor(
  { model, contextTokens, memoryBytes }: LoadOptions,
  base: BaseShape,
  adapters: readonly Applied[],
  library: Library,
  llama: LibraryLlama,
): Promise<Plan> {
  const insights = await library.GgufInsights.from(await library.readGgufFileInfo(model), llama);
  const gpuLayers = llama.gpu === false ? 0 : insights.totalLayers;
  const weights = await insights.estimateModelResourceRequirementsV2({ gpuLayers, useMmap: llama.gpu !== false });
  const batch = llama.gpu === false ? BATCH_ON_CPU : BATCH_ON_GPU;
  const unseen = await unseenBytes(base.file, llama.gpu === false);
  const { free } = await llama.getRamState();
  const most = Math.min(contextTokens, insights.trainContextSize ?? contextTokens);
  for (let size = most; ; size = Math.floor(size / 2)) {
    const need: MemoryNeed = {
      weights: weights.cpuRam,
      unseen,
      contexts: 2 * (await contextBytes(insights, size, gpuLayers, batch)),
      adapters: adapters.reduce((sum, { bytes }) => sum + bytes, 0),
      process: process.memoryUsage.rss(),
    };
    try {
      checkFits(need, memoryBytes, free);
      return { need, contextTokens: size, batch };
    } catch (fault) {
      if (size / 2 < SMALLEST_CONTEXT) throw fault;
    }
  }
}

async function contextBytes(
  insights: LibraryInsights,
  contextSize: number,
  modelGpuLayers: number,
  batchSize: number,
): Promise<number> {
  const options = { contextSize, modelGpuLayers, batchSize, sequences: 1 };
  return (await insights.estimateContextResourceRequirementsV2(options)).cpuRam;
}

/** What was loaded may have taken more than was estimated. */
function checkAfter(limit: number): void {
  const used = process.memoryUsage.rss();
  if (used > limit)
    throw new MochiFault('memory', 'The model took more memory than it may use.', {
      remedy: 'Raise --memory-limit, or take a smaller model.',
    });
}

async function prepared(
  wishes: readonly AdapterWish[],
  base: BaseShape,
  { cacheFolder, signal }: Pick<LoadOptions, 'cacheFolder' | 'signal'>,
): Promise<readonly Applied[]> {
  const applied: Applied[] = [];
  for (const { folder, scale } of wishes) {
    const made = await asFaults(() => prepareAdapter(folder, { cacheFolder, base, signal }));
    applied.push({ prepared: made, bytes: (await stat(made.file)).size, scale: scale ?? made.scale });
  }
  return applied;
}

/** A file that is wrong is a reason not to be ready; what is wrong with it stands in the message. */
async function asFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!OperationError.is(error)) throw error;
    const remedy = error.remedy === undefined ? {} : { remedy: error.remedy };
    throw new MochiFault('not-ready', error.message, remedy);
  }
}

function unloadable(file: string): MochiFault {
  return new MochiFault('not-ready', `The model ${basename(file)} cannot be loaded.`, {
    remedy: 'Fetch the file again, or take another model; the log says more.',
  });
}

class Loaded implements LoadedModel {
  readonly #options: LoadOptions;
  readonly #base: BaseShape;
  readonly #model: LibraryModel;
  readonly #plan: Plan;
  readonly #pace = new Pace();
  readonly #lanes = { completion: new Lane('newest'), answer: new Lane('first') };
  /** By purpose and adapters; the latest used stand last. */
  readonly #contexts = new Map<string, Promise<Opened>>();
  #adapters: readonly Applied[];

  constructor(options: LoadOptions, base: BaseShape, adapters: readonly Applied[], model: LibraryModel, plan: Plan) {
    this.#options = options;
    this.#base = base;
    this.#adapters = adapters;
    this.#model = model;
    this.#plan = plan;
  }

  get estimatedBytes(): number {
    return estimated(this.#plan.need);
  }

  get traits(): ModelTraits {
    const names = this.#adapters.map(({ prepared: { name }, scale }) => (scale === 1 ? name : `${name} × ${scale}`));
    const settings = this.#adapters.map(({ prepared: one }) => one.settings);
    return {
      name: [basename(this.#options.model), ...names].join(' + '),
      form: settings[0]?.prompt ?? 'alpaca',
      fim: settings.some(({ fim }) => fim === 'off') ? undefined : markersOf(this.#model),
      contextTokens: this.#plan.contextTokens,
    };
  }

  async adapt(wishes: readonly AdapterWish[], signal: AbortSignal): Promise<ModelTraits> {
    const adapters = await prepared(wishes, this.#base, { ...this.#options, signal });
    const before = this.#adapters;
    this.#adapters = adapters;
    try {
      // What cannot be applied is found here and not in the next answer.
      for (const purpose of ['completion', 'answer'] as const) {
        await this.#lanes[purpose].idle();
        await this.#open(purpose);
      }
    } catch (error) {
      this.#adapters = before;
      throw error;
    }
    return this.traits;
  }

  /** Reads a little and writes a token: measures the speed, touches the weights, and finds weights that are no numbers. */
  async warmUp(): Promise<void> {
    const { sequence } = await this.#open('completion');
    await this.#open('answer');
    const tokens = this.#model.tokenize('function first(values) {\n  return values[0];\n}\n', false).slice(0, 24);
    const signal = AbortSignal.any([]);
    const now = (): number => performance.now();
    const found = await generate({
      ...{ sequence, vocabulary: this.#vocabulary, pace: this.#pace, prompt: tokens, maxTokens: 1, stop: [] },
      ...{ deadline: now() + 60_000, now, signal },
    });
    if (!found.tokens.every(({ probability }) => probability >= 0 && probability <= 1))
      throw unloadable(this.#base.file);
    await sequence.align([]);
  }

  async generate(request: Generation, signal: AbortSignal): Promise<Generated> {
    const { purpose, deadlineMs } = request;
    const deadline = performance.now() + deadlineMs;
    return this.#lanes[purpose].run(async () => {
      const { sequence } = await this.#open(purpose);
      return generate({
        ...{ sequence, vocabulary: this.#vocabulary, pace: this.#pace, deadline, signal },
        prompt: this.#tokens(request, sequence),
        maxTokens: this.#mostWritten(request),
        stop: request.stop,
        now: () => performance.now(),
        // Whoever types goes before whoever asks.
        ...(purpose === 'answer' ? { turn: () => this.#lanes.completion.idle() } : {}),
      });
    }, signal);
  }

  #mostWritten({ maxTokens }: Generation): number {
    return Math.max(1, Math.min(maxTokens, Math.floor(this.#plan.contextTokens / 2)));
  }

  /** As much of the prompt as fits, and as can be read in time; what is held already costs no time. */
  #tokens(request: Generation, { contents }: Sequence): readonly number[] {
    const { bos, shouldPrependBosToken } = this.#model.tokens;
    const begin = shouldPrependBosToken && bos !== null ? [bos] : [];
    const most = this.#plan.contextTokens - this.#mostWritten(request) - 1;
    const all = promptTokens(request.prompt, this.#model, begin, most);
    const readable = Math.max(LEAST_READ, (this.#pace.tokensPerSecond * READING_SHARE * request.deadlineMs) / 1_000);
    if (all.length - commonLength(all, contents) <= readable) return all;
    // A power of two, so that a little change of speed does not change how the prompt begins.
    return promptTokens(request.prompt, this.#model, begin, Math.min(most, 2 ** Math.floor(Math.log2(readable))));
  }

  get #vocabulary() {
    return {
      textOf: (tokens: readonly number[], before: readonly number[]) => this.#model.detokenize(tokens, false, before),
      isEnd: (token: number) => this.#model.isEogToken(token),
    };
  }

  /** The context for this with the present adapters; made at most once, also for two that ask at the same time. */
  #open(purpose: Purpose): Promise<Opened> {
    const key = [purpose, ...this.#adapters.map(({ prepared: { file }, scale }) => `${file}:${scale}`)].join('|');
    const opened = this.#contexts.get(key) ?? this.#create(purpose, this.#adapters);
    this.#contexts.delete(key);
    this.#contexts.set(key, opened);
    opened.catch(() => this.#contexts.delete(key));
    return opened;
  }

  async #create(purpose: Purpose, applied: readonly Applied[]): Promise<Opened> {
    await this.#makeRoom(purpose);
    const adapters = applied
      .filter(({ scale }) => scale !== 0)
      .map(({ prepared: { file }, scale }) => ({ filePath: file, scale }));
    const context = await this.#model
      .createContext({
        contextSize: this.#plan.contextTokens,
        sequences: 1,
        batchSize: this.#plan.batch,
        threads: this.#options.maxThreads,
        ...(adapters.length === 0 ? {} : { lora: { adapters } }),
      })
      .catch((cause: unknown) => {
        this.#options.log('debug', `no context: ${cause instanceof Error ? cause.message : 'unknown'}`);
        throw new MochiFault('not-ready', 'The adapter cannot be put on this model.', {
          remedy: 'Use the base that it was trained on; the log says more.',
        });
      });
    return { context, sequence: asSequence(context.getSequence()) };
  }

  /** Lets the longest unused contexts go; those of this purpose only, because the other one may be at work. */
  async #makeRoom(purpose: Purpose): Promise<void> {
    const own = [...this.#contexts.keys()].filter((key) => key.split('|')[0] === purpose);
    const isTight = process.memoryUsage.rss() + this.#plan.need.contexts / 2 > this.#options.memoryBytes;
    const kept = isTight ? 0 : MOST_CONTEXTS / 2 - 1;
    for (const key of own.slice(0, Math.max(0, own.length - kept))) await this.#close(key);
  }

  async #close(key: string): Promise<void> {
    const opened = await this.#contexts.get(key)?.catch(() => undefined);
    this.#contexts.delete(key);
    await opened?.context.dispose();
  }

  async dispose(): Promise<void> {
    for (const key of [...this.#contexts.keys()]) await this.#close(key);
    await this.#model.dispose();
  }
}

function markersOf({ tokens: { infill } }: LibraryModel): FimMarkers | undefined {
  const { prefixString: prefix, suffixString: suffix, middleString: middle } = infill;
  const isThere = (marker: string | null | undefined): marker is string => typeof marker === 'string' && marker !== '';
  return isThere(prefix) && isThere(suffix) && isThere(middle) ? { prefix, suffix, middle } : undefined;
}

function asSequence(sequence: LibrarySequence): Sequence {
  return {
    get contents() {
      return sequence.contextTokens;
    },
    align: (tokens) => sequence.adaptStateToTokens(tokens, false),
    read: (tokens) => sequence.evaluateWithoutGeneratingNewTokens(tokens),
    async *write(last) {
      const tokens = sequence.evaluateWithMetadata([last], { confidence: true }, { temperature: 0 });
      for await (const { token, confidence } of tokens) yield { token, probability: confidence };
    },
  };
}
