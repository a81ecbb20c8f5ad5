/** Reads which server to call, from `references/mcp.json` or from options. Variables stay as they are written. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Fault, oneLine } from './fault.ts';
import { isObject, own, ownString } from './json.ts';
import type { Options } from './options.ts';
import { inSkill, type SkillFolder } from './skill-folder.ts';

export type ServerDefinition =
  | {
      readonly kind: 'stdio';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      /** Pairs in order, so that a definition is plain JSON; `null` removes a variable. */
      readonly env: readonly (readonly [string, string | null])[];
      readonly cwd: string | undefined;
      readonly envFile: string | undefined;
      readonly timeoutMs: number | undefined;
    }
  | {
      readonly kind: 'http';
      readonly name: string;
      readonly url: string;
      readonly headers: readonly (readonly [string, string])[];
      /** Start with the legacy HTTP+SSE transport instead of falling back to it. */
      readonly sse: boolean;
      readonly timeoutMs: number | undefined;
    };

/** A definition and what identifies it: the file's path, or the address. */
export interface NamedServer {
  readonly definition: ServerDefinition;
  readonly place: string;
}

const CONFIG_LIMIT = 4 * 1024 * 1024;

function invalid(place: string, what: string): Fault {
  return new Fault('usage', `${place}: ${what}`, { remedy: 'Generate the skill again' });
}

function readConfig(path: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new Fault('usage', `--config: cannot read ${path} (${codeOf(error)})`, {
      remedy: 'Check the path, or name a server with --endpoint',
      cause: error,
    });
  }
  if (text.length > CONFIG_LIMIT) throw invalid(path, 'the file is larger than 4 MB');
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (error) {
    throw invalid(path, `not valid JSON (${oneLine(error instanceof Error ? error.message : '', 120)})`);
  }
  throw invalid(path, 'expected an object');
}

/** The code of a system error, for people. */
export function codeOf(error: unknown): string {
  return ownString(error, 'code') ?? (error instanceof Error ? oneLine(error.message, 200) : 'unknown error');
}

function pickEntry(path: string, root: Record<string, unknown>, wanted: string | undefined): [string, unknown] {
  const servers = own(root, 'mcpServers') ?? own(root, 'servers');
  if (!isObject(servers)) throw invalid(path, 'expected an object "mcpServers"');
  const names = Object.keys(servers);
  if (wanted !== undefined) {
    if (!names.includes(wanted)) {
      throw new Fault('usage', `no server "${oneLine(wanted, 80)}" in ${path}`, {
        remedy: `Use one of ${names.map((name) => `"${name}"`).join(', ')}.`,
      });
    }
    return [wanted, servers[wanted]];
  }
  const only = names[0];
  if (only === undefined) throw invalid(path, 'it names no server');
  if (names.length > 1) {
    throw new Fault('usage', `${path} names ${names.length} servers`, {
      remedy: `Choose one with --server: ${names.map((name) => `"${name}"`).join(', ')}.`,
    });
  }
  return [only, servers[only]];
}

function stringMap(place: string, value: unknown): Map<string, string> {
  const map = new Map<string, string>();
  if (value === undefined || value === null) return map;
  if (!isObject(value)) throw invalid(place, 'expected an object of strings');
  for (const [key, item] of Object.entries(value)) {
    if (typeof item !== 'string' && typeof item !== 'number' && typeof item !== 'boolean') {
      throw invalid(`${place}.${key}`, 'expected a string');
    }
    map.set(key, String(item));
  }
  return map;
}

function envMap(place: string, value: unknown): Map<string, string | null> {
  if (!isObject(value)) return stringMap(place, value);
  const map = new Map<string, string | null>();
  for (const [key, item] of Object.entries(value)) {
    if (item === null) map.set(key, null);
    else map.set(key, stringMap(place, { [key]: item }).get(key) ?? '');
  }
  return map;
}

function parseEntry(place: string, name: string, entry: unknown): ServerDefinition {
  if (!isObject(entry)) throw invalid(place, 'expected an object');
  const timeout = own(entry, 'timeout');
  const timeoutMs = typeof timeout === 'number' && timeout > 0 ? timeout : undefined;
  const url = ownString(entry, 'url');
  const command = ownString(entry, 'command');
  const type = ownString(entry, 'type') ?? (command === undefined ? 'http' : 'stdio');
  if (type === 'stdio') {
    if (command === undefined || command === '') throw invalid(place, 'a stdio server needs a "command"');
    const args = own(entry, 'args') ?? [];
    if (!Array.isArray(args)) throw invalid(`${place}.args`, 'expected a list of strings');
    return {
      kind: 'stdio',
      name,
      command,
      args: args.map(String),
      env: [...envMap(`${place}.env`, own(entry, 'env'))],
      cwd: ownString(entry, 'cwd'),
      envFile: ownString(entry, 'envFile'),
      timeoutMs,
    };
  }
  if (type !== 'http' && type !== 'sse' && type !== 'streamable-http' && type !== 'streamableHttp') {
    throw invalid(place, `unknown type "${oneLine(type, 40)}"; use stdio, http or sse`);
  }
  if (url === undefined || url === '') throw invalid(place, `a server of type ${type} needs a "url"`);
  return {
    kind: 'http',
    name,
    url,
    headers: [...stringMap(`${place}.headers`, own(entry, 'headers'))],
    sse: type === 'sse',
    timeoutMs,
  };
}

function parseHeader(text: string): [string, string] {
  const colon = text.indexOf(':');
  const name = text.slice(0, colon).trim();
  if (colon < 1 || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
    throw new Fault('usage', '--header needs the form "Name: value"');
  }
  return [name, text.slice(colon + 1).trim()];
}

function withHeaders(definition: ServerDefinition, extra: readonly string[]): ServerDefinition {
  if (extra.length === 0) return definition;
  if (definition.kind !== 'http') {
    throw new Fault('usage', '--header is for HTTP servers, and this one is started as a process');
  }
  const headers = new Map(definition.headers);
  for (const [name, value] of extra.map(parseHeader)) {
    for (const known of headers.keys()) if (known.toLowerCase() === name.toLowerCase()) headers.delete(known);
    headers.set(name, value);
  }
  return { ...definition, headers: [...headers] };
}

/** The path of the config file that applies, absolute. */
export function configPath(options: Options, skill: SkillFolder): string {
  return options.config === undefined ? inSkill(skill, 'references', 'mcp.json') : resolve(options.config);
}

/** The server that the options and the skill name. Throws `usage` with the place. */
export function readServer(options: Options, skill: SkillFolder): NamedServer {
  if (options.endpoint !== undefined) {
    const definition: ServerDefinition = {
      kind: 'http',
      name: options.server ?? 'endpoint',
      url: options.endpoint,
      headers: [],
      sse: options.type === 'sse',
      timeoutMs: undefined,
    };
    return { definition: withHeaders(definition, options.headers), place: options.endpoint };
  }
  const path = configPath(options, skill);
  const [name, entry] = pickEntry(path, readConfig(path), options.server);
  let definition = parseEntry(`${path}: ${name}`, name, entry);
  if (definition.kind === 'http' && options.type !== undefined) {
    definition = { ...definition, sse: options.type === 'sse' };
  }
  return { definition: withHeaders(definition, options.headers), place: path };
}
