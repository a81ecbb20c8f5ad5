import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Endpoint, Input, Server } from '../../../src/core/model.ts';
import { OperationError } from '../../../src/core/problem.ts';
import { inputVariable, resolveEndpoint } from '../../../src/node/resolve-endpoint.ts';

const folder = mkdtempSync(join(tmpdir(), 'mochi-resolve-'));
writeFileSync(join(folder, '.env'), 'FROM_FILE=file\nBOTH=file\n');

function server(endpoint: Endpoint, inputs: readonly Input[] = []): Server {
  const source = {
    id: 's',
    dialect: 'd',
    label: 'D',
    path: join(folder, '.mcp.json'),
    display: '.mcp.json',
    scope: 'folder',
    folder,
  } as const;
  return { id: 's#x', name: 'x', source, at: { file: '.mcp.json' }, endpoint, disabled: false, inputs };
}

const stdio = (...args: readonly string[]): Endpoint => ({ kind: 'stdio', command: 'x', args, env: {} });
const input = (kind: Input['kind'], more: Partial<Input> = {}): Input => ({
  id: 'api key',
  kind,
  description: '',
  password: true,
  ...more,
});

async function argsOf(
  of: Server,
  env: Record<string, string> = {},
  answer?: (asked: Input) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const resolved = await resolveEndpoint(of, {
    env,
    home: '/home/user',
    folders: [folder, '/other/place'],
    ...(answer === undefined ? {} : { answer }),
  });
  return resolved.kind === 'stdio' ? resolved.args : [];
}

describe('resolving a definition', () => {
  it('takes the environment before the .env file, and defaults last', async () => {
    const args = await argsOf(server(stdio('${BOTH}', '${FROM_FILE}', '${NONE:-fallback}', '$${LITERAL}')), {
      BOTH: 'env',
    });
    expect(args).toEqual(['env', 'file', 'fallback', '${LITERAL}']);
  });

  it('knows the places of the workspace', async () => {
    const args = await argsOf(
      server(stdio('${workspaceFolder}', '${workspaceFolder:place}', '${userHome}', '${pathSeparator}')),
    );
    expect(args).toEqual([folder, '/other/place', '/home/user', sep]);
  });

  it('knows the folders that Claude Code names by itself', async () => {
    const args = await argsOf(server(stdio('${CLAUDE_PROJECT_DIR:-.}', '${CLAUDE_PLUGIN_ROOT}/server.js')));
    expect(args).toEqual([folder, `${folder}/server.js`]);
    expect(await argsOf(server(stdio('${CLAUDE_PROJECT_DIR}')), { CLAUDE_PROJECT_DIR: '/set' })).toEqual(['/set']);
  });

  it('asks for inputs once they are needed, the environment first, and never runs a command input', async () => {
    const asked: string[] = [];
    const answer = async ({ id }: Input): Promise<string> => {
      asked.push(id);
      return 'typed';
    };
    expect(await argsOf(server(stdio('${input:api key}'), [input('promptString')]), {}, answer)).toEqual(['typed']);
    expect(
      await argsOf(
        server(stdio('${input:api key}'), [input('promptString')]),
        { [inputVariable('api key')]: 'env' },
        answer,
      ),
    ).toEqual(['env']);
    expect(asked).toEqual(['api key']);
    await expect(argsOf(server(stdio('${input:api key}'), [input('command')]), {}, answer)).rejects.toThrow(
      '${input:api key}',
    );
    expect(await argsOf(server(stdio('${input:api key}'), [input('pickString', { default: 'a' })]))).toEqual(['a']);
  });

  it('names every missing variable at once, with the remedy', async () => {
    const error: unknown = await argsOf(server(stdio('${A}', '${B} ${A}'))).catch((caught: unknown) => caught);
    expect(OperationError.is(error, 'unresolved-variable')).toBe(true);
    expect(OperationError.is(error) && error.message).toBe('Server "x" needs ${A}, ${B}.');
  });

  it('resolves addresses and headers', async () => {
    const endpoint: Endpoint = {
      kind: 'http',
      url: 'https://${HOST}/mcp',
      headers: { Authorization: 'Bearer ${FROM_FILE}' },
      sseFallback: true,
    };
    expect(await resolveEndpoint(server(endpoint), { env: { HOST: 'h' }, home: '', folders: [] })).toEqual({
      ...endpoint,
      url: 'https://h/mcp',
      headers: { Authorization: 'Bearer file' },
    });
  });
});
