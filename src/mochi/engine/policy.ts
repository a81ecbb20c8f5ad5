/**
 * Which engine answers, where there are two. `auto`: the embedded engine at once, and the model in its place where that
 * is in time and surer; `model`: the model alone, with passages of the workspace where there are any. Nobody who types
 * waits for a model under `auto` longer than its budget.
 */
import { MochiFault } from '../limits.ts';
import { alternativesTo } from './alternatives.ts';
import { CompletionContext } from './completion-context.ts';
import type {
  Answer,
  Completion,
  CompletionRequest,
  Engine,
  EngineState,
  Passage,
  Question,
  Suggestion,
  SuggestionRequest,
} from './engine.ts';
import { LateCompletions, typedSince } from './late-completions.ts';
import type { ModelEngine, ModelTraits } from './model-engine.ts';
import { ModelWriter } from './model-writer.ts';
import { notReady } from './not-ready.ts';

export interface PolicyOptions {
  readonly mode: 'auto' | 'model';
  /** What was learned of the workspace; asked anew for each request. */
  readonly embedded: () => Engine;
  /** Whether the embedded engine has anything to answer from. */
  readonly isLearned: () => boolean;
  readonly model: ModelEngine;
  readonly now?: () => number;
  /** For tests. */
  readonly budgets?: Partial<Record<keyof typeof BUDGETS, number>>;
}

/** Milliseconds, from the request on. */
const BUDGETS = {
  /** An answer of a model; half a second below the law, for what is under way when it ends. */
  answer: 4_500,
  /** How long a completion under `auto` may be held up for the model. */
  wait: 100,
  /** How long the model may go on for the next key after that. */
  late: 1_500,
} as const;

/** A completion of the embedded engine that is this sure is not asked about. */
const SURE = 0.8;

interface Running {
  readonly request: CompletionRequest;
  readonly result: Promise<Completion | undefined>;
  readonly stop: AbortController;
}

