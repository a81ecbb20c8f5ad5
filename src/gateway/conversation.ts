/**
 * A request of a client that a server may interrupt with questions: sampling, elicitation, roots. Each side has its own
 * way to ask. Earlier revisions send requests in between; the one of 2026 answers with what is missing and is called
 * again. All four pairs meet here; what is asked and answered passes unread.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { isRecord, own } from '#core/catalog/read-json.ts';
import type { Json, JsonObject } from '#core/model.ts';
import { type Answerer, ASKABLE, type Ask, type Inputs } from '#node/connect-asks.ts';
import { raceAbort } from '#node/deadline.ts';
import { ANY_RESULT, isParams, objectOf } from './any.ts';
import type { RequestOptions } from './upstream.ts';

/** Milliseconds that a person may take for an answer. */
const ANSWER_MS = 10 * 60_000;
/** How often one request may be answered with further questions. */
const MAX_ROUNDS = 20;
/** Calls that wait for an answer at once; the oldest is given up for a new one. */
const MAX_HELD = 100;
/** Begins the notes by which a held call is found again; servers' own notes pass as they are. */
const OURS = 'mochi-gateway:';

/** What of a client's capabilities servers may build on. */
export function askable(capabilities: unknown): JsonObject {
  const found: Record<string, Json> = {};
  for (const name of ASKABLE.values()) {
    const value = isRecord(capabilities) ? own(capabilities, name) : undefined;
    if (isParams(value)) found[name] = value;
  }
  return found;
}

/** Of the request itself in the modern era, else of the connection. */
export function capabilitiesOf(server: Server, { mcpReq }: ServerContext): JsonObject {
  const { envelope } = mcpReq;
  return askable(envelope === undefined ? server.getClientCapabilities() : own(envelope, CLIENT_CAPABILITIES_META_KEY));
}

type Work = (options: RequestOptions) => Promise<JsonObject>;

export interface Conversations {
  /** Does `work` for a request; the result may be a question back, where the client's era has such results. */
  run(server: Server, context: ServerContext, work: Work): Promise<JsonObject>;
  close(): void;
}

export function createConversations(answerMs: number = ANSWER_MS): Conversations {
  const held = new Map<string, HeldCall>();
  return {
    run(server, context, work) {
      const capabilities = capabilitiesOf(server, context);
      const meta = metaOf(context, capabilities);
      if (context.mcpReq.envelope === undefined) return runAsking(context, meta, capabilities, answerMs, work);
      return runInRounds(held, context, meta, capabilities, answerMs, work);
    },
    close() {
      for (const call of held.values()) call.end(new Error('The gateway is closing.'));
      held.clear();
    },
  };
}

function metaOf({ mcpReq }: ServerContext, capabilities: JsonObject): JsonObject {
  const level = own(mcpReq.envelope ?? {}, LOG_LEVEL_META_KEY);
  return {
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
    ...(typeof level === 'string' ? { [LOG_LEVEL_META_KEY]: level } : {}),
  };
}

function assertAskable({ method }: Pick<Ask, 'method'>, capabilities: JsonObject): void {
  const needed = ASKABLE.get(method);
  if (needed === undefined || own(capabilities, needed) === undefined)
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `The client in front does not answer ${method}.`);
}

// --- a client that is asked by requests ------------------------------------------------------------------------------

async function runAsking(
  { mcpReq }: ServerContext,
  meta: JsonObject,
  capabilities: JsonObject,
  answerMs: number,
  work: Work,
): Promise<JsonObject> {
  const onAsk: Answerer = async (ask) => {
    assertAskable(ask, capabilities);
    const signal = AbortSignal.any([ask.signal, mcpReq.signal]);
    const { method, params } = ask;
    const answer = await mcpReq.send({ method, params: { ...params } }, ANY_RESULT, { signal, timeout: answerMs });
    return objectOf(answer);
  };
  let inputs: Inputs | undefined;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const options = { signal: mcpReq.signal, onAsk, meta, ...progressOf(mcpReq) };
    const result = await work(inputs === undefined ? options : { ...options, inputs });
    if (result['resultType'] !== 'input_required') return result;
    const responses: Record<string, Json> = {};
    for (const [key, request] of Object.entries(objectOf(result['inputRequests']))) {
      const params = objectOf(objectOf(request)['params']);
      responses[key] = await onAsk({ method: String(objectOf(request)['method']), params, signal: mcpReq.signal });
    }
    const state = result['requestState'];
    inputs = { responses, ...(typeof state === 'string' ? { state } : {}) };
  }
  throw new ProtocolError(ProtocolErrorCode.InternalError, `The server asked more than ${MAX_ROUNDS} times.`);
}

// --- a client that calls again ---------------------------------------------------------------------------------------

