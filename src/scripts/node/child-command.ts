/**
 * How a server's process is started on each platform: its small environment, and on Windows the file behind a
 * command name. Pure; the platform is a parameter.
 */

const POSIX_NAMES = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'TMPDIR', 'LANG'];
const WINDOWS_NAMES = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];
const PROXY_NAMES = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
];

type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of a server: a few names of ours, then what its definition sets or, with null, removes. */
export function childEnvironment(
  base: Environment,
  extra: ReadonlyMap<string, string | null>,
  platform: string,
): Record<string, string> {
  const windows = platform === 'win32';
  const fold = (name: string): string => (windows ? name.toUpperCase() : name);
  const wanted = new Set([...(windows ? WINDOWS_NAMES : POSIX_NAMES), ...PROXY_NAMES].map(fold));
  const result = new Map<string, readonly [string, string]>();
  for (const [name, value] of Object.entries(base)) {
    // A value that begins like this is an exported shell function, a way to run code in shells.
    if (value !== undefined && wanted.has(fold(name)) && !value.startsWith('()')) result.set(fold(name), [name, value]);
  }
  for (const [name, value] of extra) {
    if (value === null) result.delete(fold(name));
    else result.set(fold(name), [name, value]);
  }
  return Object.fromEntries(result.values());
}

export interface SpawnPlan {
  readonly command: string;
  readonly args: readonly string[];
  /** The arguments are already quoted for Windows. */
  readonly verbatim: boolean;
}

function windowsCandidates(command: string, cwd: string, env: Environment): readonly string[] {
  const entry = (name: string): string | undefined =>
    Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
  const extensions = (entry('PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter((item) => item !== '');
  const hasPath = /[\\/:]/.test(command);
  const folders = hasPath ? [''] : [...(entry('PATH') ?? '').split(';').filter((item) => item !== '')];
  const absolute = /^[A-Za-z]:[\\/]|^[\\/]{2}/.test(command);
  const hasExtension = /\.[A-Za-z0-9]+$/.test(command);
  return folders.flatMap((folder) => {
    const stem = hasPath ? (absolute ? command : `${cwd}\\${command}`) : `${folder.replace(/[\\/]+$/, '')}\\${command}`;
    const withExtension = extensions.map((extension) => `${stem}${extension.toLowerCase()}`);
    return hasExtension ? [stem, ...withExtension] : withExtension;
  });
}

/** One argument as `cmd.exe` passes it on to a batch file unchanged. */
function quoteForCmd(argument: string): string {
  const quoted = `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  return quoted.replace(/[()%!^"<>&|;, \t]/g, '^$&').replace(/\^([\^%&|<>])/g, '^^^$1');
}

/**
 * What to spawn. Windows starts only `.exe` files by itself: a batch file such as `npx.cmd` goes through `cmd.exe`
 * with every argument quoted, never through a shell string of ours.
 */
export function planSpawn(
  command: string,
  args: readonly string[],
  options: {
    readonly platform: string;
    readonly cwd: string;
    readonly env: Environment;
    readonly exists: (path: string) => boolean;
  },
): SpawnPlan {
  if (options.platform !== 'win32') return { command, args, verbatim: false };
  const file = windowsCandidates(command, options.cwd, options.env).find(options.exists) ?? command;
  if (!/\.(?:cmd|bat)$/i.test(file)) return { command: file, args, verbatim: false };
  const shell = options.env['COMSPEC'] ?? options.env['ComSpec'] ?? 'cmd.exe';
  const line = [file.replace(/[()%!^"<>&|;, \t]/g, '^$&'), ...args.map(quoteForCmd)].join(' ');
  return { command: shell, args: ['/d', '/s', '/c', `"${line}"`], verbatim: true };
}
