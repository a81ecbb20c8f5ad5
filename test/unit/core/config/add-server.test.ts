/** A server added to a config file: nothing else changes, and what cannot be read is left alone. */
import { describe, expect, it } from 'vitest';
import { withServer } from '../../../../src/core/config/add-server.ts';

const entry = { type: 'stdio', command: 'node', args: ['mochi.mjs'] };
const add = (text: string | undefined) => withServer(text, 'mcpServers', 'mochi', entry);

describe('adding a server', () => {
  it.each([
    ['no file', undefined],
    ['an empty file', ''],
    ['an empty object', '{}'],
    ['other servers', '{\n  "mcpServers": {\n    "a": { "command": "b" }\n  }\n}\n'],
    ['another Mochi', '{"mcpServers":{"mochi":{"command":"old"}}}'],
    ['a comment and a trailing comma', '{\n  // mine\n  "mcpServers": {},\n}\n'],
    ['a byte order mark', '\uFEFF{"other":1}'],
  ])('works on %s', (_what, text) => {
    const after = add(text);
    const plain = after?.replace(/^\s*\/\/.*$/gm, '').replace(/,(\s*})/g, '$1') ?? '';
    expect(JSON.parse(plain).mcpServers.mochi).toEqual(entry);
  });

  it('keeps every other character, its indentation and its line ends', () => {
    const before = '{\r\n\t"z": 1, // why\r\n\t"mcpServers": {\r\n\t\t"a": {"command":  "b"}\r\n\t}\r\n}';
    const after = add(before) ?? '';
    expect(after).toContain('"z": 1, // why');
    expect(after).toContain('"a": {"command":  "b"}');
    expect(after).toContain('\r\n\t\t"mochi": {\r\n\t\t\t"type": "stdio"');
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('gives the same text back where the server stands already', () => {
    const text = `{"mcpServers":{"mochi":${JSON.stringify(entry)}}}`;
    expect(add(text)).toBe(text);
  });

  it.each([
    ['half a file', '{"mcpServers": {'],
    ['a list', '[]'],
    ['a list of servers', '{"mcpServers": []}'],
    ['no JSON', 'servers: {}'],
  ])('refuses %s', (_what, text) => {
    expect(add(text)).toBeUndefined();
  });

  it('takes names of objects for names', () => {
    const after = withServer('{}', 'mcpServers', '__proto__', entry) ?? '';
    expect(Object.keys(JSON.parse(after).mcpServers)).toEqual(['__proto__']);
    expect(Object.prototype).not.toHaveProperty('command');
  });
});
