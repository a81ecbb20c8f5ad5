/** Where a workspace's index is kept between runs, and which folders are never learned by accident. */
import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The home folder, absolute. */
  readonly home: string;
}

/** The file that keeps what was learned from `root`, in the person's cache. */
export function indexFile(root: string, { env, platform, home }: Surroundings): string {
  const name = `${createHash('sha256').update(root).digest('hex').slice(0, 24)}.index`;
  switch (platform) {
    case 'win32':
      return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'mochi', 'learned', name);
    case 'darwin':
      return join(home, 'Library', 'Caches', 'mochi', 'learned', name);
    default:
      return join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'mochi', 'learned', name);
  }
}

/**
 * Whether a folder holds far more than one project: the top of a file system, the home folder or one that holds it.
 * Some clients start their servers there; nobody means it.
 */
export function isTooWide(root: string, home: string): boolean {
  const toHome = relative(root, home);
  // On another drive there is no way from one to the other.
  const isBeside = isAbsolute(toHome) || toHome === '..' || toHome.startsWith(`..${sep}`);
  return dirname(root) === root || !isBeside;
}
