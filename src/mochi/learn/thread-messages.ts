/** What the serving thread and a thread that learns say to each other. Everything here can be cloned; no functions. */
import type { CompletionRequest, Question, SuggestionRequest } from '../engine/engine.ts';
import type { Knowledge } from './knowledge.ts';
import type { LearnProgress } from './learn.ts';
import type { LearnReach } from './workspace.ts';

/** What such a thread is started with. */
export interface ThreadSetup {
  readonly root: string;
  readonly store?: string;
  readonly outdated?: string;
}

/** `learn` answers with a LearnOutcome, the questions with what the engine says, `keep` with nothing, `folders` with their paths. */
export type Ask =
  | { readonly kind: 'learn'; readonly what: LearnReach }
  | { readonly kind: 'keep' }
  | { readonly kind: 'folders' }
  | { readonly kind: 'complete'; readonly request: CompletionRequest }
  | { readonly kind: 'answer'; readonly request: Question }
  | { readonly kind: 'suggest'; readonly request: SuggestionRequest };

export type ToThread = { readonly id: number; readonly ask: Ask } | { readonly id: number; readonly ask: 'stop' };

export type FromThread =
  /** It answers from here on, though the first question may take longer. */
  | { readonly kind: 'answers' }
  | { readonly kind: 'learned'; readonly knowledge: Knowledge }
  | { readonly kind: 'progress'; readonly progress: LearnProgress }
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  /** It was told to stop something, and has heard it. */
  | { readonly kind: 'stopped' };
