/**
 * Notices that an adapter was trained anew, or its settings changed, and has it put in the place of the old one while
 * the model serves on. Looks at times and sizes of a few files, now and then, which works on every file system.
 */
import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { join } from 'node:path';
import type { Disposable } from '#core/ports.ts';

/** What is read of an adapter's folder. */
export const ADAPTER_FILES = [
  'adapter_config.json',
  'adapter_model.safetensors',
  'adapters.safetensors',
  'mochi.json',
] as const;
/** Milliseconds between two looks, and for which files must stay as they are before they are read. */
const LOOK_MS = 1_000;

/** Calls `changed` once for changes that come together. */
export function watchAdapters(folders: readonly string[], changed: () => void): Disposable {
  let due: NodeJS.Timeout | undefined;
  const notice = (now: Stats, before: Stats): void => {
    // A file that is not there is told of, too.
    if (now.mtimeMs === before.mtimeMs && now.size === before.size) return;
    clearTimeout(due);
    due = setTimeout(changed, LOOK_MS);
    due.unref();
  };
  const files = folders.flatMap((folder) => ADAPTER_FILES.map((file) => join(folder, file)));
  for (const file of files) watchFile(file, { persistent: false, interval: LOOK_MS }, notice);
  return {
    dispose() {
      clearTimeout(due);
      for (const file of files) unwatchFile(file, notice);
    },
  };
}
