/** Answers joined by another source: what is added, what stays, and that nothing else waits for it. */
import { describe, expect, it } from 'vitest';
import type { ContextSource } from '../../../../src/mochi/context/source.ts';
import { withContext } from '../../../../src/mochi/context/with-context.ts';
import type { Answer, Engine, Passage } from '../../../../src/mochi/engine/engine.ts';

const never = new AbortController().signal;
const passage = (file: string, line: number, endLine = line + 4): Passage => ({ file, line, endLine, text: 'x' });
const own: Answer = { response: 'Here.', confidence: 0.7, tokensGenerated: 1, passages: [passage('a.ts', 10)] };
const engine: Engine = {
  name: 'embedded',
  state: 'ready',
  complete: async () => ({ completion: 'c', alternatives: [], confidence: 1 }),
  answer: async () => own,
  suggest: async () => [],
};
const source = (found: readonly Passage[]): ContextSource => ({
  name: 'kiri',
  find: async () => found,
  close: async () => {},
});
const answer = (found: readonly Passage[], maxTokens = 100) =>
  withContext(engine, source(found)).answer({ instruction: 'q', maxTokens }, never);

describe('an answer with context', () => {
  it('keeps its own passages first, its confidence, and names who found the others', async () => {
    const { passages, confidence, response } = await answer([passage('b.ts', 1), passage('c.ts', 5)]);
    expect(passages.map(({ file, source: from }) => [file, from])).toEqual([
      ['a.ts', undefined],
      ['b.ts', 'kiri'],
      ['c.ts', 'kiri'],
    ]);
    expect(confidence).toBe(0.7);
    expect(response).toBe('Here.\n\nAlso found by kiri:\nb.ts:1\nc.ts:5');
  });

  it('adds no place twice and no more than five', async () => {
    const many = Array.from({ length: 9 }, (_, at) => passage('m.ts', 1 + 10 * at));
    const { passages } = await answer([passage('a.ts', 12), passage('m.ts', 3), ...many]);
    expect(passages.map(({ file, line }) => `${file}:${line}`)).toEqual([
      'a.ts:10',
      'm.ts:3',
      'm.ts:11',
      'm.ts:21',
      'm.ts:31',
      'm.ts:41',
    ]);
  });

  it('is the very same where nothing is found', async () => expect(await answer([])).toBe(own));

  it('says no more than it may', async () => {
    expect(await answer([passage('b.ts', 1)], 3)).toMatchObject({ response: 'Here.', tokensGenerated: 1 });
  });

  it('leaves completions and suggestions alone', async () => {
    const stuck: ContextSource = { ...source([]), find: () => new Promise(() => {}) };
    const joined = withContext(engine, stuck);
    const request = { prefix: '', maxAlternatives: 0 };
    expect((await joined.complete(request, never)).completion).toBe('c');
    expect(await joined.suggest({ goal: 'g' }, never)).toEqual([]);
    expect([joined.name, joined.state]).toEqual(['embedded', 'ready']);
  });
});
