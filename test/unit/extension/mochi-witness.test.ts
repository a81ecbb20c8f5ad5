/** What is counted of suggestions, when it is passed on, and what is never held for long. */
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TextDocument } from 'vscode';
import { createWitness, type Happened } from '../../../src/extension/mochi-witness.ts';
import { createFakeClock } from '../../support/fake-child.ts';

const silent = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };
const suggestion = { language: 'go', engine: 'embedded', confidence: 0.9, latencyMs: 3 };

function setUp(add?: (happened: Happened) => Promise<void>) {
  const clock = createFakeClock();
  const kept: [string, Record<string, unknown>][] = [];
  let folder: string | undefined = '/code';
  const witness = createWitness({
    clock,
    logger: silent,
    folder: () => folder,
    async add(where, happened) {
      await add?.(happened);
      kept.push([where, Object.fromEntries(happened)]);
    },
  });
  const document = (text: () => string) => ({ languageId: 'go', getText: text }) as unknown as TextDocument;
  return {
    witness,
    clock,
    kept,
    document,
    leave: () => {
      folder = undefined;
    },
  };
}

describe('the witness of suggestions', () => {
  it('passes counts on after a while, all at once', async () => {
    const { witness, clock, kept } = setUp();
    witness.shown(suggestion);
    witness.shown({ ...suggestion, language: 'rust' });
    witness.shown(suggestion);
    expect(kept).toEqual([]);
    clock.pass(10_000);
    await turn();
    const none = { accepted: 0, kept: 0 };
    expect(kept).toEqual([['/code', { go: { shown: 2, ...none }, rust: { shown: 1, ...none } }]]);
  });

  it.each([
    ['stands where it was put', 'a := 1', 1],
    ['was moved by what was typed before it', '// a comment\n\na := 1\n', 1],
    ['is gone', 'b := 2', 0],
    ['was changed', 'a := 2', 0],
    ['stands only far away', `${' '.repeat(20_000)}a := 1`, 0],
  ])('looks after half a minute whether an accepted text that %s is kept', async (_what, text, times) => {
    const { witness, clock, kept, document } = setUp();
    witness.accepted({ document: document(() => text), offset: 0, text: 'a := 1' });
    clock.pass(29_999);
    await witness.flush();
    clock.pass(1);
    await witness.flush();
    expect(kept[0]).toEqual(['/code', { go: { shown: 0, accepted: 1, kept: 0 } }]);
    expect(kept[1]?.[1]).toEqual(times === 0 ? undefined : { go: { shown: 0, accepted: 0, kept: 1 } });
  });

  it('keeps what could not be passed on, and adds it the next time', async () => {
    let isBusy = true;
    const { witness, kept } = setUp(() => (isBusy ? Promise.reject(new Error('busy')) : Promise.resolve()));
    witness.shown(suggestion);
    await witness.flush();
    witness.shown(suggestion);
    isBusy = false;
    await witness.flush();
    expect(kept).toEqual([['/code', { go: { shown: 2, accepted: 0, kept: 0 } }]]);
  });

  it('counts nothing where no folder was asked', async () => {
    const { witness, kept, leave } = setUp();
    leave();
    witness.shown(suggestion);
    await witness.flush();
    expect(kept).toEqual([]);
  });

  it('knows the last suggestion, and tells who listens', () => {
    const { witness } = setUp();
    let heard = 0;
    const listening = witness.onDidHappen(() => heard++);
    witness.shown(suggestion);
    listening.dispose();
    witness.shown({ ...suggestion, language: 'rust' });
    expect(heard).toBe(1);
    expect(witness.last?.language).toBe('rust');
  });

  it('tells who listens again once the counts are kept, so that they need not wait for the next suggestion', async () => {
    const { witness } = setUp();
    witness.shown(suggestion);
    let heard = 0;
    witness.onDidHappen(() => heard++);
    await witness.flush();
    expect(heard).toBe(1);
  });

  it('looks at no text any more once it is let go', async () => {
    const { witness, clock, document } = setUp();
    let reads = 0;
    witness.accepted({
      document: document(() => {
        reads++;
        return '';
      }),
      offset: 0,
      text: 'a',
    });
    witness.dispose();
    clock.pass(60_000);
    await turn();
    expect(reads).toBe(0);
  });
});
