/** Discovery over a whole workspace: precedence, several folders, links and pipes, files named by hand. */
import { describe, expect, it } from 'vitest';
import { type Discovered, type DiscoverRequest, discover } from '#core/config/discover.ts';
import type { Reported } from '#core/problem.ts';
import { type Content, memoryFiles } from './memory-files.ts';

const server = (command: string, rest: object = {}): string =>
  JSON.stringify({ mcpServers: { x: { command, ...rest } } });
const vscode = (command: string): string => JSON.stringify({ servers: { x: { command } } });

async function find(
  contents: Readonly<Record<string, Content>>,
  request: Partial<DiscoverRequest> = {},
): Promise<Reported<Discovered>> {
  return discover({ folders: ['/ws'], platform: 'linux', env: {}, ...request }, memoryFiles(contents));
}

function winner({ value }: Reported<Discovered>): string | undefined {
  const [one, ...others] = value.servers.filter(({ name, shadowedBy }) => name === 'x' && shadowedBy === undefined);
  expect(others).toEqual([]);
  return one?.endpoint.kind === 'stdio' ? one.endpoint.command : undefined;
}

const commands = ({ value }: Reported<Discovered>): readonly string[] =>
  value.servers.map(({ endpoint }) => (endpoint.kind === 'stdio' ? endpoint.command : endpoint.url));
const kinds = ({ problems }: Reported<Discovered>): readonly string[] =>
  problems.map(({ kind, at }) => `${kind} ${at?.file}`);

describe('a name that several files give', () => {
  const local = JSON.stringify({
    mcpServers: { x: { command: 'user' } },
    projects: { '/ws': { mcpServers: { x: { command: 'local' } } } },
  });
  const user = JSON.stringify({ mcpServers: { x: { command: 'user' } } });
  const project = { '/ws/.mcp.json': server('project') };
  const plugin = { '/ws/plugins/p/.mcp.json': JSON.stringify({ x: { command: 'plugin' } }) };
  const off = { disabled: true };
  const cases: readonly [string, Record<string, Content>, Partial<DiscoverRequest>, string][] = [
    ['local before project', { '/h/.claude.json': local, ...project }, { home: '/h' }, 'local'],
    ['project before user', { '/h/.claude.json': user, ...project }, { home: '/h' }, 'project'],
    ['user before plugin', { '/h/.claude.json': user, ...plugin }, { home: '/h' }, 'user'],
    [
      'folder before user',
      { '/ws/.cursor/mcp.json': server('folder'), '/h/.cursor/mcp.json': server('home') },
      { home: '/h' },
      'folder',
    ],
    ['Claude Code before VS Code', { '/ws/.vscode/mcp.json': vscode('vscode'), ...project }, {}, 'project'],
    [
      'VS Code before Cursor',
      { '/ws/.vscode/mcp.json': vscode('vscode'), '/ws/.cursor/mcp.json': server('cursor') },
      {},
      'vscode',
    ],
    [
      'the first folder before the second',
      { '/a/.mcp.json': server('a'), '/b/.mcp.json': server('b') },
      { folders: ['/b', '/a'] },
      'b',
    ],
    [
      'a file named by hand before all',
      { ...project, '/ws/mine.json': server('mine') },
      { extraConfigs: ['/ws/mine.json'] },
      'mine',
    ],
    [
      'a client that has it on before one that has it off',
      { '/ws/.mcp.json': server('claude', off), '/ws/.cursor/mcp.json': server('cursor') },
      {},
      'cursor',
    ],
    [
      'within a client, off is off',
      { '/ws/.cursor/mcp.json': server('folder', off), '/h/.cursor/mcp.json': server('home') },
      { home: '/h' },
      'folder',
    ],
    [
      'what the client reads before what it does not',
      { '/ws/.mcp.json': vscode('wrong'), '/h/.claude.json': user },
      { home: '/h' },
      'user',
    ],
  ];
  it.each(cases)('is won by: %s', async (_rule, contents, request, expected) => {
    const found = await find(contents, request);
    expect(winner(found)).toBe(expected);
    expect(found.problems.filter(({ kind }) => kind === 'entry-shadowed')).toHaveLength(found.value.servers.length - 1);
  });

  it('names the winner at each loser, and says whether both are the same', async () => {
    const same = {
      '/ws/.mcp.json': server('a'),
      '/ws/.cursor/mcp.json': server('a'),
      '/ws/.junie/mcp/mcp.json': server('b'),
    };
    const found = await find(same);
    expect(found.value.servers.map(({ shadowedBy }) => shadowedBy)).toEqual([
      undefined,
      'claude-code:/ws/.mcp.json#x',
      'claude-code:/ws/.mcp.json#x',
    ]);
    expect(found.problems).toMatchObject([
      {
        kind: 'entry-shadowed',
        severity: 'info',
        at: { file: '.cursor/mcp.json' },
        message: expect.stringContaining('same'),
      },
      {
        kind: 'entry-shadowed',
        severity: 'info',
        at: { file: '.junie/mcp/mcp.json' },
        message: expect.not.stringContaining('same'),
      },
    ]);
  });

  it('has ids that are all different, even for two parts of one file', async () => {
    const found = await find({ '/h/.claude.json': local, ...project, ...plugin }, { home: '/h' });
    const ids = found.value.servers.map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
  });
});

