/**
 * Where clients look for skills: a table of folders with who reads them, and the walks that find the ones whose place
 * is not fixed (nested projects, plugins). Sources: the documents of Claude Code and VS Code on skills, and VS Code's
 * default list and order. Which of two skills wins is decided in `library-shadowing.ts`.
 */
import type { Files } from '../ports.ts';
import { OperationError, type Problem } from '../problem.ts';

export type SkillScope = 'project' | 'nested' | 'personal' | 'plugin';

/** The clients whose reading of skill folders is documented. `vscode` stands for VS Code with Copilot. */
export const SKILL_CLIENTS = ['claude-code', 'vscode'] as const;
export type SkillClient = (typeof SKILL_CLIENTS)[number];

/** A folder whose sub-folders are skills. */
export interface SkillRoot {
  /** Absolute, with forward slashes after the folder it was found from. */
  readonly path: string;
  /** For people: relative to the workspace folder, or with `~` for the home folder. */
  readonly display: string;
  readonly scope: SkillScope;
  readonly readBy: readonly SkillClient[];
  /** The workspace folder or the home folder; nothing that leads out of it is read. */
  readonly within: string;
  /** The plugin's name, which stands before its skills' names. */
  readonly plugin?: string;
}

export interface SkillPlaces {
  /** Workspace folders, absolute. */
  readonly folders: readonly string[];
  /** The home folder; absent, personal skills and plugins are not looked for. */
  readonly home?: string | undefined;
}

/** Gives the files of a folder; a path that leads out of it throws OperationError `outside-root`. */
export type ConfinedFiles = (within: string) => Files;

interface Row {
  readonly path: string;
  readonly scope: SkillScope;
  readonly readBy: readonly SkillClient[];
}

/** In the order in which VS Code takes the first of one name. */
const PROJECT: readonly Row[] = [
  { path: '.github/skills', scope: 'project', readBy: ['vscode'] },
  { path: '.agents/skills', scope: 'project', readBy: ['vscode'] },
  { path: '.claude/skills', scope: 'project', readBy: ['claude-code', 'vscode'] },
];
const PERSONAL: readonly Row[] = [
  { path: '.copilot/skills', scope: 'personal', readBy: ['vscode'] },
  { path: '.agents/skills', scope: 'personal', readBy: ['vscode'] },
  { path: '.claude/skills', scope: 'personal', readBy: ['claude-code', 'vscode'] },
  // Installers write there by analogy, and no client looks.
  { path: '.github/skills', scope: 'personal', readBy: [] },
];
const NESTED = '.claude/skills';
const PLUGINS = '.claude/plugins';

/** Folders looked into below a workspace folder or a plugins folder, and how deep. */
const MAX_WALKED = 2_000;
const NESTED_DEPTH = 4;
const PLUGIN_DEPTH = 6;
const SKIPPED: ReadonlySet<string> = new Set([
  'node_modules',
  'bower_components',
  'dist',
  'build',
  'out',
  'target',
  'vendor',
  'venv',
  '__pycache__',
]);

export interface FoundRoots {
  /** Only folders that exist, in the order in which VS Code takes them. */
  readonly roots: readonly SkillRoot[];
  readonly problems: readonly Problem[];
}

/** Looks for every folder of skills. Reads folders only, and stops at its bounds with a problem that says so. */
export async function findRoots(
  places: SkillPlaces,
  confined: ConfinedFiles,
  signal?: AbortSignal,
): Promise<FoundRoots> {
  const problems: Problem[] = [];
  const roots: SkillRoot[] = [];
  const { folders, home } = places;
  const search: Search = { confined, problems, signal };
  for (const folder of folders) roots.push(...(await rowsIn(PROJECT, folder, '', search)));
  for (const folder of folders) roots.push(...(await nestedIn(folder, search)));
  if (home !== undefined) roots.push(...(await rowsIn(PERSONAL, home, '~/', search)));
  for (const folder of folders) roots.push(...(await pluginsIn(folder, '', search)));
  if (home !== undefined) roots.push(...(await pluginsIn(home, '~/', search)));
  const seen = new Set<string>();
  return { roots: roots.filter(({ path }) => !seen.has(path) && seen.add(path)), problems };
}

interface Search {
  readonly confined: ConfinedFiles;
  readonly problems: Problem[];
  readonly signal: AbortSignal | undefined;
}

async function rowsIn(rows: readonly Row[], within: string, prefix: string, search: Search): Promise<SkillRoot[]> {
  const found: SkillRoot[] = [];
  for (const { path, scope, readBy } of rows) {
    const root: SkillRoot = { path: `${within}/${path}`, display: `${prefix}${path}`, scope, readBy, within };
    if (await isFolder(root.path, root.display, within, search)) found.push(root);
  }
  return found;
}

