/** Repairs of config files: what is offered changes nothing but what is wrong. */
import { describe, expect, it } from 'vitest';
import { fixOf } from '../../../src/extension/config-fixes.ts';

type Case = readonly [name: string, before: string, after: string];

function applied(text: string, problem: Parameters<typeof fixOf>[0]): string | undefined {
  const fix = fixOf(problem, text);
  return fix?.edits
    .toReversed()
    .reduce((now, { offset, length, text: put }) => now.slice(0, offset) + put + now.slice(offset + length), text);
}

describe('comments and trailing commas', () => {
  it.each<Case>([
    ['a line of its own', '{\n  // one\n  "a": 1\n}', '{\n  "a": 1\n}'],
    ['at the end of a line', '{\n  "a": 1 // one\n}', '{\n  "a": 1\n}'],
    ['in the middle', '{ "a": /* one */ 1 }', '{ "a":  1 }'],
    ['over several lines', '{\n  /* one\n     two */\n  "a": 1\n}', '{\n  "a": 1\n}'],
    ['with Windows line ends', '{\r\n  "a": 1 // one\r\n}\r\n', '{\r\n  "a": 1\r\n}\r\n'],
    ['a comma before a brace', '{ "a": 1, }', '{ "a": 1 }'],
    ['a comma before a bracket and a comment', '[1, // one\n]', '[1\n]'],
    ['not in strings', '{ "a": "// no, }", "b": "/* \\" */" }', '{ "a": "// no, }", "b": "/* \\" */" } // x'],
    ['a comment without an end', '{ "a": 1 } /* one', '{ "a": 1 }'],
  ])('go: %s', (name, before, after) => {
    const [text, wanted] = name === 'not in strings' ? [after, before] : [before, after];
    const result = applied(text, { kind: 'config-comment' });
    expect(result).toBe(wanted);
    expect(() => JSON.parse(result ?? '')).not.toThrow();
  });

  it('are not offered where there are none', () => {
    expect(fixOf({ kind: 'config-comment' }, '{ "a": [1, 2] }')).toBeUndefined();
  });
});

describe('a wrong key', () => {
  const at = { file: 'x', line: 2, column: 3 };
  const remedy = 'Rename `servers` to `mcpServers`.';

  it.each<Case>([
    ['in JSON', '{\n  "servers": {}\n}', '{\n  "mcpServers": {}\n}'],
    ['in TOML', '\n  servers = 1', '\n  mcpServers = 1'],
  ])('is renamed: %s', (_name, before, after) => {
    expect(applied(before, { kind: 'config-wrong-root', remedy, at })).toBe(after);
  });

  it.each([
    ['the text has moved on', '{\n  "others": {}\n}', remedy],
    ['the line is gone', '{}', remedy],
    ['there is more than one way', '{\n  "servers": {}\n}', 'Rename `servers` to `mcpServers`, or remove it.'],
    ['there is no such advice', '{\n  "servers": {}\n}', 'Write true or false.'],
  ])('is left alone where %s', (_why, text, advice) => {
    expect(fixOf({ kind: 'config-wrong-root', remedy: advice, at }, text)).toBeUndefined();
  });
});
