/** One file: encodings, syntax errors, wrong roots, every shape of an entry, names, limits. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SERVERS, type ParsedConfig, parseConfig } from '#core/config/parse.ts';
import { DIALECTS, fileDialect } from '#core/config/sources.ts';
import type { ProblemKind } from '#core/problem.ts';

function parse(
  dialect: string,
  content: string | Uint8Array,
  options: { bare?: boolean; file?: number } = {},
): ParsedConfig {
  const row = DIALECTS.find(({ id }) => id === dialect);
  const own = { 'claude-code': 1, continue: 0 }[dialect] ?? 0;
  const file = row?.files[options.file ?? own];
  if (row === undefined || file === undefined) throw new Error(`No row ${dialect}`);
  return parseConfig(typeof content === 'string' ? new TextEncoder().encode(content) : content, {
    source: {
      id: `${dialect}:/ws/f`,
      dialect,
      label: row.label,
      path: '/ws/f',
      display: 'f',
      scope: 'folder',
      folder: '/ws',
    },
    form: fileDialect(row, file),
    platform: 'linux',
    bare: options.bare ?? false,
  });
}

const entry = (value: unknown): string => JSON.stringify({ mcpServers: { s: value, good: { command: 'good' } } });
const kinds = (parsed: ParsedConfig): readonly string[] =>
  parsed.problems.map(({ kind, severity }) => `${kind} ${severity}`);
const names = (parsed: ParsedConfig): readonly string[] => parsed.servers.map(({ name }) => name);

function utf16(text: string, big: boolean, mark: boolean): Uint8Array {
  const bytes = Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le');
  return new Uint8Array(big ? bytes.swap16() : bytes);
}

describe('the encoding of a file', () => {
  const text = '{ "mcpServers": { "é": { "command": "x" } } }';
  const cases: readonly [string, Uint8Array, readonly string[]][] = [
    ['UTF-8', new TextEncoder().encode(text), []],
    ['UTF-8 with a mark', new TextEncoder().encode(`\ufeff${text}`), []],
    ['UTF-16 LE with a mark', utf16(text, false, true), ['config-encoding warning']],
    ['UTF-16 BE with a mark', utf16(text, true, true), ['config-encoding warning']],
    ['UTF-16 LE', utf16(text, false, false), ['config-encoding warning']],
    ['UTF-16 BE', utf16(text, true, false), ['config-encoding warning']],
  ];
  it.each(cases)('may be %s', (_name, bytes, problems) => {
    const parsed = parse('claude-code', bytes);
    expect(names(parsed)).toEqual(['é']);
    expect(parsed.servers[0]?.at).toEqual({ file: 'f', line: 1, column: 19 });
    expect(kinds(parsed)).toEqual(problems);
  });

  it('is refused with the place of the bad byte', () => {
    const bytes = new TextEncoder().encode('{\n  "a": "??"\n}');
    bytes[bytes.indexOf(63)] = 0xff;
    const parsed = parse('claude-code', bytes);
    expect(parsed.problems).toMatchObject([{ kind: 'config-encoding', severity: 'error', at: { line: 2, column: 9 } }]);
  });

  it('is refused for UTF-16 that breaks off', () => {
    expect(kinds(parse('claude-code', utf16(text, true, true).slice(0, -1)))).toEqual(['config-encoding error']);
  });

  it.each(['\n', '\r\n', '\r'])('counts lines that end in %j', (end) => {
    const parsed = parse('vscode', `{${end}"servers":${end}{${end}  "a": { "command": "x" }${end}}${end}}`);
    expect(parsed.servers[0]?.at).toEqual({ file: 'f', line: 4, column: 3 });
  });
});

describe('the syntax of a file', () => {
  const commented = '// hi\n{ "mcpServers": { "a": { "command": "x", }, /* there */ } }';
  it('may hold comments and trailing commas, which are reported once each where the client is strict', () => {
    const strict = parse('claude-code', commented);
    expect(names(strict)).toEqual(['a']);
    expect(strict.problems.map(({ kind, at }) => [kind, at?.line, at?.column])).toEqual([
      ['config-comment', 1, 1],
      ['config-comment', 2, 42],
    ]);
    expect(kinds(parse('vscode', commented.replace('mcpServers', 'servers')))).toEqual([]);
  });

  const broken: readonly [string, string, ProblemKind, number, number][] = [
    ['claude-code', '{\n  "mcpServers": {\n    "a": {}\n    "b": {}\n  }\n}', 'config-syntax', 4, 5],
    ['claude-code', '{ "mcpServers": ', 'config-syntax', 1, 17],
    ['claude-code', '', 'config-syntax', 1, 1],
    ['claude-code', ' \n ', 'config-syntax', 2, 2],
    ['claude-code', '{} {}', 'config-syntax', 1, 4],
    ['claude-code', '{ "a\\', 'config-syntax', 1, 3],
    ['claude-code', '{ "a\\u1', 'config-syntax', 1, 3],
    ['claude-code', '{ /*', 'config-syntax', 1, 3],
    ['vscode', '/*', 'config-syntax', 1, 1],
    ['claude-code', "{ 'a': 1 }", 'config-syntax', 1, 3],
    ['codex', 'a = 1\n[mcp_servers.x\n', 'config-syntax', 2, 15],
    ['codex', 'a = 1\na = 2\n', 'config-syntax', 2, 1],
    ['codex', `a = ${'['.repeat(200)}${']'.repeat(200)}`, 'config-too-deep', 1, 69],
    ['codex', `[${'a.'.repeat(5000)}b]`, 'config-too-deep', 1, 1],
    ['continue', 'a: [1,\nb: }', 'config-syntax', 2, 1],
    ['continue', 'a: &a [*a]\n', 'config-too-deep', 1, 8],
    ['continue', 'a: *nothing\n', 'config-syntax', 1, 4],
    ['continue', '', 'config-syntax', 1, 1],
    ['claude-code', `{"mcpServers":${'['.repeat(10_000)}`, 'config-too-deep', 1, 78],
    ['claude-code', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 'config-too-deep', 1, 321],
  ];
  const titled = broken.map((row) => [row[0], row[1].slice(0, 30), ...row] as const);
  it.each(titled)(
    'in %s that begins %j is reported with line and column',
    (_row, _title, dialect, text, kind, line, column) => {
      const parsed = parse(dialect, text);
      expect(parsed.servers).toEqual([]);
      expect(parsed.problems).toMatchObject([{ kind, severity: 'error', at: { file: 'f', line, column } }]);
      expect(parsed.problems[0]?.remedy).toBeTruthy();
    },
  );

  const endless: readonly [string, number, number][] = [
    [`a: ${'['.repeat(20_000)}`, 1, 68],
    [`a:\n  ${'- '.repeat(20_000)}x`, 2, 131],
    [`${'? '.repeat(20_000)}x`, 1, 129],
  ];
  it.each(endless.map((row) => [row[0].slice(0, 12), ...row] as const))(
    'is refused for YAML that nests without end, as %j does',
    (_title, text, line, column) => {
      const { problems } = parse('continue', text);
      expect(problems).toMatchObject([{ kind: 'config-too-deep', severity: 'error', at: { file: 'f', line, column } }]);
    },
  );

  it('never has a secret of the file in its message', () => {
    const secret = ['ghp', 'x'.repeat(36)].join('_');
    for (const [dialect, text] of [
      ['claude-code', `{ "a": ${secret} }`],
      ['codex', `a = ${secret}`],
      ['continue', `a: [${secret}\nb: '${secret}`],
    ] as const) {
      expect(JSON.stringify(parse(dialect, text).problems)).not.toContain(secret);
    }
  });

  it('may repeat aliases and merge keys without growing without end', () => {
    const lists = Array.from({ length: 60 }, (_, at) => `l${at + 1}: &l${at + 1} [${`*l${at}, `.repeat(9)}*l${at}]`);
    const maps = Array.from(
      { length: 60 },
      (_, at) => `m${at + 1}: &m${at + 1} { <<: [${`*m${at}, `.repeat(9)}*m${at}] }`,
    );
    const text = [
      'l0: &l0 [x]',
      ...lists,
      'm0: &m0 { a: 1, b: 2 }',
      ...maps,
      'mcpServers: [{ name: a, command: x }]',
    ].join('\n');
    expect(names(parse('continue', text))).toEqual(['a']);
    const wide = `a: &a { ${Array.from({ length: 1000 }, (_, at) => `k${at}: 1`).join(', ')} }\n`;
    const many = Array.from({ length: 100 }, (_, at) => `b${at}: { <<: *a }`).join('\n');
    expect(kinds(parse('continue', wide + many))).toEqual(['config-too-large error']);
  });

  const wholes: readonly [string, string][] = [
    ['claude-code', 'claude-code/folder/.mcp.json'],
    ['vscode', 'vscode/folder/.vscode/mcp.json'],
    ['codex', 'codex/folder/.codex/config.toml'],
    ['continue', 'continue/folder/.continue/mcpServers/tools.yaml'],
    ['opencode', 'opencode/folder/opencode.json'],
    ['zed', 'zed/folder/.zed/settings.json'],
  ];
  it.each(wholes)('of %s may break off at any byte without an exception', (dialect, path) => {
    const bytes = new Uint8Array(readFileSync(`test/fixtures/configs/${path}`));
    for (let length = 0; length < bytes.length; length += 1) {
      const parsed = parse(dialect, bytes.subarray(0, length));
      if (parsed.servers.length === 0 && dialect !== 'codex' && dialect !== 'continue' && length < bytes.length - 2) {
        expect(parsed.problems[0]).toMatchObject({ kind: 'config-syntax', at: { file: 'f' } });
      }
    }
  });
});

