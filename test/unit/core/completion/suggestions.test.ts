import { describe, expect, it } from 'vitest';
import { type Answer, type Suggestion, shortened, suggestionsOf, type Wishes } from '#core/completion/suggestions.ts';

const wishes: Wishes = {
  trigger: 'automatic',
  minimumLength: 4,
  threshold: 0.5,
  mayBeSeveralLines: true,
  indent: { insertSpaces: true, tabSize: 2 },
};
const answer = (text: string, confidence = 0.9, alternatives: readonly string[] = []): Answer => ({
  draft: { text, confidence, steps: [{ end: text.length, confidence }] },
  alternatives,
  engine: 'embedded',
});
function texts(given: Answer, before: string, after = '', change: Partial<Wishes> = {}): readonly string[] {
  return suggestionsOf(given, { before, after, isCut: false }, { ...wishes, ...change }).map(({ text }) => text);
}

describe('what is suggested', () => {
  it.each([
    ['what is sure', answer('call(a);'), 'x = ', '', ['call(a);']],
    ['nothing unsure', answer('call(a);', 0.4), 'x = ', '', []],
    ['nothing short', answer('a);'), 'f(', '', []],
    ['nothing that is only long by its spaces', answer('a   ;   '), 'f', '', []],
    ['nothing that is there already', answer('return a;'), 'f() {\n  ', '\n  return a;', []],
    ['nothing without end', answer('   '), 'x = ', '', []],
    ['no bracket too many', answer('call(a))'), 'x = ', '', ['call(a)']],
    ['no more than the brackets to the right leave', answer('alpha, beta)'), 'call(', ')', ['alpha, beta']],
    ['nothing hidden', answer('call(\u200ba);'), 'x = ', '', []],
    ['a block with the indentation of the document', answer('{\n\tcall();\n}'), 'if (a) ', '', ['{\n  call();\n}']],
  ] satisfies readonly (readonly [string, Answer, string, string, readonly string[]])[])(
    'is %s',
    (_, given, before, after, wanted) => {
      expect(texts(given, before, after)).toEqual(wanted);
    },
  );

  it('is one unasked, and up to three different ones on request', () => {
    const given = answer('alpha()', 0.9, ['beta()', 'alpha()', 'alpha( )', 'gamma()', 'delta()']);
    expect(texts(given, 'x = ')).toEqual(['alpha()']);
    expect(texts(given, 'x = ', '', { trigger: 'invoke' })).toEqual(['alpha()', 'beta()', 'gamma()']);
  });

  it('may be unsure and short on request', () => {
    expect(texts(answer('a)', 0.2), 'f(', '', { trigger: 'invoke' })).toEqual(['a)']);
  });

  it('goes on with what the suggest widget chose, however unsure that was', () => {
    const draft = {
      text: 'File(path);',
      confidence: 0.2,
      steps: [
        { end: 4, confidence: 0.3 },
        { end: 11, confidence: 0.25 },
      ],
    };
    const given: Answer = { draft, alternatives: [], engine: 'embedded' };
    const choice = { text: 'readFile', typed: 'read' };
    expect(texts(given, 'await read', '', { choice, threshold: 0.2 })).toEqual(['File(path);']);
    expect(texts(given, 'await read', '', { choice: { text: 'readLine', typed: 'read' }, threshold: 0.2 })).toEqual([]);
  });
});

describe('a suggestion that is cut', () => {
  const whole: Suggestion = { text: 'File(path)', insert: 'readFile(path)', left: 4, right: 0, confidence: 1 };
  it('keeps its range, and its length where nothing is cut', () => {
    expect(shortened(whole, 4, wishes)).toMatchObject({ text: 'File', insert: 'readFile', left: 4 });
    expect(shortened(whole, 10, wishes)).toBe(whole);
  });

  it('is gone where too little is left, or where it was to replace what stands to the right', () => {
    expect(shortened(whole, 3, wishes)).toBeUndefined();
    expect(shortened({ ...whole, right: 1 }, 5, wishes)).toBeUndefined();
  });
});
