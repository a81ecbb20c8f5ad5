/** A learned workspace with a model beside it, as the server sees them: ready when what the policy needs is ready. */
import type { Disposable } from '#core/ports.ts';
import type { Adapter } from '../adapter.ts';
import type { Knowledge } from '../learn/knowledge.ts';
import type { MochiFault } from '../limits.ts';
import type { Engine } from './engine.ts';
import type { ModelEngine } from './model-engine.ts';
import { notReady } from './not-ready.ts';
import { PolicyEngine } from './policy.ts';

/** Anything else of `learned` stays what it is. */
export function withModel(learned: Adapter, model: ModelEngine, mode: 'auto' | 'model'): Adapter {
  const engine: Engine = new PolicyEngine({
    mode,
    embedded: () => learned.engine,
    isLearned: () => learned.isLearned,
    model,
  });
  const isReady = (): boolean => model.state.kind === 'ready';
  return {
    engine,
    get isLearned(): boolean {
      return isReady() || (mode === 'auto' && learned.isLearned);
    },
    get isBusy(): boolean {
      return mode === 'auto' && learned.isBusy === true;
    },
    get knowledge(): Knowledge | undefined {
      return learned.knowledge;
    },
    get refusal(): MochiFault | undefined {
      void model.load().catch(() => undefined);
      return isReady() ? learned.refusal : notReady(model.state);
    },
    ...(learned.refresh === undefined ? {} : { refresh: (paths) => learned.refresh?.(paths) }),
    onDidLearn: (listener): Disposable => learned.onDidLearn(listener),
  };
}
