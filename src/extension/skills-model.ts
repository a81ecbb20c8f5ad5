/**
 * What the Skills view shows: the installed skills as last read, and how the generated ones stand against their
 * servers. Knows nothing of VS Code; reads when asked and when told that something changed, one reading at a time.
 */
import type { Disposable } from '#core/ports.ts';
import type { InstalledSkill } from '#core/skill/library.ts';
import type { InstalledSkills } from './skills-shelf.ts';
import type { SkillVerdict } from './workshop.ts';

/** How a generated skill stands against its server, as far as that is known without starting it. */
export type DriftState =
  | SkillVerdict
  | { readonly kind: 'no-server'; readonly server: string }
  | { readonly kind: 'unknown' };

export interface SkillsPorts {
  installed(signal: AbortSignal): Promise<InstalledSkills>;
  /** Only asked about skills with a server. Starts nothing. */
  drift(skill: InstalledSkill, signal: AbortSignal): Promise<DriftState>;
  /** A failure that nobody waits for. */
  onFailure(error: unknown): void;
}

export interface SkillsModel extends Disposable {
  /** Undefined until something was read. */
  readonly skills: InstalledSkills | undefined;
  /** Undefined for skills that are not ours, and while it is being found out. */
  driftOf(skill: InstalledSkill): DriftState | undefined;
  /** Reads unless that was done. */
  load(): Promise<void>;
  refresh(): Promise<void>;
  /** Finds the drift anew, without reading the skills. */
  recheck(): Promise<void>;
  onDidChange(listener: () => void): Disposable;
}

export function createSkillsModel(ports: SkillsPorts): SkillsModel {
  const stop = new AbortController();
  const listeners = new Set<() => void>();
  let skills: InstalledSkills | undefined;
  let drift: ReadonlyMap<string, DriftState> = new Map();
  let reading: Promise<void> | undefined;
  /** Whether something changed while it was being read. */
  let isStale = false;

  const changed = (): void => {
    if (!stop.signal.aborted) for (const listener of listeners) listener();
  };

  async function recheck(): Promise<void> {
    const asked = skills;
    const ours = asked?.library.skills.filter(({ server }) => server !== undefined) ?? [];
    const found = new Map<string, DriftState>();
    for (const skill of ours) found.set(skill.path, await ports.drift(skill, stop.signal));
    // Another reading has its own check.
    if (asked !== skills || (found.size === 0 && drift.size === 0)) return;
    drift = found;
    changed();
  }

  async function read(): Promise<void> {
    do {
      isStale = false;
      const found = await ports.installed(stop.signal);
      if (stop.signal.aborted) return;
      skills = found;
      changed();
    } while (isStale);
    recheck().catch(ports.onFailure);
  }

  return {
    get skills() {
      return skills;
    },
    driftOf: ({ path }) => drift.get(path),
    load: async () => {
      if (skills === undefined) await (reading ?? refresh());
    },
    refresh,
    recheck,
    onDidChange(listener) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    dispose() {
      stop.abort(new Error('ended'));
      listeners.clear();
    },
  };

  function refresh(): Promise<void> {
    isStale = true;
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }
}