export class PolicyEngine implements Engine {
  readonly #options: PolicyOptions;
  readonly #writer: ModelWriter;
  readonly #now: () => number;
  readonly #budgets: Record<keyof typeof BUDGETS, number>;
  readonly #late = new LateCompletions();
  readonly #context = new CompletionContext();
  #running: Running | undefined;

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#writer = new ModelWriter(options.model);
    this.#now = options.now ?? (() => performance.now());
    this.#budgets = { ...BUDGETS, ...options.budgets };
  }

  get name(): string {
    const { mode, model, embedded } = this.#options;
    const shown = model.state.kind === 'ready' ? `${model.name} (${model.state.traits.name})` : model.name;
    return mode === 'auto' ? `${embedded().name}, ${shown}` : shown;
  }

  get state(): EngineState {
    const { mode, model, embedded } = this.#options;
    if (mode === 'auto' && embedded().state !== 'empty') return embedded().state;
    switch (model.state.kind) {
      case 'ready':
        return 'ready';
      case 'loading':
        return 'loading';
      case 'idle':
      case 'failed':
        return 'empty';
      default:
        return model.state satisfies never;
    }
  }

  async suggest(request: SuggestionRequest, signal: AbortSignal): Promise<readonly Suggestion[]> {
    // Patterns are counted in the learned code; a model has none to offer.
    return this.#options.isLearned() ? this.#options.embedded().suggest(request, signal) : [];
  }

  async answer(question: Question, signal: AbortSignal): Promise<Answer> {
    const { mode, model } = this.#options;
    const until = this.#now() + this.#budgets.answer;
    const quoted = await this.#quoted(question, signal);
    const ask = (traits: ModelTraits): Promise<Answer> =>
      this.#writer.answer(question, quoted?.passages ?? [], traits, Math.max(0, until - this.#now()), signal);
    if (mode === 'model') return told(await ask(await this.#traits()));
    const traits = model.state.kind === 'ready' ? model.state.traits : undefined;
    if (traits === undefined) void model.load().catch(() => undefined);
    const own = traits === undefined ? undefined : await ask(traits).catch(() => undefined);
    signal.throwIfAborted();
    if (quoted === undefined) return told(own ?? (await ask(await this.#traits())));
    const isBetter =
      own !== undefined && own.isPartial !== true && own.response !== '' && own.confidence > quoted.confidence;
    return isBetter ? own : { ...quoted, engine: this.#options.embedded().name };
  }

  async complete(request: CompletionRequest, signal: AbortSignal): Promise<Completion> {
    if (this.#options.mode === 'auto') return this.#completeInTime(request, signal);
    const until = this.#now() + this.#budgets.answer;
    const traits = await this.#traits();
    const passages = await this.#passages(request, signal);
    return this.#writer.complete(request, passages, traits, Math.max(0, until - this.#now()), signal);
  }

  /** The embedded engine's answer; undefined where it has nothing to answer from. */
  async #quoted(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const { isLearned, embedded } = this.#options;
    return isLearned() ? embedded().answer(question, signal) : undefined;
  }

  #passages(request: CompletionRequest, signal: AbortSignal): Promise<readonly Passage[]> {
    const { isLearned, embedded } = this.#options;
    return isLearned() ? this.#context.find(embedded(), request, signal) : Promise.resolve([]);
  }

  /** Throws a fault of kind `not-ready`, and asks for the loading, where the model is not there. */
  async #traits(): Promise<ModelTraits> {
    const { model } = this.#options;
    if (model.state.kind === 'ready') return model.state.traits;
    throw refused(model);
  }

  async #completeInTime(request: CompletionRequest, signal: AbortSignal): Promise<Completion> {
    const { isLearned, embedded, model } = this.#options;
    const until = this.#now() + this.#budgets.wait;
    const quick = isLearned() ? await embedded().complete(request, signal) : undefined;
    const own = quick === undefined ? undefined : { ...quick, engine: embedded().name };
    if (own !== undefined && own.completion !== '' && own.confidence >= SURE) return own;
    if (model.state.kind !== 'ready') {
      const fault = refused(model);
      if (own === undefined) throw fault;
      return own;
    }
    const kept = this.#late.find(request);
    const found = kept ?? (await this.#soon(request, model.state.traits, until - this.#now(), signal));
    signal.throwIfAborted();
    return better(found, own, request) ?? { completion: '', alternatives: [], confidence: 0, engine: model.name };
  }

  /** The model's completion if it comes within so many milliseconds; later it is kept for the next keys. */
  async #soon(
    request: CompletionRequest,
    traits: ModelTraits,
    milliseconds: number,
    signal: AbortSignal,
  ): Promise<Completion | undefined> {
    const running = this.#joined(request) ?? this.#start(request, traits);
    const timeout = new AbortController();
    try {
      const ended = new Promise<undefined>((resolve) => {
        setTimeout(resolve, Math.max(0, milliseconds), undefined).unref();
        signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: timeout.signal });
      });
      await Promise.race([running.result, ended]);
      // Also where it was begun for an earlier key: what is left of it counts.
      return this.#late.find(request);
    } finally {
      timeout.abort();
    }
  }

  /** What runs for a text that was only typed on since; anything else is stopped, because nobody waits for it. */
  #joined(request: CompletionRequest): Running | undefined {
    if (this.#running === undefined) return undefined;
    if (typedSince(this.#running.request, request) !== undefined) return this.#running;
    this.#running.stop.abort(new Error('superseded'));
    return undefined;
  }

  #start(request: CompletionRequest, traits: ModelTraits): Running {
    const stop = new AbortController();
    const result = this.#passages(request, stop.signal)
      .then((passages) => this.#writer.complete(request, passages, traits, this.#budgets.late, stop.signal))
      .then(
        (completion) => {
          this.#late.keep(request, completion);
          return completion;
        },
        () => undefined,
      )
      .finally(() => {
        if (this.#running === running) this.#running = undefined;
      });
    const running: Running = { request, result, stop };
    this.#running = running;
    return running;
  }
}

/** Asks for the loading too, so that the next try finds it further. */
function refused(model: ModelEngine): MochiFault {
  void model.load().catch(() => undefined);
  return notReady(model.state);
}

/** A model that had no time to say anything is late. */
function told(answer: Answer): Answer {
  if (answer.isPartial === true && answer.response === '')
    throw new MochiFault('timeout', 'The model did not begin its answer in time.', {
      remedy: 'Ask again, what it has read is kept; or ask with a shorter context.',
    });
  return answer;
}

/** The surer of the two, by the chance that all of it is right; both may be missing. */
function better(
  model: Completion | undefined,
  own: Completion | undefined,
  { suffix, maxAlternatives }: CompletionRequest,
): Completion | undefined {
  if (model === undefined || model.completion === '') return own;
  if (own === undefined || own.completion === '') return model;
  const chance = firstLineChance(model);
  if (chance <= own.confidence) return own;
  // What the embedded engine found worth showing is, but for what the model says, too.
  const others = [own.completion, ...own.alternatives].map((text) => ({ text, probability: 1 }));
  const first = { text: model.completion, probability: 1 };
  return { ...model, alternatives: alternativesTo(first, others, suffix, maxAlternatives) };
}

/** A model goes on for lines; what is compared is the line that both write. */
function firstLineChance({ completion, steps, confidence }: Completion): number {
  const newline = completion.indexOf('\n');
  const length = newline <= 0 ? completion.length : newline;
  const last = steps?.findLast(({ end }) => end <= length);
  return last === undefined ? confidence : last.confidence;
}
