/**
 * Where a skill may be written: names and paths that can only mean a place inside the skills root, on every operating
 * system, and a root that is where it claims to be. Reads the disk to follow links; writes nothing but the root itself.
 */
import { lstat, mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { OperationError } from '#core/problem.ts';

/** The folder inside a skills root in which new skills are built; empty and gone between runs. */
export const WORK_FOLDER = '.mochi-work';

/** Names that Windows takes for devices, with any extension. */
const DEVICE =
  /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?: *\..*)?$/i;
const FORBIDDEN = /[\u0000-\u001f\u007f/\\:*?"<>|]/;

/** Throws `outside-root` unless a name can only mean a skill's folder right inside the root. */
export function checkSkillName(name: string): void {
  const why = name.startsWith('.') ? 'starts with a dot' : whySegmentIsBad(name);
  if (why === undefined) return;
  throw outside(`The skill name ${JSON.stringify(name)} ${why}.`, 'Use lower-case letters, digits and hyphens.');
}

/** Throws `outside-root` unless a path with forward slashes can only mean a file inside the skill's folder. */
export function checkFilePath(path: string): void {
  for (const segment of path.split('/')) {
    const why = whySegmentIsBad(segment);
    if (why === undefined) continue;
    throw outside(`The path ${JSON.stringify(path)} is refused: a part of it ${why}.`, 'Rename the tool or file.');
  }
}

function whySegmentIsBad(segment: string): string | undefined {
  if (segment === '') return 'is empty';
  if (segment === '.' || segment === '..') return 'climbs out of its folder';
  if (FORBIDDEN.test(segment)) return 'has a character that not every file system takes';
  if (/[. ]$/.test(segment)) return 'ends in a dot or a space';
  if (DEVICE.test(segment)) return 'is the name of a device on Windows';
  if (Buffer.byteLength(segment) > 255) return 'is longer than 255 bytes';
  return undefined;
}

/** Whether a path lies inside a folder or is it; both absolute. A sibling with the folder's name as prefix does not. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

export interface RootOptions {
  /** The folder that the root must lie in after all links are followed, absolute: the workspace or the home folder. */
  readonly within?: string | undefined;
  /** Make the root where it is missing. */
  readonly create: boolean;
}

/** A skills root without any links in its path. */
export interface SkillsRoot {
  readonly path: string;
  /** The first folder that had to be made, to be removed again when the operation fails. */
  readonly made?: string;
}

/**
 * Finds the skills root, or `undefined` where it is missing and not to be made. Without `within` a root that is itself
 * a link is refused, because nothing says where it may point. Throws `outside-root`, or `io` where it is no folder.
 */
export async function openRoot(root: string, options: RootOptions): Promise<SkillsRoot | undefined> {
  if (!isAbsolute(root) || root.includes('\0'))
    throw outside(`The skills root ${JSON.stringify(root)} is not absolute.`);
  const wanted = resolve(root);
  const within = options.within === undefined ? undefined : await realpath(resolve(options.within));
  const found = await nearest(wanted, within);
  if (found.missing.length === 0) {
    if (!(await lstat(found.real)).isDirectory()) throw new OperationError('io', `${wanted} is not a folder.`);
    return { path: found.real };
  }
  if (!options.create) return undefined;
  for (const segment of found.missing) {
    const why = whySegmentIsBad(segment);
    if (why !== undefined) throw outside(`The skills root is refused: a part of it ${why}.`);
  }
  const path = join(found.real, ...found.missing);
  const made = await mkdir(path, { recursive: true });
  if ((await realpath(path)) !== path) throw outside('The skills root was replaced by a link while it was made.');
  return made === undefined ? { path } : { path, made };
}

/** The deepest part of a path that exists, links followed, and the names missing after it. */
async function nearest(wanted: string, within: string | undefined): Promise<{ real: string; missing: string[] }> {
  const missing: string[] = [];
  let path = wanted;
  for (;;) {
    const stat = await lstat(path).catch(() => undefined);
    if (stat !== undefined) {
      const real = await realpath(path).catch(() => undefined);
      if (real === undefined) throw outside(`${path} is a link that leads nowhere.`);
      if (within !== undefined && !isInside(within, real))
        throw outside(`${path} leads to ${real}, outside ${within}.`);
      if (within === undefined && path === wanted && stat.isSymbolicLink())
        throw outside(`${path} is a link to ${real}.`, 'Give the folder it leads to.');
      return { real, missing };
    }
    const parent = dirname(path);
    if (parent === path) throw new OperationError('io', `${wanted} is on no file system.`);
    missing.unshift(basename(path));
    path = parent;
  }
}

/** The error for everything that would leave the skills root. */
export function outside(
  message: string,
  remedy = 'Choose a folder inside the workspace, without links.',
): OperationError {
  return new OperationError('outside-root', message, { remedy });
}
