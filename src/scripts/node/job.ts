/** One run of a job: submit, ask for its status until it ends, fetch the result. Prints nothing and saves nothing. */
import type { Caller } from './caller.ts';
import { Fault, oneLine, toFault } from './fault.ts';
import { idArguments, jobIdOf, progressOf } from './job-fields.ts';
import { type JsonObject, own } from './json.ts';
import type { Options } from './options.ts';
import { textOf } from './result.ts';

/** Agents' shells stop after 60 to 120 s, so a job hands back before that. */
const SHORT_WAIT_SECONDS = 45;
const LEAST_PAUSE = 0.05;
const PAUSE_CAP = 15;
const RETRY_CAP = 60;
const RETRIES = 8;
/** A poll that begins just before the end may take this much longer, seconds. */
const OVERTIME = 5;
const GROWTH = 1.25;

/** A tool, or the job it reports on, failed; its own words are the message. */
export class ToolFailure extends Error {
  readonly tool: string;
  readonly result: JsonObject;
  readonly fault: Fault;

  constructor(tool: string, result: JsonObject, jobMessage?: string) {
    super(jobMessage ?? tool);
    this.name = 'ToolFailure';
    this.tool = tool;
    this.result = result;
    const message = jobMessage ?? `${tool} reported an error; its text is on standard output`;
    this.fault = new Fault(jobMessage === undefined ? 'tool-error' : 'job-failed', message, {
      remedy: `See --describe ${tool}`,
    });
  }
}

/** How a run ended: with the result, or with the job still running. */
export type JobEnd =
  | { readonly kind: 'completed'; readonly result: JsonObject }
  | { readonly kind: 'running' }
  | { readonly kind: 'submitted' };

export interface JobContext {
  readonly options: Options;
  readonly caller: Caller;
  readonly timeoutMs: number;
  /** The input schema of a tool where the reference knows it. */
  readonly schema: (tool: string) => JsonObject | undefined;
  /** The command that goes on with the job. */
  readonly resume: (id: string) => string;
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, seconds * 1000);
  });
}

/** Whether an error result says that the server has too much to do. */
function isBusy(text: string): boolean {
  return text.length < 2000 && /\b429\b|too many requests|rate limit|\b503\b|service unavailable/i.test(text);
}

export class Job {
  id: string | undefined;
  /** Requests and answers, for `--save-logs`. */
  readonly logs = new Map<string, unknown>();
  readonly #context: JobContext;
  #end = 0;

  constructor(context: JobContext) {
    this.#context = context;
    this.id = context.options.resume;
  }

  async run(args: JsonObject): Promise<JobEnd> {
    const { options } = this.#context;
    let result: JsonObject | undefined;
    if (this.id === undefined) {
      result = await this.#submit(args);
      if (options.submitOnly) return { kind: 'submitted' };
      if (options.statusTool === undefined && options.resultTool === undefined) return { kind: 'completed', result };
    }
    this.#end = Date.now() + (options.wait ?? SHORT_WAIT_SECONDS) * 1000;
    if (options.statusTool !== undefined) {
      result = await this.#poll(options.statusTool);
      if (result === undefined) return { kind: 'running' };
      this.logs.set('status_final', result);
    }
    if (options.resultTool !== undefined) {
      result = await this.#ask(options.resultTool, false);
      if (result === undefined) return { kind: 'running' };
      this.logs.set('result_response', result);
      if (own(result, 'isError') === true) throw new ToolFailure(options.resultTool, result);
    }
    return { kind: 'completed', result: result ?? {} };
  }

  async #submit(args: JsonObject): Promise<JsonObject> {
    const { options, caller, timeoutMs, schema } = this.#context;
    const tool = options.submitTool ?? '';
    this.logs.set('submit_request', { tool, arguments: args });
    const result = await caller.call(tool, args, { timeoutMs, schema: schema(tool) });
    this.logs.set('submit_response', result);
    if (own(result, 'isError') === true) throw new ToolFailure(tool, result);
    this.id = jobIdOf(result, options.idParam);
    const needed = options.submitOnly || options.statusTool !== undefined || options.resultTool !== undefined;
    if (this.id === undefined && needed) {
      throw new Fault('protocol', `no job id in the answer of ${tool}: ${oneLine(textOf(result))}`, {
        remedy: 'Name its field with --id-param',
      });
    }
    return result;
  }

  /** The last status of a finished job; undefined when the time is up. */
  async #poll(tool: string): Promise<JsonObject | undefined> {
    const { options } = this.#context;
    let pause = options.pollInterval;
    for (let poll = 0; poll < options.maxPolls; poll += 1) {
      const result = await this.#ask(tool, poll > 0);
      if (result === undefined) return undefined;
      if (own(result, 'isError') === true) throw new ToolFailure(tool, result);
      const progress = progressOf(result);
      if (progress.kind === 'done') return result;
      if (progress.kind === 'failed') {
        this.logs.set('status_final', result);
        throw new ToolFailure(tool, result, `job ${this.id}: ${progress.word}`);
      }
      if (Date.now() + pause * 1000 > this.#end) return undefined;
      await sleep(pause);
      pause = Math.min(Math.max(pause * GROWTH, LEAST_PAUSE), Math.max(PAUSE_CAP, options.pollInterval));
    }
    throw this.#resumable(new Fault('timeout', `job ${this.id} is not finished after ${options.maxPolls} polls`));
  }

  /** Calls a status or result tool; a busy server and a lost connection are asked again. */
  async #ask(tool: string, bounded: boolean): Promise<JsonObject | undefined> {
    let pause = Math.max(this.#context.options.pollInterval, LEAST_PAUSE);
    for (let failures = 1; ; failures += 1) {
      const outcome = await this.#once(tool, bounded);
      if (!(outcome instanceof Fault)) return outcome;
      const wait = Math.min(outcome.retryAfter ?? pause, RETRY_CAP);
      if (failures > RETRIES || Date.now() + wait * 1000 > this.#end + 15_000) throw this.#resumable(outcome);
      await sleep(wait);
      pause = Math.min(pause * 2, PAUSE_CAP);
    }
  }

  /** One call: its result, a fault worth another try, or nothing when the time is up. Throws any other fault. */
  async #once(tool: string, bounded: boolean): Promise<JsonObject | Fault | undefined> {
    const { options, caller, timeoutMs, schema } = this.#context;
    const known = schema(tool);
    const args = idArguments(this.id ?? '', known, options.idParam);
    const left = this.#end - Date.now() + OVERTIME * 1000;
    const time = bounded ? Math.max(1000, Math.min(timeoutMs, left)) : timeoutMs;
    try {
      const result = await caller.call(tool, args, { timeoutMs: time, schema: known });
      const text = textOf(result);
      if (own(result, 'isError') !== true || !isBusy(text)) return result;
      return new Fault('job-failed', `${tool} says: ${oneLine(text)}`, { remedy: 'Try again later' });
    } catch (error) {
      const fault = toFault(error);
      if (fault.kind === 'timeout' && time < timeoutMs) return undefined;
      if (!fault.transient) throw fault;
      return fault;
    }
  }

  #resumable(fault: Fault): Fault {
    const { kind, message, transient, retryAfter } = fault;
    const remedy = `Go on with: ${this.#context.resume(this.id ?? '')}`;
    return new Fault(kind, message, { remedy, transient, retryAfter, cause: fault });
  }
}
