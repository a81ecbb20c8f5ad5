/** What is told of a model's state: how far the loading is, and what is wrong once, with what to do. */
import { describe, expect, it } from 'vitest';
import type { ModelEngine, ModelState } from '../../../src/mochi/engine/model-engine.ts';
import { MochiFault } from '../../../src/mochi/limits.ts';
import { tellStates } from '../../../src/mochi/model-engines.ts';

function told(alone: string | undefined, ...states: readonly ModelState[]): readonly string[] {
  const heard: string[] = [];
  let become: (state: ModelState) => void = () => {};
  const model = {
    onDidChange(listener: (state: ModelState) => void) {
      become = listener;
      return { dispose() {} };
    },
  } as unknown as ModelEngine;
  const say = (message: string) => void heard.push(message);
  tellStates(model, { say, complain: (message) => say(`! ${message}`) }, alone);
  for (const state of states) become(state);
  return heard;
}

const loading = (share?: number): ModelState => ({ kind: 'loading', share });
const failed: ModelState = { kind: 'failed', fault: new MochiFault('not-ready', 'No file.', { remedy: 'Name one.' }) };
const ready: ModelState = {
  kind: 'ready',
  traits: { name: 'm', form: 'raw', fim: undefined, contextTokens: 1 },
};

describe('the state of a model', () => {
  it('is told in tenths and at the end', () => {
    expect(told(undefined, loading(), loading(0.05), loading(0.1), loading(0.15), ready)).toEqual([
      'loading the model: 10 %',
      'the model is ready: m',
    ]);
  });

  it('is complained about once, with what to do, until it is another', () => {
    expect(told(undefined, loading(), failed, loading(), failed)).toEqual([
      '! the model is not ready: No file. Name one.',
    ]);
    expect(told(undefined, failed, ready, failed)).toHaveLength(3);
    const other: ModelState = { kind: 'failed', fault: new Error('x') };
    expect(told(undefined, failed, other)[1]).toBe('! the model is not ready: x');
  });

  it('says who answers instead', () => {
    expect(told('the embedded engine', failed)).toEqual([
      '! the embedded engine answers without the model: No file. Name one.',
    ]);
  });
});
