/** Variables in a server's definition: where values come from, what is missing, what is masked. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerDefinition } from '../../../../src/scripts/node/server-config.ts';
import { parseEnvFile, resolveServer, Variables } from '../../../../src/scripts/node/variables.ts';

let project = '';
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'mochi-variables-'));
  mkdirSync(join(project, 'more'));
  writeFileSync(join(project, '.env'), 'FROM_FILE=file value\nBOTH=file\n');
  writeFileSync(join(project, 'more', 'editor.env'), 'FROM_EDITOR="editor value"\nBOTH=editor\n');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

function variables(env: Record<string, string> = {}): Variables {
  const all = { MOCHI_ENV_FILE: join(project, 'more', 'editor.env'), SET: 'a value', EMPTY: '', BOTH: 'shell', ...env };
  return new Variables({ env: all, project, home: '/home/me', separator: '/' });
}

const ROWS: readonly (readonly [string, string])[] = [
  ['${SET}', 'a value'],
  ['x${SET}y${SET}z', 'xa valueya valuez'],
  ['${env:SET}', 'a value'],
  ['${FROM_FILE} ${FROM_EDITOR} ${BOTH}', 'file value editor value shell'],
  ['${NONE:-default}', 'default'],
  ['${EMPTY:-default}', 'default'],
  ['[${EMPTY}]', '[]'],
  ['${NONE:-${ALSO_NONE:-${SET}}}', 'a value'],
  ['${NONE:-}', ''],
  ['$${SET}', '${SET}'],
  ['$SET and ${', '$SET and ${'],
  ['${userHome}${pathSeparator}x', '/home/me/x'],
  ['${not a name}', '${not a name}'],
];

describe('Variables', () => {
  for (const [text, wanted] of ROWS)
    test(`${text} becomes ${wanted}`, () => expect(variables().expand(text)).toBe(wanted));

  test('the workspace is the project', () => {
    expect(variables().expand('${workspaceFolder}|${workspaceFolder:any}')).toBe(`${project}|${project}`);
    expect(variables().expand('${workspaceFolderBasename}')).toMatch(/^mochi-variables-/);
  });

  test('an input is looked up as a variable, under its own prefix first', () => {
    expect(variables({ API_KEY: 'plain' }).expand('${input:api-key}')).toBe('plain');
    expect(variables({ API_KEY: 'plain', MOCHI_INPUT_API_KEY: 'own' }).expand('${input:api-key}')).toBe('own');
  });

  test('every name without a value is collected once', () => {
    const found = variables();
    found.expand('${A} ${B} ${A} ${input:api-key} ${constructor}');
    expect([...found.missing]).toEqual(['A', 'B', 'API_KEY', 'constructor']);
  });

  test('values are masked wherever they turn up', () => {
    const found = variables({ TOKEN: 'se cret/1' });
    found.expand('${TOKEN}');
    expect(found.mask('got se cret/1 and se%20cret%2F1')).toBe('got *** and ***');
  });
});

const STDIO: ServerDefinition & { kind: 'stdio' } = {
  kind: 'stdio',
  name: 'x',
  command: '${SET}',
  args: ['${A}', '${B:-b}'],
  env: [
    ['KEY', '${C}'],
    ['GONE', null],
  ],
  cwd: undefined,
  envFile: undefined,
  timeoutMs: undefined,
};

describe('A definition', () => {
  test('that lacks values names them all and shows none', () => {
    expect(() => resolveServer(STDIO, variables(), project)).toThrow(
      expect.objectContaining({ kind: 'unresolved-variable', message: 'not set: A, C' }),
    );
  });

  test('is resolved into what is started', () => {
    const target = resolveServer({ ...STDIO, cwd: 'sub', envFile: '.env' }, variables({ A: '1', C: '2' }), project);
    expect(target).toMatchObject({ kind: 'stdio', command: 'a value', args: ['1', 'b'], cwd: join(project, 'sub') });
    expect(target.kind === 'stdio' && [...target.env]).toEqual([
      ['FROM_FILE', 'file value'],
      ['BOTH', 'file'],
      ['KEY', '2'],
      ['GONE', null],
    ]);
  });

  const http = (url: string, value = 'v'): ServerDefinition => ({
    kind: 'http',
    name: 'x',
    url,
    headers: [['X-Token', value]],
    sse: false,
    timeoutMs: undefined,
  });

  test('with a password in its address sends it as a header', () => {
    const target = resolveServer(http('https://me:p%40ss@host.example/mcp'), variables(), project);
    expect(target.kind === 'http' && [target.url.href, target.headers.get('Authorization')]).toEqual([
      'https://host.example/mcp',
      `Basic ${Buffer.from('me:p@ss').toString('base64')}`,
    ]);
  });

  for (const url of ['file:///etc/passwd', 'javascript:alert(1)', 'nothing']) {
    test(`with the address ${url} is refused`, () => {
      expect(() => resolveServer(http(url), variables(), project)).toThrow(/is no http\(s\) address/);
    });
  }

  test('with a line end in a header is refused', () => {
    expect(() => resolveServer(http('http://x/', 'a\r\nEvil: 1'), variables(), project)).toThrow(/line end/);
  });
});

describe('Env files', () => {
  test('are read as the usual tools read them', () => {
    const text = '\uFEFF# note\nA=1\r\nexport B = two words # note\nC="x\\ny" # z\nD=\'#raw\'\nE=\nbad line\nF=a#b\n';
    expect([...parseEnvFile(text)]).toEqual([
      ['A', '1'],
      ['B', 'two words'],
      ['C', 'x\ny'],
      ['D', '#raw'],
      ['E', ''],
      ['F', 'a#b'],
    ]);
  });
});
