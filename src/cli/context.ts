/** The one place where the command line builds what it works with. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Platform } from '#core/config/sources.ts';
import type { Source } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { cacheFolder } from '#node/person-folders.ts';
import type { Arguments } from './arguments.ts';
import type { Language, Translate } from './messages.ts';
import type { Terminal } from './terminal.ts';

/** What the process gives; tests give their own. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

export interface Context {
  readonly args: Arguments;
  readonly terminal: Terminal;
  readonly t: Translate;
  readonly language: Language;
  readonly signal: AbortSignal;
  readonly host: Host;
  readonly platform: Platform;
  readonly home: string;
  /** The workspace folders, absolute, the first the main one. */
  readonly folders: readonly [string, ...string[]];
  readonly logger: Logger;
}

export function createContext(
  args: Arguments,
  terminal: Terminal,
  { language, t }: Pick<Context, 'language' | 't'>,
  signal: AbortSignal,
  host: Host,
): Context {
  const [first, ...others] = args.workspace.map((folder) => resolve(host.cwd, folder));
  const platform: Platform = host.platform === 'win32' || host.platform === 'darwin' ? host.platform : 'linux';
  return {
    args,
    terminal,
    t,
    language,
    signal,
    host,
    platform,
    home: homedir(),
    folders: [first ?? host.cwd, ...others],
    logger: createLogger(terminal, host.env['MOCHI_DEBUG'] !== undefined),
  };
}

/** Quiet but for errors, unless `MOCHI_DEBUG` is set. */
function createLogger(terminal: Terminal, isVerbose: boolean): Logger {
  const say = (level: string) => (message: string) => {
    if (isVerbose) terminal.note(`${level}: ${message}`);
  };
  return { trace: () => {}, debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
}

/** Where recorded catalogs are kept between runs. */
export function catalogsFolder({ home, platform, host }: Context): string {
  return join(cacheFolder({ home, platform, env: host.env }), 'catalogs');
}

/** The call scripts beside the built program. */
export const SCRIPTS_FOLDER = fileURLToPath(new URL('./scripts/', import.meta.url));

/** The server's own program, beside the built command line. */
export const MOCHI_PROGRAM = fileURLToPath(new URL('./mochi.mjs', import.meta.url));

/** The skills root of a server's skill: that of its own folder, where relative paths in its definition hold. */
export function skillsRootOf(source: Source, { args, folders, host }: Context): string {
  if (args.output !== undefined) return resolve(host.cwd, args.output);
  return join(source.folder ?? folders[0], '.claude', 'skills');
}

/** The skills roots to look in: the named one, else that of every workspace folder. */
export function skillsRoots({ args, folders, host }: Context): readonly string[] {
  if (args.output !== undefined) return [resolve(host.cwd, args.output)];
  return folders.map((folder) => join(folder, '.claude', 'skills'));
}
