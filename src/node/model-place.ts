/**
 * Where models and what runs them are kept in the person's data, and converted adapters in the cache. Shared by Mochi,
 * which loads from there, and by what fetches them. Nothing is read or written here.
 */
import { join } from 'node:path';
import { cacheFolder, dataFolder, type Surroundings } from './person-folders.ts';

/** The folder in which `node_modules` with the engine for models lies. */
export function backendFolder(around: Surroundings): string {
  return join(dataFolder(around), 'backend');
}

/** The folder of the model files that were fetched. */
export function modelsFolder(around: Surroundings): string {
  return join(dataFolder(around), 'models');
}

/** The folder of adapters in the form that the engine loads; it can be made again. */
export function adaptersFolder(around: Surroundings): string {
  return join(cacheFolder(around), 'adapters');
}
