/**
 * A model server for tests that behaves as the common ones do: a list of models, completions as a stream of events with
 * the chances of tokens in either form, refusal of `suffix`, errors in the shape of each. It says what it was asked.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface OpenAiServer {
  /** Ends in `/v1`. */
  readonly url: URL;
  readonly asked: readonly Asked[];
  /** How the next requests are answered; the last stays. */
  script(...answers: readonly Answer[]): void;
  close(): Promise<void>;
}

export type Answer =
  | {
      readonly kind: 'tokens';
      /** Each with the logarithm of its chance, or none. */
      readonly tokens: readonly (readonly [string, number?])[];
      readonly style?: 'lists' | 'objects';
      /** Milliseconds before each token. */
      readonly everyMs?: number;
      readonly finish?: 'stop' | 'length';
    }
  | { readonly kind: 'whole'; readonly text: string }
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly body?: unknown;
      readonly headers?: Record<string, string>;
    }
  | { readonly kind: 'break'; readonly after: string }
  | { readonly kind: 'raw'; readonly type: string; readonly text: string };

export interface OpenAiOptions {
  readonly models?: readonly object[];
  readonly port?: number;
}

export async function openAiServer({
  models = [{ id: 'qwen2.5-coder' }],
  port = 0,
}: OpenAiOptions = {}): Promise<OpenAiServer> {
  const asked: Asked[] = [];
  let answers: readonly Answer[] = [{ kind: 'tokens', tokens: [['ok', -0.1]] }];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization, body });
    const isList = request.url === '/v1/models';
    if (!isList && request.url !== '/v1/completions') return json(response, 404, { error: { message: 'Not Found' } });
    const [next] = answers;
    if (isList && next?.kind !== 'refuse') return json(response, 200, { object: 'list', data: models });
    if (answers.length > 1) answers = answers.slice(1);
    if ('suffix' in body) return json(response, 400, { error: { message: 'suffix is not currently supported' } });
    if (next !== undefined) await give(next, response);
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`),
    asked,
    script: (...next) => {
      answers = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function json(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function give(answer: Answer, response: ServerResponse): Promise<void> {
  switch (answer.kind) {
    case 'refuse':
      return json(response, answer.status, answer.body ?? { error: { message: 'no' } }, answer.headers);
    case 'whole':
      return json(response, 200, { choices: [{ text: answer.text, finish_reason: 'stop' }] });
    case 'raw':
      response.writeHead(200, { 'content-type': answer.type }).end(answer.text);
      return;
    case 'break':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(event({ text: answer.after }));
      await delay(20);
      response.destroy();
      return;
    case 'tokens': {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [text, chance] of answer.tokens) {
        if (answer.everyMs !== undefined) await delay(answer.everyMs);
        if (response.destroyed) return;
        const lists = { tokens: [text], token_logprobs: [chance], top_logprobs: null, text_offset: [0] };
        const objects = { content: [{ token: text, logprob: chance, bytes: [], top_logprobs: [] }] };
        const logprobs = chance === undefined ? null : answer.style === 'objects' ? objects : lists;
        response.write(event({ text, logprobs, finish_reason: null }));
      }
      response.write(event({ text: '', logprobs: null, finish_reason: answer.finish ?? 'stop' }));
      response.write('data: {"choices":[],"usage":{"total_tokens":9}}\n\n');
      response.end('data: [DONE]\n\n');
      return;
    }
    default:
      answer satisfies never;
  }
}

const event = (choice: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
