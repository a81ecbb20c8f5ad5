/**
 * Answers and completions by a language model: puts the prompt together from the request and what was learned, asks the
 * model, and reads from the chances of its tokens how sure it is. Decides nothing about when a model is asked.
 */
import type { Answer, Completion, CompletionRequest, Passage, Question, Step } from './engine.ts';
import type { Generated, ModelEngine, ModelTraits, TokenMark } from './model-engine.ts';
import { answerPrompt, completionPrompt } from './prompts.ts';

/** Tokens of a completion; a few lines. */
const COMPLETION_TOKENS = 64;
/** Steps that are told; the first are the ones that count. */
const MOST_STEPS = 64;

export class ModelWriter {
  readonly #model: ModelEngine;

  constructor(model: ModelEngine) {
    this.#model = model;
  }

  async answer(
    question: Question,
    passages: readonly Passage[],
    traits: ModelTraits,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { prompt, stop } = answerPrompt(question, passages, traits);
    const { maxTokens } = question;
    const generated = await this.#model.generate({ purpose: 'answer', prompt, stop, maxTokens, deadlineMs }, signal);
    return {
      response: generated.text.trim(),
      confidence: meanConfidence(generated.tokens),
      tokensGenerated: generated.tokens.length,
      passages,
      engine: this.#model.name,
      ...(generated.reason === 'deadline' ? { isPartial: true } : {}),
    };
  }

  async complete(
    request: CompletionRequest,
    passages: readonly Passage[],
    traits: ModelTraits,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<Completion> {
    const { prompt, stop } = completionPrompt(request, passages, traits, COMPLETION_TOKENS);
    const generated = await this.#model.generate(
      { purpose: 'completion', prompt, stop, maxTokens: COMPLETION_TOKENS, deadlineMs },
      signal,
    );
    return completionOf(generated, this.#model.name);
  }
}

/** exp of the mean of log p: how sure the model was of a token, on the whole; 0 where there is none. */
export function meanConfidence(tokens: readonly TokenMark[]): number {
  if (tokens.length === 0) return 0;
  const sum = tokens.reduce((total, { probability }) => total + Math.log(Math.max(probability, 1e-9)), 0);
  return bounded(Math.exp(sum / tokens.length));
}

function completionOf({ text, tokens, reason }: Generated, engine: string): Completion {
  const completion = withoutControls(text).trimEnd();
  const steps: Step[] = [];
  let chance = 1;
  for (const { end, probability } of tokens) {
    if (end > completion.length) break;
    chance *= bounded(probability);
    if (end > (steps.at(-1)?.end ?? 0) && steps.length < MOST_STEPS) steps.push({ end, confidence: chance });
  }
  const shown = tokens.filter(({ end }) => end <= completion.length);
  return {
    completion,
    alternatives: [],
    confidence: completion === '' ? 0 : meanConfidence(shown.length > 0 ? shown : tokens),
    ...(steps.length === 0 ? {} : { steps }),
    ...(reason === 'deadline' ? { isPartial: true } : {}),
    engine,
  };
}

/** Of the same length, so that marks stay where they are. */
function withoutControls(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, ' ');
}

const bounded = (value: number): number => (value >= 0 && value <= 1 ? value : 0);
