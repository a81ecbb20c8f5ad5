import { describe, expect, it } from 'vitest';
import { portable, portableEndpoint, serverConfig } from '../../../../src/core/skill/server-config.ts';

const PLACES = { workspaceFolder: '/home/user/desk', userHome: '/home/user' };

describe('places of this machine', () => {
  it.each([
    ['/home/user/desk/data', '${workspaceFolder}/data'],
    ['/home/user/desk', '${workspaceFolder}'],
    ['/home/user/worker', '${userHome}/worker'],
    ['--dir=/home/user/x', '--dir=${userHome}/x'],
    ['/data/home/user/x', '/data/home/user/x'],
    ['/home/username', '/home/username'],
    ['https://example.com/home/user/x', 'https://example.com/home/user/x'],
    ['/home/user/desk /home/user/desk/b', '${workspaceFolder} ${workspaceFolder}/b'],
  ])('in %j are written as %j', (text, expected) => {
    expect(portable(text, PLACES)).toBe(expected);
  });
});

describe('references/mcp.json', () => {
  it('holds one server with all that a connection needs', () => {
    const endpoint = portableEndpoint(
      { kind: 'stdio', command: 'x', args: ['/home/user/desk'], env: { A: null, B: '1' }, cwd: '/home/user/desk' },
      PLACES,
    );
    expect(serverConfig({ name: '__proto__', timeoutMs: 5 }, endpoint)).toEqual({
      mcpServers: JSON.parse(
        '{"__proto__":{"type":"stdio","command":"x","args":["${workspaceFolder}"],"env":{"A":null,"B":"1"},"cwd":"${workspaceFolder}","timeout":5}}',
      ),
    });
  });

  it('leaves out what is not set', () => {
    expect(serverConfig({ name: 'r' }, { kind: 'sse', url: 'https://e/sse', headers: {} })).toEqual({
      mcpServers: { r: { type: 'sse', url: 'https://e/sse' } },
    });
  });
});
