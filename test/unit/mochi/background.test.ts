/** Learning beside the serving: at the start, when used, under the bound of memory; and where it is kept. */
import { describe, expect, it } from 'vitest';
import { createBackground, type Learner } from '../../../src/mochi/background.ts';
import type { LearnOutcome } from '../../../src/mochi/learn/workspace.ts';
import { createMemoryGuard, MochiFault } from '../../../src/mochi/limits.ts';
import { indexFile, isTooWide } from '../../../src/node/learned-place.ts';
import { learningIn } from '../../../src/protocol/learning-words.ts';
import { createTinyAdapter } from '../../support/mochi-fixture/tiny-adapter.ts';

type Learning = (signal: AbortSignal, onProgress?: Parameters<Learner['learn']>[1]) => Promise<LearnOutcome>;

function setUp(learning: Learning, used: () => number = () => 0, needed = 0) {
  const tiny = createTinyAdapter(false);
  const told: string[] = [];
  let runs = 0;
  let time = 0;
  let isLearning = false;
  let isClosed = false;
  let files = 2;
  let lose = (_reason: string): void => {};
  const learner: Learner = {
    engine: tiny.engine,
    get knowledge() {
      const { knowledge } = tiny;
      return knowledge && { ...knowledge, stats: { ...knowledge.stats, files } };
    },
    get memory() {
      return tiny.knowledge;
    },
    get isLearning() {
      return isLearning;
    },
    onDidLearn: (listener) => tiny.onDidLearn(listener),
    onDidLose(listener) {
      lose = listener;
      return { dispose: () => {} };
    },
    async close() {
      isClosed = true;
    },
    async learn(signal, onProgress) {
      runs++;
      isLearning = true;
      try {
        const outcome = await learning(signal, onProgress);
        tiny.learn();
        return outcome;
      } finally {
        isLearning = false;
      }
    },
  };
  const log = (message: string) => told.push(message);
  const background = createBackground({
    learner,
    memory: createMemoryGuard(1_000, used),
    needed: async () => needed,
    logger: { trace: log, debug: log, info: log, warn: log, error: log },
    announce: (message) => told.push(`announced ${message}`),
    now: () => time,
  });
  return {
    background,
    told,
    runs: () => runs,
    isClosed: () => isClosed,
    hold: (count: number) => {
      files = count;
    },
    lose: () => lose('ended'),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

const all: Learning = async () => ({ how: 'everything', files: 3 });

describe('learning beside the serving', () => {
  it('makes the adapter learned, tells the listeners and says what it did', async () => {
    const { background, told } = setUp(all);
    let heard = 0;
    background.adapter.onDidLearn(() => heard++);
    expect(background.adapter.isLearned).toBe(false);
    const started = background.start();
    expect(background.adapter.isBusy).toBe(true);
    await started;
    expect(background.adapter).toMatchObject({ isLearned: true, isBusy: false, refusal: undefined });
    expect(heard).toBe(1);
    expect(told).toEqual(['learned everything: 3 files', 'announced learned everything: 3 files']);
  });

  it('says how far it is, but not all the time', async () => {
    const { background, told, pass } = setUp(async (_, onProgress) => {
      for (let done = 0; done < 100; done++) {
        pass(30);
        onProgress?.({ stage: 'reading', done, total: 100 });
      }
      return { how: 'everything', files: 100 };
    });
    await background.start();
    expect(told.filter((line) => line.startsWith('announced learning'))).toHaveLength(2);
    expect(told[0]).toMatch(/^learning: reading, \d+ of 100 files$/);
  });

  it('is understood by those who show it', async () => {
    const { background, told, pass } = setUp(async (_, onProgress) => {
      for (const stage of ['looking', 'reading', 'sorting'] as const) {
        pass(2_000);
        onProgress?.({ stage, done: 7, total: 100 });
      }
      return { how: 'everything', files: 100 };
    });
    await background.start();
    const heard = told.filter((line) => line.startsWith('announced ')).map((line) => line.slice('announced '.length));
    const count = { learning: { done: 7, total: 100 } };
    const none = { learning: undefined };
    expect(heard.map(learningIn)).toEqual([none, count, count, none]);
  });

  it('stops when memory runs out, and every call is refused with that reason', async () => {
    let used = 0;
    const { background } = setUp(
      (signal) =>
        new Promise((_, reject) => {
          used = 2_000;
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      () => used,
    );
    await background.start();
    expect(background.adapter.isLearned).toBe(false);
    expect(background.adapter.refusal?.data).toMatchObject({ kind: 'memory', status: 507 });
  });

  it('does not even begin without the memory', async () => {
    const { background, runs } = setUp(all, () => 2_000);
    await background.start();
    expect(runs()).toBe(0);
    expect(background.adapter.refusal?.kind).toBe('memory');
  });

  it('does not begin either where what was kept would not fit', async () => {
    const { background, runs } = setUp(all, () => 600, 500);
    await background.start();
    expect(runs()).toBe(0);
    expect(background.adapter.refusal?.data).toMatchObject({ kind: 'memory', status: 507 });
  });

  it('keeps a plain reason for what it does not know, and forgets it after a learning', async () => {
    let works = false;
    const { background, told } = setUp(async () => {
      if (!works) throw new Error('EACCES /home/somebody/secret');
      return { how: 'everything', files: 1 };
    });
    await background.start();
    expect(background.adapter.refusal).toBeInstanceOf(MochiFault);
    expect(JSON.stringify([background.adapter.refusal?.data, told])).not.toContain('somebody');
    works = true;
    await background.start();
    expect(background.adapter.refusal).toBeUndefined();
  });

  it('refuses with the remedy where there are no files, says so once, and answers when there are', async () => {
    const { background, told, hold } = setUp(async () => ({ how: 'nothing new', files: 0 }));
    hold(0);
    await background.start();
    await background.start();
    expect(background.adapter.isLearned).toBe(false);
    expect(background.adapter.refusal?.data).toMatchObject({
      status: 503,
      remedy: expect.stringContaining('Name one'),
    });
    expect(told).toEqual([expect.stringContaining('no source files')]);
    hold(1);
    await background.start();
    expect(background.adapter).toMatchObject({ isLearned: true, refusal: undefined });
  });

  it('looks for changes when what it has to refuse is asked, at most once a minute', async () => {
    const { background, runs, pass, hold } = setUp(async () => ({ how: 'nothing new', files: 0 }));
    hold(0);
    await background.start();
    void background.adapter.refusal;
    expect(runs()).toBe(1);
    pass(60_001);
    void background.adapter.refusal;
    expect(runs()).toBe(2);
  });

  it('looks for changes when it is used, at most once a minute', async () => {
    const { background, runs, pass } = setUp(async () => ({ how: 'nothing new', files: 0 }));
    await background.start();
    void background.adapter.engine;
    expect(runs()).toBe(1);
    pass(60_001);
    void background.adapter.engine;
    void background.adapter.engine;
    expect(runs()).toBe(2);
  });

  it('looks for changes when it is told to, once more when told so while it looks, and never as the first thing', async () => {
    const { background, runs } = setUp(async () => ({ how: 'nothing new', files: 0 }));
    background.adapter.refresh?.();
    expect(runs()).toBe(0);
    await background.start();
    background.adapter.refresh?.();
    await expect.poll(runs).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (let times = 0; times < 5; times++) background.adapter.refresh?.();
    await expect.poll(runs).toBe(4);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(runs()).toBe(4);
  });

  it('learns again what was lost, but not over and over', async () => {
    const { background, runs, pass, lose, told } = setUp(all);
    await background.start();
    lose();
    expect(runs()).toBe(1);
    pass(10_001);
    lose();
    await expect.poll(runs).toBe(2);
    expect(told).toContain('what was learned is lost: ended');
  });

  it('knows whether what it learned is on disk', async () => {
    const outcomes: LearnOutcome[] = [
      { how: 'everything', files: 3 },
      { how: 'changes', files: 1, notKept: 'EISDIR' },
      { how: 'nothing new', files: 0 },
    ];
    const { background, told } = setUp(async () => outcomes.shift() ?? { how: 'nothing new', files: 0 });
    const kept: boolean[] = [background.isKept];
    for (let times = 0; times < 3; times++) {
      await background.start();
      kept.push(background.isKept);
    }
    expect(kept).toEqual([false, true, false, true]);
    expect(told.filter((line) => line.includes('could not be kept'))).toHaveLength(1);
  });

  it('keeps what it learned when it is closed', async () => {
    const { background, isClosed } = setUp(all);
    await background.start();
    await background.close();
    expect(isClosed()).toBe(true);
  });

  it('never begins by being used', () => {
    const { background, runs, pass } = setUp(all);
    pass(600_000);
    void background.adapter.engine;
    expect(runs()).toBe(0);
  });

  it('does not begin any more once the server has ended', async () => {
    const { background, runs } = setUp(all);
    const learning = background.start();
    background.dispose();
    await learning;
    expect(runs()).toBe(0);
    expect(background.adapter.refusal).toBeUndefined();
  });

  it('ends quietly with the server', async () => {
    const { background, told, pass, runs } = setUp(
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    const learning = background.start();
    await expect.poll(runs).toBe(1);
    background.dispose();
    await learning;
    expect(background.adapter.refusal).toBeUndefined();
    expect(told).toEqual([]);
    pass(120_000);
    void background.adapter.engine;
    expect(runs()).toBe(1);
  });
});

describe('the place of an index', () => {
  const home = '/home/me';
  it.each<[NodeJS.Platform, Record<string, string>, RegExp]>([
    ['linux', {}, /^\/home\/me\/\.cache\/mochi\/learned\/[0-9a-f]{24}\.index$/],
    ['linux', { XDG_CACHE_HOME: '/x' }, /^\/x\/mochi\/learned\//],
    ['darwin', {}, /^\/home\/me\/Library\/Caches\/mochi\/learned\//],
    ['win32', { LOCALAPPDATA: '/local' }, /^\/local\/mochi\/learned\//],
  ])('on %s with %j is in the cache of the person', (platform, env, expected) => {
    expect(indexFile('/folder', { env, platform, home })).toMatch(expected);
  });

  it('is another one for another workspace', () => {
    const around = { env: {}, platform: 'linux', home } as const;
    expect(indexFile('/a', around)).not.toBe(indexFile('/b', around));
  });

  it.each([
    ['/', true],
    ['/home', true],
    ['/home/me', true],
    ['/home/me/project', false],
    ['/home/you', false],
    ['/folder', false],
  ])('%s holds more than one project: %s', (folder, expected) => expect(isTooWide(folder, home)).toBe(expected));
});
