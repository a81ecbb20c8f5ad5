/**
 * The skills of the workspace as the server sees them: read when somebody asks, read again when that was a while ago
 * or something changed on disk, and told to clients when the listing became another one. How skills are read and
 * written out lies in `core/skill`.
 */
import type { Disposable, Logger } from '#core/ports.ts';
import { createSkillLoader, type InstalledSkill, type SkillLibrary, type SkillLoader } from '#core/skill/library.ts';
import type { ConfinedFiles, SkillPlaces } from '#core/skill/library-places.ts';
import type { ListingOptions, SkillListing } from '#core/skill/library-text.ts';

/** Milliseconds that a reading stays good for a listing and for a skill's content. */
const LISTING_MS = 5_000;
const CONTENT_MS = 500;
/** Milliseconds to wait for the rest of a change: editors write in several steps. */
const SETTLE_MS = 200;

export interface SkillShelf extends Disposable {
  listing(options?: ListingOptions): Promise<SkillListing>;
  /** The content of a skill, or the names that there are. */
  content(name: string): Promise<{ readonly text: string } | { readonly names: readonly string[] }>;
  /** Called when the listing became another one. */
  onDidChange(listener: () => void): Disposable;
}

export interface ShelfOptions {
  readonly places: SkillPlaces;
  readonly confined: ConfinedFiles;
  readonly logger: Logger;
  /** What the folder of a skill is called in answers; absolute unless given. */
  readonly folderOf?: (skill: InstalledSkill) => string;
  /** Calls back when something below one of the places may have changed. Absent, nothing is watched. */
  readonly watch?: (places: SkillPlaces, library: SkillLibrary, onChange: () => void) => Disposable;
  readonly now?: () => number;
}

export function createSkillShelf(options: ShelfOptions): SkillShelf {
  const { places, confined, logger, folderOf, now = () => performance.now() } = options;
  const loader: SkillLoader = createSkillLoader(places, confined);
  const listeners = new Set<() => void>();
  const stop = new AbortController();
  let known: { readonly library: SkillLibrary; readonly at: number; readonly text: string } | undefined;
  let reading: Promise<SkillLibrary> | undefined;
  let reloading: Promise<SkillLibrary> | undefined;
  let watching: Disposable | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function read(): Promise<SkillLibrary> {
    const started = now();
    const library = await loader.load(stop.signal);
    const { text } = loader.descriptions(library);
    const isChanged = known !== undefined && known.text !== text;
    known = { library, at: started, text };
    if (stop.signal.aborted) return library;
    watching?.dispose();
    watching = options.watch?.(places, library, later);
    if (isChanged) {
      logger.info('the skills are others now');
      for (const listener of listeners) listener();
    }
    return library;
  }

  function later(): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      current(0).catch(() => logger.warn('the skills could not be read'));
    }, SETTLE_MS);
    timer.unref();
  }

  /** A reading that is at most so old; of several that ask at once one reads. */
  async function current(maxAge: number): Promise<SkillLibrary> {
    if (known !== undefined && now() - known.at <= maxAge) return known.library;
    reading ??= read().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  /** What lies in the same folders now; of several that ask at once one reads. */
  function again({ roots }: SkillLibrary): Promise<SkillLibrary> {
    reloading ??= loader.load(stop.signal, roots).finally(() => {
      reloading = undefined;
    });
    return reloading;
  }

  return {
    listing: async (listingOptions) => loader.descriptions(await current(LISTING_MS), listingOptions),
    async content(name) {
      const naming = folderOf === undefined ? {} : { folderOf };
      // A large workspace takes a while to search; what was listed is read where it was found.
      const near = known === undefined ? undefined : await again(known.library);
      const found = near === undefined ? undefined : loader.content(near, name, naming);
      if (found !== undefined) return { text: found };
      const library = await current(CONTENT_MS);
      const text = loader.content(library, name, naming);
      if (text !== undefined) return { text };
      const { described, named } = loader.descriptions(library);
      return { names: [...described, ...named].sort() };
    },
    onDidChange(listener) {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    dispose() {
      stop.abort(new Error('ended'));
      clearTimeout(timer);
      watching?.dispose();
      listeners.clear();
    },
  };
}
