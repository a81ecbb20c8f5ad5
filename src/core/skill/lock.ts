/**
 * The lock of a generated skill, `references/mochi.json`: who made the folder, in which form, and a hash of every
 * file and tool, so that a later run knows a person's edits from its own text and a changed server from the old one.
 * It holds no secrets and no clock. Hashing itself is handed in, because core has no cryptography.
 */
import type { Catalog, CompactRules, Json, JsonObject, Mode, Runtime, SkillFile, Tool } from '../model.ts';
import { MODES } from '../model.ts';
import { withoutKeeps } from './keep.ts';

/** Lower-case hexadecimal SHA-256 of a text's UTF-8 bytes. */
export type Digest = (text: string) => string;

/** Where the lock stands, relative to the skill's folder. */
export const LOCK_PATH = 'references/mochi.json';

/** The file whose keep blocks belong to the person. */
export const SKILL_MD = 'SKILL.md';

/** Records have no prototype: every key, `__proto__` too, is data. All hashes are 16 hexadecimal digits. */
export interface SkillLock {
  /** For example `mochi-skills 0.1.0`. */
  readonly generator: string;
  readonly mode: Mode;
  /** Only where the mode is compact. */
  readonly compactRules?: CompactRules;
  readonly runtime: Runtime;
  /** The server's name as configured. */
  readonly server: string;
  /** Hash of the server's definition. */
  readonly definition: string;
  /** Path to {@link fileHash}, for all files but the lock. */
  readonly files: Readonly<Record<string, string>>;
  /** Tool name to {@link toolHash}. */
  readonly tools: Readonly<Record<string, string>>;
  /** {@link catalogHash}. */
  readonly catalog: string;
  /** Tools of the server that a person left out, by name; a check does not take them for new ones. */
  readonly excluded: readonly string[];
}

/** What the lock says that neither the files nor the catalog do. */
export type LockOrigin = Pick<SkillLock, 'generator' | 'mode' | 'compactRules' | 'runtime' | 'definition' | 'excluded'>;

/** The first 16 hexadecimal digits of a text's hash. */
export function shortHash(text: string, digest: Digest): string {
  return digest(text).slice(0, 16);
}

/** Git may check text out with CRLF; that is no edit. */
export function withLf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Hash of a file as far as it is ours: line endings and, in SKILL.md, keep blocks don't count. */
export function fileHash(path: string, text: string, digest: Digest): string {
  const lf = withLf(text);
  return shortHash(path === SKILL_MD ? withoutKeeps(lf) : lf, digest);
}

/** By digest and tool: three modes ask for each twice. Tools are never changed. */
const knownHashes = new WeakMap<Digest, WeakMap<Tool, string>>();

/** Hash of all that a skill can show of a tool, whatever the order of keys. */
export function toolHash(tool: Tool, digest: Digest): string {
  const known = knownHashes.get(digest) ?? new WeakMap<Tool, string>();
  knownHashes.set(digest, known);
  const hash = known.get(tool) ?? computedHash(tool, digest);
  known.set(tool, hash);
  return hash;
}

function computedHash(tool: Tool, digest: Digest): string {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  const shown = Object.entries({ name, title, description, inputSchema, outputSchema, annotations });
  const members = shown.flatMap(([key, value]) => (value === undefined ? [] : [member(key, value)]));
  return shortHash(`{${members.sort(byText).join(',')}}`, digest);
}

/** The hash of every tool by name; of tools with one name the first counts. */
export function toolHashes(tools: readonly Tool[], digest: Digest): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>();
  for (const tool of tools) if (!hashes.has(tool.name)) hashes.set(tool.name, toolHash(tool, digest));
  return hashes;
}

/** Hash of a catalog's tools, whatever their order. */
export function catalogHash(tools: readonly Tool[], digest: Digest): string {
  const lines = [...toolHashes(tools, digest)].map(([name, hash]) => JSON.stringify([name, hash]));
  return shortHash(lines.sort(byText).join('\n'), digest);
}

/** The lock of a rendered skill: `files` are all files but the lock itself. */
export function createLock(
  origin: LockOrigin,
  catalog: Catalog,
  files: readonly SkillFile[],
  digest: Digest,
): SkillLock {
  const hashed = files.filter((file) => file.path !== LOCK_PATH);
  return {
    generator: origin.generator,
    mode: origin.mode,
    ...(origin.compactRules === undefined ? {} : { compactRules: origin.compactRules }),
    runtime: origin.runtime,
    server: catalog.server,
    definition: origin.definition,
    files: recordOf(hashed.map((file) => [file.path, fileHash(file.path, file.text, digest)])),
    tools: recordOf(toolHashes(catalog.tools, digest)),
    catalog: catalogHash(catalog.tools, digest),
    excluded: [...origin.excluded].sort(byText),
  };
}

/** The lock as a file of the skill. */
export function lockFile(lock: SkillLock): SkillFile {
  return { path: LOCK_PATH, text: lockText(lock), executable: false };
}

/** Sorted, two spaces, a newline at the end: the same lock is always the same bytes. */
export function lockText(lock: SkillLock): string {
  const sorted = Object.entries({ ...lock, files: recordOf(lock.files), tools: recordOf(lock.tools) });
  return `${JSON.stringify(Object.fromEntries(sorted.sort(byKey)), undefined, 2)}\n`;
}

/** Reads a lock back; `undefined` where the text is not one, for example after an unresolved merge. */
export function parseLock(text: string): SkillLock | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
  if (typeof json !== 'object' || json === null) return undefined;
  const found = new Map<string, unknown>(Object.entries(json));
  const [generator, server, definition, catalog] = ['generator', 'server', 'definition', 'catalog'].map((key) =>
    stringOf(found.get(key)),
  );
  const mode = MODES.find((known) => known === found.get('mode'));
  const runtime = RUNTIMES.find((known) => known === found.get('runtime'));
  const compactRules = RULES.find((known) => known === found.get('compactRules'));
  const files = hashesOf(found.get('files'));
  const tools = hashesOf(found.get('tools'));
  if (generator === undefined || server === undefined || definition === undefined || catalog === undefined)
    return undefined;
  if (mode === undefined || runtime === undefined || files === undefined || tools === undefined) return undefined;
  const rules = compactRules === undefined ? {} : { compactRules };
  const left = found.get('excluded');
  const excluded = Array.isArray(left) ? left.filter((name) => typeof name === 'string') : [];
  return { generator, mode, ...rules, runtime, server, definition, files, tools, catalog, excluded };
}

const RUNTIMES: readonly Runtime[] = ['python', 'node'];
const RULES: readonly CompactRules[] = ['safe', 'strict'];

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function hashesOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const pairs: (readonly [string, string])[] = [];
  for (const [key, hash] of Object.entries(value)) {
    if (typeof hash !== 'string') return undefined;
    pairs.push([key, hash]);
  }
  return recordOf(pairs);
}

/** A record without prototype, its keys in order. */
function recordOf(
  pairs: Iterable<readonly [string, string]> | Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const record: Record<string, string> = Object.create(null);
  const list = Symbol.iterator in pairs ? [...pairs] : Object.entries(pairs);
  for (const [key, value] of list.sort(byKey)) record[key] = value;
  return record;
}

/** JSON with the keys of every object sorted. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, inner]) => member(key, inner));
  return `{${members.sort(byText).join(',')}}`;
}

function member(key: string, value: Json): string {
  return `${JSON.stringify(key)}:${canonical(value)}`;
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return byText(a[0], b[0]);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