/** Whether a folder is there. One that leads out of its place is a problem and counts as absent. */
async function isFolder(path: string, display: string, within: string, search: Search): Promise<boolean> {
  try {
    return (await search.confined(within).stat(path))?.kind === 'folder';
  } catch (error) {
    if (!OperationError.is(error)) throw error;
    search.problems.push(unread(display, error));
    return false;
  }
}

/** What is said of a folder or file that is there and was not read: an error, because nobody can call it valid. */
export function unread(display: string, error: OperationError): Problem {
  const leadsOut = error.kind === 'outside-root';
  return {
    kind: 'skill-invalid',
    severity: 'error',
    message: leadsOut
      ? 'It is a link that leads out of its folder, so it was not read.'
      : `It could not be read: ${error.message}.`,
    remedy: leadsOut ? 'Put the files themselves there.' : 'Check the file and the right to read it.',
    at: { file: display },
  };
}

/** Folders below a workspace folder that have skills of their own; Claude Code finds them when it works there. */
async function nestedIn(within: string, search: Search): Promise<SkillRoot[]> {
  const found: SkillRoot[] = [];
  await walk(within, NESTED_DEPTH, search, async (folder, display) => {
    if (folder === within) return true;
    const path = `${folder}/${NESTED}`;
    if (await isFolder(path, `${display}/${NESTED}`, within, search))
      found.push({ path, display: `${display}/${NESTED}`, scope: 'nested', readBy: ['claude-code'], within });
    return true;
  });
  return found;
}

/** The `skills` folders of plugins, wherever a marketplace or a cache put them. */
async function pluginsIn(within: string, prefix: string, search: Search): Promise<SkillRoot[]> {
  const top = `${within}/${PLUGINS}`;
  const found: SkillRoot[] = [];
  if (!(await isFolder(top, `${prefix}${PLUGINS}`, within, search))) return found;
  await walk(top, PLUGIN_DEPTH, search, async (folder, display) => {
    const name = folder.slice(folder.lastIndexOf('/') + 1);
    if (name !== 'skills') return true;
    const parent = folder.slice(0, -'/skills'.length);
    found.push({
      path: folder,
      display: `${prefix}${PLUGINS}/${display}`,
      scope: 'plugin',
      readBy: ['claude-code', 'vscode'],
      within,
      plugin: (await pluginName(parent, within, search)) ?? parent.slice(parent.lastIndexOf('/') + 1),
    });
    return false;
  });
  return found;
}

const MAX_MANIFEST = 100_000;

/** The name in a plugin's manifest, where there is a usable one. */
async function pluginName(folder: string, within: string, { confined }: Search): Promise<string | undefined> {
  try {
    const bytes = await confined(within).read(`${folder}/.claude-plugin/plugin.json`, MAX_MANIFEST);
    const manifest: unknown = bytes === undefined ? undefined : JSON.parse(new TextDecoder().decode(bytes));
    const name = typeof manifest === 'object' && manifest !== null && 'name' in manifest ? manifest.name : undefined;
    return typeof name === 'string' && /^[\w.@-]{1,100}$/.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Visits folders breadth first, in the order of their names; `visit` says whether to go deeper. */
async function walk(
  top: string,
  depth: number,
  search: Search,
  visit: (folder: string, display: string) => Promise<boolean>,
): Promise<void> {
  const waiting = [{ path: top, display: '', left: depth }];
  let walked = 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    search.signal?.throwIfAborted();
    if (walked++ >= MAX_WALKED) {
      search.problems.push({
        kind: 'skill-large',
        severity: 'info',
        message: `Only the first ${MAX_WALKED} folders were looked into for skills of their own.`,
        remedy: 'Open the part of the project whose skills you miss as a folder.',
        at: { file: next.display },
      });
      return;
    }
    if (!(await visit(next.path, next.display)) || next.left === 0) continue;
    // Confined to the folder itself, so that no link leads up or aside and round in a circle.
    const files = search.confined(next.path);
    const names = await files.list(next.path).catch(() => []);
    for (const name of names) {
      // Names with a dot are files, versions aside; asking about each of them would be most of the work.
      if (SKIPPED.has(name) || name.startsWith('.') || /\.[a-z]\w*$/i.test(name)) continue;
      const path = `${next.path}/${name}`;
      const stat = await files.stat(path).catch(() => undefined);
      if (stat?.kind !== 'folder' || (await isItself(names, next.path, name, files))) continue;
      waiting.push({ path, display: next.display === '' ? name : `${next.display}/${name}`, left: next.left - 1 });
    }
  }
}

/** Whether a folder in a folder is that folder again: a link to where it stands, which looks the same all the way down. */
export async function isItself(names: readonly string[], folder: string, name: string, files: Files): Promise<boolean> {
  for (const inner of [`${folder}/${name}`, `${folder}/${name}/${name}`]) {
    const found = await files.list(inner).catch(() => []);
    if (found.length !== names.length || found.some((one, index) => one !== names[index])) return false;
  }
  return true;
}
