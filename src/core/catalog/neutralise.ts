/**
 * Makes text from a server the same on every machine: paths of a home folder or a workspace become `~` and
 * `${workspaceFolder}`. Web addresses and paths that are the same everywhere, such as `/usr/bin`, stay.
 */

/** The paths of this machine that must not show. All absolute, in either style of separator. */
export interface MachinePaths {
  readonly home?: string;
  /** The folder a server was started in. */
  readonly cwd?: string;
  /** The open workspace folders; with several, each keeps its name. */
  readonly folders?: readonly { readonly path: string; readonly name: string }[];
}

/** The text with machine paths replaced; the same text where there is none. Running it again changes nothing. */
export function neutralisePaths(text: string, paths: MachinePaths = {}): string {
  if (!/[\\/]/.test(text)) return text;
  let result = text;
  for (const { pattern, neutral } of knownPaths(paths)) result = result.replace(pattern, () => neutral);
  return result
    .replace(WINDOWS_HOME, (match, user: string) => (SHARED_FOLDERS.has(user.toLowerCase()) ? match : '~'))
    .replace(UNIX_HOME, (match, user: string) => (SHARED_FOLDERS.has(user.toLowerCase()) ? match : '~'));
}

/** What may stand right before a path: not a letter, nor the rest of a longer path, address or variable. */
const START = '(?<=^|file:\\/\\/|[^\\p{L}\\p{N}_.~%@\\\\\\/\\])}-])';
const END = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}_])';

const UNIX_HOME = new RegExp(
  `${START}\\/(?:home|Users)\\/([\\p{L}\\p{N}_](?:[\\p{L}\\p{N}_.-]{0,62}[\\p{L}\\p{N}_-])?)`,
  'gu',
);
/** Also with doubled separators, as in JSON and code; a name with spaces only where a separator follows it. */
const WINDOWS_HOME = new RegExp(
  `${START}[A-Za-z]:[\\\\\\/]{1,2}Users[\\\\\\/]{1,2}` +
    '([\\p{L}\\p{N}_.-]{1,40}(?: [\\p{L}\\p{N}_.-]{1,40}){0,3}(?=[\\\\\\/])|[\\p{L}\\p{N}_-]{1,40})',
  'giu',
);

/** Names directly under the folder of homes that belong to nobody; container images mount such folders there. */
const SHARED_FOLDERS: ReadonlySet<string> = new Set(['shared', 'public', 'projects', 'data', 'default', 'all users']);

interface KnownPath {
  readonly pattern: RegExp;
  readonly neutral: string;
}

/** Longest first, so that a workspace inside the home folder is named as the workspace. */
function knownPaths(paths: MachinePaths): readonly KnownPath[] {
  const folders = paths.folders ?? [];
  const known = new Map<string, string>();
  const add = (path: string | undefined, neutral: string): void => {
    const trimmed = path?.replace(/[\\/]+$/, '') ?? '';
    // A root such as `/` or `C:` would match everywhere.
    if (trimmed.length >= 4 && /[\\/]/.test(trimmed) && !known.has(trimmed)) known.set(trimmed, neutral);
  };
  for (const folder of folders) {
    add(folder.path, folders.length > 1 ? `\${workspaceFolder:${folder.name}}` : '${workspaceFolder}');
  }
  add(paths.home, '~');
  add(paths.cwd, '${workspaceFolder}');
  return [...known]
    .sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1))
    .map(([path, neutral]) => ({ pattern: patternOf(path), neutral }));
}

/** Either separator, once or doubled; Windows paths in any case. */
function patternOf(path: string): RegExp {
  const windows = /^[A-Za-z]:/.test(path) || path.startsWith('\\\\');
  const body = path
    .split(/[\\/]+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\\\\\/]{1,2}');
  return new RegExp(`${START}${body}${END}`, windows ? 'giu' : 'gu');
}
