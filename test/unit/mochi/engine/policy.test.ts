/** Which engine answers, and who waits for whom. */
import { describe, expect, it } from 'vitest';
import type { CompletionRequest, Engine } from '../../../../src/mochi/engine/engine.ts';
import { PolicyEngine } from '../../../../src/mochi/engine/policy.ts';
import { withModel } from '../../../../src/mochi/engine/policy-adapter.ts';
import { MochiFault } from '../../../../src/mochi/limits.ts';
import { type FakeModel, fakeEmbedded, fakeModel, generated, traits } from '../../../support/fake-model.ts';

const never = new AbortController().signal;
const question = { instruction: 'where?', maxTokens: 10 };
const request = (prefix: string): CompletionRequest => ({ prefix, maxAlternatives: 3 });

interface Made {
  readonly mode?: 'auto' | 'model';
  readonly embedded?: Engine;
  readonly isLearned?: boolean;
  /** Whether the model has no time left when the embedded engine has answered. */
  readonly isLate?: () => boolean;
}

function engine(model: FakeModel, { mode = 'auto', embedded = fakeEmbedded(), isLearned = true, isLate }: Made = {}) {
  let time = 0;
  return new PolicyEngine({
    mode,
    embedded: () => ({
      ...embedded,
      async complete(...args) {
        if (isLate?.() === true) time += 60_000;
        return embedded.complete(...args);
      },
    }),
    isLearned: () => isLearned,
    model,
    now: () => time,
    budgets: { wait: 30_000 },
  });
}

/** Lets everything that is due run. */
const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const asked = async (model: FakeModel, count = 1): Promise<void> => {
  for (let at = 0; at < 50 && model.asked.length < count; at += 1) await settle();
  expect(model.asked).toHaveLength(count);
};

describe('under auto, a question', () => {
  it.each([
    ['the model, where it is surer', generated('because', 0.9), 'because', 'fake'],
    ['the embedded engine, where that is surer', generated('perhaps', 0.4), 'quoted', 'embedded'],
    ['the embedded engine, where the model is late', generated('becau', 0.9, 'deadline'), 'quoted', 'embedded'],
    ['the embedded engine, where the model says nothing', generated('', 0.9), 'quoted', 'embedded'],
    ['the embedded engine, where the model fails', new MochiFault('failed', 'dead'), 'quoted', 'embedded'],
  ])('is answered by %s', async (_, result, response, name) => {
    const model = fakeModel();
    const answer = engine(model).answer(question, never);
    await asked(model);
    model.answer(result);
    expect(await answer).toMatchObject({ response, engine: name, passages: [{ file: 'a.ts' }] });
  });

  it('gives the model the passages that were found, and the rest of the time', async () => {
    const model = fakeModel();
    void engine(model).answer(question, never);
    await asked(model);
    const { prompt, deadlineMs, purpose } = model.asked[0]?.request ?? {};
    expect(prompt?.map(({ text }) => text).join('')).toContain('// a.ts:1-2\ncode');
    expect(purpose).toBe('answer');
    expect(deadlineMs).toBeGreaterThan(3_000);
    expect(deadlineMs).toBeLessThanOrEqual(4_500);
  });

  it('does not wait for a model that is not there, and has it loaded', async () => {
    const model = fakeModel({ kind: 'idle' });
    expect(await engine(model).answer(question, never)).toMatchObject({ engine: 'embedded' });
    expect(model.loads).toBe(1);
  });

  it('is refused with how far the loading is, where nothing was learned either', async () => {
    const model = fakeModel({ kind: 'loading', share: 0.41 });
    const answer = engine(model, { isLearned: false }).answer(question, never);
    await expect(answer).rejects.toMatchObject({ kind: 'not-ready', message: 'The model is loading: 41 %.' });
  });
});

