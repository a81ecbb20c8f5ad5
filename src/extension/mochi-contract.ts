/**
 * What the editor's parts know of Mochi: where it stands, the completions it gives, and what became of those that were
 * shown. Types only, so that whoever writes ghost text needs nothing of how a process is kept alive.
 */
import type { TextDocument } from 'vscode';
import type { Disposable } from '#core/ports.ts';
import type { CompleteCodeResult } from '#protocol/mochi.ts';

/** Where Mochi stands for the folder it was last asked about; the worst folder wins where several are learned. */
export type MochiStatus =
  /** Nothing runs: nobody needed it yet, or it may not run here. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'restricted' }
  /** Completions are switched off by the settings. */
  | { readonly kind: 'off' }
  /** By the person; `until` in milliseconds since 1970 where they snooze. */
  | { readonly kind: 'paused'; readonly until?: number }
  /** Learning waits for a yes, or for the mains. */
  | { readonly kind: 'waiting'; readonly reason: 'large' | 'battery' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'learning'; readonly done?: number; readonly total?: number }
  | { readonly kind: 'ready' }
  /** It ended and is started again by itself. */
  | { readonly kind: 'restarting' }
  /** It will not be tried again by itself. */
  | { readonly kind: 'failed'; readonly reason: string };

export interface CompletionRequest {
  readonly prefix: string;
  readonly suffix?: string;
  /** The editor's language id. */
  readonly language?: string;
  /** Names or signatures that the language server offers at the cursor, likeliest first. */
  readonly facts?: readonly string[];
}

export type CompletionResult = CompleteCodeResult;

/** One suggestion as it was shown, for *why this?* and the counts. */
export interface ShownSuggestion {
  readonly language: string;
  /** As the engine names itself. */
  readonly engine: string;
  /** 0 to 1, of the text as shown. */
  readonly confidence: number;
  /** Milliseconds from the keystroke to the answer at the provider. */
  readonly latencyMs: number;
  /** How many members and symbols the language server confirmed; undefined where it was not asked or late. */
  readonly confirmed?: number;
}

/** What completions are told; counts only, no code and no names leave the machine or reach a file. */
export interface CompletionWitness {
  /** Once for each suggestion that appears. */
  shown(suggestion: ShownSuggestion): void;
  /** A whole suggestion was accepted. Looks by itself after 30 s whether `text` is still there. */
  accepted(accepted: {
    readonly document: TextDocument;
    /** Offset of the first character of `text` after acceptance, in UTF-16 units. */
    readonly offset: number;
    readonly text: string;
  }): void;
}

/** The part of Mochi that ghost text needs. */
export interface MochiHost extends CompletionWitness {
  readonly status: MochiStatus;
  onDidChangeStatus(listener: (status: MochiStatus) => void): Disposable;
  /** Whether completions may be offered at all: trusted, switched on, not paused and not snoozed. Cheap. */
  readonly mayComplete: boolean;
  /** Starts Mochi for the document's folder where it is not started and may be: somebody types there. */
  wake(document: TextDocument): void;
  /**
   * Starts Mochi for the document's folder on first need. Undefined while it is not ready, where it refuses, where the
   * document belongs to no folder on a disk, and when `signal` aborts; never rejects.
   */
  complete(
    document: TextDocument,
    request: CompletionRequest,
    signal: AbortSignal,
  ): Promise<CompletionResult | undefined>;
}
