/**
 * Finds and reads all config files of a workspace and, if asked, of a home folder. It starts nothing, connects to
 * nothing and expands nothing; a file that cannot be read is a problem beside the others.
 */
import type { Server, Source } from '../model.ts';
import type { Files } from '../ports.ts';
import { OperationError, type Problem, type Reported } from '../problem.ts';
import { type FileSyntax, fieldOf, MAX_FILE_BYTES, type Node } from './document.ts';
import {
  type Candidate,
  candidates,
  displayOf,
  folderOf,
  formByName,
  isAbsolute,
  type LocateRequest,
  segmentMatches,
  slashed,
  sourceOf,
} from './locate.ts';
import { mergeServers } from './merge.ts';
import { readServers } from './parse.ts';
import { type ConfigDocument, readDocument, tooLarge } from './read-document.ts';
import { isServerMap } from './roots.ts';
import { DIALECTS, type Dialect, type FileDialect, fileDialect, type Platform } from './sources.ts';

/** Files that one pattern of the table may match. */
const MAX_MATCHES = 200;

export interface DiscoverRequest extends LocateRequest {
  /** Files named by a person, read before all others; their dialect is found by name, else by root key. */
  readonly extraConfigs?: readonly string[];
  /** Whether those are all that is read. */
  readonly onlyExtra?: boolean;
}

export interface Discovered {
  /** In order of precedence. */
  readonly sources: readonly Source[];
  /** In the order of their sources, each in the order of its file; shadowed ones included. */
  readonly servers: readonly Server[];
}

/** Never rejects for what a file holds or is. Same disk, same result. */
export async function discover(request: DiscoverRequest, files: Files): Promise<Reported<Discovered>> {
  const search = new Search(request, files);
  const extras = new Set<string>();
  for (const given of request.extraConfigs ?? []) {
    const path = absolutePath(given, request);
    const key = identity(path, request.platform);
    if (extras.has(key)) continue;
    extras.add(key);
    await search.readExtra(path);
  }
  for (const candidate of request.onlyExtra === true ? [] : candidates(request)) {
    for (const path of await search.match(candidate)) {
      if (extras.has(identity(path, request.platform)) && candidate.form.file.perFolder !== true) continue;
      await search.read(candidate, path);
    }
  }
  const { sources, servers, problems, ignored } = search;
  const merged = mergeServers(servers, ignored);
  return { value: { sources, servers: merged.value }, problems: [...problems, ...merged.problems] };
}

function absolutePath(given: string, request: LocateRequest): string {
  const [first] = request.folders;
  const base = isAbsolute(given, request.platform) || first === undefined ? '' : `${first}/`;
  return slashed(base + given, request.platform);
}

/** Windows does not tell apart paths that differ in the case of letters. */
function identity(path: string, platform: Platform): string {
  return platform === 'win32' ? path.toLowerCase() : path;
}

/** What has been found so far, and the files read so far, so that none is read twice. */
class Search {
  readonly sources: Source[] = [];
  readonly servers: Server[] = [];
  readonly problems: Problem[] = [];
  readonly ignored = new Set<string>();
  readonly #documents = new Map<string, ConfigDocument | undefined>();
  readonly #seen = new Set<string>();
  readonly #request: LocateRequest;
  readonly #files: Files;

  constructor(request: LocateRequest, files: Files) {
    this.#request = request;
    this.#files = files;
  }

