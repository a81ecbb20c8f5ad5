/**
 * A model on a server that somebody runs: llama-server, Ollama, LM Studio, vLLM with its LoRA modules by name, anything
 * with OpenAI-style `/v1/completions`. Tries again where that can help, and leaves a server alone that is down.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Disposable, Logger } from '#core/ports.ts';
import { MochiFault } from '../../limits.ts';
import { Lane } from '../llama/lanes.ts';
import type {
  Generated,
  Generation,
  ModelEngine,
  ModelState,
  ModelTraits,
  PromptForm,
  TokenMark,
} from '../model-engine.ts';
import { notReady } from '../not-ready.ts';
import { createCircuit } from './circuit.ts';
import {
  type ApiOptions,
  listModels,
  type ServedModel,
  ServerFailure,
  type StreamPart,
  streamCompletion,
} from './completions-api.ts';
import { formOf, markersOf } from './families.ts';
import { promptText } from './prompt-text.ts';

export interface HttpModelOptions {
  /** For example `http://127.0.0.1:8080/v1`. */
  readonly url: URL;
  /** The served name, with vLLM also that of a LoRA module; without it the first that the server lists. */
  readonly model: string | undefined;
  readonly key: string | undefined;
  /** In the place of what the name of the model suggests. */
  readonly form?: PromptForm;
  readonly logger: Logger;
  readonly fetch?: typeof fetch;
  readonly now?: () => number;
  /** Milliseconds before the first repetition; for tests. */
  readonly pauseMs?: number;
}

/** Where the server does not say how much fits. */
const USUAL_CONTEXT = 4_096;
/** Milliseconds for the list of models. */
const LOAD_MS = 5_000;
const MOST_TRIES = 3;
/** Answers on their way at once; the server has its own queue behind it. */
const ANSWERS_AT_ONCE = 4;

export class HttpModel implements ModelEngine {
  readonly name = 'http';
  readonly memoryBytes = 0;
  readonly #options: HttpModelOptions;
  readonly #api: ApiOptions;
  readonly #now: () => number;
  readonly #circuit;
  readonly #end = new AbortController();
  readonly #listeners = new Set<(state: ModelState) => void>();
  readonly #completions = new Lane('newest');
  readonly #answers = Array.from({ length: ANSWERS_AT_ONCE }, () => new Lane('first'));
  #turn = 0;
  #state: ModelState = { kind: 'idle' };
  #served = '';
  #loading: Promise<ModelTraits> | undefined;

  constructor(options: HttpModelOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#circuit = createCircuit({ now: this.#now });
    const base = new URL(options.url);
    if (!base.pathname.endsWith('/')) base.pathname += '/';
    this.#api = { base, key: options.key, fetch: options.fetch ?? fetch };
  }

  get state(): ModelState {
    return this.#state;
  }

