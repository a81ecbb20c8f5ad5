import { posix, win32 } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CommandQuery, planCommand } from '#node/connect-command.ts';
import { childEnvironment } from '#node/connect-env.ts';

function query(programs: readonly string[], more: Partial<CommandQuery>): CommandQuery {
  return {
    command: 'node',
    args: ['a b', '$(id)'],
    env: {},
    cwd: '/desk',
    platform: 'linux',
    isProgram: async (path) =>
      programs.includes((more.platform === 'win32' ? win32 : posix).resolve(more.cwd ?? '/desk', path)),
    ...more,
  };
}

describe('planCommand on POSIX', () => {
  const cases: readonly (readonly [string, readonly string[], Partial<CommandQuery>, unknown])[] = [
    [
      'takes the first folder of PATH that has the program',
      ['/b/node', '/c/node'],
      { env: { PATH: '/a:/b:/c' } },
      { file: '/b/node' },
    ],
    ['skips a dot in PATH', ['/desk/node', '/c/node'], { env: { PATH: '.:/c' } }, { file: '/c/node' }],
    ['skips an empty entry of PATH', ['/desk/node', '/c/node'], { env: { PATH: ':/c' } }, { file: '/c/node' }],
    [
      'refuses what only a relative folder has',
      ['/desk/bin/node'],
      { env: { PATH: 'bin' } },
      { reason: 'only-relative-path' },
    ],
    ['never looks in the working folder', ['/desk/node'], { env: { PATH: '/c' } }, { reason: 'missing' }],
    [
      'takes a path relative to the working folder as it is written',
      ['/desk/node'],
      { command: './node' },
      { file: '/desk/node' },
    ],
    ['takes an absolute path', ['/x/node'], { command: '/x/node' }, { file: '/x/node' }],
    ['refuses an empty command', ['/c/'], { command: '', env: { PATH: '/c' } }, { reason: 'missing' }],
    [
      'does not take command lines apart',
      ['/c/node'],
      { command: 'node server.js', env: { PATH: '/c' } },
      { reason: 'missing' },
    ],
  ];
  it.each(cases)('%s', async (_behaviour, programs, more, plan) => {
    expect(await planCommand(query(programs, more))).toMatchObject(plan as object);
  });

  it('hands arguments on untouched', async () => {
    const plan = await planCommand(query(['/c/node'], { env: { PATH: '/c' } }));
    expect(plan).toEqual({ file: '/c/node', args: ['a b', '$(id)'], verbatim: false });
  });
});

describe('planCommand on Windows', () => {
  const windows = {
    platform: 'win32',
    cwd: 'C:\\work',
    command: 'npx',
    env: { Path: '.;C:\\n', PATHEXT: '.COM;.EXE;.CMD;.PS1' },
  } as const;

  it('starts an exe directly, whatever the case of PATH', async () => {
    expect(await planCommand(query(['C:\\n\\npx.exe'], windows))).toMatchObject({
      file: 'C:\\n\\npx.exe',
      verbatim: false,
    });
  });

  it('does not look in the working folder', async () => {
    expect(await planCommand(query(['C:\\work\\npx.exe'], windows))).toEqual({ reason: 'only-relative-path' });
  });

  it('does not take a script without an interpreter', async () => {
    expect(await planCommand(query(['C:\\n\\npx.ps1', 'C:\\n\\npx'], windows))).toEqual({ reason: 'missing' });
  });

  it('runs a cmd file by way of cmd.exe with every special character escaped', async () => {
    const plan = await planCommand(
      query(['C:\\n\\npx.cmd'], { ...windows, args: ['-y', 'a&calc', 'say "hi"', 'end\\'] }),
    );
    expect(plan).toEqual({
      file: 'C:\\Windows\\System32\\cmd.exe',
      args: [
        '/d',
        '/s',
        '/c',
        '"C:\\n\\npx.cmd ^^^"-y^^^" ^^^"a^^^&calc^^^" ^^^"say^^^ \\^^^"hi\\^^^"^^^" ^^^"end\\\\^^^""',
      ],
      verbatim: true,
    });
  });

  it('refuses a line break in an argument of a cmd file', async () => {
    const plan = await planCommand(query(['C:\\n\\npx.cmd'], { ...windows, args: ['a\r\ncalc'] }));
    expect(plan).toEqual({ reason: 'unsafe-argument' });
  });
});

describe('childEnvironment', () => {
  const host = { PATH: '/bin', HOME: '/h', SECRET_TOKEN: 'x', SHELL: '() { :; }', HTTPS_PROXY: 'p' };
  const endpoint = { kind: 'stdio', command: 'x', args: [], env: { A: '1', HOME: null, B: '2' } } as const;

  it('inherits a short list, then the file, then the definition', () => {
    expect(childEnvironment(host, endpoint, 'linux', 'B=file\nC="quoted # no comment"\n# D=no')).toEqual({
      PATH: '/bin',
      A: '1',
      B: '2',
      C: 'quoted # no comment',
    });
  });

  it('replaces a variable whatever its case on Windows', () => {
    const env = childEnvironment({ Path: 'C:\\n' }, { ...endpoint, env: { path: 'D:\\m' } }, 'win32');
    expect(env).toEqual({ path: 'D:\\m' });
  });
});