describe('the root of a file', () => {
  const map = { a: { command: 'x' } };
  const cases: readonly [string, unknown, string, string | RegExp][] = [
    ['claude-code', { servers: map }, 'error', 'Rename `servers` to `mcpServers`.'],
    ['vscode', { mcpServers: map }, 'error', 'Rename `mcpServers` to `servers`.'],
    ['cursor', { servers: map }, 'error', 'Rename `servers` to `mcpServers`.'],
    ['cursor', { mcp: { servers: map } }, 'error', 'Rename `mcp.servers` to `mcpServers`.'],
    ['cursor', { 'mcp-servers': map }, 'error', 'Rename `mcp-servers` to `mcpServers`.'],
    ['zed', { mcpServers: map }, 'error', 'Rename `mcpServers` to `context_servers`.'],
    ['opencode', { mcpServers: map }, 'error', 'Rename `mcpServers` to `mcp`.'],
    ['claude-code', map, 'error', 'Wrap them in `mcpServers`.'],
    ['claude-code', { mcpServers: {}, servers: map }, 'warning', /or remove it/],
  ];
  it.each(cases)(
    'in %s that is %j lists the servers, switched off, and says how to fix it',
    (dialect, value, severity, remedy) => {
      const parsed = parse(dialect, JSON.stringify(value));
      expect(parsed.servers.map(({ name, disabled }) => [name, disabled])).toEqual([['a', true]]);
      expect(parsed.ignored.size).toBe(1);
      expect(parsed.problems).toMatchObject([
        { kind: 'config-wrong-root', severity, remedy: expect.stringMatching(remedy) },
      ]);
      expect(parsed.problems[0]?.at?.line).toBe(1);
    },
  );

  const empty: readonly [string, string, readonly string[]][] = [
    ['claude-code', '{}', []],
    ['claude-code', '{ "mcpServers": {} }', []],
    ['claude-code', '{ "mcpServers": null }', []],
    ['claude-code', '{ "theme": 1 }', ['config-wrong-root warning']],
    ['claude-code', '{ "mcpServers": [] }', ['config-wrong-root error']],
    ['claude-code', '[]', ['config-wrong-root error']],
    ['claude-code', '"x"', ['config-wrong-root error']],
    ['zed', '{ "theme": 1 }', []],
    ['gemini-cli', '{ "mcp": { "allowed": ["x"] } }', []],
  ];
  it.each(empty)('in %s that is %s names no server and reports %j', (dialect, text, expected) => {
    const parsed = parse(dialect, text);
    expect(parsed.servers).toEqual([]);
    expect(kinds(parsed)).toEqual(expected);
  });

  it('may be missing where a plugin gives the bare map', () => {
    const parsed = parse('claude-code', JSON.stringify(map), { bare: true });
    expect(parsed.servers.map(({ disabled }) => disabled)).toEqual([false]);
    expect(kinds(parsed)).toEqual([]);
  });

  it('may be a path in a plugin manifest, which is silent only for the file that is read anyway', () => {
    expect(kinds(parse('claude-code', '{ "name": "p", "mcpServers": "./.mcp.json" }', { file: 3 }))).toEqual([]);
    expect(kinds(parse('claude-code', '{ "name": "p", "mcpServers": "./other.json" }', { file: 3 }))).toEqual([
      'entry-unsupported warning',
    ]);
  });
});

