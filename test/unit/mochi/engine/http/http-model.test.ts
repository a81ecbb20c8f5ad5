/** A model behind OpenAI-style completions: what is sent, what comes back, and what happens when things go wrong. */
import { afterEach, describe, expect, it } from 'vitest';
import { createCircuit } from '../../../../../src/mochi/engine/http/circuit.ts';
import { formOf, markersOf } from '../../../../../src/mochi/engine/http/families.ts';
import { HttpModel, type HttpModelOptions } from '../../../../../src/mochi/engine/http/http-model.ts';
import { promptText, unmarked } from '../../../../../src/mochi/engine/http/prompt-text.ts';
import type { Generation } from '../../../../../src/mochi/engine/model-engine.ts';
import { silent } from '../../../../support/mcp-servers.ts';
import { type OpenAiOptions, type OpenAiServer, openAiServer } from '../../../../support/openai-server.ts';

const never = new AbortController().signal;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const request = (more: Partial<Generation> = {}): Generation => ({
  purpose: 'answer',
  prompt: [{ kind: 'text', text: 'one two' }],
  maxTokens: 20,
  stop: [],
  deadlineMs: 2_000,
  ...more,
});

async function bench(server: OpenAiOptions = {}, more: Partial<HttpModelOptions> = {}) {
  const peer: OpenAiServer = await openAiServer(server);
  const model = new HttpModel({ url: peer.url, model: undefined, key: undefined, logger: silent, pauseMs: 1, ...more });
  ends.push(() => model.dispose(), peer.close);
  const generate = async (more: Partial<Generation> = {}, signal = never) => {
    await model.load();
    return model.generate(request(more), signal);
  };
  return { peer, model, generate };
}

describe('a model on a server', () => {
  it.each(['lists', 'objects'] as const)('gives the text with the chance of each token, told as %s', async (style) => {
    const { peer, generate } = await bench();
    peer.script({
      kind: 'tokens',
      tokens: [
        ['a b', Math.log(0.5)],
        ['\nc', Math.log(0.25)],
      ],
      style,
    });
    const { text, tokens, reason } = await generate();
    expect([text, reason]).toEqual(['a b\nc', 'stop']);
    expect(tokens.map(({ end }) => end)).toEqual([3, 5]);
    expect(tokens.map(({ probability }) => probability)).toEqual([expect.closeTo(0.5), expect.closeTo(0.25)]);
  });

  it('sends prompt, model and limits, never a suffix, and the key only as a header', async () => {
    const key = ['k', 'e', 'y', '-1'].join('');
    const { peer, generate } = await bench({}, { key });
    await generate({ stop: ['1', '2', '3', '4', '5'], maxTokens: 7 });
    const asked = peer.asked.at(-1);
    expect(asked?.authorization).toBe(`Bearer ${key}`);
    expect(asked?.body).toMatchObject({ model: 'qwen2.5-coder', prompt: 'one two', max_tokens: 7, stream: true });
    expect(asked?.body['stop']).toEqual(['1', '2', '3', '4']);
    expect(JSON.stringify(asked?.body)).not.toContain(key);
    expect(asked?.body).not.toHaveProperty('suffix');
  });

  it('ends at a text that ends it, also one the server was not told, without it and without its tokens', async () => {
    const { peer, generate } = await bench();
    peer.script({
      kind: 'tokens',
      tokens: [
        ['ab', -1],
        ['cEN', -1],
        ['Dx', -1],
        ['y', -1],
      ],
    });
    const { text, tokens, reason } = await generate({ stop: ['1', '2', '3', '4', 'END'] });
    expect([text, reason]).toEqual(['abc', 'stop']);
    expect(tokens.map(({ end }) => end)).toEqual([2]);
  });

  it('takes a server that tells no chances and one that does not stream as they are: sure of nothing', async () => {
    const { peer, generate } = await bench();
    peer.script({ kind: 'tokens', tokens: [['abc']] }, { kind: 'whole', text: 'whole' });
    expect(await generate()).toMatchObject({ text: 'abc', tokens: [] });
    expect(await generate()).toMatchObject({ text: 'whole', tokens: [] });
  });

  it('gives what it has as partial at its deadline, and ends the request', async () => {
    const { peer, generate } = await bench();
    peer.script({ kind: 'tokens', tokens: Array.from({ length: 500 }, () => ['x', -1] as const), everyMs: 20 });
    const { text, reason } = await generate({ deadlineMs: 150 });
    expect(reason).toBe('deadline');
    expect(text).toMatch(/^x{1,40}$/);
  });

  it('ends with the reason of a signal', async () => {
    const { peer, generate } = await bench();
    peer.script({ kind: 'tokens', tokens: Array.from({ length: 500 }, () => ['x', -1] as const), everyMs: 20 });
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('typed on')), 60);
    await expect(generate({}, stop.signal)).rejects.toThrow('typed on');
  });

  it('drops a completion that waits when a newer one comes', async () => {
    const { peer, model } = await bench();
    peer.script({
      kind: 'tokens',
      tokens: [
        ['a', -1],
        ['b', -1],
      ],
      everyMs: 50,
    });
    await model.load();
    const asked = [1, 2, 3].map(() =>
      model.generate(request({ purpose: 'completion' }), never).then(
        () => 'answered',
        (fault: { kind: string }) => fault.kind,
      ),
    );
    expect(await Promise.all(asked)).toEqual(['answered', 'busy', 'answered']);
  });

  it.each([
    [{ id: 'a', max_model_len: 8_192 }, 8_192],
    [{ id: 'a', meta: { n_ctx_train: 32_768 } }, 32_768],
    [{ id: 'a' }, 4_096],
    [{ id: 'a', max_model_len: -1 }, 4_096],
  ])('learns from %j how much fits', async (served, contextTokens) => {
    const { model } = await bench({ models: [served] });
    expect(await model.load()).toMatchObject({ name: 'a', contextTokens });
  });

  it('uses the LoRA module that is named, and names what there is where it is not', async () => {
    const models = [{ id: 'base' }, { id: 'our-adapter' }];
    const { peer, generate } = await bench({ models }, { model: 'our-adapter' });
    await generate();
    expect(peer.asked.at(-1)?.body['model']).toBe('our-adapter');
    const other = await bench({ models }, { model: 'none' });
    await expect(other.model.load()).rejects.toMatchObject({
      kind: 'not-ready',
      remedy: expect.stringContaining('base, our-adapter'),
    });
    expect(other.model.state.kind).toBe('failed');
  });
});

