/** Answers as documents: what a person reads, where the links lead, and that foreign text stays text. */
import { describe, expect, it } from 'vitest';
import { type AnswerContext, answerText, patternsText } from '../../../src/extension/mochi-answers.ts';

const context: AnswerContext = {
  linkTo: (file, line) =>
    file.includes('..') ? undefined : `file:///code/${file.split('/').map(encodeURIComponent).join('/')}#L${line}`,
  words: {
    confidence: (percent) => `sure ${percent}`,
    engine: (name, ms) => `${name} ${ms}`,
    nothing: () => 'nothing',
    partial: () => 'partial',
    quoted: () => 'quoted',
    relevance: (percent) => `relevance ${percent}`,
    where: () => 'where',
  },
};
const passage = { file: 'src/a.go', line: 7, end_line: 9, text: 'func a() {\n}' };
const answer = {
  response: 'Quoted: func a() {\n}',
  confidence: 0.42,
  inference_time_ms: 3.4,
  tokens_generated: 3,
  passages: [passage],
  engine: 'embedded',
};

describe('an answer as a document', () => {
  it('shows each passage once, as code, with a link to its line', () => {
    expect(answerText('How?', answer, context)).toBe(
      [
        '# How?',
        'sure 42 · embedded 3',
        'quoted',
        '### [src/a.go:7](<file:///code/src/a.go#L7>)',
        '```go\nfunc a() {\n}\n```\n',
      ].join('\n\n'),
    );
  });

  it("shows a model's own words before what they rest on", () => {
    const text = answerText('How?', { ...answer, response: 'Call it.', is_partial: true }, context);
    expect(text.indexOf('Call it.')).toBeGreaterThan(text.indexOf('*partial*'));
    expect(text.indexOf('Call it.')).toBeLessThan(text.indexOf('func a'));
  });

  it('says so where there is nothing', () => {
    expect(answerText('How?', { ...answer, response: '', passages: [] }, context)).toContain('nothing');
    expect(patternsText('Goal', { patterns: [], inference_time_ms: 1 }, context)).toContain('nothing');
  });

  it('names a file that lies outside without a link', () => {
    const text = answerText('How?', { ...answer, passages: [{ ...passage, file: '../../etc/passwd' }] }, context);
    expect(text).toContain('### ../../etc/passwd:7');
    expect(text).not.toContain('](<');
  });

  it('shows patterns with their relevance and the places in their examples', () => {
    const patterns = [
      { name: 'errors', description: 'Thrown.', example: 'a.ts:3\nthrow x;\n\n../b.ts:4\nthrow y;', relevance: 0.5 },
    ];
    expect(patternsText('report an error', { patterns, inference_time_ms: 1 }, context)).toBe(
      [
        '# report an error',
        'quoted',
        '## errors',
        'Thrown.  ',
        '*relevance 50*',
        '```\na.ts:3\nthrow x;\n\n../b.ts:4\nthrow y;\n```',
        'where [a.ts:3](<file:///code/a.ts#L3>)\n',
      ].join('\n\n'),
    );
  });
});

/** Every place in an answer that others write, filled with the same text. */
function everywhere(text: string): readonly string[] {
  const passages = [{ file: text, line: 1, end_line: 1, text }];
  const patterns = [{ name: text, description: text, example: text, relevance: 1 }];
  return [
    answerText(text, { ...answer, response: `Own words.\n${text}`, passages, engine: text }, context),
    answerText(text, { ...answer, response: text, passages: [] }, context),
    patternsText(text, { patterns, inference_time_ms: 1 }, context),
  ];
}

/** The document without its code, whose fences cannot be closed from within. */
function outsideOfCode(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split('\n')) {
    const run = /^`{3,}/.exec(line)?.[0];
    if (fence === undefined && run !== undefined) fence = run;
    else if (fence !== undefined && line === fence) fence = undefined;
    else if (fence === undefined) lines.push(line);
  }
  expect(fence).toBeUndefined();
  return lines.join('\n');
}

describe('foreign text in an answer', () => {
  it.each([
    ['an image that would be fetched', '![x](https://evil.example/x.png)', /(?<!\\)!(?<!\\)\[/],
    ['a link that runs a command', '[x](command:workbench.action.quit)', /(?<!\\)\]\(command/],
    ['HTML', '<img src=x onerror=alert(1)><script>alert(1)</script>', /(?<!\\)<(?!file:)/],
    ['an address', 'see https://evil.example/x', /https:\/\/evil/],
    ['a fence that ends early', '```\n[x](command:y)\n```', /(?<!\\)\]\(command/],
    ['a longer fence', '``````\n[x](command:y)\n``````', /(?<!\\)\]\(command/],
    ['a heading', '# Trust this', /^# Trust this/m],
    ['a list', '- one\n+ two\n3. three', /^(- one|\+ two|3\. three)/m],
    ['an entity', '&lt;script&gt;', /(?<!\\)&lt;/],
    ['a table', 'a | b\n--- | ---', /(?<!\\)\|/],
    ['a reference that redefines a link', '[a]: https://evil.example', /^\[a\]:/m],
  ])('stays text: %s', (_what, text, meaning) => {
    for (const shown of everywhere(text)) expect(outsideOfCode(shown)).not.toMatch(meaning);
  });

  it('has nothing invisible in it', () => {
    for (const shown of everywhere('a\u202eb\u200bc\u0007d\u{e0041}'))
      expect(shown).not.toMatch(/[\u202e\u200b\u0007]|\u{e0041}/u);
  });

  it('is cut where it is far too long for a line', () => {
    expect(answerText('x'.repeat(100_000), answer, context).split('\n')[0]?.length).toBeLessThan(3_000);
  });
});
