/**
 * Where what belongs to a learned workspace is kept, in the person's cache, one name per folder, and which folders are
 * never learned by accident. Shared by Mochi, which keeps its index there, and the editor, which keeps its counts beside
 * it. Nothing is read or written here.
 */
import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { cacheFolder, type Surroundings } from './person-folders.ts';

/** The file that keeps what was learned from `root`. */
export function indexFile(root: string, around: Surroundings): string {
  return `${placeOf(root, around)}.index`;
}

/** The folder that keeps how suggestions for `root` were taken. */
export function acceptanceFolder(root: string, around: Surroundings): string {
  return `${placeOf(root, around)}.counts`;
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

function placeOf(root: string, around: Surroundings): string {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 24);
  return join(cacheFolder(around), 'learned', name);
}
