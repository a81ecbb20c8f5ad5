/** The process of the model: started when needed, told to stop, and not missed for long. */
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LlamaEngine } from '../../../../../src/mochi/engine/llama/llama-engine.ts';
import type { Reply, Request } from '../../../../../src/mochi/engine/llama/messages.ts';

const never = new AbortController().signal;
const asked = {
  purpose: 'answer',
  prompt: [{ kind: 'text', text: 'q' }],
  maxTokens: 9,
  stop: [],
  deadlineMs: 50,
} as const;
const ready: Reply = { kind: 'ready', traits: { name: 'm', form: 'alpaca', contextTokens: 512 }, swapMs: 7 };
const answer = (id: number): Reply => ({
  ...{ kind: 'generated', id, text: 'yes', tokens: [{ end: 3, probability: 0.5 }] },
  ...{ evaluated: 1, promptTokens: 2, reason: 'end' },
});

class FakeProcess extends EventEmitter {
  readonly pid = 1;
  connected = true;
  killed = false;
  readonly sent: Request[] = [];
  send(request: Request): boolean {
    this.sent.push(request);
    return true;
  }
  kill(): boolean {
    this.killed = true;
    return true;
  }
  reply(...replies: readonly (Reply | object)[]): void {
    for (const one of replies) this.emit('message', one);
  }
}

function setUp(model = 'm') {
  const started: FakeProcess[] = [];
  const logged: string[] = [];
  let time = 0;
  const log = (message: string): void => {
    logged.push(message);
  };
  const engine = new LlamaEngine({
    ...{ program: 'p', backend: 'b', model, adapters: [], cacheFolder: 'c', contextTokens: 512, maxThreads: 1 },
    logger: { trace: log, debug: log, info: log, warn: log, error: log },
    memoryBytes: () => 1_000,
    now: () => time,
    start: () => {
      const child = new FakeProcess();
      started.push(child);
      return child as unknown as ChildProcess;
    },
  });
  const last = (): FakeProcess => started.at(-1) ?? new FakeProcess();
  const load = async (): Promise<void> => {
    const loading = engine.load();
    last().reply({ kind: 'started' }, ready);
    await loading;
  };
  return { engine, started, last, load, logged, pass: (milliseconds: number) => (time += milliseconds) };
}

