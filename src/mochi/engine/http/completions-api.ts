/**
 * One request to an OpenAI-style server: `/v1/completions` as a stream, with the chances of its tokens where the server
 * tells them. Classifies what goes wrong; when to try again and whom to ask is decided elsewhere. Never logs a prompt.
 */
import { createParser } from 'eventsource-parser';
import { isRecord } from '#core/catalog/read-json.ts';
import { MochiFault } from '../../limits.ts';

export interface ApiOptions {
  /** The part before `/completions`, for example `http://127.0.0.1:8080/v1`. */
  readonly base: URL;
  readonly key: string | undefined;
  readonly fetch: typeof fetch;
}

export interface StreamRequest {
  readonly model: string;
  readonly prompt: string;
  readonly maxTokens: number;
  readonly stop: readonly string[];
}

export interface StreamPart {
  readonly text: string;
  /** In order; empty where the server does not tell chances. */
  readonly tokens: readonly { readonly text: string; readonly probability: number }[];
  readonly finish: 'stop' | 'length' | undefined;
}

export interface ServedModel {
  readonly id: string;
  /** Tokens of prompt and answer together, where the server says so. */
  readonly contextTokens: number | undefined;
}

/** A failure of the server, and whether the same request may do better. */
export class ServerFailure extends Error {
  readonly isTransient: boolean;
  /** Milliseconds that the server wants to be left alone. */
  readonly retryAfterMs: number | undefined;
  readonly fault: MochiFault;

