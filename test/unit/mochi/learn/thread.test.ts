/** A thread as whoever asks sees it: one that has no end is given up, one that is only asked no longer is not. */
import { afterEach, describe, expect, it } from 'vitest';
import { LearningThread } from '../../../../src/mochi/learn/thread.ts';

const threads: LearningThread[] = [];
afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.end()));
});

interface Started {
  readonly thread: LearningThread;
  readonly lost: Promise<string>;
}

/** A thread that does `work` when something is asked, and tells that it was told to stop. */
function started(work: string, unheardMs: number): Started {
  const program = `
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ id, ask }) => {
      if (ask === 'stop') return parentPort.postMessage({ kind: 'stopped' });
      ${work}
    });`;
  let tell: (reason: string) => void = () => {};
  const lost = new Promise<string>((resolve) => {
    tell = resolve;
  });
  const events = { onAnswers() {}, onLearned() {}, onProgress() {}, onLost: (reason: string) => tell(reason) };
  const of = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
  const thread = new LearningThread({ root: '' }, events, of, unheardMs);
  threads.push(thread);
  return { thread, lost };
}

const asked = { kind: 'folders' } as const;

describe('a thread', () => {
  it('that never comes to an end is given up, with all that is asked of it', async () => {
    const { thread, lost } = started('for (;;) {}', 200);
    const stop = new AbortController();
    const first = thread.ask(asked, stop.signal);
    const second = thread.ask(asked);
    setTimeout(() => stop.abort(new Error('late')), 50);
    await expect(first).rejects.toThrow('late');
    await expect(second).rejects.toThrow('no longer answered');
    expect(await lost).toContain('no longer answered');
    await expect(thread.ask(asked)).rejects.toThrow('ended');
  });

  it('that is asked no longer goes on to answer others', async () => {
    const { thread, lost } = started(
      "if (id === 2) setTimeout(() => parentPort.postMessage({ kind: 'done', id, value: 7 }), 600);",
      200,
    );
    const stop = new AbortController();
    const first = thread.ask(asked, stop.signal);
    const second = thread.ask(asked);
    stop.abort(new Error('late'));
    await expect(first).rejects.toThrow('late');
    expect(await Promise.race([second, lost])).toBe(7);
  });
});
