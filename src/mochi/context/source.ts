/** Others who know this code base and are asked beside the engine. What they say is data from outside, checked here. */
import type { Passage } from '../engine/engine.ts';

/** A stretch of a file that a source points at; nobody has looked whether it is there. */
export interface Pointer {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly endLine: number;
}

export interface ContextSource {
  /** For people, for example `kiri`. */
  readonly name: string;
  /** Best first. Empty where the source is not there, fails or takes longer than it may; never rejects. */
  find(question: string, signal: AbortSignal): Promise<readonly Passage[]>;
  close(): Promise<void>;
}