describe('a server that fails', () => {
  it.each([429, 502, 503, 504])('with %i for a moment is asked again', async (status) => {
    const { peer, generate } = await bench();
    peer.script({ kind: 'refuse', status }, { kind: 'tokens', tokens: [['ok', -1]] });
    // The list of models is refused once, too.
    expect((await generate()).text).toBe('ok');
  });

  it.each([
    [401, undefined, 'failed', /does not accept the key/],
    [404, undefined, 'failed', /does not know this/],
    [400, { error: { message: 'bad \u202edata' } }, 'failed', /answered 400: bad data/],
    [500, { message: 'x'.repeat(999) }, 'failed', /answered 500: x{200}$/],
  ])('with %i is not asked again and says why', async (status, body, kind, message) => {
    const { peer, model } = await bench();
    await model.load();
    peer.script({ kind: 'refuse', status, ...(body === undefined ? {} : { body }) });
    const before = peer.asked.length;
    const failure = model.generate(request(), never);
    await expect(failure).rejects.toMatchObject({ kind, message: expect.stringMatching(message) });
    expect(peer.asked.length - before).toBe(1);
  });

  it.each([
    ['an event that is no JSON', { kind: 'raw', type: 'text/event-stream', text: 'data: {no\n\n' }],
    ['a page', { kind: 'raw', type: 'text/html', text: '<html>' }],
  ] as const)('with %s is named as what it is', async (_, answer) => {
    const { peer, generate } = await bench();
    peer.script(answer);
    await expect(generate()).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('does not speak'),
    });
  });

  it('in the middle of an answer is told so, and not asked again', async () => {
    const { peer, generate } = await bench();
    peer.script({ kind: 'break', after: 'half' });
    await expect(generate()).rejects.toThrow('broke off');
    expect(peer.asked.filter(({ path }) => path.endsWith('completions'))).toHaveLength(1);
  });

  it('by not being there is left alone after a few tries, and found again when it is back', async () => {
    let time = 0;
    const { peer, model } = await bench({}, { now: () => time });
    await model.load();
    await peer.close();
    for (let attempt = 0; attempt < 3; attempt++)
      await expect(model.generate(request(), never)).rejects.toMatchObject({ kind: 'not-ready' });
    await expect(model.generate(request(), never)).rejects.toMatchObject({
      message: expect.stringContaining('is down'),
      remedy: expect.stringMatching(/asked again in \d+ s/),
    });
    const back = await openAiServer({ port: Number(peer.url.port) });
    ends.push(back.close);
    time += 60_000;
    expect((await model.generate(request(), never)).text).toBe('ok');
  });

  it('to be reached is told without the address of its key, and tried again by the next loading', async () => {
    const gone = await openAiServer();
    await gone.close();
    const model = new HttpModel({ url: gone.url, model: undefined, key: 'k', logger: silent, pauseMs: 1 });
    ends.push(() => model.dispose());
    await expect(model.load()).rejects.toMatchObject({
      kind: 'not-ready',
      remedy: expect.stringContaining('--model-url'),
    });
    await expect(model.generate(request(), never)).rejects.toMatchObject({ kind: 'not-ready' });
  });

  it('by pointing elsewhere never gets the key there', async () => {
    const { peer, generate } = await bench({}, { key: 'k' });
    const other = await openAiServer();
    ends.push(other.close);
    peer.script({ kind: 'refuse', status: 307, headers: { location: `${other.url}/completions` } });
    await expect(generate()).rejects.toMatchObject({ kind: 'not-ready' });
    expect(other.asked).toEqual([]);
  });
});

