/** The folders of a person in which Mochi keeps things, by platform. Nothing is read or written here. */
import { join, posix, win32 } from 'node:path';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The home folder, absolute. */
  readonly home: string;
}

/** What can be made again. */
export function cacheFolder(around: Surroundings): string {
  switch (around.platform) {
    case 'win32':
      return join(named('LOCALAPPDATA', around) ?? join(around.home, 'AppData', 'Local'), 'mochi');
    case 'darwin':
      return join(around.home, 'Library', 'Caches', 'mochi');
    default:
      return join(named('XDG_CACHE_HOME', around) ?? join(around.home, '.cache'), 'mochi');
  }
}

/** What the person fetched. */
export function dataFolder(around: Surroundings): string {
  switch (around.platform) {
    case 'win32':
      return cacheFolder(around);
    case 'darwin':
      return join(around.home, 'Library', 'Application Support', 'mochi');
    default:
      return join(named('XDG_DATA_HOME', around) ?? join(around.home, '.local', 'share'), 'mochi');
  }
}

/**
 * A folder that a variable names. An empty or relative one counts as none, as the XDG base directory specification has
 * it: it would lie in whatever folder we are started in, where a workspace could put approvals of its own.
 */
function named(variable: string, { env, platform }: Surroundings): string | undefined {
  const folder = env[variable];
  const isAbsolute = platform === 'win32' ? win32.isAbsolute : posix.isAbsolute;
  return folder !== undefined && isAbsolute(folder) ? folder : undefined;
}
