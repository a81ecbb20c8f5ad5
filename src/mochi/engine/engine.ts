/**
 * What every engine of Mochi answers, whatever stands behind it. It knows no protocol, keeps no deadline of its own
 * (the signal does) and says nothing about how an engine learns.
 */

/**
 * `empty`: nothing learned or loaded yet; `learning`: an earlier learning may still answer; `loading`: a model is on its
 * way into memory; `ready`: idle.
 */
export type EngineState = 'empty' | 'learning' | 'loading' | 'ready';

export interface CompletionRequest {
  /** The text before the cursor; the engine may read only its end. */
  readonly prefix: string;
  readonly suffix?: string;
  /** An editor language id such as `typescript`; without it the path decides, and without that a plain reading. */
  readonly language?: string;
  /** Path of the file being edited, relative to the learned folder, with forward slashes. */
  readonly path?: string;
  /** 0 to 3. */
  readonly maxAlternatives: number;
  /**
   * What a language server offers at the cursor, one name or signature each, likeliest first. Hints: an engine may
   * prefer them and never has to.
   */
  readonly facts?: readonly string[];
}

/** A place where a completion may be cut: at the end of a token, counted in UTF-16 units from its start. */
export interface Step {
  readonly end: number;
  /** Estimated chance, 0 to 1, that the text up to `end` is what would be written. Never grows from step to step. */
  readonly confidence: number;
}

export interface Completion {
  /** What to insert at the cursor; empty when the engine has nothing to offer. */
  readonly completion: string;
  /** Other completions, likeliest first, none equal to `completion`; at most three. */
  readonly alternatives: readonly string[];
  /** Estimated chance, 0 to 1, that the completion is exactly what would be written. */
  readonly confidence: number;
  /** Where it may be cut, in order, where the engine can tell; a caller that wants to be surer shows less. */
  readonly steps?: readonly Step[];
  /** Whether the deadline ended it before the engine would have. */
  readonly isPartial?: boolean;
  /** The name of the engine that wrote it, where more than one could have. */
  readonly engine?: string;
}

export interface Question {
  readonly instruction: string;
  readonly input?: string;
  /** Upper bound for the length of the response, in the engine's own tokens. */
  readonly maxTokens: number;
}

/** A place in the learned files that an answer rests on. */
export interface Passage {
  readonly file: string;
  /** First and last line, counted from 1. */
  readonly line: number;
  readonly endLine: number;
  readonly text: string;
  /** Who found it, where it was not the engine. */
  readonly source?: string;
}

export interface Answer {
  readonly response: string;
  /** Estimated chance, 0 to 1, that the first passage is the place asked for. */
  readonly confidence: number;
  readonly tokensGenerated: number;
  /** Best first. */
  readonly passages: readonly Passage[];
  /** Whether the deadline ended it before the engine would have. */
  readonly isPartial?: boolean;
  /** The name of the engine that answered, where more than one could have. */
  readonly engine?: string;
}

export interface SuggestionRequest {
  readonly goal: string;
  readonly context?: string;
}

/** A pattern or convention of the learned code that serves a goal. */
export interface Suggestion {
  /** Its stable name, as in `mochi://patterns/{name}` where it is a pattern. */
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /** 0 to 1. */
  readonly relevance: number;
}

/** Each call rejects with the signal's reason once that is aborted. In state `empty` the answers are empty. */
export interface Engine {
  /** For people and `mochi://stats`. */
  readonly name: string;
  readonly state: EngineState;
  complete(request: CompletionRequest, signal: AbortSignal): Promise<Completion>;
  answer(request: Question, signal: AbortSignal): Promise<Answer>;
  /** Most relevant first. */
  suggest(request: SuggestionRequest, signal: AbortSignal): Promise<readonly Suggestion[]>;
}