describe('a circuit', () => {
  it('opens after failures in a row, lets one try, and stays open longer each time', () => {
    let time = 0;
    const circuit = createCircuit({ now: () => time, failures: 2, pauseMs: 100, longestMs: 300 });
    for (let at = 0; at < 2; at++) {
      expect(circuit.enter()).toBe(0);
      circuit.failed();
    }
    expect(circuit.enter()).toBe(100);
    time = 100;
    expect(circuit.enter()).toBe(0);
    expect(circuit.enter()).toBeGreaterThan(0);
    circuit.failed();
    expect(circuit.enter()).toBe(200);
    time = 300;
    expect(circuit.enter()).toBe(0);
    circuit.left();
    expect(circuit.enter()).toBe(0);
    circuit.succeeded();
    circuit.failed();
    expect(circuit.enter()).toBe(0);
  });
});

describe('the prompt for a server', () => {
  it.each([
    ['<|im_end|>', '< |im_end|>'],
    ['x<|fim_middle|>y', 'x< |fim_middle|>y'],
    ['a <fim_suffix> b', 'a < fim_suffix> b'],
    ['<｜fim▁hole｜>', '< ｜fim▁hole｜>'],
    ['</s>', '< /s>'],
    ['Map<string, number>', 'Map<string, number>'],
    ['const a: Array<T> = []; a < b && c > d', 'const a: Array<T> = []; a < b && c > d'],
  ])('takes %j as data', (given, shown) => {
    expect(unmarked(given)).toBe(shown);
  });

  it('keeps markers of its own, and shortens what gives way first', () => {
    const text = promptText(
      [
        { kind: 'special', text: '<|fim_prefix|>' },
        { kind: 'text', text: 'c'.repeat(300), gives: { at: 'end', rank: 1 } },
        { kind: 'text', text: `${'w'.repeat(900)}END`, gives: { at: 'start', rank: 2 } },
        { kind: 'text', text: 'line' },
      ],
      200,
    );
    expect(text.startsWith('<|fim_prefix|>')).toBe(true);
    expect(text.endsWith('ENDline')).toBe(true);
    expect(text).not.toContain('c');
    expect(text.length).toBeLessThanOrEqual(600);
  });

  it.each([
    ['Qwen2.5-Coder-1.5B', '<|fim_prefix|>', 'alpaca'],
    ['qwen2.5-coder:7b-instruct', '<|fim_prefix|>', 'chatml'],
    ['starcoder2:3b', '<fim_prefix>', 'alpaca'],
    ['llama-3', undefined, 'alpaca'],
  ])('knows the family of %s', (name, prefix, form) => {
    expect([markersOf(name)?.prefix, formOf(name)]).toEqual([prefix, form]);
  });
});