describe('an entry that cannot be used', () => {
  const cases: readonly [string, unknown, RegExp][] = [
    ['claude-code', {}, /neither a command nor a URL/],
    ['claude-code', null, /null, not an object/],
    ['claude-code', [], /a list, not an object/],
    ['claude-code', 'npx x', /a string, not an object/],
    ['claude-code', { command: 'x', url: 'https://a.example' }, /both/],
    ['claude-code', { command: 7 }, /a number/],
    ['claude-code', { command: '' }, /`command` is empty/],
    ['claude-code', { command: [] }, /`command` is empty/],
    ['claude-code', { command: 'a\0b' }, /null character/],
    ['claude-code', { command: 'x', args: '-y x' }, /`args` is a string/],
    ['claude-code', { command: 'x', args: { 0: 'a' } }, /`args` is an object/],
    ['claude-code', { command: 'x', args: ['a', null] }, /holds null/],
    ['claude-code', { command: 'x', env: ['A=b'] }, /`env` is a list/],
    ['claude-code', { command: 'x', env: { A: { b: 1 } } }, /"A" is an object/],
    ['claude-code', { command: 'x', env: { 'A=B': '1' } }, /"A=B" is no valid name/],
    ['claude-code', { command: 'x', cwd: 1 }, /`cwd`/],
    ['claude-code', { type: 'http', url: '' }, /empty/],
    ['claude-code', { type: 'http', url: 'file:///etc/passwd' }, /`file:`/],
    ['claude-code', { type: 'http', url: 'javascript:alert(1)' }, /`javascript:`/],
    ['claude-code', { type: 'http', url: 'data:text/plain,x' }, /`data:`/],
    ['claude-code', { type: 'http', url: 'vscode://x' }, /`vscode:`/],
    ['claude-code', { type: 'http', url: 'example.com/mcp' }, /not an absolute/],
    ['claude-code', { type: 'http', url: 'https://a b' }, /a space/],
    ['claude-code', { type: 'http', url: 'https://a\nb' }, /control character/],
    ['claude-code', { type: 'http', url: 'https://' }, /not a valid address/],
    ['claude-code', { type: 'http', url: 'https:///x' }, /not a valid address/],
    ['claude-code', { type: 'http', url: ['https://a.example'] }, /a list, not a string/],
    ['claude-code', { type: 'stdio', url: 'https://a.example' }, /asks for a command/],
    ['claude-code', { type: 'http', command: 'x' }, /asks for a URL/],
    ['claude-code', { type: 1, command: 'x' }, /`type` is a number/],
    ['claude-code', { type: 'http', url: 'https://a.example', headers: { A: 'b\r\nC: d' } }, /"A"/],
    ['claude-code', { type: 'http', url: 'https://a.example', headers: { 'A b': 'c' } }, /"A b"/],
    ['claude-code', { type: 'http', url: 'https://a.example', headers: { A: ['b'] } }, /a list as value/],
    ['claude-code', { type: 'http', url: 'https://a.example', headers: 'A: b' }, /`headers` is a string/],
    ['claude-code', { serverUrl: 'https://a.example' }, /does not read `serverUrl`/],
    ['claude-code', { httpUrl: 'https://a.example' }, /does not read `httpUrl`/],
  ];
  it.each(cases)('in %s, %j, is reported with its place and costs no other', (dialect, value, message) => {
    const parsed = parse(dialect, entry(value));
    expect(names(parsed)).toEqual(['good']);
    expect(parsed.problems).toMatchObject([
      {
        kind: 'entry-invalid',
        severity: 'error',
        server: 's',
        message: expect.stringMatching(message),
        at: { file: 'f', line: 1 },
      },
    ]);
    expect(parsed.problems[0]?.remedy).toBeTruthy();
  });

  const unsupported: readonly [unknown][] = [
    [{ type: 'ws', url: 'wss://a.example' }],
    [{ type: 'sdk' }],
    [{ type: 'http', url: 'unix:///tmp/x.sock#/mcp' }],
    [{ type: 'http', url: 'pipe:///x' }],
    [{ type: 'http', url: 'ws://a.example' }],
    [{ disabled: true }],
  ];
  it.each(unsupported)('%j is named as not supported', (value) => {
    const parsed = parse('claude-code', entry(value));
    expect(names(parsed)).toEqual(['good']);
    expect(kinds(parsed)).toEqual(['entry-unsupported warning']);
  });
});

