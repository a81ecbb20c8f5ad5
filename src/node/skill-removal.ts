/**
 * Whether a folder may be removed as a skill: it must be what it seems, right inside a skills folder that is where it
 * claims to be. Checks only; removing is done by whoever can put things into a trash.
 */
import { lstat, realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { isInside } from './skill-path.ts';

export interface RemovalPlace {
  /** The skill's folder, absolute. */
  readonly folder: string;
  /** The skills folder it was found in. */
  readonly root: string;
  /** The workspace folder or the home folder. */
  readonly within: string;
}

/** Throws OperationError `outside-root` for anything but a skill's own folder, and `not-found` where there is none. */
export async function checkRemovable({ folder, root, within }: RemovalPlace): Promise<void> {
  const name = basename(folder);
  const top = await lstat(folder).catch(() => undefined);
  if (top === undefined) throw new OperationError('not-found', 'The skill is gone.', { remedy: 'Look again.' });
  if (top.isSymbolicLink())
    throw refused('It is a link to a folder elsewhere.', 'Remove the link in the file explorer.');
  const [realFolder, realRoot, realWithin] = await Promise.all([folder, root, within].map((path) => realpath(path)));
  if (realFolder === undefined || realRoot === undefined || realWithin === undefined) throw refused('It is not there.');
  if (!isInside(realWithin, realRoot) || realRoot === realWithin)
    throw refused('Its skills folder leads out of the workspace.', 'Remove it where it really lies.');
  if (realFolder !== join(realRoot, name) || !top.isDirectory()) throw refused('It does not lie in its skills folder.');
  const hasMain = await Promise.all(['SKILL.md', 'skill.md'].map((file) => lstat(join(folder, file)).catch(() => 0)));
  if (hasMain.every((found) => found === 0)) throw refused('The folder holds no SKILL.md.');
}

function refused(message: string, remedy = 'Remove it in the file explorer, if that is meant.'): OperationError {
  return new OperationError('outside-root', message, { remedy });
}
