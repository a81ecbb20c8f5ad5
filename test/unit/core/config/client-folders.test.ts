import { describe, expect, it } from 'vitest';
import { clientFolder, withClientFolders } from '../../../../src/core/config/client-folders.ts';
import type { Source } from '../../../../src/core/model.ts';

const source = (path: string, folder?: string): Source => ({
  id: path,
  dialect: 'claude-code',
  label: 'Claude Code',
  path,
  display: path,
  scope: 'folder',
  ...(folder === undefined ? {} : { folder }),
});

describe('the folders that Claude Code names', () => {
  it.each([
    ['/w/plugins/a/.mcp.json', '/w/plugins/a'],
    ['/w/plugins/a/.claude-plugin/plugin.json', '/w/plugins/a'],
    ['C:\\w\\a\\.mcp.json', 'C:\\w\\a'],
  ])('are found from %s', (path, expected) => {
    expect(clientFolder('CLAUDE_PLUGIN_ROOT', source(path))).toBe(expected);
  });

  it('replace their variables and no others', () => {
    const endpoint = {
      kind: 'stdio',
      command: '${CLAUDE_PLUGIN_ROOT}/run',
      args: ['${CLAUDE_PROJECT_DIR:-.}/x', '${OTHER:-y}', '$${CLAUDE_PLUGIN_ROOT}'],
      env: { A: '${CLAUDE_PROJECT_DIR}' },
    } as const;
    expect(withClientFolders(endpoint, source('/w/p/.mcp.json', '/w'))).toEqual({
      kind: 'stdio',
      command: '/w/p/run',
      args: ['/w/x', '${OTHER:-y}', '$${CLAUDE_PLUGIN_ROOT}'],
      env: { A: '/w' },
    });
    expect(withClientFolders(endpoint, source('/w/p/.mcp.json')).kind === 'stdio').toBe(true);
  });
});
