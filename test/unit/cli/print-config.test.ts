/** What `mochi serve --print-config` prints starts exactly what was asked for, wherever a client starts it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseArguments } from '../../../src/cli/arguments.ts';
import type { Context } from '../../../src/cli/context.ts';
import { translator } from '../../../src/cli/messages.ts';
import { serve } from '../../../src/cli/serve.ts';

let project = '';
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'print-config-'));
  writeFileSync(join(project, 't'), 'sixteen-letters-or-more');
  writeFileSync(join(project, 'short'), 'short');
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

async function printed(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const parsed = parseArguments(['serve', '--print-config', ...words]);
  if (parsed.kind !== 'run') throw new Error('no command');
  const lines: string[] = [];
  const context = {
    args: parsed.arguments,
    terminal: { print: (line = '') => lines.push(line) },
    t: translator('en'),
    host: { env, cwd: project, platform: 'linux' },
    folders: [process.cwd()],
  } as unknown as Context;
  expect(await serve(context)).toBe(0);
  return lines.join('\n').replaceAll(project, '/project');
}

const argsOf = async (words: readonly string[], env?: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  JSON.parse(await printed(['--json', ...words], env)).mcpServers.mochi.args.slice(1);

describe('the printed entry', () => {
  it.each<[string, readonly string[], Readonly<Record<string, string>>, readonly string[]]>([
    ['nothing', [], {}, []],
    [
      'files, from anywhere',
      ['--model', 'm.gguf', '--adapter', 'style:0.5', '--adapter', '/a/b', '--backend', 'be'],
      {},
      ['--model=/project/m.gguf', '--adapter=/project/style:0.5', '--adapter=/a/b', '--backend=/project/be'],
    ],
    ['this folder, which is the client’s own', ['-w', '.'], {}, ['--workspace=.']],
    [
      'a model server',
      ['--model-url', 'http://127.0.0.1:8080/v1', '--model', 'qwen'],
      {},
      ['--model=qwen', '--model-url=http://127.0.0.1:8080/v1'],
    ],
    [
      'what the environment says',
      [],
      { MOCHI_MODEL: 'm.gguf', MOCHI_BACKEND: '/be' },
      ['--model=/project/m.gguf', '--backend=/be'],
    ],
    [
      'an address of the environment, before its file',
      [],
      { MOCHI_MODEL: 'm.gguf', MOCHI_MODEL_URL: 'http://localhost:1/v1' },
      ['--model-url=http://localhost:1/v1'],
    ],
    [
      'a model of this machine where that is the engine',
      ['--engine', 'llama'],
      { MOCHI_MODEL: 'm.gguf', MOCHI_MODEL_URL: 'http://localhost:1/v1' },
      ['--engine=llama', '--model=/project/m.gguf'],
    ],
  ])('has %s', async (_, words, env, args) => expect(await argsOf(words, env)).toEqual(args));
});

describe('over HTTP', () => {
  const http = ['--transport', 'http'] as const;

  it('is told how to start the server, with all that was asked for', async () => {
    const out = await printed([
      ...http,
      ...['--port', '7000', '--host', '0.0.0.0', '--allow-remote', '--token-file', 't', '--model', 'm.gguf', '--user'],
    ]);
    expect(out).toMatch(
      /^Start the server:\nnode \S+mochi\.mjs --transport=http --host=0\.0\.0\.0 --port=7000 --token-file=\/project\/t --model=\/project\/m\.gguf --allow-remote --user\n/,
    );
    // Clients connect to a name, not to all addresses at once.
    expect(out).toContain(`"url": "http://${hostname()}:7000/mcp"`);
  });

  it('never prints a secret, and says who must have it', async () => {
    const out = await printed([...http, '--model-url', 'https://m.example/v1'], {
      MOCHI_TOKEN: 'aaaaaaaaaaaaaaaaaaaa',
      MOCHI_MODEL_KEY: 'bbbb',
    });
    expect(out).not.toMatch(/aaaa|bbbb/);
    for (const name of ['MOCHI_TOKEN', 'MOCHI_MODEL_KEY']) expect(out).toContain(`${name} is not printed`);
    expect(out).toContain('Bearer TOKEN');
  });

  it.each<[string, readonly string[], Readonly<Record<string, string>>, RegExp]>([
    [
      'other machines without leave',
      ['--host', '0.0.0.0'],
      { MOCHI_TOKEN: 'sixteen-letters-or-more' },
      /can be reached/,
    ],
    ['other machines without a token', ['--host', '0.0.0.0', '--allow-remote'], {}, /needs a token/],
    ['a token that is too short', ['--token-file', 'short'], {}, /at least 16 characters/],
    ['a token that is too short, of the environment', [], { MOCHI_TOKEN: 'short' }, /at least 16 characters/],
    ['a file that is not there', ['--token-file', 'nowhere'], {}, /cannot be read/],
  ])('refuses %s, as the server would', async (_, words, env, message) => {
    for (const transport of [http, []])
      await expect(printed([...transport, ...words], env)).rejects.toMatchObject({
        kind: 'usage',
        message: expect.stringMatching(message),
      });
  });

  it('asks for a token only where there is one', async () => {
    expect(await printed([...http], { MOCHI_TOKEN: '' })).not.toContain('TOKEN');
  });

  it('leaves what is for it out of an entry on standard streams', async () => {
    const words = ['--port', '0', '--host', '0.0.0.0', '--allow-remote', '--token-file', 't', '--user'];
    expect(await argsOf(words)).toEqual(['--user']);
  });

  it('needs a port that stays', async () => {
    await expect(printed([...http, '--port', '0'])).rejects.toMatchObject({ kind: 'usage' });
  });
});
