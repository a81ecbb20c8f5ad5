/** Work in turns: others come in between, and only the work itself is counted. */
import { describe, expect, it } from 'vitest';
import { createTurns } from '../../../src/extension/turns.ts';

describe('work in turns', () => {
  it('lets others in between, and gives what each piece made', async () => {
    const turns = createTurns();
    const happened: string[] = [];
    setTimeout(() => happened.push('other'));
    expect(await turns.take(() => happened.push('first'))).toBe(2);
    setTimeout(() => happened.push('another'));
    await turns.take(async () => happened.push('second'));
    expect(happened).toEqual(['other', 'first', 'another', 'second']);
  });

  it('counts the pieces, also one that fails', async () => {
    const turns = createTurns();
    const busy = (): never => {
      for (const end = performance.now() + 3; performance.now() < end; );
      throw new Error('no');
    };
    await expect(turns.take(busy)).rejects.toThrow('no');
    expect(turns.spent).toBeGreaterThanOrEqual(3);
  });
});