describe('an entry', () => {
  const stdio = { kind: 'stdio', command: 'x', args: [], env: {} };
  const web = 'https://a.example/mcp';
  const cases: readonly [string, unknown, unknown, readonly string[]][] = [
    ['claude-code', { command: 'x' }, { endpoint: stdio, disabled: false }, []],
    ['claude-code', { command: 'x', args: [1, true, 'a'] }, { endpoint: { ...stdio, args: ['1', 'true', 'a'] } }, []],
    ['claude-code', { command: ['x', 'a'], args: ['b'] }, { endpoint: { ...stdio, args: ['a', 'b'] } }, []],
    [
      'claude-code',
      { command: 'x a "b c"' },
      { endpoint: { ...stdio, args: ['a', 'b c'] } },
      ['entry-invalid warning'],
    ],
    ['claude-code', { command: '/opt/my tool/x' }, { endpoint: { ...stdio, command: '/opt/my tool/x' } }, []],
    ['claude-code', { command: 'x', url: null }, { endpoint: stdio }, []],
    [
      'claude-code',
      { command: 'x', env: { A: 1, B: null, C: true } },
      { endpoint: { ...stdio, env: { A: '1', B: null, C: 'true' } } },
      [],
    ],
    [
      'claude-code',
      { url: web },
      { endpoint: { kind: 'http', url: web, headers: {}, sseFallback: true } },
      ['entry-invalid warning'],
    ],
    ['claude-code', { type: 'http', url: web }, { endpoint: { kind: 'http', sseFallback: false } }, []],
    ['claude-code', { type: 'Streamable_HTTP', url: web }, { endpoint: { kind: 'http', sseFallback: false } }, []],
    ['claude-code', { transport: 'sse', url: web }, { endpoint: { kind: 'sse' } }, []],
    ['claude-code', { transportType: 'streamable-http', url: web }, { endpoint: { kind: 'http' } }, []],
    ['claude-code', { type: 'http', url: '${BASE}/mcp' }, { endpoint: { url: '${BASE}/mcp' } }, []],
    [
      'claude-code',
      { type: 'http', url: 'https://${HOST}:${PORT:-80}/x' },
      { endpoint: { url: 'https://${HOST}:${PORT:-80}/x' } },
      [],
    ],
    [
      'claude-code',
      { type: 'http', url: web, headersHelper: 'get' },
      { endpoint: { url: web } },
      ['entry-unsupported warning'],
    ],
    ['claude-code', { command: 'x', disabled: 'yes' }, { disabled: false }, ['entry-invalid warning']],
    ['claude-code', { command: 'x', timeout: 'soon' }, { endpoint: stdio }, ['entry-invalid warning']],
    ['claude-code', { command: 'x', timeout: 1500 }, { timeoutMs: 1500 }, []],
    ['claude-code', { command: 'x', includeTools: ['a', 1] }, { includeTools: ['a'] }, ['entry-invalid warning']],
    ['cline', { url: web }, { endpoint: { kind: 'sse' } }, []],
    ['cline', { url: web, type: 'streamableHttp', timeout: 2 }, { endpoint: { kind: 'http' }, timeoutMs: 2000 }, []],
    ['cursor', { url: web }, { endpoint: { kind: 'http', sseFallback: true } }, []],
    [
      'cursor',
      { command: 'sh', args: ['-c', 'echo ${HOME}'] },
      { endpoint: { args: ['-c', 'echo $${HOME}'] } },
      ['variable-unknown info'],
    ],
    [
      'cursor',
      { command: 'x', args: ['${foo:bar}', '${foo:bar}'] },
      { endpoint: { args: ['$${foo:bar}', '$${foo:bar}'] } },
      ['variable-unknown warning'],
    ],
    ['gemini-cli', { url: web }, { endpoint: { kind: 'sse' } }, []],
    [
      'gemini-cli',
      { httpUrl: web, url: 'https://other.example' },
      { endpoint: { kind: 'http', url: web, sseFallback: false } },
      [],
    ],
    ['claude-desktop', { url: web }, { endpoint: { kind: 'http' } }, ['entry-invalid warning']],
    ['copilot-cli', { command: 'x', tools: [] }, { includeTools: [] }, []],
    ['copilot-cli', { command: 'x', tools: '*' }, { endpoint: stdio }, []],
    [
      'claude-code',
      { command: 'npx', args: ['-y', 'pkg'] },
      { endpoint: { command: 'npx' } },
      ['package-unpinned info'],
    ],
    [
      'claude-code',
      { command: 'npx', args: ['-y', 'github:a/b'] },
      { endpoint: { command: 'npx' } },
      ['package-unpinned warning'],
    ],
  ];
  it.each(cases)('in %s, %j, gives %j', (dialect, value, expected, problems) => {
    const parsed = parse(dialect, entry(value));
    expect(parsed.servers[0]).toMatchObject({ name: 's', ...(expected as object) });
    expect(kinds(parsed)).toEqual(problems);
    expect(names(parsed)).toEqual(['s', 'good']);
  });

  it('that refers to an input which is not there is reported', () => {
    const parsed = parse('vscode', '{ "servers": { "s": { "url": "https://a.example/${input:x}" } } }');
    expect(kinds(parsed)).toEqual(['variable-unknown warning']);
  });

  it('never waits for an input that is malformed', () => {
    const inputs = [
      { type: 'promptString' },
      { id: 'a', type: 'guess' },
      7,
      { id: 'b', type: 'command', command: 'x' },
    ];
    const parsed = parse('vscode', JSON.stringify({ inputs, servers: { s: { command: '${input:b}' } } }));
    expect(kinds(parsed)).toEqual(Array.from({ length: 3 }, () => 'entry-invalid warning'));
    expect(parsed.servers[0]?.inputs).toEqual([{ id: 'b', kind: 'command', description: '', password: false }]);
  });

  it('never has its values in a message', () => {
    const secret = ['sk', 'q'.repeat(40)].join('-');
    for (const value of [
      { command: 'x', env: { A: [secret] }, args: secret },
      { type: 'http', url: `file:${secret}`, headers: { A: secret } },
      { type: 'http', url: `https://user:${secret}@`, headers: { A: `${secret}\n` } },
      { command: 'x', args: [`\${TOKEN:${secret}}`] },
      { command: 'npx', args: [`git+https://x:${secret}@a.example/b.git`] },
    ]) {
      expect(JSON.stringify(parse('claude-code', entry(value)).problems)).not.toContain(secret);
    }
  });
});

