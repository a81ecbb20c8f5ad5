/** What changed between a generated skill and its server's tools now. Compares hashes only; says nothing of files. */
import type { Catalog } from '../model.ts';
import { type Digest, type SkillLock, toolHashes } from './lock.ts';

/** Tool names, each list sorted. */
export interface Drift {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Nothing was added, removed or changed; the order of tools doesn't count. */
  readonly same: boolean;
}

/** Holds a skill's lock against a catalog. */
export function driftOf(lock: SkillLock, catalog: Catalog, digest: Digest): Drift {
  const before = new Map(Object.entries(lock.tools));
  const now = toolHashes(catalog.tools, digest);
  const added = [...now.keys()].filter((name) => !before.has(name)).sort();
  const removed = [...before.keys()].filter((name) => !now.has(name)).sort();
  const changed = [...now].flatMap(([name, hash]) => (before.has(name) && before.get(name) !== hash ? [name] : []));
  return { added, removed, changed: changed.sort(), same: added.length + removed.length + changed.length === 0 };
}
