/** The session model against the specification's figures, and the forms of a server's tools against each other. */
import { describe, expect, it } from 'vitest';
import {
  EXAMPLE_SESSION,
  formSessions,
  HABITS,
  multipliers,
  PRICES,
  type Prices,
  readPrices,
  type Session,
  sessionCost,
} from '../../../src/core/economics.ts';
import type { FormCost } from '../../../src/core/tokens.ts';

const round: Prices = { model: 'round', asOf: '2026-01-01', source: 'test', miss: 10, write: 20, read: 1, output: 50 };

function priceOf(model: string): Prices {
  const found = PRICES.find((one) => one.model === model);
  if (found === undefined) throw new Error(`There is no price of ${model}.`);
  return found;
}

describe('a session', () => {
  it('reproduces the example of the specification with the assumptions found', () => {
    const prices = priceOf('claude-sonnet-4-5');
    const broken = sessionCost(EXAMPLE_SESSION, prices, 0).dollars;
    const best = sessionCost(EXAMPLE_SESSION, prices).dollars;
    expect(broken.toFixed(2)).toBe('14.06');
    expect(best.toFixed(2)).toBe('1.85');
    expect(((1 - best / broken) * 100).toFixed(1)).toBe('86.9');
  });

  it('reads what it wrote a round before, and writes only what is new', () => {
    const session: Session = { rounds: 3, prefix: 100, additions: 10, output: 5 };
    expect(sessionCost(session, round)).toEqual({
      read: 110 + 120,
      written: 110 + 10 + 10,
      missed: 0,
      output: 15,
      dollars: (230 * 1 + 130 * 20 + 15 * 50) / 1e6,
    });
  });

  it('misses everything in every round where nothing stays as it was', () => {
    const session: Session = { rounds: 2, prefix: 100, additions: 10, output: 0 };
    expect(sessionCost(session, round, 0)).toMatchObject({ read: 0, written: 0, missed: 110 + 120 });
  });

  it('accounts for every token of every context, whatever stays', () => {
    for (const stable of [0, 0.3, 0.75, 1]) {
      const cost = sessionCost(EXAMPLE_SESSION, round, stable);
      expect(cost.read + cost.written + cost.missed).toBeCloseTo(50 * 68_000 + 1_000 * 1_275, 3);
    }
  });

  it('never grows beyond its window', () => {
    const cost = sessionCost({ rounds: 3, prefix: 100, additions: 10, output: 0, window: 115 }, round, 0);
    expect(cost.missed).toBe(110 + 115 + 115);
  });

  it('pays the other rates for the rounds whose prompt is long', () => {
    const prices: Prices = { ...round, longPrompt: { above: 115, miss: 100, write: 0, read: 0, output: 0 } };
    const cost = sessionCost({ rounds: 2, prefix: 100, additions: 10, output: 0 }, prices, 0);
    expect(cost.dollars).toBeCloseTo((110 * 10 + 120 * 100) / 1e6, 12);
  });
});

describe('the anti-patterns', () => {
  const found = multipliers(EXAMPLE_SESSION, priceOf('claude-sonnet-4-5'));

  it.each(HABITS.flatMap((habit) => (habit.stated === undefined ? [] : [{ ...habit, stated: habit.stated }])))(
    '$name computes as many times more as the specification states',
    ({ name, stated: [from, to] }) => {
      const computed = found.find((one) => one.habit === name)?.computed ?? 0;
      expect(computed).toBeGreaterThanOrEqual(from);
      expect(computed).toBeLessThanOrEqual(to);
    },
  );

  it('cost in money at most what a miss costs over a read', () => {
    for (const prices of PRICES.filter((one) => one.longPrompt === undefined))
      for (const { dollars } of multipliers(EXAMPLE_SESSION, prices))
        expect(dollars).toBeLessThanOrEqual(prices.miss / prices.read);
  });

  it('compare with only appending, which is one', () => {
    expect(found[0]).toEqual({ habit: 'append-only', computed: 1, dollars: 1 });
  });
});

describe('the prices', () => {
  it('carry a date and a source, and a read is cheaper than a miss, a miss cheaper than a write', () => {
    for (const { model, asOf, source, read, miss, write } of PRICES) {
      expect(asOf, model).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(source, model).not.toBe('');
      expect([read < miss, miss < write], model).toEqual([true, true]);
    }
  });

  it("take a person's own and name what an entry lacks", () => {
    const given = JSON.parse(
      '{"a": {"miss": 1, "write": 2, "read": 0, "output": 3}, "__proto__": {"miss": -1, "write": "2", "read": 1, "output": 1}}',
    );
    const { value, problems } = readPrices(given, 'prices.json');
    expect(value).toEqual([{ model: 'a', asOf: '', source: 'prices.json', miss: 1, write: 2, read: 0, output: 3 }]);
    expect(problems).toMatchObject([
      { message: 'The prices of "__proto__" lack miss, write.', at: { file: 'prices.json' } },
    ]);
    expect(readPrices([], 'p').problems).toHaveLength(1);
  });
});

describe('the tools of a server over a session', () => {
  const cost = (tokens: number) => ({ tokens, bytes: 0 });
  const form = (name: FormCost['form'], always: number, activation: number, beforeCall: number): FormCost => ({
    form: name,
    always: cost(always),
    activation: cost(activation),
    beforeCall: cost(beforeCall),
    toFirstCall: cost(always + activation + beforeCall),
    wholeSchema: true,
  });
  const forms = [form('native', 1_000, 0, 0), form('deferred', 100, 0, 50), form('lazy', 10, 500, 100)];
  const of = (name: FormCost['form'], rounds: number, usage = { firstCall: 1, toolsUsed: 3 }) =>
    formSessions(forms, rounds, round, usage).find((one) => one.form === name);

  it('are written once and read in every round after', () => {
    expect(of('native', 3)).toEqual({ form: 'native', idle: 0.022, used: 0.022 });
    expect(of('lazy', 3)?.idle).toBeCloseTo((10 * 22) / 1e6, 12);
    expect(of('lazy', 3)?.used).toBeCloseTo((10 * 22 + 800 * 22) / 1e6, 12);
  });

  it('cost nothing on use before the round of the first call', () => {
    const late = of('lazy', 3, { firstCall: 4, toolsUsed: 3 });
    expect(late?.used).toBe(late?.idle);
  });

  it.each([
    { name: 'in the first round where what is read is less than all schemas', tools: 3, expected: 1 },
    { name: 'later where many tools are used', tools: 20, expected: 43 },
    { name: 'after the last round where one call is too much', tools: 2_000, expected: 51 },
  ])('break even $name', ({ tools, expected }) => {
    expect(of('lazy', 50, { firstCall: 1, toolsUsed: tools })?.breakEvenRound).toBe(expected);
  });

  it('never break even where even the idle form is dearer', () => {
    const dear = formSessions([form('native', 100, 0, 0), form('lazy', 101, 1, 1)], 50, round);
    expect(dear[1]).not.toHaveProperty('breakEvenRound');
  });
});