describe('the name of a server', () => {
  const cases: readonly [string, readonly string[]][] = [
    ['', ['entry-name warning']],
    ['  ', ['entry-name warning']],
    ['a\u0007b', ['entry-name warning']],
    ['x'.repeat(201), ['entry-name warning']],
    ['workspace', ['entry-name warning']],
    ['Claude Browser', ['entry-name warning']],
    ['../../x', []],
    ['a/b', []],
    ['CON', []],
    ['emoji 🎨', []],
    ['\u202eabc', []],
    ['__proto__', []],
    ['constructor', []],
    ['toString', []],
  ];
  it.each(cases)('%j is kept as it is spelt and reports %j', (name, problems) => {
    const parsed = parse('claude-code', `{ "mcpServers": { ${JSON.stringify(name)}: { "command": "x" } } }`);
    expect(names(parsed)).toEqual([name]);
    expect(parsed.servers[0]?.id).toBe(`claude-code:/ws/f#${name}`);
    expect(kinds(parsed)).toEqual(problems);
  });

  it('that appears twice counts once, with the last entry', () => {
    const parsed = parse('claude-code', '{ "mcpServers": {\n"a": { "command": "one" },\n"a": { "command": "two" } } }');
    expect(parsed.servers).toMatchObject([{ name: 'a', endpoint: { command: 'two' } }]);
    expect(parsed.problems).toMatchObject([{ kind: 'entry-duplicate', at: { line: 2, column: 1 }, server: 'a' }]);
  });

  it('may be a key of every object without touching any', () => {
    const text = '{"mcpServers":{"__proto__":{"command":"x","env":{"__proto__":"1","constructor":"2"},"polluted":1}}}';
    const parsed = parse('claude-code', text);
    const [server] = parsed.servers;
    const env = server?.endpoint.kind === 'stdio' ? server.endpoint.env : {};
    expect(Object.entries(env)).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
    const toml = parse('codex', '[mcp_servers.__proto__]\ncommand = "x"\nenv = { "__proto__" = "1" }\n');
    expect(names(toml)).toEqual(['__proto__']);
    const yaml = parse('continue', 'mcpServers:\n  - name: __proto__\n    command: x\n    env: { __proto__: "1" }\n');
    expect(names(yaml)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(({} as Record<string, unknown>)['command']).toBeUndefined();
  });
});

describe('the limits of a file', () => {
  it('are 5 MB', () => {
    const parsed = parse('claude-code', `{"a":"${'x'.repeat(5_000_000)}"}`);
    expect(parsed.problems).toMatchObject([{ kind: 'config-too-large', severity: 'error', at: { file: 'f' } }]);
  });

  it('are a million characters for YAML, whose parser is slow', () => {
    expect(kinds(parse('continue', `a: ${'x'.repeat(1_000_000)}`))).toEqual(['config-too-large error']);
  });

  it('are two thousand servers, the first of which are read', () => {
    const many = Array.from({ length: 60_000 }, (_, index) => [`s${index}`, { command: 'x' }]);
    const parsed = parse('claude-code', JSON.stringify({ mcpServers: Object.fromEntries(many) }));
    expect(parsed.servers).toHaveLength(MAX_SERVERS);
    expect(kinds(parsed)).toEqual(['config-too-large error']);
  });
});

describe('any content', () => {
  const ids = DIALECTS.map(({ id }) => id);
  const before = Object.getOwnPropertyNames(Object.prototype);
  const keys = fc.constantFrom(
    'mcpServers',
    'servers',
    'mcp',
    'command',
    'url',
    'args',
    'env',
    'type',
    '__proto__',
    'constructor',
    'headers',
    'transport',
    'x',
  );
  const tree = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom<unknown>('x', '', null, true, 3, 'https://a.example', '${A}', '${env:B}'),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.array(fc.tuple(keys, tie('node')), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs)),
    ),
  })).node;

  it.each(ids)('of a %s file gives a result, never an exception, and leaves prototypes alone', (id) => {
    fc.assert(
      fc.property(
        fc.oneof(
          tree.map((value) => JSON.stringify(value)),
          fc.string(),
          fc.json(),
        ),
        (text) => {
          const parsed = parse(id, text);
          for (const problem of parsed.problems) expect(problem.at?.line).toBeGreaterThan(0);
          expect(JSON.parse(JSON.stringify(parsed.servers))).toEqual(parsed.servers);
        },
      ),
      { numRuns: 150 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void parse(id, bytes)),
      { numRuns: 100 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});
