import { describe, expect, it } from 'vitest';
import { type Ask, Asking, type Clock, type Question, until } from '#core/completion/asking.ts';
import { createPace } from '#core/completion/pace.ts';
import { Recall } from '#core/completion/recall.ts';
import type { Answer } from '#core/completion/suggestions.ts';

function manualClock() {
  let time = 0;
  let waiting: { readonly at: number; readonly run: () => void }[] = [];
  const clock: Clock = {
    now: () => time,
    after(ms, run) {
      const entry = { at: time + ms, run };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((one) => one !== entry);
      };
    },
  };
  return {
    clock,
    get open() {
      return waiting.length;
    },
    async pass(ms: number) {
      time += ms;
      const due = waiting.filter(({ at }) => at <= time);
      waiting = waiting.filter(({ at }) => at > time);
      for (const { run } of due) run();
      await settled();
    },
  };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};
const question = (before: string, trigger: Question['trigger'] = 'automatic'): Question => ({
  document: 'file:///a.ts',
  language: 'typescript',
  around: { before, after: '', isCut: false },
  trigger,
});
const says = (text: string): Answer => ({
  draft: { text, confidence: 1, steps: [] },
  alternatives: [],
  engine: 'model',
});

function setUp() {
  const time = manualClock();
  const asked: {
    readonly question: Question;
    readonly signal: AbortSignal;
    readonly give: (answer?: Answer) => void;
  }[] = [];
  const ask: Ask = (given, signal) =>
    new Promise((resolve) => {
      asked.push({ question: given, signal, give: resolve });
    });
  const pace = createPace();
  return { time, asked, pace, asking: new Asking({ clock: time.clock, recall: new Recall(), pace, ask }) };
}
const never = new AbortController().signal;

describe('a question', () => {
  it('is asked once, and what is typed along its answer asks no more', async () => {
    const { asking, asked } = setUp();
    const first = asking.answer(question('a'), never);
    await settled();
    asked[0]?.give(says('bcdef'));
    expect((await first)?.draft.text).toBe('bcdef');
    expect((await asking.answer(question('abc'), never))?.draft.text).toBe('def');
    expect(asked).toHaveLength(1);
  });

  it('on its way is joined by the next keystroke, though the first asker went away', async () => {
    const { asking, asked } = setUp();
    const gone = new AbortController();
    const first = asking.answer(question('a'), gone.signal);
    await settled();
    gone.abort();
    const second = asking.answer(question('ab'), never);
    await settled();
    asked[0]?.give(says('bcd'));
    expect(await first).toBeUndefined();
    expect((await second)?.draft.text).toBe('cd');
    expect(asked).toHaveLength(1);
  });

  it('is given up as soon as another is asked that does not go along', async () => {
    const { asking, asked } = setUp();
    const first = asking.answer(question('a'), never);
    await settled();
    const second = asking.answer(question('zzz'), never);
    await settled();
    expect(asked[0]?.signal.aborted).toBe(true);
    asked[1]?.give(says('!'));
    expect(await first).toBeUndefined();
    expect((await second)?.draft.text).toBe('!');
  });

  it('is asked anew where the joined answer was another', async () => {
    const { asking, asked } = setUp();
    void asking.answer(question('a'), never);
    await settled();
    const second = asking.answer(question('ax'), never);
    await settled();
    asked[0]?.give(says('bcd'));
    await settled();
    asked[1]?.give(says('yz'));
    expect((await second)?.draft.text).toBe('yz');
  });

  it('has a deadline, and nothing of it is left behind', async () => {
    const { asking, asked, time } = setUp();
    const first = asking.answer(question('a'), never);
    await settled();
    await time.pass(1_500);
    expect(await first).toBeUndefined();
    expect(asked[0]?.signal.aborted).toBe(true);
    expect(time.open).toBe(0);
    const asker = asking.answer(question('b', 'invoke'), never);
    await settled();
    await time.pass(4_000);
    asked[1]?.give(says('late'));
    expect((await asker)?.draft.text).toBe('late');
    expect(time.open).toBe(0);
  });

  it('gives nothing where nobody answers, and may be asked again', async () => {
    const { asking, asked } = setUp();
    const first = asking.answer(question('a'), never);
    await settled();
    asked[0]?.give();
    expect(await first).toBeUndefined();
    const again = asking.answer(question('a'), never);
    await settled();
    asked[1]?.give(says('b'));
    expect((await again)?.draft.text).toBe('b');
  });

  it('waits for a pause in typing where the engine is slow, and is not asked when the asker goes away', async () => {
    const { asking, asked, time, pace } = setUp();
    pace.answered(300);
    const gone = new AbortController();
    const first = asking.answer(question('a'), gone.signal);
    await settled();
    expect(asked).toHaveLength(0);
    gone.abort();
    expect(await first).toBeUndefined();
    expect(time.open).toBe(0);
    const second = asking.answer(question('ab'), never);
    await settled();
    await time.pass(1_000);
    asked[0]?.give(says('c'));
    expect((await second)?.draft.text).toBe('c');
  });

  it('is asked anew where what is known gives nothing to show, unless the engine is slow', async () => {
    for (const [ms, asks] of [
      [5, 2],
      [300, 1],
    ] as const) {
      const { asking, asked, pace } = setUp();
      const first = asking.answer(question('a'), never);
      await settled();
      asked[0]?.give(says('bc'));
      await first;
      pace.answered(ms);
      void asking.answer({ ...question('ab'), isOfUse: () => false }, never);
      await settled();
      expect(asked).toHaveLength(asks);
    }
  });

  it('that is asked again passes over what is known', async () => {
    const { asking, asked } = setUp();
    const first = asking.answer(question('a'), never);
    await settled();
    asked[0]?.give(says('b'));
    await first;
    const again = asking.answer({ ...question('a'), facts: ['c'], isAgain: true }, never);
    await settled();
    expect(asked[1]?.question.facts).toEqual(['c']);
    asked[1]?.give(says('c'));
    expect((await again)?.draft.text).toBe('c');
  });

  it('of an asker who is gone already is not asked', async () => {
    const { asking, asked } = setUp();
    expect(await asking.answer(question('a'), AbortSignal.abort())).toBeUndefined();
    expect(asked).toHaveLength(0);
    const first = asking.answer(question('a'), never);
    await settled();
    asked[0]?.give(says('b'));
    await first;
    expect(await asking.answer(question('a'), AbortSignal.abort())).toBeUndefined();
  });

  it('is given up when all is stopped', async () => {
    const { asking, asked } = setUp();
    const first = asking.answer(question('a'), never);
    await settled();
    asking.stop();
    expect(await first).toBeUndefined();
    expect(asked[0]?.signal.aborted).toBe(true);
  });
});

describe('waiting', () => {
  it('ends with the work, with its failure, and with the signal', async () => {
    expect(await until(never, Promise.resolve(1))).toBe(1);
    expect(await until(never, Promise.reject(new Error('x')))).toBeUndefined();
    expect(await until(AbortSignal.abort(), new Promise(() => {}))).toBeUndefined();
  });
});
