/**
 * What a server asks of whoever calls it while it works: a sample of a model, an answer of a person, the roots. A
 * question goes to the call that began last, since nothing in a question says which call it belongs to. Knows no SDK.
 */
import type { JsonObject } from '#core/model.ts';

/** A question as the server put it. */
export interface Ask {
  readonly method: string;
  readonly params: JsonObject;
  /** Aborts when the server no longer wants to know. */
  readonly signal: AbortSignal;
}

/** Rejects where the question cannot or will not be answered; the server hears why. */
export type Answerer = (ask: Ask) => Promise<JsonObject>;

/** What a server gets to know where a result asked for more: the answers by key, and its own note back. */
export interface Inputs {
  readonly responses: JsonObject;
  readonly state?: string;
}

/** The questions that may be passed on, with the capability that a client needs for each. */
export const ASKABLE: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

export interface Asks {
  /** Takes questions from now on, until the returned function is called. */
  enter(answerer: Answerer): () => void;
  /** Undefined where nobody takes questions. */
  current(): Answerer | undefined;
}

export function createAsks(): Asks {
  const answerers = new Set<Answerer>();
  return {
    enter(answerer) {
      // The same function may stand for two calls.
      const own: Answerer = (ask) => answerer(ask);
      answerers.add(own);
      return () => void answerers.delete(own);
    },
    current: () => [...answerers].at(-1),
  };
}
