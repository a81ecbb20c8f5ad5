/** The words of the server's program and what they come to. */
import { describe, expect, it } from 'vitest';
import { OperationError } from '../../../src/core/problem.ts';
import { createLog } from '../../../src/mochi/log.ts';
import { parseOptions, type ServeOptions } from '../../../src/mochi/options.ts';

const TOKEN = ['sixteen', 'letters', 'ok'].join('-');

function options(words: readonly string[], env: Record<string, string> = {}, file?: string): Promise<ServeOptions> {
  const read = async (): Promise<Uint8Array | undefined> =>
    file === undefined ? undefined : new TextEncoder().encode(file);
  return parseOptions(words, { env, cwd: '/here', files: { read } });
}

describe('the words of the server', () => {
  it('mean standard streams for the folder it is started in, unless they say otherwise', async () => {
    expect(await options([])).toEqual({
      workspace: '/here',
      isChosen: false,
      user: false,
      transport: 'stdio',
      host: '127.0.0.1',
      port: 6680,
      token: undefined,
      memoryLimit: 32 * 2 ** 30,
      kiri: undefined,
      models: { engine: 'auto', model: undefined, adapters: [], backend: undefined },
      logLevel: 'info',
    });
    const words = [
      '--user',
      '--transport',
      'http',
      '-w',
      'there',
      '--port',
      '0',
      '--memory-limit',
      '0.5',
      '--log-level',
      'warn',
    ];
    expect(await options(words)).toMatchObject({
      workspace: '/here/there',
      isChosen: true,
      user: true,
      transport: 'http',
      port: 0,
      memoryLimit: 2 ** 29,
      logLevel: 'warn',
    });
  });

  it.each([
    ['kiri', ['kiri']],
    ['  npx -y  kiri-mcp-server --repo .', ['npx', '-y', 'kiri-mcp-server', '--repo', '.']],
    ['"C:\\Program Files\\kiri.exe" --db \'a b\'', ['C:\\Program Files\\kiri.exe', '--db', 'a b']],
    ['a "say \\"hi\\"" \'\' $HOME;', ['a', 'say "hi"', '', '$HOME;']],
  ])('take the command of kiri %j as words, without a shell', async (given, kiri) => {
    expect((await options(['--kiri', given])).kiri).toEqual(kiri);
  });

  it('take a token from the file first, then from the environment', async () => {
    const env = { MOCHI_TOKEN: `${TOKEN}-env` };
    expect((await options([], env)).token).toBe(`${TOKEN}-env`);
    expect((await options(['--token-file', 'f'], env, `${TOKEN}\n`)).token).toBe(TOKEN);
    expect((await options([], { MOCHI_TOKEN: '' })).token).toBeUndefined();
  });

  it('open the server to others only with leave and a token', async () => {
    const words = ['--host', '0.0.0.0', '--allow-remote'];
    expect(await options(words, { MOCHI_TOKEN: TOKEN })).toMatchObject({ host: '0.0.0.0', token: TOKEN });
    await expect(options(words)).rejects.toThrow(/token/);
    await expect(options(['--host', '0.0.0.0'], { MOCHI_TOKEN: TOKEN })).rejects.toMatchObject({
      kind: 'usage',
      remedy: expect.stringContaining('--allow-remote'),
    });
  });

  it.each<[readonly string[], Record<string, string>, string | undefined]>([
    [['--transport', 'sse'], {}, undefined],
    [['--port', '-1'], {}, undefined],
    [['--port', ''], {}, undefined],
    [['--port', 'x'], {}, undefined],
    [['--port', '65536'], {}, undefined],
    [['--memory-limit', '33'], {}, undefined],
    [['--kiri', ''], {}, undefined],
    [['--kiri', 'kiri "open'], {}, undefined],
    [['--memory-limit', '0'], {}, undefined],
    [['--log-level', 'loud'], {}, undefined],
    [['--token-file', 'missing'], {}, undefined],
    [['--token-file', 'empty'], {}, ''],
    [['--token-file', 'short'], {}, 'short'],
    [['--token-file', 'two words'], {}, `${TOKEN} ${TOKEN}`],
    [[], { MOCHI_TOKEN: 'short' }, undefined],
    [['extra'], {}, undefined],
    [['--nonsense'], {}, undefined],
  ])('are refused with a remedy: %j %j', async (words, env, file) => {
    const error: unknown = await options(words, env, file).catch((reason: unknown) => reason);
    expect(OperationError.is(error, 'usage')).toBe(true);
    expect((error as OperationError).remedy).toBeTruthy();
    if (file !== undefined && file !== '') expect((error as OperationError).message).not.toContain(file);
  });
});

describe('the log', () => {
  it('writes one line of JSON for each message of its level and above', () => {
    const lines: string[] = [];
    const log = createLog(
      (line) => lines.push(line),
      'warn',
      () => new Date(0),
    );
    log.debug('no');
    log.info('no');
    log.warn('two\nlines');
    log.error('yes');
    expect(lines).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"two\\nlines"}\n',
      '{"time":"1970-01-01T00:00:00.000Z","level":"error","message":"yes"}\n',
    ]);
  });
});
