/** A process whose other half is elsewhere: what is asked of that, and which of its words count. */
import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/core/problem.ts';
import type { Call, ToThread } from '../../../src/node/mochi-thread-messages.ts';
import { receivedError, sentError } from '../../../src/node/mochi-thread-messages.ts';
import { type Door, RemoteProcess } from '../../../src/node/remote-mochi.ts';

const never = new AbortController().signal;
const folder = '/code';
const ready = (connection: number) =>
  ({ kind: 'ready', pid: 7, connection: { connection, version: `v${connection}` } }) as const;

function setUp() {
  const sent: ToThread[] = [];
  const called: Call[] = [];
  const seen: string[] = [];
  const door: Door = {
    send: (message) => void sent.push(message),
    call(call) {
      called.push(call);
      return Promise.resolve('answer' as never);
    },
  };
  const process = new RemoteProcess(folder, door);
  process.onDidChange(({ kind }) => seen.push(kind));
  return { process, sent, called, seen };
}

describe('a process in a thread', () => {
  it('asks for nothing until it is needed, and not to stop what nobody wanted', async () => {
    const { process, sent, called } = setUp();
    expect(process.state).toEqual({ kind: 'stopped' });
    await process.stop();
    expect([...sent, ...called]).toEqual([]);
  });

  it('is starting as soon as it is told to, and started once', () => {
    const { process, sent } = setUp();
    process.start();
    process.start();
    expect(process.state).toEqual({ kind: 'starting', attempt: 1 });
    expect(sent).toEqual([{ kind: 'start', folder, turn: 1 }]);
  });

  it('is not started where a listener stops it at once', async () => {
    const { process, sent, called } = setUp();
    process.onDidChange(({ kind }) => {
      if (kind === 'starting') void process.stop();
    });
    process.start();
    expect(sent).toEqual([]);
    expect(called).toMatchObject([{ what: 'stop' }]);
  });

  it('gives a client for each process that is greeted, and asks that one', async () => {
    const { process, called, sent } = setUp();
    const waiting = process.ready(never);
    process.hear(1, { kind: 'backingOff', waitMs: 1, reason: 'it ended', output: '' });
    process.hear(1, ready(4));
    const client = await waiting;
    expect(client.version).toBe('v4');
    expect(await client.complete({ prefix: 'a' }, never)).toBe('answer');
    await client.call('skill', { name: 'x' }, never);
    client.filesChanged(['a.ts']);
    const line = { folder, connection: 4 };
    expect(called).toEqual([
      { what: 'complete', given: { ...line, request: { prefix: 'a' } } },
      { what: 'call', given: { ...line, tool: 'skill', args: { name: 'x' } } },
    ]);
    expect(sent.at(-1)).toEqual({ kind: 'changed', line, paths: ['a.ts'] });
    process.hear(1, { kind: 'starting', attempt: 1 });
    expect(process.client).toBeUndefined();
    process.hear(1, ready(5));
    expect(process.client?.connection).toBe(5);
  });

  it('does not believe what was said before it was stopped', async () => {
    const { process, seen } = setUp();
    process.start();
    await process.stop();
    process.hear(1, ready(1));
    expect(process.state).toEqual({ kind: 'stopped' });
    process.hear(2, { kind: 'stopped' });
    expect(seen).toEqual(['starting', 'stopped']);
  });

  it('is started anew from whatever state', async () => {
    const { process, called } = setUp();
    process.start();
    process.hear(1, { kind: 'failed', reason: 'it ended', output: '' });
    await process.restart();
    expect(called).toEqual([{ what: 'restart', given: { folder, turn: 2 } }]);
    process.hear(2, ready(2));
    expect(process.state.kind).toBe('ready');
  });

  it('has failed where its other half is gone, and tells who waits', async () => {
    const { process } = setUp();
    const waiting = process.ready(never).catch((error: unknown) => error);
    process.lose();
    expect(await waiting).toMatchObject({ kind: 'crashed' });
    expect(process.state.kind).toBe('failed');
    process.hear(1, ready(1));
    expect(process.state.kind).toBe('failed');
  });

  it('passes on what its client is told', () => {
    const { process } = setUp();
    process.start();
    process.hear(1, ready(1));
    const told: unknown[] = [];
    const following = process.client?.onDidChangeResources(() => told.push('resources'));
    process.client?.onDidProgress((learning) => told.push(learning));
    process.client?.tellChanged();
    process.client?.tellProgress({ done: 1, total: 2 });
    following?.dispose();
    process.client?.tellChanged();
    expect(told).toEqual(['resources', { done: 1, total: 2 }]);
  });
});

describe('an error between threads', () => {
  it('keeps its class, its kind and what is known', () => {
    const error = new OperationError('crashed', 'It ended.', { remedy: 'Start it.', output: 'the last words' });
    const received = receivedError(structuredClone(sentError(error)));
    expect(OperationError.is(received, 'crashed')).toBe(true);
    expect(received).toMatchObject({ message: 'It ended.', remedy: 'Start it.', output: 'the last words' });
  });

  it('keeps the name of one of another class, and what is no error becomes one', () => {
    expect(receivedError(sentError(new RangeError('too far')))).toMatchObject({
      name: 'RangeError',
      message: 'too far',
    });
    expect(receivedError(sentError('nonsense'))).toMatchObject({ message: 'nonsense' });
  });
});
