import { describe, expect, it } from 'vitest';
import { type Choice, type Circumstances, refusalAt, refusalBefore } from '#core/completion/gate.ts';

const open: Circumstances = {
  trigger: 'automatic',
  isTrusted: true,
  isEnabled: true,
  isPaused: false,
  isLanguageWanted: true,
  scheme: 'file',
  path: '/w/src/a.ts',
  cursors: 1,
  hasSelection: false,
  isDeleting: false,
};

describe('before any text is read', () => {
  it('nothing is in the way of a file that is edited', () => {
    expect(refusalBefore(open)).toBeUndefined();
    expect(refusalBefore({ ...open, trigger: 'invoke', isDeleting: true })).toBeUndefined();
  });

  const cases: readonly (readonly [string, Partial<Circumstances>])[] = [
    ['untrusted', { isTrusted: false }],
    ['off', { isEnabled: false }],
    ['paused', { isPaused: true }],
    ['scheme', { scheme: 'output' }],
    ['scheme', { scheme: 'git' }],
    ['scheme', { scheme: 'vscode-notebook-cell' }],
    ['secret-file', { path: '/w/.env' }],
    ['secret-file', { path: '/w/.env.production', trigger: 'invoke' }],
    ['secret-file', { path: '/home/x/.ssh/config' }],
    ['secret-file', { path: '/w/server.key' }],
    ['language', { isLanguageWanted: false }],
    ['several-cursors', { cursors: 2 }],
    ['selection', { hasSelection: true }],
    ['deleting', { isDeleting: true }],
  ];
  it.each(cases)('%s refuses %j', (reason, change) => {
    expect(refusalBefore({ ...open, ...change })).toBe(reason);
  });

  it('a sample of secrets is no secret', () => {
    expect(refusalBefore({ ...open, path: '/w/.env.example' })).toBeUndefined();
  });
});

describe('at the text', () => {
  const cases: readonly (readonly [string | undefined, string, string])[] = [
    [undefined, 'const a = ', ''],
    [undefined, 'call(', ')'],
    [undefined, 'call({ a: [', ']});'],
    [undefined, 'call(', ')  \nnext line'],
    ['inside-word', 'con', 'st a'],
    ['text-after', 'const ', '= 1;'],
    ['comment', '// why ', ''],
    ['prose', 'log("this is a long ', '")'],
    [undefined, "import { a } from './fi", "'"],
  ];
  it.each(cases)('gives %s between %j and %j', (reason, before, after) => {
    expect(refusalAt({ before, after, isCut: false }, 'typescript', 'automatic', undefined)).toBe(reason);
  });

  it('who asks may ask in a comment and before text, never within a word', () => {
    const ask = (before: string, after: string) =>
      refusalAt({ before, after, isCut: false }, 'typescript', 'invoke', undefined);
    expect(ask('// why ', '')).toBeUndefined();
    expect(ask('const ', '= 1;')).toBeUndefined();
    expect(ask('con', 'st a')).toBe('inside-word');
  });

  const choices: readonly (readonly [string | undefined, Choice])[] = [
    [undefined, { text: 'readFile', typed: 'read' }],
    ['short-choice', { text: 'readFile', typed: 're' }],
    ['other-choice', { text: 'readFile', typed: 'file' }],
    [undefined, { text: 're', typed: 're' }],
  ];
  it.each(choices)('gives %s where the suggest widget chose %j', (reason, choice) => {
    const around = { before: `await ${choice.typed}`, after: '', isCut: false };
    expect(refusalAt(around, 'typescript', 'automatic', choice)).toBe(reason);
  });
});
