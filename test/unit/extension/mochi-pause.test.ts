/** Rest for completions: until resumed, for some minutes, and across windows. */
import { describe, expect, it } from 'vitest';
import { createPause } from '../../../src/extension/mochi-pause.ts';
import { createFakeClock } from '../../support/fake-child.ts';

function setUp(kept?: unknown) {
  const clock = createFakeClock();
  let value = kept;
  let changes = 0;
  const open = () =>
    createPause({
      memory: {
        get: () => value,
        set: async (next) => {
          value = next;
        },
      },
      clock,
      today: () => 1_000_000 + clock.now(),
      onDidChange: () => changes++,
    });
  return { clock, open, pause: open(), changes: () => changes };
}

describe('a pause', () => {
  it('lasts until it is ended, also in the next window', async () => {
    const { pause, open, clock, changes } = setUp();
    expect(pause.current()).toBeUndefined();
    await pause.begin();
    clock.pass(1e9);
    expect(pause.current()).toEqual({});
    expect(open().current()).toEqual({});
    await pause.end();
    expect(pause.current()).toBeUndefined();
    expect(changes()).toBe(2);
  });

  it('of some minutes ends by itself, and says so', async () => {
    const { pause, clock, changes } = setUp();
    await pause.begin(10);
    expect(pause.current()).toEqual({ until: 1_600_000 });
    clock.pass(599_999);
    expect(pause.current()).toBeDefined();
    expect(changes()).toBe(1);
    clock.pass(1);
    expect(pause.current()).toBeUndefined();
    expect(changes()).toBe(2);
  });

  it('that another window began ends here too', () => {
    const { pause, clock, changes } = setUp(1_000_500);
    expect(pause.current()).toEqual({ until: 1_000_500 });
    clock.pass(500);
    expect(pause.current()).toBeUndefined();
    expect(changes()).toBe(1);
  });

  it.each([
    ['an end that is over', 5],
    ['anything else', { until: 9e15 }],
    ['an unknown word', 'later'],
  ])('is not read from %s', (_what, kept) => {
    expect(setUp(kept).pause.current()).toBeUndefined();
  });

  it('tells nobody any more once it is let go', async () => {
    const { pause, clock, changes } = setUp();
    await pause.begin(1);
    pause.dispose();
    clock.pass(60_000);
    expect(changes()).toBe(1);
  });
});
