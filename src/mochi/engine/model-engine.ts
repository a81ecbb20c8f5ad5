/**
 * What a language model is to Mochi, wherever it runs: something that goes on with a prompt. It knows no code base, no
 * protocol and no policy; prompts are made in `prompts.ts`, and who is asked when is decided in `policy.ts`.
 */
import type { Disposable } from '#core/ports.ts';

/**
 * A part of a prompt. Only `special` parts may be read as the model's own markers; `text` is data whatever it says, and
 * an engine must see to it that a marker inside of it stays plain text. Where the whole is too long, or cannot be read
 * in time, parts with `gives` lose text at that end, the one with the lowest `rank` first.
 */
export type Piece =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly gives?: { readonly at: 'start' | 'end'; readonly rank: number };
    }
  | { readonly kind: 'special'; readonly text: string };

/** The markers of fill-in-the-middle as the model's vocabulary writes them. */
export interface FimMarkers {
  readonly prefix: string;
  readonly suffix: string;
  readonly middle: string;
}

/** How questions are put to a model; what an adapter was trained on decides. */
export type PromptForm = 'alpaca' | 'chatml' | 'raw';

/** What prompts must know about the loaded model. */
export interface ModelTraits {
  /** For people: the file or the served name, and the adapters in use. */
  readonly name: string;
  readonly form: PromptForm;
  /** Undefined where the model has none, or they are switched off: then only what stands before the cursor is used. */
  readonly fim: FimMarkers | undefined;
  /** Tokens of prompt and answer together. */
  readonly contextTokens: number;
}

export interface Generation {
  /** Completions are for somebody who types: the newest goes first, an older one that still waits is dropped. */
  readonly purpose: 'completion' | 'answer';
  readonly prompt: readonly Piece[];
  readonly maxTokens: number;
  /** Texts that end it; none of them is part of the result. */
  readonly stop: readonly string[];
  /** Milliseconds from the call after which what is there is given back as partial. */
  readonly deadlineMs: number;
}

/** Where a token ends in the text, in UTF-16 units, and the chance the model gave it. */
export interface TokenMark {
  readonly end: number;
  readonly probability: number;
}

export interface Generated {
  readonly text: string;
  /** In order; tokens that only together make a character are marked where it is complete. */
  readonly tokens: readonly TokenMark[];
  /** Tokens of the prompt that had to be evaluated for it; the rest was still there from earlier calls. */
  readonly evaluated?: number;
  /** Tokens of the prompt as it was used, after parts of it had to give way. */
  readonly promptTokens?: number;
  /** `end`: the model ended it; `deadline`: it is partial. */
  readonly reason: 'end' | 'stop' | 'length' | 'deadline';
}

/**
 * `idle`: not asked for yet, or let go; `failed`: the next call tries again. `share` runs from 0 to 1 and says how far
 * the loading is, where that is known.
 */
export type ModelState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading'; readonly share: number | undefined }
  | { readonly kind: 'ready'; readonly traits: ModelTraits }
  | { readonly kind: 'failed'; readonly fault: Error };

/** Failures are `MochiFault`s: `not-ready`, `busy`, `memory`, `timeout` or `failed`, with what to do. */
export interface ModelEngine extends Disposable {
  /** The kind of engine, for people: `llama` or `http`. */
  readonly name: string;
  readonly state: ModelState;
  /** Bytes of memory outside of this process that it uses on this machine now. */
  readonly memoryBytes: number;
  /** Makes it ready, once; later calls join or return at once. Rejects with a MochiFault. */
  load(): Promise<ModelTraits>;
  /** Rejects with the signal's reason once that is aborted, and with `not-ready` while it is not loaded. */
  generate(request: Generation, signal: AbortSignal): Promise<Generated>;
  /** Called when the state changes, also for each step of the loading. */
  onDidChange(listener: (state: ModelState) => void): Disposable;
}