  load(): Promise<ModelTraits> {
    if (this.#state.kind === 'ready') return Promise.resolve(this.#state.traits);
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<ModelTraits> {
    this.#become({ kind: 'loading', share: undefined });
    try {
      const signal = AbortSignal.any([this.#end.signal, AbortSignal.timeout(LOAD_MS)]);
      const models = await this.#guarded(() => listModels(this.#api, signal), signal);
      const { model, form, logger } = this.#options;
      const chosen = choose(models, model, this.#api.base.host);
      this.#served = chosen.id;
      const traits: ModelTraits = {
        name: chosen.id,
        form: form ?? formOf(chosen.id),
        fim: markersOf(chosen.id),
        contextTokens: chosen.contextTokens ?? USUAL_CONTEXT,
      };
      logger.info(`the model server at ${this.#api.base.host} is there`);
      this.#become({ kind: 'ready', traits });
      return traits;
    } catch (error) {
      const fault = faultOf(error, this.#api.base.host);
      this.#become({ kind: 'failed', fault });
      throw fault;
    }
  }

  async generate(request: Generation, signal: AbortSignal): Promise<Generated> {
    signal.throwIfAborted();
    if (this.#state.kind !== 'ready') throw notReady(this.#state);
    const { traits } = this.#state;
    const until = this.#now() + request.deadlineMs;
    return this.#laneFor(request).run(() => this.#generate(request, traits, until, signal), signal);
  }

  #laneFor({ purpose }: Generation): Lane {
    if (purpose === 'completion') return this.#completions;
    const free = this.#answers.find((lane) => !lane.isBusy);
    this.#turn = (this.#turn + 1) % this.#answers.length;
    const [first = this.#completions] = this.#answers.slice(this.#turn);
    return free ?? first;
  }

  async #generate(request: Generation, traits: ModelTraits, until: number, signal: AbortSignal): Promise<Generated> {
    const late = AbortSignal.timeout(Math.max(0, Math.ceil(until - this.#now())));
    const either = AbortSignal.any([signal, late, this.#end.signal]);
    const prompt = promptText(request.prompt, traits.contextTokens - request.maxTokens);
    const text = new Gathered(request.stop);
    try {
      await this.#guarded(async () => {
        const asked = { model: this.#served, prompt, maxTokens: request.maxTokens, stop: request.stop };
        for await (const part of streamCompletion(this.#api, asked, either)) if (text.add(part)) break;
      }, either);
      return text.result();
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted) return text.result('deadline');
      throw faultOf(error, this.#api.base.host);
    }
  }

  /** Again where that can help and nothing has come yet; not at all while the server is left alone. */
  async #guarded<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { pauseMs = 150 } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const wait = this.#circuit.enter();
      if (wait > 0)
        throw new MochiFault('not-ready', `The model server at ${this.#api.base.host} is down.`, {
          remedy: `It is asked again in ${Math.ceil(wait / 1_000)} s.`,
        });
      try {
        const result = await work();
        this.#circuit.succeeded();
        return result;
      } catch (error) {
        if (!(error instanceof ServerFailure)) {
          this.#circuit.left();
          throw error;
        }
        // A clear no is an answer of a server that works.
        if (error.isTransient || error.fault.kind === 'not-ready') this.#circuit.failed();
        else this.#circuit.succeeded();
        if (!error.isTransient || attempt >= MOST_TRIES) throw error;
        await delay(error.retryAfterMs ?? pauseMs * 2 ** (attempt - 1), undefined, { signal });
      }
    }
  }

  onDidChange(listener: (state: ModelState) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  dispose(): void {
    this.#end.abort(new Error('ended'));
    this.#listeners.clear();
  }

  #become(state: ModelState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener(state);
  }
}

function choose(models: readonly ServedModel[], wanted: string | undefined, host: string): ServedModel {
  const found = wanted === undefined ? models[0] : models.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  const names = models.map(({ id }) => id).slice(0, 20);
  throw new MochiFault(
    'not-ready',
    wanted === undefined
      ? `The model server at ${host} offers no model.`
      : `The model server at ${host} has no model "${wanted}".`,
    { remedy: names.length === 0 ? 'Load a model there.' : `Use --model with one of: ${names.join(', ')}.` },
  );
}

function faultOf(error: unknown, host: string): MochiFault {
  if (error instanceof ServerFailure) return error.fault;
  if (error instanceof MochiFault) return error;
  return new MochiFault('not-ready', `The model server at ${host} did not answer in time.`, {
    remedy: 'Look whether it is busy, or ask for less.',
  });
}

/** The text so far, where its tokens end, and whether one of the endings has come. */
class Gathered {
  readonly #stop: readonly string[];
  #text = '';
  #marks: TokenMark[] = [];
  #finish: 'stop' | 'length' | undefined;

  constructor(stop: readonly string[]) {
    this.#stop = stop;
  }

  /** True when there is nothing more to wait for. */
  add({ text, tokens, finish }: StreamPart): boolean {
    let end = this.#text.length;
    this.#text += text;
    this.#finish ??= finish;
    for (const token of tokens) {
      end = Math.min(this.#text.length, end + token.text.length);
      this.#marks.push({ end, probability: token.probability });
    }
    // Some tokens are half characters, and their lengths do not add up; the last one ends where the text does.
    const last = this.#marks.at(-1);
    if (tokens.length > 0 && last !== undefined)
      this.#marks[this.#marks.length - 1] = { ...last, end: this.#text.length };
    const ends = this.#stop.map((one) => this.#text.indexOf(one)).filter((at) => at >= 0);
    if (ends.length === 0) return false;
    const cut = Math.min(...ends);
    this.#text = this.#text.slice(0, cut);
    this.#marks = this.#marks.filter((mark) => mark.end <= cut);
    this.#finish = 'stop';
    return true;
  }

  result(reason?: 'deadline'): Generated {
    return {
      text: this.#text,
      tokens: this.#marks,
      reason: reason ?? (this.#finish === 'length' ? 'length' : this.#finish === 'stop' ? 'stop' : 'end'),
    };
  }
}
