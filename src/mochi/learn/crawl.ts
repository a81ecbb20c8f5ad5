/**
 * Finds the files worth learning: obeys `.gitignore`, follows no links, and leaves out secrets, binaries, generated,
 * minified and very large files, each with its reason. Names decide here; what needs the content, `refusalOf` decides.
 */
import { lstatSync, type Stats } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { isSecretFile } from '#core/scan/secret-files.ts';

export type LeftOutReason = 'ignored' | 'secret' | 'binary' | 'generated' | 'too large' | 'unreadable';

export interface CrawledFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly size: number;
  readonly changed: number;
}

export interface CrawlOptions {
  /** Bytes; larger files are left out. */
  readonly largest?: number;
  readonly mostFiles?: number;
}

export interface Crawl {
  readonly files: readonly CrawledFile[];
  readonly leftOut: Map<LeftOutReason, number>;
}

const never =
  /^(\.git|\.hg|\.svn|node_modules|__pycache__|\.venv|\.mypy_cache|\.gradle|\.idea|\.vscode-test|bower_components)$/;
const binary =
  /\.(png|jpe?g|gif|webp|ico|bmp|tiff?|pdf|zip|gz|tgz|bz2|xz|7z|rar|jar|war|class|o|a|so|dll|dylib|exe|bin|wasm|pyc|woff2?|ttf|otf|eot|mp[34]|wav|ogg|webm|mov|avi|sqlite3?|db|vsix|parquet|safetensors|gguf|onnx|npy|node)$/i;
const generated =
  /(^|[.-])(min|bundle)\.(js|css|mjs)$|\.(map|snap|lock|svg|log|csv|tsv|d\.ts\.map)$|^(package-lock|npm-shrinkwrap|composer\.lock|pnpm-lock|yarn\.lock|Cargo\.lock|go\.sum)(\.json|\.yaml)?$|\.(pb\.go|g\.cs|designer\.cs)$|_pb2(_grpc)?\.py$/i;

interface Scope {
  /** The folder of the rules, relative to the root, empty or ending in a slash. */
  readonly base: string;
  readonly rules: Ignore;
}

/** Lists the files under `root`, in a stable order. Rejects with the signal's reason once that is aborted. */
export async function crawl(root: string, options: CrawlOptions, signal: AbortSignal): Promise<Crawl> {
  const leftOut = new Map<LeftOutReason, number>();
  const files: CrawledFile[] = [];
  await walk(root, '', [], { files, leftOut, options }, signal);
  return { files, leftOut };
}

interface Found {
  readonly files: CrawledFile[];
  readonly leftOut: Map<LeftOutReason, number>;
  readonly options: CrawlOptions;
}

async function walk(
  root: string,
  base: string,
  outer: readonly Scope[],
  found: Found,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  const entries = await readdir(join(root, base), { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) {
    count(found.leftOut, 'unreadable');
    return;
  }
  const own = entries.some((entry) => entry.name === '.gitignore' && entry.isFile());
  const scopes = own ? [...outer, await scopeOf(root, base)] : outer;
  entries.sort((one, two) => (one.name < two.name ? -1 : 1));
  for (const entry of entries) {
    const path = base + entry.name;
    if (entry.isDirectory()) {
      if (never.test(entry.name)) continue;
      if (isIgnored(`${path}/`, scopes)) count(found.leftOut, 'ignored');
      else await walk(root, `${path}/`, scopes, found, signal);
    } else if (entry.isFile() && found.files.length < (found.options.mostFiles ?? 100_000)) {
      look(root, path, scopes, found);
    }
  }
}

function look(root: string, path: string, scopes: readonly Scope[], found: Found): void {
  const reason = isIgnored(path, scopes) ? 'ignored' : refusalOfName(path);
  if (reason !== undefined) {
    count(found.leftOut, reason);
    return;
  }
  const stat = statOf(join(root, path));
  if (stat === undefined || !stat.isFile()) count(found.leftOut, 'unreadable');
  else if (stat.size > (found.options.largest ?? 512 * 1024)) count(found.leftOut, 'too large');
  else found.files.push({ path, size: stat.size, changed: stat.mtimeMs });
}

/** Not awaited: waiting for each of ten thousand files takes longer than reading them. */
function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

const count = (into: Map<LeftOutReason, number>, reason: LeftOutReason): void => {
  into.set(reason, (into.get(reason) ?? 0) + 1);
};

async function scopeOf(root: string, base: string): Promise<Scope> {
  const text = await readFile(join(root, base, '.gitignore'), 'utf8').catch(() => '');
  return { base, rules: ignore().add(text) };
}

/** The innermost rules that say anything about a path decide, as git does it. */
function isIgnored(path: string, scopes: readonly Scope[]): boolean {
  for (const { base, rules } of scopes.toReversed()) {
    const { ignored, unignored } = rules.test(path.slice(base.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** Why a file of this path is not even opened, by its names alone; undefined where nothing speaks against it. */
export function refusalOfName(path: string): LeftOutReason | undefined {
  if (isSecretFile(path)) return 'secret';
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (binary.test(name)) return 'binary';
  return generated.test(name) ? 'generated' : undefined;
}

/** Why this content is not learned; undefined where nothing speaks against it. */
export function refusalOf(text: string): LeftOutReason | undefined {
  const head = text.slice(0, 4096);
  if (head.includes('\0')) return 'binary';
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)) return 'secret';
  if (/@generated\b|DO NOT EDIT|<auto-generated/i.test(head.slice(0, 1024))) return 'generated';
  if (isCompiled(text)) return 'generated';
  const lines = head.split('\n');
  return head.length > 1000 && head.length / lines.length > 200 ? 'generated' : undefined;
}

/** Compilers end what they write with where it came from; that is there as well, or not this workspace's own. */
function isCompiled(text: string): boolean {
  const end = text.trimEnd();
  return /^[ \t]*\/[/*][#@][ \t]*sourceMappingURL=/.test(end.slice(end.lastIndexOf('\n') + 1));
}

/** Whether one changed path would be learned by a crawl, by its name and the `.gitignore` files above it. */
export async function isWanted(root: string, path: string): Promise<boolean> {
  const parts = path.split('/');
  const scopes: Scope[] = [];
  for (let depth = 0; depth < parts.length; depth += 1) {
    const base = depth === 0 ? '' : `${parts.slice(0, depth).join('/')}/`;
    if (depth > 0 && (never.test(parts[depth - 1] ?? '') || isIgnored(base, scopes))) return false;
    scopes.push(await scopeOf(root, base));
  }
  return !isIgnored(path, scopes) && refusalOfName(path) === undefined;
}
