/** What Mochi has learned, as the server sees it: an engine that answers and the knowledge behind the resources. */
import type { Disposable } from '#core/ports.ts';
import type { Engine } from './engine/engine.ts';
import type { Knowledge } from './learn/knowledge.ts';

export interface Adapter {
  readonly engine: Engine;
  /** Undefined until something has been learned; another object after each learning. */
  readonly knowledge: Knowledge | undefined;
  /** Called after each learning. */
  onDidLearn(listener: () => void): Disposable;
}
