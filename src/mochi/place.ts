/** Which folders are never learned by accident. Where an index is kept stands in `node/learned-place.ts`. */
import { dirname, isAbsolute, relative, sep } from 'node:path';

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