describe('several folders', () => {
  it('are each searched, and shown with their names', async () => {
    const files = { '/a/web/.mcp.json': server('one'), '/b/web/.mcp.json': server('two'), '/c/.mcp.json': '{' };
    const found = await find(files, { folders: ['/a/web', '/b/web', '/c'] });
    expect(found.value.sources.map(({ display, folder }) => [display, folder])).toEqual([
      ['web/.mcp.json', '/a/web'],
      ['web#2/.mcp.json', '/b/web'],
      ['c/.mcp.json', '/c'],
    ]);
    expect(kinds(found)).toEqual(['config-syntax c/.mcp.json', 'entry-shadowed web#2/.mcp.json']);
  });

  it('that are the same, or lie in each other, give no file twice', async () => {
    const files = { '/ws/.mcp.json': server('one'), '/ws/sub/.mcp.json': server('two') };
    const found = await find(files, { folders: ['/ws', '/ws/', '/ws/sub'] });
    expect(found.value.sources).toHaveLength(2);
  });

  it('on Windows are matched whatever the slashes and letters', async () => {
    const local = JSON.stringify({ projects: { 'd:/Code/Web': { mcpServers: { x: { command: 'local' } } } } });
    const files = { 'D:/code/web/.cursor/mcp.json': server('cursor'), 'C:/Users/me/.claude.json': local };
    const found = await find(files, { folders: ['D:\\code\\web'], home: 'C:\\Users\\me', platform: 'win32' });
    expect(found.value.sources.map(({ display, folder }) => [display, folder])).toEqual([
      ['~/.claude.json', 'D:\\code\\web'],
      ['.cursor/mcp.json', 'D:\\code\\web'],
    ]);
  });
});

describe('a path on Windows', () => {
  it('is one file however its letters are written', async () => {
    const content = server('one');
    const files = { 'D:/code/web/.mcp.json': content, 'd:/CODE/web/.mcp.json': content };
    const request = { platform: 'win32', folders: ['D:\\code\\web', 'd:\\Code\\Web'] } as const;
    const named = await find(files, {
      ...request,
      folders: ['D:\\code\\web'],
      extraConfigs: ['d:\\CODE\\web\\.mcp.json'],
    });
    expect(named.value.sources.map(({ display, scope }) => [display, scope])).toEqual([['.mcp.json', 'folder']]);
    expect((await find(files, request)).value.sources).toHaveLength(1);
  });
});

describe('a file', () => {
  const good = { '/ws/.cursor/mcp.json': server('good') };
  const cases: readonly [string, Record<string, Content>, string][] = [
    ['is a folder', { '/ws/.mcp.json/inner': 'x' }, 'config-unreadable .mcp.json'],
    ['is a pipe', { '/ws/.mcp.json': { other: true } }, 'config-unreadable .mcp.json'],
    ['may not be read', { '/ws/.mcp.json': { fails: 'io' } }, 'config-unreadable .mcp.json'],
    ['leads out of its folder', { '/ws/.mcp.json': { fails: 'outside-root' } }, 'config-unreadable .mcp.json'],
    ['is too large', { '/ws/.mcp.json': ' '.repeat(5_000_001) }, 'config-too-large .mcp.json'],
    ['is malformed', { '/ws/.mcp.json': '{ "mcpServers": ' }, 'config-syntax .mcp.json'],
    ['is no text', { '/ws/.mcp.json': new Uint8Array([0x7b, 0xff, 0x7d]) }, 'config-encoding .mcp.json'],
  ];
  it.each(cases)('that %s is a problem and hides no other', async (_what, contents, expected) => {
    const found = await find({ ...contents, ...good });
    expect(kinds(found)).toEqual([expected]);
    expect(found.problems[0]?.remedy).toBeTruthy();
    expect(commands(found)).toEqual(['good']);
    expect(found.value.sources.map(({ display }) => display)).toEqual(['.mcp.json', '.cursor/mcp.json']);
  });

  it('with other settings is a source only if it names servers', async () => {
    const found = await find({
      '/ws/.vscode/settings.json': '{ "editor.tabSize": 2 }',
      '/ws/.zed/settings.json': '{ "a": 1 }',
    });
    expect(found).toEqual({ value: { sources: [], servers: [] }, problems: [] });
  });

  it('is a bare map at the top only of a folder that is a plugin', async () => {
    const bare = { '/ws/.mcp.json': JSON.stringify({ x: { command: 'bare' } }) };
    const manifest = { '/ws/.claude-plugin/plugin.json': '{ "name": "p" }' };
    expect((await find(bare)).value.servers.map(({ disabled }) => disabled)).toEqual([true]);
    expect((await find({ ...bare, ...manifest })).value.servers.map(({ disabled }) => disabled)).toEqual([false]);
  });

  it('is one of two hundred at most that a pattern matches', async () => {
    const many = Array.from({ length: 300 }, (_, at) => [`/ws/w${String(at).padStart(3, '0')}.code-workspace`, '{}']);
    const found = await find(Object.fromEntries(many));
    expect(kinds(found)).toEqual(['config-too-large w200.code-workspace']);
  });
});