async function runInRounds(
  held: Map<string, HeldCall>,
  { mcpReq }: ServerContext,
  meta: JsonObject,
  capabilities: JsonObject,
  answerMs: number,
  work: Work,
): Promise<JsonObject> {
  const given = mcpReq.requestState<unknown>();
  const state = typeof given === 'string' ? given : undefined;
  const responses = responsesOf(mcpReq.inputResponses);
  let call: HeldCall;
  if (state?.startsWith(OURS) === true) {
    const found = held.get(state);
    if (found === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Nothing waits for this answer any more. Call again without requestState.',
      );
    held.delete(state);
    call = found;
    call.answer(responses);
  } else {
    const inputs: Inputs | undefined =
      mcpReq.inputResponses === undefined && state === undefined
        ? undefined
        : { responses, ...(state === undefined ? {} : { state }) };
    call = new HeldCall(capabilities);
    const options = { signal: call.signal, onAsk: call.onAsk, meta, ...progressOf(mcpReq) };
    call.start(work(inputs === undefined ? options : { ...options, inputs }));
  }
  const questions = await call.next(mcpReq.signal);
  if (questions === undefined) return call.result();
  const name = `${OURS}${crypto.randomUUID()}`;
  for (const [oldest, other] of held) {
    if (held.size < MAX_HELD) break;
    other.end(new Error('Too many calls wait for answers.'));
    held.delete(oldest);
  }
  held.set(name, call);
  call.expire(answerMs, () => held.delete(name));
  return { resultType: 'input_required', inputRequests: questions, requestState: name };
}

/** A call to a server of an earlier revision that goes on while its client is asked in rounds. */
class HeldCall {
  readonly #end = new AbortController();
  readonly #capabilities: JsonObject;
  readonly #open = new Map<string, { readonly ask: Ask; readonly settle: (answer: JsonObject | undefined) => void }>();
  #result: Promise<JsonObject> = Promise.resolve({});
  #isOver = false;
  #wake: () => void = () => {};
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(capabilities: JsonObject) {
    this.#capabilities = capabilities;
  }

  /** Ends the call, not the request that began it: that is answered with a question. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  readonly onAsk: Answerer = (ask) => {
    assertAskable(ask, this.#capabilities);
    const key = `question-${++this.#count}`;
    const answered = new Promise<JsonObject>((resolve, reject) => {
      const settle = (answer: JsonObject | undefined): void => {
        this.#open.delete(key);
        if (answer === undefined) reject(new ProtocolError(ProtocolErrorCode.InternalError, 'No answer came.'));
        else resolve(answer);
      };
      this.#open.set(key, { ask, settle });
    });
    ask.signal.addEventListener('abort', () => this.#open.get(key)?.settle(undefined), { once: true });
    this.#wake();
    return answered;
  };

  start(work: Promise<JsonObject>): void {
    this.#result = work;
    const over = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    work.then(over, over);
  }

  result(): Promise<JsonObject> {
    return this.#result;
  }

  answer(responses: JsonObject): void {
    clearTimeout(this.#timer);
    for (const [key, answer] of Object.entries(responses)) this.#open.get(key)?.settle(objectOf(answer));
  }

  /** The open questions by key, or undefined when the call is over. A client that gives up ends the call. */
  async next(signal: AbortSignal): Promise<JsonObject | undefined> {
    const stop = (): void => this.end(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    try {
      while (!this.#isOver && this.#open.size === 0) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        await raceAbort(woken, signal);
      }
    } finally {
      signal.removeEventListener('abort', stop);
    }
    if (this.#isOver) return undefined;
    return Object.fromEntries(
      [...this.#open].map(([key, { ask }]) => [key, { method: ask.method, params: ask.params }]),
    );
  }

  expire(ms: number, onDidExpire: () => void): void {
    this.#timer = setTimeout(() => {
      onDidExpire();
      this.end(new Error('No answer came in time.'));
    }, ms);
    this.#timer.unref();
  }

  end(reason: unknown): void {
    clearTimeout(this.#timer);
    for (const { settle } of [...this.#open.values()]) settle(undefined);
    this.#end.abort(reason);
  }
}

function responsesOf(given: Readonly<Record<string, unknown>> | undefined): JsonObject {
  const found: Record<string, Json> = {};
  for (const [key, value] of Object.entries(given ?? {})) if (isParams(value)) found[key] = value;
  return found;
}

function progressOf({ _meta, notify }: ServerContext['mcpReq']): Pick<RequestOptions, 'onProgress'> {
  const token = _meta?.progressToken;
  if (token === undefined) return {};
  return {
    onProgress(progress) {
      if (typeof progress['progress'] !== 'number') return;
      const params = { ...progress, progress: progress['progress'], progressToken: token };
      notify({ method: 'notifications/progress', params }).catch(() => {});
    },
  };
}
