import { describe, expect, it } from 'vitest';
import type { Around } from '#core/completion/around.ts';
import { type Asked, afterTyping, Recall, typedSince } from '#core/completion/recall.ts';
import type { Answer } from '#core/completion/suggestions.ts';

const around = (before: string, after = '', isCut = false): Around => ({ before, after, isCut });
const at = (before: string, after = '', document = 'file:///a.ts'): Asked => ({
  document,
  language: 'typescript',
  around: around(before, after),
});
const answer: Answer = {
  draft: {
    text: 'readFile(path)',
    confidence: 0.5,
    steps: [
      { end: 8, confidence: 0.9 },
      { end: 14, confidence: 0.5 },
    ],
  },
  alternatives: ['readLine(path)', 'write()'],
  engine: 'embedded',
};

describe('what was typed since', () => {
  it.each([
    ['one character', around('a'), around('ab'), 'b'],
    ['nothing', around('a'), around('a'), ''],
    ['a line', around('a'), around('a\nb'), '\nb'],
    ['something else', around('ab'), around('ac'), undefined],
    ['less', around('ab'), around('a'), undefined],
    ['a bracket that was closed by itself', around('f', ';'), around('f(', ');'), '('],
    ['while below something changed', around('a', 'x'), around('ab', 'y'), undefined],
    ['on a line of a text that is cut', around('up\na', '', true), around('up\nab', '', true), 'b'],
    ['elsewhere in a text that is cut', around('up\na', '', true), around('up\na\nb', '', true), undefined],
  ])('is told for %s', (_, before, now, wanted) => {
    expect(typedSince(before, now)).toBe(wanted);
  });
});

describe('an answer that was typed along', () => {
  it('loses what was typed, with its steps and alternatives', () => {
    expect(afterTyping(answer, 'read')).toEqual({
      draft: {
        text: 'File(path)',
        confidence: 0.5,
        steps: [
          { end: 4, confidence: 0.9 },
          { end: 10, confidence: 0.5 },
        ],
      },
      alternatives: ['Line(path)'],
      engine: 'embedded',
    });
  });

  it.each(['x', 'readFile(path)', 'readFile(path) '])('is of no use after %j', (typed) => {
    expect(afterTyping(answer, typed)).toBeUndefined();
  });
});

describe('recall', () => {
  it('gives the last answer while typing goes along with it', () => {
    const recall = new Recall();
    recall.keep(at('const a = '), answer, 0);
    expect(recall.find(at('const a = read'), 10)?.draft.text).toBe('File(path)');
    expect(recall.find(at('const a = x'), 10)).toBeUndefined();
  });

  it('finds an earlier answer again after going back', () => {
    const recall = new Recall();
    recall.keep(at('f();\nconst a = '), answer, 0);
    recall.keep(at('f();\nconst a = x'), { ...answer, draft: { text: 'yz', confidence: 1, steps: [] } }, 1);
    recall.keep(at('other'), answer, 2);
    expect(recall.find(at('f();\nconst a = r'), 3)?.draft.text).toBe('eadFile(path)');
    expect(recall.find(at('f();\nconst a = x'), 3)?.draft.text).toBe('yz');
  });

  it.each([
    ['another document', at('const a = ', '', 'file:///b.ts')],
    ['another text below', at('const a = ', '\nchanged')],
    ['another text above', at('changed\nconst a = ')],
  ])('gives nothing in %s', (_, asked) => {
    const recall = new Recall();
    recall.keep(at('const a = '), answer, 0);
    expect(recall.find(asked, 1)).toBeUndefined();
  });

  it('forgets by age, by number, and when told to', () => {
    const recall = new Recall({ lifeMs: 100, most: 2 });
    recall.keep(at('a\n1'), answer, 0);
    expect(recall.find(at('a\n1'), 99)).toBeDefined();
    expect(recall.find(at('a\n1'), 100)).toBeUndefined();
    for (const name of ['b', 'c', 'd']) recall.keep(at(`${name}\n1`), answer, 0);
    expect(recall.find(at('b\n1'), 1)).toBeUndefined();
    expect(recall.find(at('c\n1'), 1)).toBeDefined();
    recall.clear();
    expect(recall.find(at('d\n1'), 1)).toBeUndefined();
  });
});