describe('the process of a model', () => {
  it('is started once, told what to load, and asked', async () => {
    const { engine, started, last, load } = setUp();
    expect(engine.state).toEqual({ kind: 'idle' });
    const two = [engine.load(), engine.load()];
    last().reply({ kind: 'started' }, { kind: 'progress', share: 0.5 });
    expect(engine.state).toEqual({ kind: 'loading', share: 0.5 });
    await expect(engine.generate(asked, never)).rejects.toMatchObject({ message: 'The model is loading: 50 %.' });
    last().reply({ kind: 'memory', bytes: 70, estimatedBytes: 60 }, ready);
    await Promise.all([...two, load()]);
    expect(started).toHaveLength(1);
    expect(last().sent[0]).toMatchObject({ kind: 'load', model: 'm', memoryBytes: 1_000 });
    expect([engine.memoryBytes, engine.estimatedBytes]).toEqual([70, 60]);
    const answered = engine.generate(asked, never);
    last().reply({ nonsense: true }, answer(1));
    expect(await answered).toMatchObject({ text: 'yes', evaluated: 1 });
  });

  it('that says it cannot is not tried again at once', async () => {
    const { engine, started, last, pass } = setUp();
    const loading = engine.load();
    const fault = { kind: 'memory', status: 507, message: 'too large', remedy: 'smaller' } as const;
    last().reply({ kind: 'started' }, { kind: 'failed', fault });
    await expect(loading).rejects.toMatchObject({ kind: 'memory', remedy: 'smaller' });
    expect(last().killed).toBe(true);
    await expect(engine.load()).rejects.toMatchObject({ kind: 'memory' });
    expect(started).toHaveLength(1);
    pass(10_001);
    void engine.load();
    expect(started).toHaveLength(2);
  });

  it('is not started again for files that are no good until one of them is another', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mochi-llama-'));
    try {
      const file = join(folder, 'a.gguf');
      const { engine, started, last, pass } = setUp(file);
      const fault = { kind: 'not-ready', status: 503, message: 'no such file', remedy: 'name one' } as const;
      const loading = engine.load();
      last().reply({ kind: 'started' }, { kind: 'failed', fault });
      await expect(loading).rejects.toMatchObject({ message: fault.message });
      for (const _ of [1, 2]) {
        pass(10_001);
        await expect(engine.load()).rejects.toMatchObject({ message: 'no such file', remedy: 'name one' });
        expect(engine.state.kind).toBe('failed');
      }
      expect(started).toHaveLength(1);
      writeFileSync(file, 'GGUF');
      pass(10_001);
      void engine.load().catch(() => undefined);
      expect(started).toHaveLength(2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('that dies fails what is open and is started again on the next use', async () => {
    const { engine, started, last, load } = setUp();
    await load();
    const open = [engine.generate(asked, never), engine.generate(asked, never)];
    last().emit('exit', null, 'SIGSEGV');
    for (const one of open)
      await expect(one).rejects.toMatchObject({ kind: 'failed', message: 'The process of the model ended (SIGSEGV).' });
    expect(engine.memoryBytes).toBe(0);
    await expect(engine.generate(asked, never)).rejects.toMatchObject({ kind: 'not-ready' });
    expect(started).toHaveLength(2);
  });

  it('that dies again and again is left alone for a while', async () => {
    const { engine, started, last, load, pass } = setUp();
    for (let death = 0; death < 4; death += 1) {
      await load();
      last().emit('exit', 1, null);
    }
    await expect(engine.load()).rejects.toMatchObject({ kind: 'failed' });
    expect(started).toHaveLength(4);
    pass(10_001);
    await load();
    expect(started).toHaveLength(5);
  });

  it('is told of an abort, and its late answer is nobody’s', async () => {
    const { engine, last, load } = setUp();
    await load();
    const stop = new AbortController();
    const open = engine.generate(asked, stop.signal);
    stop.abort(new Error('typed on'));
    await expect(open).rejects.toThrow('typed on');
    expect(last().sent.at(-1)).toEqual({ kind: 'abort', id: 1 });
    last().reply({ kind: 'aborted', id: 1 });
    await expect(engine.generate(asked, stop.signal)).rejects.toThrow('typed on');
  });

  it('changes adapters without being started anew, and says what it cannot apply', async () => {
    const { engine, started, last, load } = setUp();
    await load();
    const adapting = engine.adapt([{ folder: 'a' }]);
    await Promise.resolve();
    expect(last().sent.at(-1)).toEqual({ kind: 'adapt', adapters: [{ folder: 'a' }] });
    last().reply(ready);
    expect(await adapting).toMatchObject({ name: 'm' });
    expect(engine.swapMs).toBe(7);
    const failing = engine.adapt([{ folder: 'b' }]);
    await Promise.resolve();
    last().reply({ kind: 'failed', fault: { kind: 'not-ready', status: 503, message: 'another base' } });
    await expect(failing).rejects.toMatchObject({ message: 'another base' });
    expect(engine.state.kind).toBe('ready');
    expect(started).toHaveLength(1);
  });

  it('ends when it is let go, and whoever waits is told', async () => {
    const { engine, last, load } = setUp();
    await load();
    const open = engine.generate(asked, never);
    engine.dispose();
    await expect(open).rejects.toMatchObject({ kind: 'not-ready' });
    expect(last().killed).toBe(true);
    expect(engine.state).toEqual({ kind: 'idle' });
    await expect(engine.load()).rejects.toMatchObject({ kind: 'not-ready' });
  });
});
