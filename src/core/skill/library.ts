/**
 * The skill loader: reads every skill that clients would find, says what is wrong with each and which hide others, and
 * gives the listing and the content that agents read. Pure over the `Files` port; it watches nothing and counts no
 * tokens. Nothing fails: a skill that cannot be read is a skill with a problem.
 */
import type { Files } from '../ports.ts';
import { OperationError, type Problem, type Reported } from '../problem.ts';
import { type FrontmatterValue, readFrontmatter } from './frontmatter.ts';
import { type ConfinedFiles, findRoots, isItself, type SkillPlaces, type SkillRoot, unread } from './library-places.ts';
import { collisionsOf, foldName } from './library-shadowing.ts';
import { type ContentOptions, contentOf, type ListingOptions, listingOf, type SkillListing } from './library-text.ts';
import { LOCK_PATH, parseLock, SKILL_MD } from './lock.ts';
import { MAX_NAME } from './official-validators.ts';
import { isUtf8, validateSkill } from './validate.ts';

/** Bytes of a SKILL.md; larger ones are not read. */
const MAX_SKILL_BYTES = 1_000_000;
const MAX_LOCK_BYTES = 10_000_000;
/** Skills of one root, and files of one skill, that are looked at. */
const MAX_SKILLS = 500;
const MAX_FILES = 200;
const MAX_DEPTH = 4;

/** What the text of a SKILL.md says. */
export interface ParsedSkill {
  /** Empty where there is none. */
  readonly name: string;
  readonly description: string;
  /** Claude Code's field `when_to_use`, which it lists behind the description. */
  readonly whenToUse: string;
  readonly body: string;
  /** Whether a model may not load it by itself: `disable-model-invocation: true`. */
  readonly isManual: boolean;
}

export interface InstalledSkill extends ParsedSkill {
  /** Absolute path of its SKILL.md. */
  readonly path: string;
  /** Absolute path of its folder. */
  readonly folder: string;
  readonly folderName: string;
  readonly root: SkillRoot;
  /** Paths of its other files, relative to its folder, sorted. */
  readonly files: readonly string[];
  readonly hasMoreFiles: boolean;
  readonly problems: readonly Problem[];
  /** The server it was generated for, where it is one of ours. */
  readonly server?: string;
}

export interface SkillLibrary {
  /** In the order of their roots, then by folder. */
  readonly skills: readonly InstalledSkill[];
  readonly roots: readonly SkillRoot[];
  /** What concerns no single skill. */
  readonly problems: readonly Problem[];
}

export interface SkillLoader {
  /**
   * Reads all places anew, or only the skills of these folders, which spares the search for nested ones. Rejects only
   * with the signal's reason.
   */
  load(signal?: AbortSignal, roots?: readonly SkillRoot[]): Promise<SkillLibrary>;
  /** Reads the text of a SKILL.md, strictly; `file` is the path that problems name. */
  parse(text: string, file: string): Reported<ParsedSkill>;
  /** One line a skill, within the budget. */
  descriptions(library: SkillLibrary, options?: ListingOptions): SkillListing;
  /** The content of a skill as an answer, or `undefined` where no skill of that name is offered. */
  content(library: SkillLibrary, name: string, options?: ContentOptions): string | undefined;
}

export function createSkillLoader(places: SkillPlaces, confined: ConfinedFiles): SkillLoader {
  return {
    load: (signal, roots) => loadSkills(places, confined, signal, roots),
    parse: parseSkill,
    descriptions: (library, options) => listingOf(offeredSkills(library), options),
    content(library, name, options) {
      const skill = findOffered(library, name);
      return skill === undefined ? undefined : contentOf(skill, options);
    },
  };
}

async function loadSkills(
  places: SkillPlaces,
  confined: ConfinedFiles,
  signal?: AbortSignal,
  known?: readonly SkillRoot[],
): Promise<SkillLibrary> {
  const found = known === undefined ? await findRoots(places, confined, signal) : { roots: known, problems: [] };
  const { roots, problems } = found;
  const skills: InstalledSkill[] = [];
  const others = [...problems];
  for (const root of roots) {
    const inside = await skillsIn(root, confined, signal);
    skills.push(...inside.value);
    others.push(...inside.problems);
  }
  const collisions = collisionsOf(skills);
  const all = skills.map((skill) => {
    const more = [...(collisions.get(skill.path) ?? []), ...unreachable(skill)];
    return more.length === 0 ? skill : { ...skill, problems: [...skill.problems, ...more] };
  });
  return { skills: all, roots, problems: others };
}

