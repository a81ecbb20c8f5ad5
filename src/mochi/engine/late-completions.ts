/**
 * Completions of a model that came too late for the key they were asked at. Somebody who types on along one of them gets
 * the rest of it at once. Keeps a few, compares texts, and asks nobody.
 */
import type { Completion, CompletionRequest } from './engine.ts';

const MOST_KEPT = 8;

type Place = Pick<CompletionRequest, 'prefix' | 'suffix' | 'path'>;

export class LateCompletions {
  #kept: { readonly place: Place; readonly completion: Completion }[] = [];

  keep({ prefix, suffix, path }: Place, completion: Completion): void {
    if (completion.completion === '') return;
    const place = { prefix, ...(suffix === undefined ? {} : { suffix }), ...(path === undefined ? {} : { path }) };
    this.#kept = [{ place, completion }, ...this.#kept].slice(0, MOST_KEPT);
  }

  /** What is left of a kept completion after what was typed since. */
  find(now: Place): Completion | undefined {
    for (const { place, completion } of this.#kept) {
      const typed = typedSince(place, now);
      if (typed === undefined) continue;
      const rest = restOf(completion, typed);
      if (rest !== undefined) return rest;
    }
    return undefined;
  }
}

/** The text typed between two moments at one place; undefined where it is not the same place. */
export function typedSince(before: Place, now: Place): string | undefined {
  if (before.path !== now.path || before.suffix !== now.suffix) return undefined;
  return now.prefix.startsWith(before.prefix) ? now.prefix.slice(before.prefix.length) : undefined;
}

function restOf(whole: Completion, typed: string): Completion | undefined {
  if (typed === '') return whole;
  if (!whole.completion.startsWith(typed) || whole.completion.length === typed.length) return undefined;
  // Given that what was typed came true, the rest is likelier than the whole was.
  const come = whole.steps?.findLast(({ end }) => end <= typed.length)?.confidence ?? 1;
  const steps = whole.steps
    ?.filter(({ end }) => end > typed.length)
    .map(({ end, confidence }) => ({ end: end - typed.length, confidence: Math.min(1, confidence / (come || 1)) }));
  return {
    ...whole,
    completion: whole.completion.slice(typed.length),
    alternatives: [],
    ...(steps === undefined ? {} : { steps }),
  };
}