  async read(candidate: Candidate, path: string): Promise<void> {
    const display = displayOf(path, this.#request);
    const source = sourceOf(candidate, path, display);
    const key = identity(source.id, this.#request.platform);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const document = await this.#document(path, candidate.form.syntax, display);
    if (document !== undefined) this.#add(source, candidate.form, document, await this.#isBare(candidate));
  }

  async readExtra(path: string): Promise<void> {
    const display = displayOf(path, this.#request);
    const named = formByName(path);
    const syntax = named?.syntax ?? syntaxOf(path);
    const document = await this.#document(path, syntax, display);
    if (document === undefined) {
      this.problems.push(unreadable(display, 'The file does not exist.', 'Correct the path.'));
      return;
    }
    const form = named ?? formByRoot(document.root, syntax);
    const folder = folderOf(path, this.#request);
    const source: Source = {
      ...sourceOf({ form, ...(folder === undefined ? {} : { folder }) }, path, display),
      scope: folder === undefined ? 'user' : 'folder',
    };
    this.#seen.add(identity(source.id, this.#request.platform));
    this.#add(source, { ...form, file: { ...form.file, shared: false } }, document, true);
  }

  /** The paths that a candidate's pattern stands for; one without a star stands for itself. */
  async match({ base, pattern }: Candidate): Promise<readonly string[]> {
    if (!pattern.includes('*', base.length)) return [pattern];
    let found = [base];
    for (const segment of pattern.slice(base.length + 1).split('/')) {
      if (!segment.includes('*')) {
        found = found.map((path) => `${path}/${segment}`);
        continue;
      }
      const next: string[] = [];
      for (const path of found) {
        for (const name of await this.#list(path)) if (segmentMatches(segment, name)) next.push(`${path}/${name}`);
      }
      if (next.length > MAX_MATCHES) this.problems.push(tooMany(displayOf(next[MAX_MATCHES] ?? base, this.#request)));
      found = next.slice(0, MAX_MATCHES);
    }
    return found;
  }

  #add(source: Source, form: FileDialect, document: ConfigDocument, bare: boolean): void {
    const parsed = readServers(document, { source, form, platform: this.#request.platform, bare });
    if (parsed.named) this.sources.push(source);
    for (const server of parsed.servers) this.servers.push(server);
    for (const problem of parsed.problems) this.problems.push(problem);
    for (const id of parsed.ignored) this.ignored.add(id);
  }

  /** Undefined if there is no such file. Problems of a file are noted when it is first read. */
  async #document(path: string, syntax: FileSyntax, display: string): Promise<ConfigDocument | undefined> {
    const key = `${syntax}:${path}`;
    if (this.#documents.has(key)) return this.#documents.get(key);
    const document = await this.#load(path, syntax, display);
    this.#documents.set(key, document);
    if (document !== undefined) this.problems.push(...document.problems);
    return document;
  }

  async #load(path: string, syntax: FileSyntax, display: string): Promise<ConfigDocument | undefined> {
    try {
      const stat = await this.#files.stat(path);
      if (stat === undefined) return undefined;
      if (stat.kind !== 'file') {
        const what = stat.kind === 'folder' ? 'a folder' : 'neither a file nor a folder';
        return failed(unreadable(display, `There is ${what} where a config file should be.`, 'Remove or rename it.'));
      }
      if (stat.size > MAX_FILE_BYTES) return failed(tooLarge(display));
      const bytes = await this.#files.read(path, MAX_FILE_BYTES);
      return bytes === undefined ? undefined : readDocument(bytes, syntax, display);
    } catch (error) {
      return failed(unreadableBecause(error, display));
    }
  }

  async #list(path: string): Promise<readonly string[]> {
    try {
      return await this.#files.list(path);
    } catch (error) {
      this.problems.push(unreadableBecause(error, displayOf(path, this.#request)));
      return [];
    }
  }

  async #isBare({ form, base }: Candidate): Promise<boolean> {
    const { bare } = form.file;
    if (bare === undefined || bare === true) return bare === true;
    try {
      return (await this.#files.stat(`${base}/${bare.beside}`)) !== undefined;
    } catch {
      return false;
    }
  }
}

function failed(problem: Problem): ConfigDocument {
  return { locate: () => ({ line: 1, column: 1 }), problems: [problem] };
}

function unreadable(file: string, message: string, remedy: string): Problem {
  return { kind: 'config-unreadable', severity: 'error', message, remedy, at: { file } };
}

function unreadableBecause(error: unknown, file: string): Problem {
  return OperationError.is(error, 'outside-root')
    ? unreadable(
        file,
        'The path leads out of the workspace folder through a link, so it is not read.',
        'Put the file itself into the folder, or name it with `--mcp-config`.',
      )
    : unreadable(file, 'The file cannot be read.', 'Check that it is a regular file and that you may read it.');
}

function tooMany(file: string): Problem {
  return {
    kind: 'config-too-large',
    severity: 'warning',
    message: `More than ${MAX_MATCHES} files match here; this one and those after it are not read.`,
    remedy: 'Name the file with `--mcp-config`.',
    at: { file },
  };
}

function syntaxOf(path: string): FileSyntax {
  if (/\.toml$/i.test(path)) return 'toml';
  return /\.ya?ml$/i.test(path) ? 'yaml' : 'jsonc';
}

/** The dialect whose root key a file has; the standard form, Claude Code's, where nothing else fits. */
function formByRoot(root: Node | undefined, syntax: FileSyntax): FileDialect {
  if (syntax === 'toml') return formOf('codex');
  if (syntax === 'yaml') return formOf('continue');
  const has = (key: string): boolean => fieldOf(root, key) !== undefined;
  if (!has('mcpServers')) {
    if (has('servers')) return formOf('vscode');
    if (has('context_servers')) return formOf('zed');
    const mcp = fieldOf(root, 'mcp')?.value;
    if (mcp !== undefined && isServerMap(mcp)) return formOf('opencode');
    if (fieldOf(mcp, 'servers') !== undefined) return formOf('vscode', '.vscode/settings.json');
    if (fieldOf(fieldOf(root, 'settings')?.value, 'mcp') !== undefined) return formOf('vscode', '*.code-workspace');
    if (has('customizations')) return formOf('vscode', '.devcontainer.json');
  }
  return formOf('claude-code', '.mcp.json');
}

function formOf(id: string, path?: string): FileDialect {
  const dialect: Dialect | undefined = DIALECTS.find((row) => row.id === id);
  const file = dialect?.files.find((one) => path === undefined || one.path === path);
  if (dialect === undefined || file === undefined) throw new Error(`The table of dialects has no row ${id}`);
  return fileDialect(dialect, file);
}