describe('under auto, a completion', () => {
  it('that the embedded engine is sure of is given without asking the model', async () => {
    const model = fakeModel();
    const embedded = fakeEmbedded({}, { confidence: 0.9 });
    expect(await engine(model, { embedded }).complete(request('x'), never)).toMatchObject({ completion: 'own()' });
    expect(model.asked).toHaveLength(0);
  });

  it('is the one that is surer of its line, where the model is in time', async () => {
    const model = fakeModel();
    const policy = engine(model);
    const sure = policy.complete(request('x'), never);
    await asked(model);
    model.answer(generated('its\nunsure rest', 0.95));
    expect(await sure).toMatchObject({
      completion: 'its\nunsure rest',
      engine: 'fake',
      alternatives: ['own()', 'other()'],
    });
    const unsure = policy.complete(request('y'), never);
    await asked(model, 2);
    model.answer(generated('its', 0.5));
    expect(await unsure).toMatchObject({ completion: 'own()', engine: 'embedded' });
  });

  it('does not wait for a late model, whose completion serves the next keys as far as they follow it', async () => {
    const model = fakeModel();
    let isLate = true;
    const policy = engine(model, { isLate: () => isLate });
    expect(await policy.complete(request('const a = '), never)).toMatchObject({ completion: 'own()' });
    expect(model.asked).toHaveLength(1);
    model.answer(generated('read(file)', 0.95));
    await settle();
    isLate = false;
    const next = await policy.complete(request('const a = re'), never);
    expect(next).toMatchObject({ completion: 'ad(file)', engine: 'fake' });
    expect(next.steps?.[0]).toEqual({ end: 1, confidence: expect.closeTo(0.95, 5) });
    expect(next.steps?.at(-1)?.end).toBe(8);
    expect(model.asked).toHaveLength(1);
    const other = policy.complete(request('const a = wr'), never);
    await asked(model, 2);
    model.answer(generated('ite()', 0.95));
    expect(await other).toMatchObject({ completion: 'ite()' });
  });

  it('joins what runs for text that was only typed on since, and stops what runs for other text', async () => {
    const model = fakeModel();
    let isLate = true;
    const policy = engine(model, { isLate: () => isLate });
    await policy.complete(request('a'), never);
    isLate = false;
    const joined = policy.complete(request('ab'), never);
    await settle();
    model.answer(generated('bc', 0.95));
    expect(await joined).toMatchObject({ completion: 'c' });
    expect(model.asked).toHaveLength(1);
    isLate = true;
    await policy.complete(request('z'), never);
    await policy.complete(request('q'), never);
    expect(model.asked.map(({ signal }) => signal.aborted)).toEqual([false, true, false]);
  });

  it('is aborted with its signal', async () => {
    const stop = new AbortController();
    const waiting = engine(fakeModel()).complete(request('x'), stop.signal);
    await settle();
    stop.abort(new Error('typed on'));
    await expect(waiting).rejects.toThrow('typed on');
  });
});

describe('the model alone', () => {
  it('answers, says what it cut, and how sure it is on the whole', async () => {
    const model = fakeModel();
    const policy = engine(model, { mode: 'model' });
    const answer = policy.answer(question, never);
    await asked(model);
    model.answer(generated(' cut of', 0.25, 'deadline'));
    expect(await answer).toMatchObject({ response: 'cut of', isPartial: true, confidence: 0.25, tokensGenerated: 7 });
    const completion = policy.complete(request('x'), never);
    await asked(model, 2);
    model.answer(generated('ab \u001b', 0.5));
    expect(await completion).toEqual({
      completion: 'ab',
      alternatives: [],
      confidence: 0.5,
      steps: [
        { end: 1, confidence: 0.5 },
        { end: 2, confidence: 0.25 },
      ],
      engine: 'fake',
    });
  });

  it('is late where it had no time to begin', async () => {
    const model = fakeModel();
    const answer = engine(model, { mode: 'model' }).answer(question, never);
    await asked(model);
    model.answer(generated('', 0.5, 'deadline'));
    await expect(answer).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('leaves patterns to what was learned', async () => {
    expect(await engine(fakeModel(), { mode: 'model' }).suggest({ goal: 'g' }, never)).toHaveLength(1);
    expect(await engine(fakeModel(), { isLearned: false }).suggest({ goal: 'g' }, never)).toEqual([]);
  });
});

describe('a workspace with a model', () => {
  const learned = (isLearned: boolean) => ({
    engine: fakeEmbedded(),
    isLearned,
    knowledge: undefined,
    onDidLearn: () => ({ dispose: () => {} }),
  });

  it.each([
    ['auto', true, { kind: 'idle' }, true],
    ['auto', false, { kind: 'idle' }, false],
    ['auto', false, { kind: 'ready', traits }, true],
    ['model', true, { kind: 'idle' }, false],
    ['model', false, { kind: 'ready', traits }, true],
  ] as const)('under %s, learned %s, with a model in state %o: ready %s', (mode, isLearned, state, isReady) => {
    const adapter = withModel(learned(isLearned), fakeModel(state), mode);
    expect(adapter.isLearned).toBe(isReady);
    if (!isReady) expect(adapter.refusal).toMatchObject({ kind: 'not-ready' });
  });

  it('says why the model cannot be served, and tries again when asked', () => {
    const model = fakeModel({ kind: 'failed', fault: new MochiFault('memory', 'too large') });
    expect(withModel(learned(true), model, 'model').refusal).toMatchObject({ kind: 'memory' });
    expect(model.loads).toBe(1);
  });
});
