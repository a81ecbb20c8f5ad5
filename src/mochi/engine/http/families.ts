/**
 * The markers of model families as their published vocabularies write them, by the name under which a server offers a
 * model. A server cannot be asked for them, and its own `suffix` parameter is refused by some.
 */
import type { FimMarkers, PromptForm } from '../model-engine.ts';

interface Family {
  readonly names: RegExp;
  readonly fim: FimMarkers;
}

const ANGLE_BAR = { prefix: '<|fim_prefix|>', suffix: '<|fim_suffix|>', middle: '<|fim_middle|>' };

const FAMILIES: readonly Family[] = [
  { names: /qwen.*coder|codeqwen|codegemma/i, fim: ANGLE_BAR },
  {
    names: /starcoder|stable-?code|granite.*code|santacoder/i,
    fim: { prefix: '<fim_prefix>', suffix: '<fim_suffix>', middle: '<fim_middle>' },
  },
  { names: /code-?llama/i, fim: { prefix: '<PRE> ', suffix: ' <SUF>', middle: ' <MID>' } },
  {
    names: /deepseek.*coder/i,
    fim: { prefix: '<｜fim▁begin｜>', suffix: '<｜fim▁hole｜>', middle: '<｜fim▁end｜>' },
  },
];

/** Undefined where the family is not known, or has none: then only what stands before the cursor is used. */
export function markersOf(model: string): FimMarkers | undefined {
  return FAMILIES.find(({ names }) => names.test(model))?.fim;
}

/** A served model that was tuned for talking knows the form of talking; any other is taken for an adapter's. */
export function formOf(model: string): PromptForm {
  return /instruct|chat|-it\b/i.test(model) ? 'chatml' : 'alpaca';
}
