/** Stands in for Anthropic's counting of tokens, on loopback: counts letters, knows one key, and fails as it is told. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

export type Mood = 'counts' | 'silent' | 'busy' | 'broken' | 'gone';

export interface FakeAnthropic {
  /** What a program that loaded the redirect needs in its environment to come here. */
  readonly env: Readonly<Record<string, string>>;
  /** `gone` breaks every connection, as an unplugged network does. */
  mood: Mood;
  /** The keys of all questions so far. */
  readonly keys: readonly string[];
  readonly texts: readonly string[];
  close(): void;
}

const OVERHEAD = 8;
/** What leads a program here: `--require` it, or package it as an extension. */
export const redirect = fileURLToPath(new URL('./anthropic-redirect.cjs', import.meta.url));

export async function startFakeAnthropic(key: string): Promise<FakeAnthropic> {
  const keys: string[] = [];
  const texts: string[] = [];
  const server = createServer(async (request, response) => {
    const given = String(request.headers['x-api-key']);
    keys.push(given);
    const text = await textOf(request);
    texts.push(text);
    const answer = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (fake.mood === 'gone') request.socket.destroy();
    else if (fake.mood === 'busy') answer(429, { type: 'error' });
    else if (fake.mood === 'broken') answer(404, { type: 'error' });
    else if (fake.mood === 'counts' && given !== key) answer(401, { type: 'error' });
    else if (fake.mood === 'counts') answer(200, { input_tokens: text.length + OVERHEAD - 1 });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const fake: FakeAnthropic = {
    env: { FAKE_ANTHROPIC: `http://127.0.0.1:${port}/` },
    mood: 'counts',
    keys,
    texts,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return fake;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  return String(messages[0].content);
}
