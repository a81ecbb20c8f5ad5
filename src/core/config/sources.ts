/**
 * The table of config dialects: one row a client, with its files per platform, where the servers stand in them, and
 * how an entry is spelt there. Data only; `locate.ts` finds the files and `parse.ts` reads them. A new client is one
 * row here and one fixture. Facts: the clients' own documentation, as of November 2026. Long because it is one table.
 */
import type { FileSyntax } from './document.ts';
import type { VariableSyntax } from './variables.ts';

export type Platform = 'linux' | 'darwin' | 'win32';

/**
 * What a file's path is relative to: a workspace folder; the home folder; `config`, the folder of application
 * settings (`~/.config` or `$XDG_CONFIG_HOME`, `~/Library/Application Support`, `%APPDATA%`); `xdg`, which is
 * `~/.config` on every platform.
 */
export type Anchor = 'folder' | 'home' | 'config' | 'xdg';

/** In a root path: the key that equals the workspace folder's absolute path. */
export const FOLDER_KEY = '<folder>';

/** One place where a client looks. What is absent is as its row says. */
export interface ConfigFile {
  readonly anchor: Anchor;
  /** With forward slashes; `*` stands for any characters within one segment. */
  readonly path: string;
  readonly label?: string;
  readonly platforms?: readonly Platform[];
  /** An environment variable that moves the file: its value, followed by `path`. */
  readonly moved?: { readonly variable: string; readonly path: string };
  /** Keys down to the servers. */
  readonly root?: readonly string[];
  readonly syntax?: FileSyntax;
  readonly variables?: VariableSyntax;
  /** Holds other settings too, so it is a source only if it names servers. */
  readonly shared?: boolean;
  /** The file may be the map of servers itself: always, or if this path exists in the same folder. */
  readonly bare?: true | { readonly beside: string };
  /** Keys down to a list of server names that the file switches off. */
  readonly switchedOff?: readonly string[];
  /** The file stands in the home folder but speaks of one workspace folder: it is read once for each. */
  readonly perFolder?: boolean;
}

/** How long a field's figure is. */
export interface TimeField {
  readonly key: string;
  readonly unit: 'ms' | 's';
}

/** A field that names an endpoint, and the transport that it means when no type is given. */
export interface UrlField {
  readonly key: string;
  readonly transport: 'http-then-sse' | 'http' | 'sse';
  /** The client is known not to read it: what to write instead. */
  readonly advice?: string;
}

/** How a dialect spells an entry. Keys may be dotted paths; the first that is present counts. */
export interface EntryFields {
  /** In the client's own order of preference. */
  readonly urls: readonly UrlField[];
  /** An explicit HTTP type still falls back to SSE. */
  readonly httpTriesSse: boolean;
  /** The client takes an entry without type for stdio, so a URL needs one. */
  readonly typeNeeded: boolean;
  readonly env: readonly string[];
  readonly headers: readonly string[];
  readonly timeouts: readonly TimeField[];
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** Lists of environment variables that are handed on. */
  readonly envNames?: string;
  /** Maps of header name to the environment variable that holds its value. */
  readonly headersFromEnv?: string;
  /** The environment variable, or the literal, that holds a bearer token. */
  readonly bearerFromEnv?: string;
  readonly bearer?: string;
  /** Fields that other clients read and this one does not: name to remedy. */
  readonly ignored?: ReadonlyMap<string, string>;
}

export interface Dialect {
  readonly id: string;
  readonly label: string;
  readonly root: readonly string[];
  readonly syntax: FileSyntax;
  readonly variables: VariableSyntax;
  readonly fields: EntryFields;
  /** In order of precedence, highest first. */
  readonly files: readonly ConfigFile[];
  /** Keys down to a list of server names that the file switches off, and to one that names the only ones left on. */
  readonly switchedOff?: readonly string[];
  readonly switchedOn?: readonly string[];
  /** Has `inputs` beside the servers. */
  readonly inputs?: boolean;
  /** Servers may stand in a list, each with a `name`. */
  readonly list?: boolean;
  /** Names that the client keeps for itself. */
  readonly reserved?: readonly string[];
}

