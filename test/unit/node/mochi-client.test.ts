/** Mochi's contract over a link: what is sent, what is believed of the answers, and how calls end. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { greetMochi } from '../../../src/node/mochi-client.ts';
import { CHANGED_NOTIFICATION, FAULT_KEY } from '../../../src/protocol/mochi.ts';

const never = new AbortController().signal;
const who = { clientInfo: { name: 'test', version: '1' } };

interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
}
type Peer = (message: Sent) => unknown;

/** A peer that answers each request with what `answer` gives; `undefined` is silence. */
function setUp(answer: Peer, hello: object = greeting) {
  const sent: Sent[] = [];
  let hear: (message: unknown) => void = () => {};
  let end: () => void = () => {};
  const link = {
    listen(listener: (message: unknown) => void) {
      hear = listener;
    },
    async send(message: unknown) {
      const one = message as Sent;
      sent.push(one);
      if (one.id === undefined || one.method === undefined) return;
      const given = one.method === 'initialize' ? hello : answer(one);
      if (given !== undefined) queueMicrotask(() => hear({ jsonrpc: '2.0', id: one.id, ...(given as object) }));
    },
    ended: new Promise<never>((_, reject) => {
      end = () => reject(new Error('gone'));
    }).catch(() => ({ kind: 'exit', code: 1, signal: null }) as const),
  };
  return { sent, link, tell: (message: object) => hear({ jsonrpc: '2.0', ...message }), end: () => end() };
}

const greeting = { result: { serverInfo: { name: 'mochi', version: '9.9.9' }, capabilities: {} } };
const completion = { completion: 'x', alternatives: [], confidence: 0.5, engine: 'test', inference_time_ms: 1 };
const structured = (structuredContent: unknown) => ({ result: { content: [], structuredContent } });

