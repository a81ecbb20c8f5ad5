/** A model engine without a model, which answers when the test says so, and an embedded engine with fixed answers. */
import type { Answer, Completion, Engine } from '../../src/mochi/engine/engine.ts';
import type {
  Generated,
  Generation,
  ModelEngine,
  ModelState,
  ModelTraits,
} from '../../src/mochi/engine/model-engine.ts';

export const traits: ModelTraits = { name: 'fake.gguf', form: 'alpaca', fim: undefined, contextTokens: 2_048 };

/** A text of single-unit tokens that all have this chance. */
export const generated = (text: string, probability = 0.9, reason: Generated['reason'] = 'end'): Generated => ({
  text,
  tokens: [...text].map((_, at) => ({ end: at + 1, probability })),
  reason,
});

export interface FakeModel extends ModelEngine {
  readonly asked: { readonly request: Generation; readonly signal: AbortSignal }[];
  state: ModelState;
  loads: number;
  /** Ends the oldest call that is open. */
  answer(generated: Generated | Error): void;
}

export function fakeModel(state: ModelState = { kind: 'ready', traits }): FakeModel {
  const open: ((generated: Generated | Error) => void)[] = [];
  const model: FakeModel = {
    name: 'fake',
    asked: [],
    state,
    loads: 0,
    memoryBytes: 0,
    async load() {
      model.loads += 1;
      return traits;
    },
    generate(request, signal) {
      model.asked.push({ request, signal });
      return new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        open.push((result) => (result instanceof Error ? reject(result) : resolve(result)));
      });
    },
    answer: (result) => open.shift()?.(result),
    onDidChange: () => ({ dispose: () => {} }),
    dispose: () => {},
  };
  return model;
}

export function fakeEmbedded(answer: Partial<Answer> = {}, completion: Partial<Completion> = {}): Engine {
  return {
    name: 'embedded',
    state: 'ready',
    complete: async () => ({ completion: 'own()', alternatives: ['other()'], confidence: 0.3, ...completion }),
    answer: async () => ({
      response: 'quoted',
      confidence: 0.5,
      tokensGenerated: 1,
      passages: [{ file: 'a.ts', line: 1, endLine: 2, text: 'code' }],
      ...answer,
    }),
    suggest: async () => [{ name: 'p', description: 'd', example: 'e', relevance: 1 }],
  };
}