const PLAIN: EntryFields = {
  urls: [{ key: 'url', transport: 'http-then-sse' }],
  httpTriesSse: false,
  typeNeeded: false,
  env: ['env'],
  headers: ['headers'],
  timeouts: [{ key: 'timeout', unit: 'ms' }],
  include: ['includeTools'],
  exclude: ['excludeTools', 'disabledTools'],
};

const MCP_SERVERS = ['mcpServers'];
const EDITIONS = ['Code', 'Code - Insiders', 'VSCodium'];

function inFolder(path: string, rest: Omit<ConfigFile, 'anchor' | 'path'> = {}): ConfigFile {
  return { anchor: 'folder', path, ...rest };
}

function inHome(path: string, rest: Omit<ConfigFile, 'anchor' | 'path'> = {}): ConfigFile {
  return { anchor: 'home', path, ...rest };
}

/** A file below the `User` folder of each edition of VS Code. */
function inEditions(path: string, rest: Omit<ConfigFile, 'anchor' | 'path'> = {}): readonly ConfigFile[] {
  return EDITIONS.map((edition) => ({ anchor: 'config', path: `${edition}/User/${path}`, ...rest }));
}

/** Row order is the order of precedence between clients. */
export const DIALECTS: readonly Dialect[] = [
  {
    id: 'claude-code',
    label: 'Claude Code',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'shell',
    fields: { ...PLAIN, typeNeeded: true },
    reserved: ['workspace', 'claude-in-chrome', 'computer-use', 'Claude Preview', 'Claude Browser'],
    files: [
      inHome('.claude.json', {
        label: 'Claude Code (local)',
        root: ['projects', FOLDER_KEY, 'mcpServers'],
        moved: { variable: 'CLAUDE_CONFIG_DIR', path: '.claude.json' },
        shared: true,
        perFolder: true,
        switchedOff: ['projects', FOLDER_KEY, 'disabledMcpServers'],
      }),
      inFolder('.mcp.json', { bare: { beside: '.claude-plugin/plugin.json' } }),
      inHome('.claude.json', {
        label: 'Claude Code (user)',
        moved: { variable: 'CLAUDE_CONFIG_DIR', path: '.claude.json' },
        shared: true,
      }),
      inFolder('.claude-plugin/plugin.json', { label: 'Claude Code plugin', shared: true }),
      inFolder('plugins/*/.mcp.json', { label: 'Claude Code plugin', bare: true }),
      inFolder('plugins/*/.claude-plugin/plugin.json', { label: 'Claude Code plugin', shared: true }),
      inHome('.claude/plugins/cache/*/*/*/.mcp.json', {
        label: 'Claude Code plugin',
        moved: { variable: 'CLAUDE_CONFIG_DIR', path: 'plugins/cache/*/*/*/.mcp.json' },
        bare: true,
      }),
      inHome('.claude/plugins/cache/*/*/*/.claude-plugin/plugin.json', {
        label: 'Claude Code plugin',
        moved: { variable: 'CLAUDE_CONFIG_DIR', path: 'plugins/cache/*/*/*/.claude-plugin/plugin.json' },
        shared: true,
      }),
    ],
  },
  {
    id: 'claude-desktop',
    label: 'Claude Desktop',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'none',
    fields: {
      ...PLAIN,
      urls: [
        {
          key: 'url',
          transport: 'http-then-sse',
          advice: 'Add remote servers in the settings of Claude Desktop: its file takes only commands.',
        },
      ],
    },
    files: [{ anchor: 'config', path: 'Claude/claude_desktop_config.json', shared: true }],
  },
  {
    id: 'vscode',
    label: 'VS Code',
    root: ['servers'],
    syntax: 'jsonc',
    variables: 'editor',
    inputs: true,
    fields: { ...PLAIN, httpTriesSse: true },
    files: [
      inFolder('.vscode/mcp.json'),
      inFolder('.vscode/settings.json', { root: ['mcp', 'servers'], shared: true }),
      inFolder('*.code-workspace', { root: ['settings', 'mcp', 'servers'], shared: true, label: 'VS Code workspace' }),
      inFolder('.devcontainer/devcontainer.json', {
        root: ['customizations', 'vscode', 'mcp', 'servers'],
        shared: true,
        label: 'Dev container',
      }),
      inFolder('.devcontainer.json', {
        root: ['customizations', 'vscode', 'mcp', 'servers'],
        shared: true,
        label: 'Dev container',
      }),
      ...inEditions('mcp.json', { label: 'VS Code (user)' }),
      ...inEditions('profiles/*/mcp.json', { label: 'VS Code (profile)' }),
      ...inEditions('settings.json', { label: 'VS Code (user)', root: ['mcp', 'servers'], shared: true }),
    ],
  },
  {
    id: 'cursor',
    label: 'Cursor',
    root: MCP_SERVERS,
    syntax: 'jsonc',
    variables: 'env',
    fields: PLAIN,
    files: [inFolder('.cursor/mcp.json'), inHome('.cursor/mcp.json')],
  },
  {
    id: 'windsurf',
    label: 'Windsurf',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'env',
    fields: {
      ...PLAIN,
      urls: [
        { key: 'serverUrl', transport: 'http-then-sse' },
        { key: 'url', transport: 'http-then-sse', advice: 'Rename `url` to `serverUrl`, which Windsurf reads.' },
      ],
    },
    files: [inHome('.codeium/windsurf/mcp_config.json')],
  },
  {
    id: 'gemini-cli',
    label: 'Gemini CLI',
    root: MCP_SERVERS,
    syntax: 'jsonc',
    variables: 'percent',
    fields: {
      ...PLAIN,
      urls: [
        { key: 'httpUrl', transport: 'http' },
        { key: 'url', transport: 'sse' },
      ],
    },
    switchedOff: ['mcp', 'excluded'],
    switchedOn: ['mcp', 'allowed'],
    files: [
      inFolder('.gemini/settings.json', { shared: true }),
      inHome('.gemini/settings.json', { shared: true }),
      inHome('.gemini/extensions/*/gemini-extension.json', { shared: true, label: 'Gemini CLI extension' }),
    ],
  },
  {
    id: 'codex',
    label: 'Codex',
    root: ['mcp_servers'],
    syntax: 'toml',
    variables: 'none',
    fields: {
      ...PLAIN,
      urls: [{ key: 'url', transport: 'http' }],
      headers: ['http_headers'],
      timeouts: [
        { key: 'startup_timeout_sec', unit: 's' },
        { key: 'startup_timeout_ms', unit: 'ms' },
        { key: 'tool_timeout_sec', unit: 's' },
      ],
      include: ['enabled_tools'],
      exclude: ['disabled_tools'],
      envNames: 'env_vars',
      headersFromEnv: 'env_http_headers',
      bearerFromEnv: 'bearer_token_env_var',
      ignored: new Map([
        ['headers', 'Rename `headers` to `http_headers`, which Codex reads.'],
        ['bearer_token', 'Put the token into an environment variable and name it in `bearer_token_env_var`.'],
      ]),
    },
    files: [
      inFolder('.codex/config.toml', { shared: true }),
      inHome('.codex/config.toml', { shared: true, moved: { variable: 'CODEX_HOME', path: 'config.toml' } }),
    ],
  },
  {
    id: 'zed',
    label: 'Zed',
    root: ['context_servers'],
    syntax: 'jsonc',
    variables: 'none',
    // The unit of Zed's `timeout` has changed between versions, so it is not read.
    fields: { ...PLAIN, timeouts: [] },
    files: [
      inFolder('.zed/settings.json', { shared: true }),
      { anchor: 'xdg', path: 'zed/settings.json', platforms: ['linux', 'darwin'], shared: true },
      { anchor: 'config', path: 'Zed/settings.json', platforms: ['win32'], shared: true },
    ],
  },
  {
    id: 'cline',
    label: 'Cline',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'env',
    fields: {
      ...PLAIN,
      urls: [{ key: 'url', transport: 'sse' }],
      timeouts: [{ key: 'timeout', unit: 's' }],
    },
    files: [
      inHome('.cline/data/settings/cline_mcp_settings.json', {
        moved: { variable: 'CLINE_MCP_SETTINGS_PATH', path: '' },
      }),
      inHome('.cline/mcp.json'),
      ...inEditions('globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
    ],
  },
  {
    id: 'roo',
    label: 'Roo Code',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'env',
    fields: { ...PLAIN, typeNeeded: true, timeouts: [{ key: 'timeout', unit: 's' }] },
    files: [
      inFolder('.roo/mcp.json'),
      ...inEditions('globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
    ],
  },
  {
    id: 'continue',
    label: 'Continue',
    root: MCP_SERVERS,
    syntax: 'yaml',
    variables: 'secrets',
    list: true,
    fields: {
      ...PLAIN,
      headers: ['requestOptions.headers', 'headers'],
      timeouts: [
        { key: 'connectionTimeout', unit: 'ms' },
        { key: 'timeout', unit: 'ms' },
      ],
      bearer: 'apiKey',
    },
    files: [
      inFolder('.continue/mcpServers/*.yaml'),
      inFolder('.continue/mcpServers/*.yml'),
      inFolder('.continue/mcpServers/*.json', { syntax: 'json', variables: 'shell', bare: true }),
      inHome('.continue/config.yaml', { shared: true }),
    ],
  },
  {
    id: 'junie',
    label: 'JetBrains Junie',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'none',
    fields: PLAIN,
    files: [inFolder('.junie/mcp/mcp.json'), inHome('.junie/mcp/mcp.json')],
  },
  {
    id: 'opencode',
    label: 'opencode',
    root: ['mcp'],
    syntax: 'jsonc',
    variables: 'braces',
    fields: { ...PLAIN, env: ['environment', 'env'] },
    files: [
      inFolder('opencode.json', { shared: true }),
      inFolder('opencode.jsonc', { shared: true }),
      inFolder('.opencode/opencode.json', { shared: true }),
      inFolder('.opencode/opencode.jsonc', { shared: true }),
      inFolder('.agents/mcp.json', { bare: true }),
      { anchor: 'xdg', path: 'opencode/opencode.json', shared: true },
      { anchor: 'xdg', path: 'opencode/opencode.jsonc', shared: true },
      inHome('.agents/mcp.json', { bare: true }),
    ],
  },
  {
    id: 'amazon-q',
    label: 'Amazon Q Developer',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'env',
    fields: PLAIN,
    files: [
      inFolder('.amazonq/default.json', { shared: true }),
      inFolder('.amazonq/agents/default.json', { shared: true }),
      inFolder('.amazonq/mcp.json'),
      inFolder('.amazonq/cli-agents/*.json', { shared: true }),
      inHome('.aws/amazonq/default.json', { shared: true }),
      inHome('.aws/amazonq/agents/default.json', { shared: true }),
      inHome('.aws/amazonq/mcp.json'),
      inHome('.aws/amazonq/cli-agents/*.json', { shared: true }),
    ],
  },
  {
    id: 'kiro',
    label: 'Kiro',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'shell',
    fields: PLAIN,
    files: [
      inFolder('.kiro/settings/mcp.json'),
      inFolder('.kiro/agents/*.json', { shared: true }),
      inHome('.kiro/settings/mcp.json'),
      inHome('.kiro/agents/*.json', { shared: true }),
    ],
  },
  {
    id: 'lm-studio',
    label: 'LM Studio',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'none',
    fields: PLAIN,
    files: [inHome('.lmstudio/mcp.json'), inHome('.cache/lm-studio/mcp.json')],
  },
  {
    id: 'copilot-cli',
    label: 'Copilot CLI',
    root: MCP_SERVERS,
    syntax: 'json',
    variables: 'dollar',
    fields: { ...PLAIN, include: ['tools'], exclude: [] },
    files: [
      inFolder('.github/mcp.json'),
      inHome('.copilot/mcp-config.json', { moved: { variable: 'COPILOT_HOME', path: 'mcp-config.json' } }),
    ],
  },
];

/** A file with the gaps filled from its row: all that a reader needs. */
export interface FileDialect {
  readonly dialect: Dialect;
  readonly file: ConfigFile;
  readonly root: readonly string[];
  readonly syntax: FileSyntax;
  readonly variables: VariableSyntax;
}

export function fileDialect(dialect: Dialect, file: ConfigFile): FileDialect {
  return {
    dialect,
    file,
    root: file.root ?? dialect.root,
    syntax: file.syntax ?? dialect.syntax,
    variables: file.variables ?? dialect.variables,
  };
}
