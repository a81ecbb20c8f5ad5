/**
 * Asks an engine at most once for a place: what fits of earlier answers is reused, a question already on its way is
 * joined while typing may still go along with its answer, and each has a deadline. Time comes in through a port.
 */

import { lineBefore } from './around.ts';
import type { Trigger } from './gate.ts';
import type { Pace } from './pace.ts';
import { type Asked, afterTyping, type Recall, typedSince } from './recall.ts';
import type { Answer } from './suggestions.ts';

/** Steady milliseconds and waiting. */
export interface Clock {
  now(): number;
  /** Calls after some milliseconds, unless the result is called before. */
  after(ms: number, run: () => void): () => void;
}

export interface Question extends Asked {
  readonly trigger: Trigger;
  /** What a language server offers here, where that is known. */
  readonly facts?: readonly string[] | undefined;
  /** Whether an earlier answer was of no use, so that none is reused. */
  readonly isAgain?: boolean;
  /** Whether an answer gives anything to show. What is known and gives nothing is no reason not to ask a quick engine. */
  readonly isOfUse?: (answer: Answer) => boolean;
}

/** Undefined where there is no answer; never rejects. */
export type Ask = (question: Question, signal: AbortSignal) => Promise<Answer | undefined>;

export interface AskingPorts {
  readonly clock: Clock;
  readonly recall: Recall;
  readonly pace: Pace;
  readonly ask: Ask;
}

/** Milliseconds until a question is given up: unasked ones must be quick to be of use. */
const DEADLINE: Readonly<Record<Trigger, number>> = { automatic: 1_500, invoke: 5_000 };

interface Flight {
  readonly question: Question;
  readonly answer: Promise<Answer | undefined>;
  readonly abort: () => void;
}

export class Asking {
  readonly #ports: AskingPorts;
  #flight: Flight | undefined;

  constructor(ports: AskingPorts) {
    this.#ports = ports;
  }

  /** The answer for a place; undefined where there is none, or `signal` aborts. Never rejects. */
  async answer(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const { clock, recall, pace } = this.#ports;
    const known = question.isAgain === true ? undefined : recall.find(question, clock.now());
    if (signal.aborted) return undefined;
    const isOfUse = known !== undefined && (!pace.isQuick || question.isOfUse?.(known) !== false);
    if (isOfUse) return known;
    const joined = await this.#joined(question, signal);
    if (joined !== undefined || signal.aborted) return joined;
    const wait = pace.delay(question.trigger, lineBefore(question.around));
    if (wait > 0) await slept(clock, wait, signal);
    if (signal.aborted) return undefined;
    return until(signal, this.#start(question));
  }

  /** Gives up what is on its way. */
  stop(): void {
    this.#flight?.abort();
    this.#flight = undefined;
  }

  /** The answer of the question on its way, as far as typing went along with it. */
  async #joined(question: Question, signal: AbortSignal): Promise<Answer | undefined> {
    const flight = this.#flight;
    if (flight === undefined || question.isAgain === true) return undefined;
    const { document, language, around } = flight.question;
    const isSameDocument = document === question.document && language === question.language;
    const typed = isSameDocument ? typedSince(around, question.around) : undefined;
    if (typed === undefined) return undefined;
    const answer = await until(signal, flight.answer);
    return answer && afterTyping(answer, typed);
  }

  #start(question: Question): Promise<Answer | undefined> {
    const { clock, recall, pace, ask } = this.#ports;
    this.stop();
    const control = new AbortController();
    const started = clock.now();
    const stopWaiting = clock.after(DEADLINE[question.trigger], () => control.abort());
    const answer = until(control.signal, ask(question, control.signal)).then((found) => {
      stopWaiting();
      if (this.#flight === flight) this.#flight = undefined;
      if (found === undefined || control.signal.aborted) return undefined;
      pace.answered(clock.now() - started);
      recall.keep(question, found, clock.now());
      return found;
    });
    const flight: Flight = { question, answer, abort: () => control.abort() };
    this.#flight = flight;
    return answer;
  }
}

/** What a promise gives, or undefined as soon as the signal aborts or where it fails. */
export function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const give = (value: T | undefined): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(value);
    };
    const onAbort = (): void => give(undefined);
    signal.addEventListener('abort', onAbort);
    work.then(give, () => give(undefined));
  });
}

/** Resolves after some milliseconds, or as soon as the signal aborts. */
export function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      cancel();
      resolve();
    };
    const cancel = clock.after(ms, end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