  constructor(fault: MochiFault, isTransient: boolean, retryAfterMs?: number) {
    super(fault.message);
    this.name = 'ServerFailure';
    this.fault = fault;
    this.isTransient = isTransient;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Bytes of an answer that is no stream. */
const MAX_BODY = 1_000_000;

function headersOf({ key }: ApiOptions): Record<string, string> {
  return {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
}

/** The models that the server offers. Throws ServerFailure, or the signal's reason. */
export async function listModels(options: ApiOptions, signal: AbortSignal): Promise<readonly ServedModel[]> {
  const response = await send(options, 'models', undefined, signal);
  const body: unknown = await readJson(response);
  const list: unknown = isRecord(body) ? body['data'] : undefined;
  if (!Array.isArray(list)) throw odd(options, 'its list of models is none');
  return list.flatMap((entry: unknown) => {
    if (!isRecord(entry) || typeof entry['id'] !== 'string') return [];
    return [{ id: entry['id'], contextTokens: contextOf(entry) }];
  });
}

/** vLLM says `max_model_len`; llama-server says it in `meta`. */
function contextOf(entry: Readonly<Record<string, unknown>>): number | undefined {
  const meta = isRecord(entry['meta']) ? entry['meta'] : {};
  const found = [entry['max_model_len'], meta['n_ctx'], meta['n_ctx_train']].find((one) => typeof one === 'number');
  return typeof found === 'number' && Number.isFinite(found) && found >= 256 ? Math.floor(found) : undefined;
}

/** The parts of the completion as they come. Throws ServerFailure, or the signal's reason. */
export async function* streamCompletion(
  options: ApiOptions,
  request: StreamRequest,
  signal: AbortSignal,
): AsyncGenerator<StreamPart> {
  const body = {
    model: request.model,
    prompt: request.prompt,
    max_tokens: request.maxTokens,
    temperature: 0,
    stream: true,
    logprobs: 1,
    // More than four are refused by some servers; the others are looked for on this side.
    ...(request.stop.length === 0 ? {} : { stop: request.stop.slice(0, 4) }),
    // llama-server's name for keeping what it has read; others ignore it.
    cache_prompt: true,
  };
  const response = await send(options, 'completions', body, signal);
  if (response.body === null) throw odd(options, 'its answer is empty');
  if (!/^text\/event-stream/.test(response.headers.get('content-type') ?? '')) {
    yield partOf(options, await readJson(response));
    return;
  }
  const waiting: string[] = [];
  let tooMuch = 0;
  const parser = createParser({
    onEvent: ({ data }) => void waiting.push(data),
    onError: () => {
      tooMuch += 1;
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (tooMuch > 100) throw odd(options, 'its stream is not one of events');
      for (const data of waiting.splice(0)) {
        if (data === '[DONE]') return;
        yield partOf(options, parse(options, data));
      }
    }
  } catch (error) {
    if (error instanceof ServerFailure || signal.aborted) throw error;
    throw new ServerFailure(unreachable(options, 'broke off in the middle of its answer'), false);
  }
}

function partOf(options: ApiOptions, event: unknown): StreamPart {
  if (!isRecord(event)) throw odd(options, 'its answer is no object');
  if (event['error'] !== undefined) throw refusedWith(options, 500, event);
  const choices: unknown = event['choices'];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  // The last event may hold the usage alone.
  if (!isRecord(choice)) return { text: '', tokens: [], finish: undefined };
  const { text, finish_reason: finish } = choice;
  return {
    text: typeof text === 'string' ? text : '',
    tokens: tokensOf(choice['logprobs']),
    finish: finish === 'length' ? 'length' : finish === 'stop' ? 'stop' : undefined,
  };
}

/** Two ways of telling: lists side by side, and, in newer llama-server, one list of objects. */
function tokensOf(logprobs: unknown): StreamPart['tokens'] {
  if (!isRecord(logprobs)) return [];
  const { tokens, token_logprobs: chances, content } = logprobs;
  if (Array.isArray(tokens) && Array.isArray(chances))
    return tokens.flatMap((token: unknown, at) => oneToken(token, chances[at]));
  if (Array.isArray(content))
    return content.flatMap((entry: unknown) => (isRecord(entry) ? oneToken(entry['token'], entry['logprob']) : []));
  return [];
}

function oneToken(token: unknown, chance: unknown): StreamPart['tokens'] {
  if (typeof token !== 'string' || typeof chance !== 'number') return [];
  return [{ text: token, probability: Math.min(1, Math.exp(chance)) }];
}

async function send(options: ApiOptions, path: string, body: object | undefined, signal: AbortSignal) {
  let response: Response;
  try {
    response = await options.fetch(new URL(path, options.base), {
      method: body === undefined ? 'GET' : 'POST',
      headers: headersOf(options),
      // The key is for this server, not for whomever it points to.
      redirect: 'error',
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ServerFailure(unreachable(options, 'cannot be reached'), true);
  }
  if (response.ok) return response;
  throw refusedWith(options, response.status, await readJson(response).catch(() => undefined), response.headers);
}

function refusedWith(options: ApiOptions, status: number, body: unknown, headers?: Headers): ServerFailure {
  const said = wordsOf(body);
  const about = said === '' ? '' : `: ${said}`;
  const where = options.base.host;
  if (status === 401 || status === 403)
    return new ServerFailure(
      new MochiFault('failed', `The model server at ${where} does not accept the key.`, {
        remedy: 'Set MOCHI_MODEL_KEY to a key of that server.',
      }),
      false,
    );
  if (status === 404)
    return new ServerFailure(
      new MochiFault('failed', `The model server at ${where} does not know this${about}`, {
        remedy: 'Check --model-url, which ends in /v1 for most servers, and --model.',
      }),
      false,
    );
  const isTransient = status === 408 || status === 429 || status === 502 || status === 503 || status === 504;
  return new ServerFailure(
    new MochiFault(isTransient ? 'busy' : 'failed', `The model server at ${where} answered ${status}${about}`, {
      remedy: isTransient ? 'Try again in a moment.' : 'Look into the log of that server.',
    }),
    isTransient,
    retryAfterOf(headers),
  );
}

function retryAfterOf(headers: Headers | undefined): number | undefined {
  const seconds = Number(headers?.get('retry-after') ?? Number.NaN);
  return seconds >= 0 && seconds < 3_600 ? seconds * 1_000 : undefined;
}

/** What the server says of itself, cut short and without controls: it is not ours. */
function wordsOf(body: unknown): string {
  const error = isRecord(body) ? (body['error'] ?? body) : body;
  const message = isRecord(error) ? error['message'] : error;
  if (typeof message !== 'string') return '';
  return message
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u206f]+/g, ' ')
    .trim()
    .slice(0, 200);
}

function unreachable({ base }: ApiOptions, what: string): MochiFault {
  return new MochiFault('not-ready', `The model server at ${base.host} ${what}.`, {
    remedy: 'Start it, or check --model-url.',
  });
}

function odd({ base }: ApiOptions, what: string): ServerFailure {
  return new ServerFailure(
    new MochiFault('failed', `The model server at ${base.host} does not speak as expected: ${what}.`, {
      remedy: 'Use a server with OpenAI-style /v1/completions.',
    }),
    false,
  );
}

async function readJson(response: Response): Promise<unknown> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BODY) break;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parse(options: ApiOptions, data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw odd(options, 'an event of its stream is no JSON');
  }
}
