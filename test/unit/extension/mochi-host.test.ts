/** Mochi for the editor's parts: when it starts, what it waits for, and that nothing it does reaches who types. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TextDocument } from 'vscode';
import type { Companion } from '../../../src/extension/companion.ts';
import { createMochiHost, type HostPorts } from '../../../src/extension/mochi-host.ts';
import { createManagedProcess } from '../../../src/node/managed-process.ts';
import type { MochiClient } from '../../../src/node/mochi-client.ts';
import type { Learning } from '../../../src/protocol/learning-words.ts';
import type { MochiStats } from '../../../src/protocol/mochi.ts';
import { createFakeChild, createFakeClock, type FakeChild } from '../../support/fake-child.ts';

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const never = new AbortController().signal;
const completion = { completion: 'x', alternatives: [], confidence: 0.5, engine: 'embedded', inference_time_ms: 1 };
const document = (folder: string | undefined) => ({ uri: { folder }, languageId: 'go' }) as unknown as TextDocument;

/** A Mochi whose every answer a test chooses. */
function setUp(more: Partial<HostPorts> = {}) {
  const clock = createFakeClock();
  const children: FakeChild[] = [];
  const opened: string[] = [];
  const told: (readonly string[] | undefined)[] = [];
  let stats: MochiStats = { learned: false, engine: 'embedded' };
  let answer: MochiClient['complete'] = async () => ({ kind: 'answered', value: completion });
  const progressed = new Set<(learning: Learning | undefined) => void>();
  const changed = new Set<() => void>();
  const client: MochiClient = {
    version: '1',
    complete: (request, signal) => answer(request, signal),
    ask: () => Promise.reject(new Error('not here')),
    suggest: () => Promise.reject(new Error('not here')),
    call: () => Promise.reject(new Error('not here')),
    readStats: async () => stats,
    filesChanged: (paths) => void told.push(paths),
    onDidChangeResources(listener) {
      changed.add(listener);
      return { dispose() {} };
    },
    onDidProgress(listener) {
      progressed.add(listener);
      return { dispose() {} };
    },
  };
  const companion = {
    lastWords: (output: string) => output,
    open(folder: string) {
      opened.push(folder);
      return createManagedProcess({
        name: 'Mochi',
        logger: silent,
        clock,
        patience: { startMs: 1_000, pauseMs: 100, mostFailures: 3, withinMs: 60_000 },
        async spawn() {
          const child = createFakeChild(children.length + 1, 'the last words');
          children.push(child);
          return child;
        },
        greet: async () => client,
      });
    },
  } as unknown as Companion;
  const state = {
    isTrusted: true,
    isEnabled: true,
    waitsFor: undefined as 'large' | 'battery' | undefined | Promise<undefined>,
    pause: undefined as { until?: number } | undefined,
  };
  const [agreed, large] = [new Set<string>(), [] as [string, number][]];
  const host = createMochiHost({
    logger: silent,
    isTrusted: () => state.isTrusted,
    isEnabled: () => state.isEnabled,
    placeOf: ({ uri }) => {
      const { folder } = uri as unknown as { folder: string | undefined };
      return folder === undefined ? undefined : { folder, path: 'src/a.go' };
    },
    companion: async () => companion,
    witness: { shown() {}, accepted() {} },
    pause: () => state.pause,
    learning: {
      now: clock.now,
      after: clock.after,
      waitsFor: async () => state.waitsFor,
      isLarge: (files) => files > 1_000,
      hasAgreed: (folder) => agreed.has(folder),
      agree: (folder) => void agreed.add(folder),
      onLarge: (folder, files) => void large.push([folder, files ?? 0]),
    },
    ...more,
  });
  const complete = (folder: string | undefined = '/code', signal = never) =>
    host.complete(document(folder), { prefix: 'a' }, signal);
  return {
    host,
    state,
    clock,
    children,
    opened,
    large,
    told,
    complete,
    /** The first completion, and then everything that it sets off. */
    async wake(folder = '/code') {
      await complete(folder);
      await settled();
    },
    async learned() {
      stats = { learned: true, engine: 'embedded', files: 3, tokens: 9 };
      for (const listener of changed) listener();
      await settled();
    },
    progress(learning: Learning) {
      for (const listener of progressed) listener(learning);
    },
    answerWith(next: MochiClient['complete']) {
      answer = next;
    },
  };
}

const settled = async (): Promise<void> => {
  for (let left = 8; left > 0; left--) await turn();
};

