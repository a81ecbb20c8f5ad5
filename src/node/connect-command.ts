/**
 * From a configured command to the file that is run: an absolute path, found without a shell. Folders of PATH
 * that are not absolute are never searched, so that nothing in a workspace is picked up silently. Starts nothing.
 */
import { posix, win32 } from 'node:path';

/** What to find. */
export interface CommandQuery {
  readonly command: string;
  readonly args: readonly string[];
  /** The child's environment: its PATH counts, as it does for a shell. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; a command with a slash is relative to it. */
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** True for an existing file; on POSIX one that may be executed. */
  readonly isProgram: (path: string) => Promise<boolean>;
}

/** What to give to `spawn`. */
export interface CommandPlan {
  readonly file: string;
  readonly args: readonly string[];
  /** Windows only: the arguments are quoted already. */
  readonly verbatim: boolean;
}

/** Why there is no plan. */
export interface CommandFailure {
  readonly reason: 'missing' | 'only-relative-path' | 'unsafe-argument';
}

/**
 * Finds the program. `only-relative-path`: the name exists only in a relative folder of PATH. On Windows
 * `.cmd` and `.bat` files run by way of `cmd.exe` with every special character escaped.
 */
export async function planCommand(query: CommandQuery): Promise<CommandPlan | CommandFailure> {
  const found = await findProgram(query);
  if (typeof found !== 'string') return found;
  if (query.platform !== 'win32' || !/\.(?:cmd|bat)$/i.test(found)) {
    return { file: found, args: query.args, verbatim: false };
  }
  // A line break ends the command line of cmd.exe whatever stands around it.
  if (query.args.some((arg) => /[\r\n\0]/.test(arg))) return { reason: 'unsafe-argument' };
  const line = [escapeMeta(win32.normalize(found)), ...query.args.map(escapeArgument)].join(' ');
  return {
    file: readEnv(query.env, 'ComSpec', 'win32') ?? 'C:\\Windows\\System32\\cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

async function findProgram(query: CommandQuery): Promise<string | CommandFailure> {
  const { platform, command } = query;
  const paths = platform === 'win32' ? win32 : posix;
  const hasFolder = platform === 'win32' ? /[\\/]/.test(command) || /^[a-z]:/i.test(command) : command.includes('/');
  if (command === '' || command.includes('\0')) return { reason: 'missing' };
  if (hasFolder) return (await firstProgram([paths.resolve(query.cwd, command)], query)) ?? { reason: 'missing' };
  const folders = (readEnv(query.env, 'PATH', platform) ?? '').split(paths.delimiter).map((folder) => folder.trim());
  const absolute = folders.filter((folder) => paths.isAbsolute(folder));
  const found = await firstProgram(
    absolute.map((folder) => paths.join(folder, command)),
    query,
  );
  if (found !== undefined) return found;
  const relative = folders.filter((folder) => !paths.isAbsolute(folder));
  const shadow = await firstProgram(
    relative.map((folder) => paths.resolve(query.cwd, folder, command)),
    query,
  );
  return { reason: shadow === undefined ? 'missing' : 'only-relative-path' };
}

async function firstProgram(candidates: readonly string[], query: CommandQuery): Promise<string | undefined> {
  for (const candidate of candidates) {
    for (const extension of extensionsFor(candidate, query)) {
      if (await query.isProgram(candidate + extension)) return candidate + extension;
    }
  }
  return undefined;
}

/** What CreateProcess and cmd.exe can start; scripts of other kinds need their interpreter named. */
const WINDOWS_PROGRAMS = ['.com', '.exe', '.bat', '.cmd'];

function extensionsFor(path: string, query: CommandQuery): readonly string[] {
  if (query.platform !== 'win32') return [''];
  const listed = (readEnv(query.env, 'PATHEXT', 'win32') ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';');
  const extensions = listed.filter((extension) => WINDOWS_PROGRAMS.includes(extension));
  return WINDOWS_PROGRAMS.includes(win32.extname(path).toLowerCase()) ? ['', ...extensions] : extensions;
}

/** A variable by name; Windows ignores the case of names. */
export function readEnv(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  platform: NodeJS.Platform,
): string | undefined {
  if (platform !== 'win32') return Object.hasOwn(env, name) ? env[name] : undefined;
  const key = Object.keys(env).find((candidate) => candidate.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : env[key];
}

const META = /[()\][%!^"`<>&|;, *?]/g;

function escapeMeta(text: string): string {
  return text.replace(META, '^$&');
}

/**
 * Quotes for the C runtime, then twice for cmd.exe: the shims that npm and its like write hand their arguments on
 * with `%*`, which cmd.exe reads a second time.
 */
function escapeArgument(arg: string): string {
  const quoted = `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
  return escapeMeta(escapeMeta(quoted));
}