describe('the client of Mochi', () => {
  it('greets, says that it has, and knows the version', async () => {
    const { link, sent } = setUp(() => undefined);
    const client = await greetMochi(link, who, never);
    expect(client.version).toBe('9.9.9');
    expect(sent.map(({ method }) => method)).toEqual(['initialize', 'notifications/initialized']);
  });

  it('refuses another server than Mochi', async () => {
    const { link } = setUp(() => undefined, { result: { serverInfo: { name: 'other', version: '1' } } });
    await expect(greetMochi(link, who, never)).rejects.toMatchObject({ kind: 'protocol' });
  });

  it('sends a tool its arguments under the names of the contract', async () => {
    const { link, sent } = setUp(() => structured(completion));
    const client = await greetMochi(link, who, never);
    await expect(client.complete({ prefix: 'a', path: 'b.ts' }, never)).resolves.toEqual({
      kind: 'answered',
      value: completion,
    });
    expect(sent.at(-1)).toMatchObject({
      method: 'tools/call',
      params: { name: 'complete_code', arguments: { prefix: 'a', path: 'b.ts' } },
    });
  });

  it('gives a refusal as the fault it is', async () => {
    const fault = { kind: 'not-ready', status: 503, message: 'Learning.', remedy: 'Wait.' };
    const { link } = setUp(() => ({ result: { isError: true, content: [], _meta: { [FAULT_KEY]: fault } } }));
    const client = await greetMochi(link, who, never);
    await expect(client.ask({ instruction: 'where?' }, never)).resolves.toEqual({ kind: 'refused', fault });
  });

  it.each([
    ['an answer that lacks a field', structured({ completion: 'x' })],
    ['an answer with a field of another kind', structured({ ...completion, confidence: 'high' })],
    ['no structured answer', { result: { content: [] } }],
    ['a refusal without a reason', { result: { isError: true, content: [] } }],
    ['an error of the protocol', { error: { code: -32_602, message: 'No such tool' } }],
  ])('takes %s for a broken contract, and quotes nothing of it', async (_what, answer) => {
    const { link } = setUp(() => answer);
    const client = await greetMochi(link, who, never);
    const failure = await client.complete({ prefix: 'secret text' }, never).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'protocol' });
    expect(String(failure)).not.toMatch(/secret|high/);
  });

  it('tells Mochi of a call that nobody waits for any more', async () => {
    const { link, sent } = setUp(() => undefined);
    const client = await greetMochi(link, who, never);
    const stop = new AbortController();
    const call = client.complete({ prefix: 'a' }, stop.signal);
    const id = sent.at(-1)?.id;
    stop.abort(new Error('typed on'));
    await expect(call).rejects.toThrow('typed on');
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
  });

  it('sends nothing for a call that is cancelled before it begins', async () => {
    const { link, sent } = setUp(() => undefined);
    const client = await greetMochi(link, who, never);
    const before = sent.length;
    await expect(client.complete({ prefix: 'a' }, AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
    expect(sent).toHaveLength(before);
  });

  it('gives up on a call that takes too long, and says so to both sides', async () => {
    const { link, sent } = setUp(() => undefined);
    const client = await greetMochi(link, { ...who, callMs: 10 }, never);
    await expect(client.complete({ prefix: 'a' }, never)).rejects.toMatchObject({ kind: 'timeout' });
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled' });
  });

  it('ends every call when the process ends, and makes no new one', async () => {
    const { link, end } = setUp(() => undefined);
    const client = await greetMochi(link, who, never);
    const call = client.complete({ prefix: 'a' }, never);
    end();
    await expect(call).rejects.toMatchObject({ kind: 'crashed' });
    await expect(client.complete({ prefix: 'a' }, never)).rejects.toMatchObject({ kind: 'crashed' });
  });

  it('believes no answer to a question it did not ask, and answers a ping', async () => {
    const { link, sent, tell } = setUp(() => undefined);
    await greetMochi(link, who, never);
    tell({ id: 999, result: {} });
    tell({ id: 'ping', method: 'ping' });
    tell({ id: 'roots', method: 'roots/list' });
    expect(sent.slice(-2)).toMatchObject([
      { id: 'ping', result: {} },
      { id: 'roots', error: { code: -32_601 } },
    ]);
  });

  it('hears of learning and of other resources until it stops listening', async () => {
    const { link, tell } = setUp(() => undefined);
    const client = await greetMochi(link, who, never);
    const heard: unknown[] = [];
    const progress = client.onDidProgress((learning) => heard.push(learning));
    const resources = client.onDidChangeResources(() => heard.push('changed'));
    const say = (data: unknown) => tell({ method: 'notifications/message', params: { level: 'info', data } });
    say('learning: looking for files');
    say('learning: reading, 20 of 300 files');
    say('something else');
    say(17);
    say('learned everything: 300 files');
    tell({ method: 'notifications/resources/list_changed' });
    await turn();
    progress.dispose();
    resources.dispose();
    say('learned everything: 300 files');
    tell({ method: 'notifications/resources/list_changed' });
    expect(heard).toEqual([undefined, { done: 20, total: 300 }, undefined, 'changed']);
  });

  it('tells of changed files, which or that there are some', async () => {
    const { link, sent } = setUp(() => undefined);
    const client = await greetMochi(link, who, never);
    client.filesChanged(['a.ts']);
    client.filesChanged();
    expect(sent.slice(-2)).toMatchObject([
      { method: CHANGED_NOTIFICATION, params: { paths: ['a.ts'] } },
      { method: CHANGED_NOTIFICATION, params: {} },
    ]);
  });

  it('reads the counts', async () => {
    const text = JSON.stringify({ learned: true, engine: 'embedded', files: 3, more: 1 });
    const { link, sent } = setUp(() => ({ result: { contents: [{ uri: 'mochi://stats', text }] } }));
    const client = await greetMochi(link, who, never);
    await expect(client.readStats(never)).resolves.toEqual({ learned: true, engine: 'embedded', files: 3 });
    expect(sent.at(-1)).toMatchObject({ method: 'resources/read', params: { uri: 'mochi://stats' } });
  });
});