describe('a file named by hand', () => {
  const cases: readonly [string, string, string, string][] = [
    ['/x/.vscode/mcp.json', vscode('a'), 'vscode', 'a'],
    ['/x/claude_desktop_config.json', server('a'), 'claude-code', 'a'],
    ['/x/Claude/claude_desktop_config.json', server('a'), 'claude-desktop', 'a'],
    ['/x/.cursor/mcp.json', server('a'), 'cursor', 'a'],
    [
      '/x/team.code-workspace',
      JSON.stringify({ settings: { mcp: { servers: { x: { command: 'a' } } } } }),
      'vscode',
      'a',
    ],
    ['/x/any.json', server('a'), 'claude-code', 'a'],
    ['/x/any.json', vscode('a'), 'vscode', 'a'],
    ['/x/any.json', '{ "context_servers": { "x": { "command": "a" } } }', 'zed', 'a'],
    ['/x/any.json', '{ "mcp": { "x": { "type": "local", "command": ["a"] } } }', 'opencode', 'a'],
    ['/x/any.json', '{ "mcp": { "servers": { "x": { "command": "a" } } } }', 'vscode', 'a'],
    ['/x/any.json', '{ "x": { "command": "a" } }', 'claude-code', 'a'],
    ['/x/any.toml', '[mcp_servers.x]\ncommand = "a"', 'codex', 'a'],
    ['/x/any.yml', 'mcpServers:\n  - name: x\n    command: a', 'continue', 'a'],
  ];
  it.each(cases)('%s with %s is read as %s', async (path, content, dialect, command) => {
    const found = await find({ [path]: content }, { extraConfigs: [path] });
    expect(found.value.servers).toMatchObject([
      { name: 'x', disabled: false, source: { dialect, path }, endpoint: { command } },
    ]);
    expect(found.problems).toEqual([]);
  });

  it('is found relative to the first folder, and read once', async () => {
    const found = await find({ '/ws/.mcp.json': server('a') }, { extraConfigs: ['.mcp.json', '/ws/./.mcp.json'] });
    expect(found.value.sources).toMatchObject([{ display: '.mcp.json', scope: 'folder', folder: '/ws' }]);
    expect(commands(found)).toEqual(['a']);
  });

  it('outside of folder and home is shown without the path of the machine', async () => {
    const found = await find({ '/secret/place/dir/a.json': '{' }, { extraConfigs: ['/secret/place/dir/a.json'] });
    expect(found.problems).toMatchObject([{ kind: 'config-syntax', at: { file: 'dir/a.json' } }]);
  });

  it('that is missing is a problem', async () => {
    const found = await find({}, { extraConfigs: ['/ws/none.json'] });
    expect(found.problems).toMatchObject([{ kind: 'config-unreadable', severity: 'error', at: { file: 'none.json' } }]);
  });
});

describe('discovery', () => {
  it('asks for nothing outside the folders unless a home is given', async () => {
    const files = memoryFiles({ '/h/.cursor/mcp.json': server('home') });
    const env = { HOME: '/h', CODEX_HOME: '/h/codex', XDG_CONFIG_HOME: '/h/config' };
    const found = await discover({ folders: ['/ws'], platform: 'linux', env }, files);
    expect(files.asked.filter((path) => !path.startsWith('/ws/'))).toEqual([]);
    expect(files.asked.length).toBeGreaterThan(15);
    expect(found.value.servers).toEqual([]);
  });

  it('gives the same twice, and never an absolute path where people look', async () => {
    const contents = { '/ws/.mcp.json': server('a'), '/ws/.vscode/mcp.json': '{', '/h/.cursor/mcp.json': server('b') };
    const request = { home: '/h' };
    const found = await find(contents, request);
    expect(await find(contents, request)).toEqual(found);
    for (const { at } of found.problems) expect(at?.file).not.toMatch(/^\//);
    for (const { display } of found.value.sources) expect(display).not.toMatch(/^\//);
  });
});
