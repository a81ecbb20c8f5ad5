/**
 * The installed skills with this machine's adapters: read, counted, loaded by name, and checked before one is removed.
 * Loaded with the heavy half of the extension; it shows nothing and removes nothing.
 */
import type { TokenCounter } from '#core/ports.ts';
import { createSkillLoader, type InstalledSkill, offeredSkills, type SkillLibrary } from '#core/skill/library.ts';
import { listingOf, type SkillListing } from '#core/skill/library-text.ts';
import { createFiles } from '#node/files.ts';
import { checkRemovable } from '#node/skill-removal.ts';

/** Tokens of one skill. */
export interface SkillCost {
  /** Of its line in the listing, which is paid for in every session; 0 where it is not listed. */
  readonly listing: number;
  /** Of its body, once it is loaded. */
  readonly body: number;
}

/** What is installed, with its cost, and how much of the listing fits its budget. */
export interface InstalledSkills {
  readonly library: SkillLibrary;
  /** By the path of SKILL.md. */
  readonly costs: ReadonlyMap<string, SkillCost>;
  readonly listing: SkillListing;
  readonly tokenizer: string;
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
  const load = (signal?: AbortSignal): Promise<SkillLibrary> => loaderFor(folders(), home()).load(signal);
  return {
    async installed(signal) {
      const library = await load(signal);
      return { library, ...(await measure(library, counter, signal)), tokenizer: counter.name };
    },
    async loadSkill(name) {
      const loader = loaderFor(folders(), home());
      const library = await loader.load();
      const text = loader.content(library, name);
      return text === undefined ? { listing: loader.descriptions(library).text } : { text };
    },
    checkRemovable: ({ folder, root }) => checkRemovable({ folder, root: root.path, within: root.within }),
  };
}

function loaderFor(folders: readonly string[], home: string | undefined) {
  return createSkillLoader({ folders, home }, (within) => createFiles({ confineTo: [within] }));
}

async function measure(
  library: SkillLibrary,
  counter: TokenCounter,
  signal: AbortSignal | undefined,
): Promise<Pick<InstalledSkills, 'costs' | 'listing'>> {
  const offered = offeredSkills(library);
  const lines = offered.map((skill) => listingOf([skill], { limit: Number.POSITIVE_INFINITY }).text);
  const bodies = library.skills.map(({ body }) => body);
  const counts = await counter.count([...lines, ...bodies], signal);
  const lineOf = new Map(offered.map(({ path }, index) => [path, counts[index] ?? 0]));
  const costs = library.skills.map(({ path }, index): [string, SkillCost] => [
    path,
    { listing: lineOf.get(path) ?? 0, body: counts[lines.length + index] ?? 0 },
  ]);
  return { costs: new Map(costs), listing: listingOf(offered) };
}
