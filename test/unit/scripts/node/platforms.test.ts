/** What differs between systems, with the system as a parameter. */
import { describe, expect, test } from 'vitest';
import { browserCommand } from '../../../../src/scripts/node/browser.ts';
import { childEnvironment, planSpawn } from '../../../../src/scripts/node/child-command.ts';
import { stateFolder } from '../../../../src/scripts/node/oauth-store.ts';
import { sessionFolder } from '../../../../src/scripts/node/session-place.ts';
import { projectRoot } from '../../../../src/scripts/node/skill-folder.ts';

const WINDOWS_ENV = { Path: 'C:\\tools;C:\\node\\', PATHEXT: '.EXE;.CMD', ComSpec: 'C:\\Windows\\cmd.exe' };

function plan(command: string, args: readonly string[], files: readonly string[]) {
  const exists = (path: string): boolean => files.includes(path);
  return planSpawn(command, args, { platform: 'win32', cwd: 'C:\\project', env: WINDOWS_ENV, exists });
}

describe('Starting a server', () => {
  test('on POSIX it is started as it is named', () => {
    const options = { platform: 'linux', cwd: '/', env: {}, exists: () => true };
    expect(planSpawn('npx', ['-y', 'x y'], options)).toEqual({ command: 'npx', args: ['-y', 'x y'], verbatim: false });
  });

  test('on Windows a program is found by PATH and PATHEXT', () => {
    expect(plan('node', ['a'], ['C:\\node\\node.exe'])).toEqual({
      command: 'C:\\node\\node.exe',
      args: ['a'],
      verbatim: false,
    });
  });

  test('on Windows a command with a folder is looked up from the working folder', () => {
    expect(plan('bin\\tool', [], ['C:\\project\\bin\\tool.exe']).command).toBe('C:\\project\\bin\\tool.exe');
  });

  test('on Windows a batch file goes through cmd, and nothing in the arguments is run', () => {
    const found = plan('npx', ['-y', 'a&calc', '%PATH%', 'say "hi"'], ['C:\\node\\npx.cmd']);
    expect([found.command, found.verbatim, found.args.slice(0, 3)]).toEqual([
      'C:\\Windows\\cmd.exe',
      true,
      ['/d', '/s', '/c'],
    ]);
    const line = found.args[3] ?? '';
    expect(line).toMatch(/^"C:\\node\\npx\.cmd .*"$/);
    // Every special sign stands behind a caret, twice, because the batch file expands its arguments again.
    for (const sign of ['&', '%'])
      expect(
        line
          .split(sign)
          .slice(0, -1)
          .every((part) => part.endsWith('^^^')),
      ).toBe(true);
  });

  test('on Windows an unknown command is left to the system to refuse', () => {
    expect(plan('nothing', [], []).command).toBe('nothing');
  });
});

describe('The environment of a server', () => {
  const base = {
    PATH: '/bin',
    HOME: '/me',
    AWS_SECRET_ACCESS_KEY: 'x',
    HTTPS_PROXY: 'http://p',
    LANG: 'C',
    TERM: '() { :; }',
  };

  test('holds the base names and the proxy, nothing else of ours', () => {
    expect(childEnvironment(base, new Map(), 'linux')).toEqual({
      PATH: '/bin',
      HOME: '/me',
      HTTPS_PROXY: 'http://p',
      LANG: 'C',
    });
  });

  test('is changed by the definition, null removes', () => {
    const extra = new Map<string, string | null>([
      ['TOKEN', 't'],
      ['HOME', null],
      ['__proto__', 'p'],
    ]);
    const env = childEnvironment(base, extra, 'linux');
    expect([env['TOKEN'], env['HOME'], Object.keys(env).includes('__proto__')]).toEqual(['t', undefined, true]);
  });

  test('on Windows has one entry a name, whatever its case', () => {
    const env = childEnvironment({ Path: 'a', SystemRoot: 'C:\\Windows' }, new Map([['PATH', 'b']]), 'win32');
    expect(env).toEqual({ PATH: 'b', SystemRoot: 'C:\\Windows' });
  });
});

describe('Folders of a user', () => {
  const rows: readonly (readonly [string, string, Record<string, string>, string])[] = [
    ['sessions live in the runtime folder', 'linux', { XDG_RUNTIME_DIR: '/run/user/7' }, '/run/user/7/mochi-sessions'],
    ['a relative runtime folder is ignored', 'linux', { XDG_RUNTIME_DIR: 'run' }, '/tmp/mochi-sessions-7'],
    ['a socket path must stay short', 'linux', { XDG_RUNTIME_DIR: `/${'x'.repeat(80)}` }, '/tmp/mochi-sessions-7'],
    ['Windows has a folder of its own', 'win32', { LOCALAPPDATA: 'C:\\L' }, 'C:\\L\\mochi-sessions'],
  ];
  for (const [name, platform, env, wanted] of rows) {
    test(name, () => expect(sessionFolder(platform, env, 7, '/tmp')).toBe(wanted));
  }
  test('a long temporary folder is not used for sockets', () => {
    expect(sessionFolder('darwin', {}, 7, `/var/${'x'.repeat(60)}`)).toBe('/tmp/mochi-sessions-7');
  });

  test('tokens live in the state folder of the system', () => {
    expect(stateFolder('linux', {}, '/me')).toBe('/me/.local/state/mochi/oauth');
    expect(stateFolder('linux', { XDG_STATE_HOME: '/s' }, '/me')).toBe('/s/mochi/oauth');
    expect(stateFolder('darwin', {}, '/me')).toBe('/me/Library/Application Support/mochi/oauth');
    expect(stateFolder('win32', { LOCALAPPDATA: '/L' }, '/me')).toBe('/L/mochi/oauth');
  });

  test('the project is where the skill hangs in', () => {
    expect(projectRoot('/p/.claude/skills/x', '/cwd')).toBe('/p');
    expect(projectRoot('/p/.github/a/.agents/skills/x', '/cwd')).toBe('/p/.github/a');
    expect(projectRoot('/p/.github/skills/x', '/cwd')).toBe('/p');
    expect(projectRoot('/somewhere/x', '/cwd')).toBe('/cwd');
  });
});

describe('The browser', () => {
  const web = new URL('https://auth.example/a?b=c&d=$(x)');
  const rows: readonly (readonly [string, URL, string, Record<string, string>, string | undefined])[] = [
    ['Windows opens without a shell', web, 'win32', {}, 'rundll32'],
    ['macOS opens', web, 'darwin', {}, '/usr/bin/open'],
    ['Linux with a screen opens', web, 'linux', { DISPLAY: ':0' }, 'xdg-open'],
    ['Linux without a screen does not', web, 'linux', {}, undefined],
    ['over SSH nothing opens', web, 'darwin', { SSH_CONNECTION: 'x' }, undefined],
    ['in CI nothing opens', web, 'darwin', { CI: 'true' }, undefined],
    ['a person can say no', web, 'win32', { MOCHI_NO_BROWSER: '1' }, undefined],
    ['a file is not opened', new URL('file:///etc/passwd'), 'darwin', {}, undefined],
    ['another scheme is not opened', new URL('vscode://x'), 'win32', {}, undefined],
  ];
  for (const [name, url, platform, env, wanted] of rows) {
    test(name, () => {
      const found = browserCommand(url, platform, env);
      expect(found?.command).toBe(wanted);
      if (found !== undefined) expect(found.args.at(-1)).toBe(url.href);
    });
  }
});
