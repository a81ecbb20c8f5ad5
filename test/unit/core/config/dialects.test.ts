/** Every row of the dialect table against its fixture: the servers, where they stand, and what is reported. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { discover } from '#core/config/discover.ts';
import { candidates } from '#core/config/locate.ts';
import { DIALECTS, type Platform } from '#core/config/sources.ts';
import { fixtureFiles, memoryFiles } from './memory-files.ts';

const FIXTURES = 'test/fixtures/configs';
const PLATFORMS: readonly Platform[] = ['linux', 'darwin', 'win32'];

async function read(dialect: string): Promise<unknown> {
  const files = memoryFiles({
    ...fixtureFiles(`${FIXTURES}/${dialect}/folder`, '/ws'),
    ...fixtureFiles(`${FIXTURES}/${dialect}/home`, '/home/me'),
  });
  const platform: Platform = dialect === 'gemini-cli' ? 'win32' : 'linux';
  const { value, problems } = await discover({ folders: ['/ws'], home: '/home/me', platform, env: {} }, files);
  return JSON.parse(
    JSON.stringify({
      sources: value.sources.map(({ id, label, display, scope }) => ({ id, label, display, scope })),
      servers: value.servers.map(({ source, at, ...rest }) => ({
        ...rest,
        at: `${at.file}:${at.line}:${at.column}`,
        source: source.id,
      })),
      problems: problems.map(({ at, ...rest }) => ({ ...rest, at: `${at?.file}:${at?.line}:${at?.column}` })),
    }),
  );
}

describe('the table of dialects', () => {
  it('has a fixture for each row, and no fixture without a row', () => {
    expect(readdirSync(FIXTURES).sort()).toEqual(DIALECTS.map((row) => row.id).sort());
  });

  it.each(DIALECTS.map((row) => row.id))('reads the files of %s as its fixture says', async (id) => {
    const expected: unknown = JSON.parse(readFileSync(`${FIXTURES}/${id}/expected.json`, 'utf8'));
    expect(await read(id)).toEqual(expected);
  });

  it.each(PLATFORMS)('looks at distinct, absolute places on %s', (platform) => {
    const home = platform === 'win32' ? 'C:\\Users\\me' : '/home/me';
    const folders = platform === 'win32' ? ['D:\\code\\web'] : ['/ws'];
    const places = candidates({ folders, home, platform, env: {} });
    const keys = places.map(
      ({ form, pattern, folder }) => `${form.dialect.id}:${pattern}:${folder}:${form.root.join('.')}`,
    );
    expect(new Set(keys).size).toBe(keys.length);
    expect(places.length).toBeGreaterThan(50);
    for (const { pattern } of places) expect(pattern).toMatch(platform === 'win32' ? /^[CD]:\/[^\\]+$/ : /^\//);
  });

  const places: readonly [Platform, Record<string, string>, string][] = [
    ['linux', {}, '/home/me/.config/Code/User/mcp.json'],
    ['linux', { XDG_CONFIG_HOME: '/xdg' }, '/xdg/Code/User/mcp.json'],
    ['linux', {}, '/home/me/.config/zed/settings.json'],
    ['linux', { CODEX_HOME: '/codex' }, '/codex/config.toml'],
    ['linux', { COPILOT_HOME: '/copilot' }, '/copilot/mcp-config.json'],
    ['linux', { CLINE_MCP_SETTINGS_PATH: '/cline/mine.json' }, '/cline/mine.json'],
    ['linux', { CLAUDE_CONFIG_DIR: '/claude' }, '/claude/.claude.json'],
    ['darwin', {}, '/home/me/Library/Application Support/Claude/claude_desktop_config.json'],
    ['darwin', {}, '/home/me/Library/Application Support/VSCodium/User/mcp.json'],
    ['darwin', {}, '/home/me/.config/zed/settings.json'],
    ['win32', {}, '/home/me/AppData/Roaming/Code - Insiders/User/mcp.json'],
    ['win32', { APPDATA: 'E:\\Data' }, 'E:/Data/Claude/claude_desktop_config.json'],
    ['win32', { APPDATA: 'E:\\Data' }, 'E:/Data/Zed/settings.json'],
  ];
  it.each(places)('on %s with %j looks at %s', (platform, env, path) => {
    const found = candidates({ folders: [], home: '/home/me', platform, env }).map(({ pattern }) => pattern);
    expect(found).toContain(path);
  });

  it('looks at no file of the home folder unless one is given', () => {
    const env = { HOME: '/home/me', CODEX_HOME: '/codex', APPDATA: '/appdata' };
    for (const platform of PLATFORMS) {
      for (const { pattern } of candidates({ folders: ['/ws'], platform, env })) expect(pattern).toMatch(/^\/ws\//);
    }
  });
});
