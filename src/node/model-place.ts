/**
 * Where models and what runs them are kept in the person's data, and converted adapters in the cache. Shared by Mochi,
 * which loads from there, and by what fetches them. Nothing is read or written here.
 */
import { join } from 'node:path';
import type { Surroundings } from './learned-place.ts';

/** The folder in which `node_modules` with the engine for models lies. */
export function backendFolder(around: Surroundings): string {
  return join(dataFolder(around), 'backend');
}

/** The folder of the model files that were fetched. */
export function modelsFolder(around: Surroundings): string {
  return join(dataFolder(around), 'models');
}

/** The folder of adapters in the form that the engine loads; it can be made again. */
export function adaptersFolder({ env, platform, home }: Surroundings): string {
  switch (platform) {
    case 'win32':
      return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'mochi', 'adapters');
    case 'darwin':
      return join(home, 'Library', 'Caches', 'mochi', 'adapters');
    default:
      return join(env['XDG_CACHE_HOME'] || join(home, '.cache'), 'mochi', 'adapters');
  }
}

function dataFolder({ env, platform, home }: Surroundings): string {
  switch (platform) {
    case 'win32':
      return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'mochi');
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'mochi');
    default:
      return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'mochi');
  }
}