function parseSkill(text: string, file: string): Reported<ParsedSkill> {
  const { value, problems } = readFrontmatter(text, file);
  // Clients read no field of broken YAML: VS Code leaves the skill out, Claude Code knows only its folder and body.
  const fields: typeof value.frontmatter = value.isBroken ? new Map() : value.frontmatter;
  const parsed = {
    name: textOf(fields.get('name')).trim(),
    description: textOf(fields.get('description')).trim(),
    whenToUse: textOf(fields.get('when_to_use')).trim(),
    body: value.body,
    isManual: /^(?:true|yes|on)$/i.test(textOf(fields.get('disable-model-invocation'))),
  };
  return { value: parsed, problems };
}

function textOf(value: FrontmatterValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** A name that can stand in a listing and be asked for: letters, digits and single hyphens, `plugin:` before it. */
const NAME = /^(?:[\w.@-]{1,100}:)?[\p{Ll}\p{Lo}\p{N}]+(?:-[\p{Ll}\p{Lo}\p{N}]+)*$/u;

/** Whether an agent can be offered a skill: it has a proper name, says what it does, and does not forbid it. */
function isOfferable({ name, description, isManual, root }: InstalledSkill): boolean {
  const own = root.plugin === undefined ? name : name.slice(root.plugin.length + 1);
  return !isManual && description !== '' && NAME.test(name) && own.length <= MAX_NAME;
}

/**
 * The skills that agents are offered through Mochi: of one name the first, the project's before the person's. Of one
 * project it is that in `.claude/skills`: most clients read that folder, and Mochi writes there, so that what a person
 * generated is what an agent gets. (VS Code by itself takes `.github/skills` first.)
 */
export function offeredSkills({ skills }: SkillLibrary): readonly InstalledSkill[] {
  const first = new Map<string, InstalledSkill>();
  for (const skill of skills.filter(isOfferable).toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const key = foldName(skill.name);
    if (!first.has(key)) first.set(key, skill);
  }
  const chosen = new Set(first.values());
  return skills.filter((skill) => chosen.has(skill));
}

const rankOf = ({ root }: InstalledSkill): number =>
  root.scope === 'project' && root.readBy.includes('claude-code') ? 0 : 1;

/** By its name, or by its folder where the two differ; case and the like don't count. */
export function findOffered(library: SkillLibrary, name: string): InstalledSkill | undefined {
  const offered = offeredSkills(library);
  const wanted = foldName(name);
  return (
    offered.find((skill) => foldName(skill.name) === wanted) ??
    offered.find((skill) => foldName(skill.folderName) === wanted)
  );
}

function unreachable({ root, folderName }: InstalledSkill): readonly Problem[] {
  if (root.readBy.length > 0) return [];
  return [
    {
      kind: 'skill-invalid',
      severity: 'warning',
      message: `No client looks for personal skills in ${root.display}.`,
      remedy: 'Move it to ~/.copilot/skills, ~/.claude/skills or ~/.agents/skills.',
      at: { file: `${root.display}/${folderName}/${SKILL_MD}` },
    },
  ];
}

async function skillsIn(
  root: SkillRoot,
  confined: ConfinedFiles,
  signal: AbortSignal | undefined,
): Promise<Reported<readonly InstalledSkill[]>> {
  const problems: Problem[] = [];
  const found: InstalledSkill[] = [];
  const files = confined(root.within);
  const names = await files.list(root.path).catch((error: unknown) => {
    problems.push(unread(root.display, asOperationError(error)));
    return [];
  });
  for (const name of names.filter((one) => !one.startsWith('.'))) {
    signal?.throwIfAborted();
    if (found.length >= MAX_SKILLS) {
      problems.push({
        kind: 'skill-large',
        severity: 'warning',
        message: `Only the first ${MAX_SKILLS} skills of the folder were read.`,
        remedy: 'Move skills that are not needed elsewhere.',
        at: { file: root.display },
      });
      break;
    }
    try {
      const skill = await readSkill(root, name, files, confined);
      if (skill !== undefined) found.push(skill);
    } catch (error) {
      // A link that leads out, or a file that cannot be read: said, and no reason to stop.
      problems.push(unread(`${root.display}/${name}`, asOperationError(error)));
    }
  }
  return { value: found, problems };
}

function asOperationError(error: unknown): OperationError {
  if (OperationError.is(error)) return error;
  throw error;
}

/** A skill's folder, or `undefined` where a folder is none. */
async function readSkill(
  root: SkillRoot,
  folderName: string,
  files: Files,
  confined: ConfinedFiles,
): Promise<InstalledSkill | undefined> {
  const folder = `${root.path}/${folderName}`;
  if ((await files.stat(folder))?.kind !== 'folder') return undefined;
  const names = await files.list(folder);
  const main = names.includes(SKILL_MD) ? SKILL_MD : names.find((name) => name.toLowerCase() === 'skill.md');
  if (main === undefined) return undefined;
  // Nothing of a skill lies outside its own folder, even where the workspace has it.
  const own = confined(folder);
  const bytes = await own.read(`${folder}/${main}`, MAX_SKILL_BYTES);
  if (bytes === undefined) return undefined;
  const text = new TextDecoder().decode(bytes);
  const inside = await filesIn(folder, own, `${root.display}/${folderName}`);
  const map = new Map([...inside.value.map((path): [string, string] => [path, '']), [main, text]]);
  const { value: parsed } = parseSkill(text, `${folderName}/${main}`);
  const name = root.plugin === undefined ? parsed.name : `${root.plugin}:${parsed.name}`;
  const lock = inside.value.includes(LOCK_PATH) ? await lockOf(`${folder}/${LOCK_PATH}`, own) : undefined;
  const base = `${root.display}/`;
  const problems = validateSkill(folderName, map, { isUtf8: isUtf8(bytes) }).map((problem) =>
    problem.at === undefined ? problem : { ...problem, at: { ...problem.at, file: `${base}${problem.at.file}` } },
  );
  return {
    ...parsed,
    name,
    path: `${folder}/${main}`,
    folder,
    folderName,
    root,
    files: inside.value.filter((path) => path !== main && path !== LOCK_PATH),
    hasMoreFiles: inside.hasMore,
    problems: [
      ...problems,
      ...inside.problems,
      ...(inside.value.includes(PLUGIN_MANIFEST) ? [takenForPlugin(`${base}${folderName}`)] : []),
    ],
    ...(lock === undefined ? {} : { server: lock }),
  };
}

const PLUGIN_MANIFEST = '.claude-plugin/plugin.json';

function takenForPlugin(folder: string): Problem {
  return {
    kind: 'skill-invalid',
    severity: 'warning',
    message: 'Claude Code takes the folder for a plugin, because it holds .claude-plugin/plugin.json.',
    remedy: 'Remove that file, or move the skill into the skills folder of the plugin.',
    at: { file: `${folder}/${PLUGIN_MANIFEST}` },
  };
}

async function lockOf(path: string, files: Files): Promise<string | undefined> {
  const bytes = await files.read(path, MAX_LOCK_BYTES).catch(() => undefined);
  return bytes === undefined ? undefined : parseLock(new TextDecoder().decode(bytes))?.server;
}

interface Inside extends Reported<readonly string[]> {
  readonly hasMore: boolean;
}

/** The files of a skill's folder that do not lead out of it. */
async function filesIn(folder: string, files: Files, display: string): Promise<Inside> {
  const found: string[] = [];
  const problems: Problem[] = [];
  const waiting = [{ path: '', left: MAX_DEPTH }];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const names = await files.list(`${folder}/${next.path}`).catch(() => []);
    for (const name of names) {
      const path = next.path === '' ? name : `${next.path}/${name}`;
      if (found.length >= MAX_FILES) return { value: found.sort(), problems, hasMore: true };
      const stat = await files.stat(`${folder}/${path}`).catch((error: unknown) => {
        problems.push(unread(`${display}/${path}`, asOperationError(error)));
        return undefined;
      });
      if (stat?.kind === 'file') found.push(path);
      if (stat?.kind !== 'folder' || next.left === 0 || name === '.git' || name === 'node_modules') continue;
      if (!(await isItself(names, `${folder}/${next.path}`, name, files))) waiting.push({ path, left: next.left - 1 });
    }
  }
  return { value: found.sort(), problems, hasMore: false };
}
