/** What a page may say: forged, oversized and misshapen messages are dropped. */
import { describe, expect, it } from 'vitest';
import { choiceFrom, messageFrom } from '../../../src/extension/panel-incoming.ts';

describe('a message from the page', () => {
  it.each([
    { kind: 'ready' },
    { kind: 'addServer' },
    { kind: 'trustWorkspace' },
    { kind: 'showLog' },
    { kind: 'selectServer', id: 'claude-code:/w/.mcp.json#a' },
    { kind: 'selectMode', mode: 'compact' },
    { kind: 'selectSession', model: 'claude-opus-5-5', rounds: 10_000 },
    { kind: 'selectSession', model: 'claude-opus-5-5' },
    { kind: 'selectSession', rounds: 1 },
    { kind: 'readTools', id: 'all' },
    { kind: 'countExactly', id: 'a' },
    { kind: 'setTools', id: 'a', included: [] },
    { kind: 'setTools', id: 'a', included: ['__proto__', 'b'] },
    { kind: 'openFile', id: 'a', mode: 'lazy', path: 'SKILL.md' },
    { kind: 'compare', id: 'a', left: 'normal', right: 'lazy' },
    { kind: 'acceptFindings', id: 'a', accepted: false },
    { kind: 'write', id: 'a', mode: 'normal' },
  ])('is taken as it is: %j', (message) => {
    expect(messageFrom(message)).toEqual(message);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a word', 'ready'],
    ['a list', ['ready']],
    ['an unknown kind', { kind: 'executeCommand', command: 'workbench.action.terminal.new' }],
    ['a kind that every object has', { kind: 'toString' }],
    ['a kind that is no text', { kind: ['ready'] }],
    ['an inherited kind', Object.create({ kind: 'ready' })],
    ['a kind behind __proto__', JSON.parse('{"__proto__": {"kind": "ready"}}')],
    ['no server', { kind: 'selectServer' }],
    ['a server that is no text', { kind: 'readTools', id: { toString: () => 'a' } }],
    ['an endless server', { kind: 'readTools', id: 'x'.repeat(10_000_000) }],
    ['an unknown mode', { kind: 'selectMode', mode: 'fast' }],
    ['a mode of the prototype', { kind: 'selectMode', mode: '__proto__' }],
    ['a model without prices', { kind: 'selectSession', model: 'toString', rounds: 5 }],
    ['no round', { kind: 'selectSession', model: 'claude-opus-5-5', rounds: 0 }],
    ['half a round', { kind: 'selectSession', model: 'claude-opus-5-5', rounds: 0.5 }],
    ['a model without prices beside rounds', { kind: 'selectSession', model: 'x', rounds: 5 }],
    ['endless rounds', { kind: 'selectSession', model: 'claude-opus-5-5', rounds: Number.POSITIVE_INFINITY }],
    ['a path that is no text', { kind: 'openFile', id: 'a', mode: 'lazy', path: 5 }],
    ['a file without a mode', { kind: 'openFile', id: 'a', path: 'SKILL.md' }],
    ['one side only', { kind: 'compare', id: 'a', left: 'lazy' }],
    ['tools that are no list', { kind: 'setTools', id: 'a', included: { length: 1, 0: 'b' } }],
    ['tools that are no text', { kind: 'setTools', id: 'a', included: ['b', 1] }],
    ['too many tools', { kind: 'setTools', id: 'a', included: new Array(5_001).fill('b') }],
    ['a yes that is no yes', { kind: 'acceptFindings', id: 'a', accepted: 'true' }],
    ['a write without a mode', { kind: 'write', id: 'a' }],
  ])('is dropped: %s', (_name, message) => {
    expect(messageFrom(message)).toBeUndefined();
  });

  it('loses what does not belong to it', () => {
    const message = messageFrom({ kind: 'write', id: 'a', mode: 'lazy', target: '../..', force: true });
    expect(message).toEqual({ kind: 'write', id: 'a', mode: 'lazy' });
  });

  it('does not run what only looks like a value', () => {
    let ran = false;
    const message = {
      get kind() {
        ran = true;
        return 'ready';
      },
    };
    expect(messageFrom(message)).toBeUndefined();
    expect(ran).toBe(false);
  });
});

describe('what a page kept', () => {
  it.each<[unknown, object]>([
    [
      { version: 1, selected: 'a', mode: 'lazy', state: {} },
      { selected: 'a', mode: 'lazy' },
    ],
    [{ selected: 5, mode: 'none' }, {}],
    [undefined, {}],
    ['a', {}],
  ])('is understood or left: %j', (kept, choice) => {
    expect(choiceFrom(kept)).toEqual(choice);
  });
});