describe('Mochi in the editor', () => {
  it('starts at the first need, for the folder of the document, and answers from then on', async () => {
    const { host, complete, wake, opened } = setUp();
    expect(host.status).toEqual({ kind: 'idle' });
    expect(await complete()).toBeUndefined();
    expect(host.status).toEqual({ kind: 'starting' });
    await settled();
    expect(await complete()).toEqual(completion);
    await wake('/other');
    expect(opened).toEqual(['/code', '/other']);
    expect(host.lastFolder).toBe('/other');
  });

  it('starts for whoever types, though the question is given up, and not where it may not', async () => {
    const { host, state, opened } = setUp();
    state.isEnabled = false;
    host.wake(document('/code'));
    state.isEnabled = true;
    host.wake(document(undefined));
    await settled();
    expect(opened).toEqual([]);
    host.wake(document('/code'));
    host.wake(document('/code'));
    await settled();
    expect(opened).toEqual(['/code']);
    expect(host.status).toEqual({ kind: 'learning' });
  });

  it('says how far it has learned, and when it is ready', async () => {
    const { host, wake, learned, progress } = setUp();
    const seen: string[] = [];
    host.onDidChangeStatus(({ kind }) => seen.push(kind));
    await wake();
    expect(host.status).toEqual({ kind: 'learning' });
    progress({ done: 3, total: 30 });
    expect(host.status).toEqual({ kind: 'learning', done: 3, total: 30 });
    await learned();
    expect(host.status).toEqual({ kind: 'ready' });
    expect(host.folders).toMatchObject([{ folder: '/code', stats: { files: 3 } }]);
    expect(new Set(seen)).toEqual(new Set(['starting', 'learning', 'ready']));
  });

  it.each<[string, string | undefined, object]>([
    ['the workspace is not trusted', '/code', { isTrusted: false }],
    ['completions are switched off', '/code', { isEnabled: false }],
    ['the person paused them', '/code', { pause: {} }],
    ['the person snoozes them', '/code', { pause: { until: 9 } }],
    ['the document lies in no folder', undefined, {}],
  ])('starts nothing where %s', async (_why, folder, given) => {
    const { state, host, opened } = setUp();
    Object.assign(state, given);
    expect(await host.complete(document(folder), { prefix: 'a' }, never)).toBeUndefined();
    await settled();
    expect(opened).toEqual([]);
  });

  it.each<[string, MochiClient['complete']]>([
    ['refuses', async () => ({ kind: 'refused', fault: { kind: 'not-ready', status: 503, message: 'Learning.' } })],
    ['breaks the contract', () => Promise.reject(new Error('broken'))],
  ])('gives nothing, and no error, where Mochi %s', async (_what, answer) => {
    const { complete, wake, answerWith } = setUp();
    await wake();
    answerWith(answer);
    await expect(complete()).resolves.toBeUndefined();
  });

  it('lets go of a completion that is cancelled', async () => {
    const { complete, wake, answerWith } = setUp();
    await wake();
    answerWith(
      (_request, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
    );
    const stop = new AbortController();
    const given = complete('/code', stop.signal);
    stop.abort();
    await expect(given).resolves.toBeUndefined();
  });

  it('comes back by itself when the process dies, and says quietly when it will not', async () => {
    const { host, complete, wake, learned, children, clock } = setUp();
    await wake();
    await learned();
    for (const at of [0, 1, 2]) {
      children[at]?.die();
      await settled();
      if (at < 2) expect(host.status).toEqual({ kind: 'restarting' });
      expect(await complete()).toBeUndefined();
      clock.pass(200);
      await settled();
      if (at < 2) expect(await complete()).toEqual(completion);
    }
    expect(host.status).toEqual({ kind: 'failed', reason: 'the last words' });
    await host.restart();
    await settled();
    expect(await complete()).toEqual(completion);
  });

  it('does not learn a large folder unasked, asks once, and learns it after a yes', async () => {
    const { host, complete, wake, learned, progress, large, children } = setUp();
    await wake();
    progress({ done: 10, total: 5_000 });
    await settled();
    expect(host.status).toEqual({ kind: 'waiting', reason: 'large' });
    expect(children[0]?.closed).toBe(1);
    expect(large).toEqual([['/code', 5_000]]);
    await complete();
    await settled();
    expect(children).toHaveLength(1);
    await expect(host.client('/code', never)).rejects.toMatchObject({ kind: 'consent-needed' });
    await host.learn('/code');
    await settled();
    progress({ done: 10, total: 5_000 });
    await learned();
    expect(host.status).toEqual({ kind: 'ready' });
  });

  it('does not even start for a folder that holds more than one project, and asks once', async () => {
    const { host, complete, wake, state, large, children } = setUp();
    state.waitsFor = 'large';
    await wake();
    await complete();
    await settled();
    expect(host.status).toEqual({ kind: 'waiting', reason: 'large' });
    expect(large).toEqual([['/code', 0]]);
    expect(children).toHaveLength(0);
    await host.learn('/code');
    await settled();
    expect(children).toHaveLength(1);
  });

  it('lets a folder that was learned before grow', async () => {
    const { host, wake, learned, progress, large } = setUp();
    await wake();
    await learned();
    progress({ done: 10, total: 5_000 });
    expect(host.status).toEqual({ kind: 'ready' });
    expect(large).toEqual([]);
  });

  it('waits for the mains before it learns a folder for the first time, and looks again after a while', async () => {
    const { host, complete, wake, state, children, clock } = setUp();
    state.waitsFor = 'battery';
    await wake();
    expect(host.status).toEqual({ kind: 'waiting', reason: 'battery' });
    state.waitsFor = undefined;
    await complete();
    await settled();
    expect(children).toHaveLength(0);
    clock.pass(60_000);
    await complete();
    await settled();
    expect(children).toHaveLength(1);
  });

  it('starts for a question, whatever completions may do', async () => {
    const { host, state } = setUp();
    state.isEnabled = false;
    state.waitsFor = 'battery';
    await expect(host.client('/code', never)).resolves.toMatchObject({ version: '1' });
  });

  it('tells Mochi of changed files, once for a crowd, and starts nothing for it', async () => {
    const { host, wake, clock, told, opened } = setUp();
    host.changed({ folder: '/code', path: 'early.go' });
    clock.pass(300);
    expect(opened).toEqual([]);
    await wake();
    for (const path of ['a.go', 'b.go', 'a.go']) host.changed({ folder: '/code', path });
    clock.pass(299);
    expect(told).toEqual([]);
    clock.pass(1);
    host.changed({ folder: '/code', path: 'c.go' });
    clock.pass(300);
    expect(told).toEqual([['a.go', 'b.go'], ['c.go']]);
    for (let at = 0; at < 1_001; at++) host.changed({ folder: '/code', path: `${at}.go` });
    clock.pass(300);
    expect(told.slice(2)).toEqual([undefined]);
    host.changed({ folder: '/code', path: 'late.go' });
    await host.rest();
    clock.pass(300);
    expect(told).toHaveLength(3);
  });

  it('rests when told to, and starts again at the next need', async () => {
    const { host, complete, wake, children } = setUp();
    await wake();
    await host.rest();
    expect(children[0]?.closed).toBe(1);
    expect(host.status).toEqual({ kind: 'idle' });
    await complete();
    await settled();
    expect(children).toHaveLength(2);
  });

  it('rests when completions are switched off', async () => {
    const { host, wake, state, children } = setUp();
    await wake();
    state.isEnabled = false;
    host.refresh();
    await settled();
    expect(children[0]?.closed).toBe(1);
    expect(host.status).toEqual({ kind: 'off' });
  });

  it('ends what belongs to a folder that was closed, and nothing else', async () => {
    const { host, wake, children } = setUp();
    await wake('/code');
    await wake('/other');
    host.retain(['/other']);
    await settled();
    expect(children.map(({ closed }) => closed)).toEqual([1, 0]);
    expect(host.folders.map(({ folder }) => folder)).toEqual(['/other']);
  });

  it('starts nothing any more once the window closes, not even what was just starting', async () => {
    const { host, complete, children } = setUp();
    await complete();
    await host.stop();
    await settled();
    await complete();
    await settled();
    expect(children.every(({ closed }) => closed === 1)).toBe(true);
    await expect(host.client('/code', never)).rejects.toMatchObject({ kind: 'consent-needed' });
  });

  it('does not start what was stopped while it was looked whether it may start', async () => {
    let look: () => void = () => {};
    const { host, complete, state, children } = setUp();
    state.waitsFor = new Promise<undefined>((resolve) => {
      look = () => resolve(undefined);
    });
    await complete();
    await settled();
    await host.rest();
    look();
    await settled();
    expect(children).toHaveLength(0);
    expect(host.status).toEqual({ kind: 'idle' });
  });

  it.each([
    [{ isTrusted: false }, 'restricted'],
    [{ isEnabled: false }, 'off'],
    [{ pause: { until: 5 } }, 'paused'],
  ])('tells of what keeps it from completing: %j', (given, kind) => {
    const { host, state } = setUp();
    Object.assign(state, given);
    expect(host.status.kind).toBe(kind);
    expect(host.mayComplete).toBe(false);
  });
});
