/** What Mochi has learned, as the server sees it: an engine that answers and the knowledge behind the resources. */
import type { Disposable } from '#core/ports.ts';
import type { Engine } from './engine/engine.ts';
import type { Knowledge } from './learn/knowledge.ts';
import type { MochiFault } from './limits.ts';

export interface Adapter {
  readonly engine: Engine;
  /** Whether there is anything to answer from. */
  readonly isLearned: boolean;
  /** Whether something is being loaded or learned at this moment, so that waiting a little may help. */
  readonly isBusy?: boolean;
  /** Undefined until something has been learned; another object after each learning. */
  readonly knowledge: Knowledge | undefined;
  /** Why nothing was learned, where there is a better reason than that it has not happened yet. */
  readonly refusal?: MochiFault | undefined;
  /** Looks for changed files beside whatever else is done: those of these paths, or all. */
  refresh?(paths?: readonly string[]): void;
  /** Called after each learning that changed anything. */
  onDidLearn(listener: () => void): Disposable;
}
