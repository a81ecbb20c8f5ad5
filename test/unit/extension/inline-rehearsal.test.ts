/** What is run before there is a suggestion to make: the real steps, on a text of which they make something. */
import { describe, expect, it } from 'vitest';
import { rehearsalSteps } from '../../../src/extension/inline-rehearsal.ts';

describe('the rehearsal of a suggestion', () => {
  it('makes one, judges it and shortens it', () => {
    const results = rehearsalSteps().map((step) => step());
    expect(results).toContainEqual([expect.objectContaining({ text: 'heat(180, `${minutes}`);' })]);
    expect(results).toContainEqual([expect.objectContaining({ text: 'heat' })]);
    expect(results).toContainEqual(expect.objectContaining({ confirmed: expect.any(Number), end: 24 }));
    expect(results[0], 'it would be refused before anything ran').toBeUndefined();
  });
});
