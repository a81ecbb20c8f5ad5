/**
 * The installed skills with this machine's adapters: read, counted, loaded by name, and checked before one is removed.
 * Loaded with the heavy half of the extension; it shows nothing and removes nothing.
 */
import type { TokenCounter } from '#core/ports.ts';
import { createSkillLoader, type InstalledSkill, type SkillLibrary, type SkillLoader } from '#core/skill/library.ts';
import { type LibraryCosts, measureSkills } from '#core/skill/library-costs.ts';
import { createFiles } from '#node/files.ts';
import { checkRemovable } from '#node/skill-removal.ts';

/** What is installed, and what it costs. */
export interface InstalledSkills extends LibraryCosts {
  readonly library: SkillLibrary;
}

export interface SkillsShelf {
  installed(signal?: AbortSignal): Promise<InstalledSkills>;
  /** The content of a skill, or the listing of those that there are. */
  loadSkill(name: string): Promise<{ readonly text: string } | { readonly listing: string }>;
  /** Throws OperationError `outside-root` unless the folder is a skill in its own place. */
  checkRemovable(skill: InstalledSkill): Promise<void>;
}

export interface ShelfOptions {
  folders(): readonly string[];
  /** The home folder, where it may be read. */
  home(): string | undefined;
  readonly counter: TokenCounter;
}

export function createSkillsShelf({ folders, home, counter }: ShelfOptions): SkillsShelf {
  const loader = (): SkillLoader =>
    createSkillLoader({ folders: folders(), home: home() }, (within) => createFiles({ confineTo: [within] }));
  return {
    async installed(signal) {
      const library = await loader().load(signal);
      return { library, ...(await measureSkills(library, counter, signal)) };
    },
    async loadSkill(name) {
      const { load, content, descriptions } = loader();
      const library = await load();
      const text = content(library, name);
      return text === undefined ? { listing: descriptions(library).text } : { text };
    },
    checkRemovable: ({ folder, root }) => checkRemovable({ folder, root: root.path, within: root.within }),
  };
}
