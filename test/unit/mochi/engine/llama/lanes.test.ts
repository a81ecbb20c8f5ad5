/** Who is next at the model. */
import { describe, expect, it } from 'vitest';
import { Lane } from '../../../../../src/mochi/engine/llama/lanes.ts';

const never = new AbortController().signal;

/** A piece of work that ends when it is told. */
function work(name: string, done: string[]) {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const run = async (): Promise<string> => {
    done.push(`${name} begins`);
    await ended;
    return name;
  };
  return { run, end: () => end() };
}

const settled = (promise: Promise<unknown>): Promise<string> =>
  promise.then(String, (error: unknown) => (error instanceof Error ? error.message : 'unknown'));

describe('a lane', () => {
  it('takes answers in the order they were asked, one at a time', async () => {
    const done: string[] = [];
    const lane = new Lane('first');
    const [one, two, three] = ['one', 'two', 'three'].map((name) => work(name, done));
    const all = [one, two, three].map((each) => lane.run(each?.run ?? (async () => ''), never));
    await Promise.resolve();
    expect(done).toEqual(['one begins']);
    for (const each of [one, two, three]) each?.end();
    expect(await Promise.all(all)).toEqual(['one', 'two', 'three']);
    expect(done).toEqual(['one begins', 'two begins', 'three begins']);
    expect(lane.isBusy).toBe(false);
  });

  it('drops completions that wait when a newer one comes', async () => {
    const done: string[] = [];
    const lane = new Lane('newest');
    const [one, two, three] = ['one', 'two', 'three'].map((name) => work(name, done));
    const all = [one, two, three].map((each) => settled(lane.run(each?.run ?? (async () => ''), never)));
    for (const each of [one, two, three]) each?.end();
    expect(await Promise.all(all)).toEqual(['one', 'A newer completion took the place of this one.', 'three']);
    expect(done).toEqual(['one begins', 'three begins']);
  });

  it('is left by whoever gives up waiting, and goes on after a failure', async () => {
    const done: string[] = [];
    const lane = new Lane('first');
    const first = work('first', done);
    const stop = new AbortController();
    const running = lane.run(first.run, never);
    const waiting = settled(lane.run(work('second', done).run, stop.signal));
    const failing = settled(lane.run(() => Promise.reject(new Error('broken')), never));
    const last = lane.run(async () => 'last', never);
    stop.abort(new Error('gave up'));
    expect(await waiting).toBe('gave up');
    first.end();
    expect(await running).toBe('first');
    expect(await failing).toBe('broken');
    expect(await last).toBe('last');
    expect(done).toEqual(['first begins']);
  });

  it('tells when nothing runs any more', async () => {
    const lane = new Lane('newest');
    await lane.idle();
    const one = work('one', []);
    const running = lane.run(one.run, never);
    let isIdle = false;
    const idle = lane.idle().then(() => {
      isIdle = true;
    });
    await Promise.resolve();
    expect(isIdle).toBe(false);
    one.end();
    await Promise.all([running, idle]);
    expect(isIdle).toBe(true);
  });

  it('refuses beyond what could ever be answered', async () => {
    const lane = new Lane('first');
    const one = work('one', []);
    const all = Array.from({ length: 66 }, () => settled(lane.run(one.run, never)));
    one.end();
    expect((await Promise.all(all)).filter((text) => text !== 'one')).toEqual(['64 questions wait for the model.']);
  });
});
