/**
 * Where the table's files are on one machine: candidates in order of precedence, and the dialect of a file that a
 * person names. Works on paths as text; only `discover.ts` looks at the disk.
 */
import type { Source } from '../model.ts';
import { type ConfigFile, DIALECTS, type Dialect, type FileDialect, fileDialect, type Platform } from './sources.ts';

export interface LocateRequest {
  /** Workspace folders, absolute. */
  readonly folders: readonly string[];
  /** The home folder; without it no file there is read. */
  readonly home?: string;
  readonly platform: Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A place to look at. `pattern` is absolute, with forward slashes, and `*` may stand in its part after `base`. */
export interface Candidate {
  readonly form: FileDialect;
  readonly base: string;
  readonly pattern: string;
  readonly folder?: string;
}

/** All places, highest precedence first. */
export function candidates(request: LocateRequest): readonly Candidate[] {
  return DIALECTS.flatMap((dialect) => dialect.files.flatMap((file) => candidatesOf(dialect, file, request)));
}

function candidatesOf(dialect: Dialect, file: ConfigFile, request: LocateRequest): readonly Candidate[] {
  const form = fileDialect(dialect, file);
  if (file.anchor === 'folder') {
    return request.folders.map((folder) => ({ form, ...below(slashed(folder, request.platform), file.path), folder }));
  }
  const { home } = request;
  if (home === undefined || (file.platforms !== undefined && !file.platforms.includes(request.platform))) return [];
  const place = homePlace(file, slashed(home, request.platform), request);
  return file.perFolder === true ? request.folders.map((folder) => ({ form, ...place, folder })) : [{ form, ...place }];
}

function below(base: string, path: string): { base: string; pattern: string } {
  return { base, pattern: path === '' ? base : `${base === '/' ? '' : base}/${path}` };
}

function homePlace(file: ConfigFile, home: string, request: LocateRequest): { base: string; pattern: string } {
  const moved = file.moved === undefined ? undefined : request.env[file.moved.variable];
  if (file.moved !== undefined && moved !== undefined && isAbsolute(moved, request.platform)) {
    return below(slashed(moved, request.platform), file.moved.path);
  }
  if (file.anchor === 'xdg') return below(`${home}/.config`, file.path);
  return below(file.anchor === 'config' ? configFolder(home, request) : home, file.path);
}

function configFolder(home: string, { platform, env }: LocateRequest): string {
  switch (platform) {
    case 'darwin':
      return `${home}/Library/Application Support`;
    case 'win32':
      return absoluteOr(env['APPDATA'], `${home}/AppData/Roaming`, platform);
    case 'linux':
      return absoluteOr(env['XDG_CONFIG_HOME'], `${home}/.config`, platform);
    default:
      return platform satisfies never;
  }
}

function absoluteOr(path: string | undefined, otherwise: string, platform: Platform): string {
  return path !== undefined && isAbsolute(path, platform) ? slashed(path, platform) : otherwise;
}

export function isAbsolute(path: string, platform: Platform): boolean {
  return platform === 'win32' ? /^(?:[A-Za-z]:)?[\\/]/.test(path) : path.startsWith('/');
}

/** Forward slashes, no `.`, `..` or double slash within, none at the end. */
export function slashed(path: string, platform: Platform): string {
  const forward = platform === 'win32' ? path.replaceAll('\\', '/') : path;
  const lead = /^(?:[A-Za-z]:)?\/{0,2}/.exec(forward)?.[0] ?? '';
  const prefix = platform === 'win32' ? lead : lead.startsWith('/') ? '/' : '';
  const parts: string[] = [];
  for (const part of forward.slice(platform === 'win32' ? lead.length : prefix.length).split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts.length === 0 ? prefix : prefix + parts.join('/');
}

/** How a file is shown: below its folder, with the folder's name where there are several, or below `~`. */
export function displayOf(path: string, request: LocateRequest): string {
  const { platform, folders } = request;
  for (const folder of longestFirst(folders)) {
    const rest = restBelow(path, slashed(folder, platform), platform);
    if (rest !== undefined) return folders.length > 1 ? `${folderName(folder, request)}/${rest}` : rest;
  }
  const home = request.home ?? request.env['HOME'] ?? request.env['USERPROFILE'];
  const rest = home === undefined || home === '' ? undefined : restBelow(path, slashed(home, platform), platform);
  if (rest !== undefined) return `~/${rest}`;
  for (const variable of ['CODEX_HOME', 'COPILOT_HOME', 'CLAUDE_CONFIG_DIR', 'XDG_CONFIG_HOME', 'APPDATA']) {
    const value = request.env[variable];
    const inside =
      value === undefined || value === '' ? undefined : restBelow(path, slashed(value, platform), platform);
    if (inside !== undefined) return `$${variable}/${inside}`;
  }
  return path.split('/').slice(-2).join('/');
}

/** The workspace folder that a path belongs to, as the request spells it. */
export function folderOf(path: string, request: LocateRequest): string | undefined {
  return longestFirst(request.folders).find(
    (folder) => restBelow(path, slashed(folder, request.platform), request.platform) !== undefined,
  );
}

function longestFirst(folders: readonly string[]): readonly string[] {
  return folders.toSorted((a, b) => b.length - a.length);
}

/** Folders of the same name are told apart by their place in the list. */
function folderName(folder: string, { folders, platform }: LocateRequest): string {
  const nameOf = (path: string): string => slashed(path, platform).split('/').at(-1) ?? '';
  const same = folders.filter((other) => nameOf(other) === nameOf(folder));
  const index = same.indexOf(folder);
  return index > 0 ? `${nameOf(folder)}#${index + 1}` : nameOf(folder);
}

function restBelow(path: string, folder: string, platform: Platform): string | undefined {
  const fold = (text: string): string => (platform === 'win32' ? text.toLowerCase() : text);
  const start = folder.endsWith('/') ? folder : `${folder}/`;
  return fold(path).startsWith(fold(start)) && path.length > start.length ? path.slice(start.length) : undefined;
}

/** The row of a file by its name: the row whose path is the longest end of it. */
export function formByName(path: string): FileDialect | undefined {
  let best: { readonly form: FileDialect; readonly length: number } | undefined;
  for (const dialect of DIALECTS) {
    for (const file of dialect.files) {
      if (file.perFolder === true || !matchesEnd(path, file.path)) continue;
      const length = file.path.length;
      if (best === undefined || length > best.length) best = { form: fileDialect(dialect, file), length };
    }
  }
  return best?.form;
}

function matchesEnd(path: string, pattern: string): boolean {
  const wanted = pattern.split('/');
  const parts = path.split('/').slice(-wanted.length);
  return (
    parts.length === wanted.length && wanted.every((segment, index) => segmentMatches(segment, parts[index] ?? ''))
  );
}

/** One `*` at most in a segment. */
export function segmentMatches(pattern: string, name: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === name;
  const before = pattern.slice(0, star);
  const after = pattern.slice(star + 1);
  return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}

export function sourceOf(candidate: Pick<Candidate, 'form' | 'folder'>, path: string, display: string): Source {
  const { dialect, file } = candidate.form;
  const local = file.perFolder === true && candidate.folder !== undefined;
  return {
    id: `${dialect.id}:${path}${local ? `[${candidate.folder}]` : ''}`,
    dialect: dialect.id,
    label: file.label ?? dialect.label,
    path,
    display,
    scope: file.anchor === 'folder' ? 'folder' : 'user',
    ...(candidate.folder === undefined ? {} : { folder: candidate.folder }),
  };
}
