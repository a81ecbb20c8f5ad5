/**
 * Watches the folders that skills lie in, and the ones that would have to appear first. Says only that something may
 * have changed; what did is read again by whoever asked. Where a system cannot watch, nothing is told.
 */
import { type FSWatcher, watch } from 'node:fs';
import type { Disposable } from '#core/ports.ts';
import type { SkillLibrary } from '#core/skill/library.ts';
import type { SkillPlaces } from '#core/skill/library-places.ts';

/** The folders whose coming and going matters in a workspace or home folder, and in these. */
const TOPS = ['.claude', '.github', '.agents', '.copilot'];
const BELOW: ReadonlySet<string> = new Set(['skills', 'plugins']);

export function watchSkills(places: SkillPlaces, library: SkillLibrary, onChange: () => void): Disposable {
  const watchers: FSWatcher[] = [];
  const add = (path: string, recursive: boolean, matters: (name: string) => boolean): void => {
    try {
      const watcher = watch(path, { persistent: false, recursive }, (_, name) => {
        if (name === null || matters(name)) onChange();
      });
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      // Not there, or the system's watches are used up.
    }
  };
  for (const base of [...places.folders, ...(places.home === undefined ? [] : [places.home])]) {
    add(base, false, (name) => TOPS.includes(name));
    for (const top of TOPS) add(`${base}/${top}`, false, (name) => BELOW.has(name));
  }
  for (const { path } of library.roots) add(path, true, () => true);
  return {
    dispose() {
      for (const watcher of watchers) watcher.close();
    },
  };
}
