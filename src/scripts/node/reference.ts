/**
 * Reads the tools of this skill from its own reference files, offline: `references/tools.json`, or the YAML files of
 * the lazy form. Only the entry that is asked for is parsed, because a file can describe hundreds of tools.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { closest } from './closest.ts';
import { Fault } from './fault.ts';
import { asJsonObject, isObject, type JsonObject, own, ownString } from './json.ts';

/** One tool as its reference describes it. */
export interface ReferenceTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonObject;
  /** The reference as it is printed. */
  readonly text: string;
}

/** Reference files in one of their two forms. */
export type Reference =
  | { readonly kind: 'json'; readonly tools: readonly ReferenceTool[] }
  | { readonly kind: 'yaml'; readonly files: readonly string[]; readonly folders: readonly string[] };

const FILE_NAME = /^[A-Za-z0-9_.-]{1,100}$/;

function jsonTool(entry: unknown): ReferenceTool | undefined {
  const name = ownString(entry, 'name');
  if (name === undefined) return undefined;
  return {
    name,
    description: ownString(entry, 'description') ?? '',
    schema: asJsonObject(own(entry, 'inputSchema')) ?? {},
    text: `${JSON.stringify(entry, undefined, 2)}\n`,
  };
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** The reference files in a folder `references`; undefined where there are none. Throws `usage` for a broken file. */
export function openReference(folder: string): Reference | undefined {
  const path = join(folder, 'tools.json');
  const text = readText(path);
  if (text !== undefined) {
    const value = parseOr(path, () => JSON.parse(text));
    const list = Array.isArray(value) ? value : own(value, 'tools');
    if (!Array.isArray(list)) throw new Fault('usage', `${path}: expected a list of tools`);
    return { kind: 'json', tools: list.flatMap((entry: unknown) => jsonTool(entry) ?? []) };
  }
  const tools = join(folder, 'tools');
  let names: readonly { readonly name: string; isDirectory(): boolean }[];
  try {
    names = readdirSync(tools, { withFileTypes: true });
  } catch {
    return undefined;
  }
  const files = names.filter((entry) => !entry.isDirectory() && entry.name.endsWith('.yaml'));
  const folders = names.filter((entry) => entry.isDirectory());
  if (files.length + folders.length === 0) return undefined;
  const absolute = (entry: { readonly name: string }): string => join(tools, entry.name);
  return { kind: 'yaml', files: files.map(absolute), folders: folders.map(absolute) };
}

function parseOr(path: string, read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    throw new Fault('usage', `${path}: the reference file is broken`, {
      remedy: 'Generate the skill again, or use --no-check',
      cause: error,
    });
  }
}

/** The top-level entries of a reference file as texts, in order, `_usage` left out. */
function chunks(text: string): readonly string[] {
  return text.split(/^(?=[^\s#])/m).filter((chunk) => /^[^\s#]/.test(chunk) && !/^_usage:/.test(chunk));
}

function parseChunk(path: string, text: string): readonly [string, unknown] | undefined {
  const value = parseOr(path, () => parse(text, { maxAliasCount: 0, logLevel: 'silent' }));
  const key = isObject(value) ? Object.keys(value)[0] : undefined;
  if (key === undefined) return undefined;
  return [key.startsWith('\\') ? key.slice(1) : key, own(value, key)];
}

/** The schema of an entry: verbatim, or put together from `required`, `parameters` and the other root keywords. */
function entrySchema(entry: unknown): JsonObject {
  const verbatim = asJsonObject(own(entry, 'inputSchema'));
  if (verbatim !== undefined) return verbatim;
  const schema = new Map<string, unknown>([['type', 'object']]);
  if (isObject(entry)) {
    for (const [key, value] of Object.entries(entry)) {
      if (key !== 'description') schema.set(key === 'parameters' ? 'properties' : key, value);
    }
  }
  return asJsonObject(Object.fromEntries(schema)) ?? {};
}

function yamlTool(path: string, chunk: string, text: string): ReferenceTool | undefined {
  const parsed = parseChunk(path, chunk);
  if (parsed === undefined) return undefined;
  const [name, entry] = parsed;
  return { name, description: ownString(entry, 'description') ?? '', schema: entrySchema(entry), text };
}

/** Name and description of an entry, from its first lines only. */
function heading(path: string, chunk: string): { readonly name: string; readonly description: string } | undefined {
  const lines = chunk.split('\n');
  const description = lines.find((line) => line.startsWith('  description:'));
  const parsed = parseChunk(path, description === undefined ? `${lines[0]}\n` : `${lines[0]}\n${description}\n`);
  return parsed && { name: parsed[0], description: ownString(parsed[1], 'description') ?? '' };
}

function headings(reference: Reference & { kind: 'yaml' }): readonly { name: string; description: string }[] {
  const seen = new Map<string, { name: string; description: string }>();
  const read = (path: string): void => {
    for (const chunk of chunks(readText(path) ?? '')) {
      const found = heading(path, chunk);
      if (found !== undefined && !seen.has(found.name)) seen.set(found.name, found);
    }
  };
  for (const path of reference.files) read(path);
  if (seen.size > 0) return [...seen.values()];
  for (const folder of reference.folders) {
    for (const name of readdirSync(folder).sort()) if (name.endsWith('.yaml')) read(join(folder, name));
  }
  return [...seen.values()];
}

function findYaml(reference: Reference & { kind: 'yaml' }, name: string): ReferenceTool | undefined {
  const quick = FILE_NAME.test(name) ? reference.folders.map((folder) => join(folder, `${name}.yaml`)) : [];
  const slow = (): readonly string[] =>
    reference.folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  const tryFile = (path: string): ReferenceTool | undefined => {
    const text = path.endsWith('.yaml') ? readText(path) : undefined;
    if (text === undefined) return undefined;
    for (const chunk of chunks(text)) {
      const whole = reference.files.includes(path) ? chunk : text;
      if (heading(path, chunk)?.name === name) return yamlTool(path, chunk, whole);
    }
    return undefined;
  };
  for (const paths of [() => quick, () => reference.files, slow]) {
    for (const path of paths()) {
      const found = tryFile(path);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** All tool names with their descriptions, in the order of the reference. */
export function listTools(reference: Reference): readonly { readonly name: string; readonly description: string }[] {
  return reference.kind === 'json' ? reference.tools : headings(reference);
}

/** A tool by its name. Throws `usage` with the closest names where the reference does not know it. */
export function requireTool(reference: Reference, name: string): ReferenceTool {
  const found =
    reference.kind === 'json' ? reference.tools.find((tool) => tool.name === name) : findYaml(reference, name);
  if (found !== undefined) return found;
  const near = closest(
    name,
    listTools(reference).map((tool) => tool.name),
  );
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : '';
  throw new Fault('usage', `unknown tool ${JSON.stringify(name.slice(0, 200))}${hint}`, { remedy: 'See --list' });
}

/** The first sentence of a description, on one line. */
export function firstSentence(description: string): string {
  const flat = description.replace(/\s+/g, ' ').trim();
  const end = /[.!?](?= [\p{Lu}\p{Lo}\d`"'([*]|$)|[。！？]/u.exec(flat);
  const sentence = end === null ? flat : flat.slice(0, end.index + end[0].length);
  return sentence.length > 160 ? `${sentence.slice(0, 159).trimEnd()}…` : sentence;
}
