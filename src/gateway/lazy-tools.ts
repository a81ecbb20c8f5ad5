/**
 * The lazy form, live: three tools stand for all tools. The listing holds names; a schema is one call away and is
 * the server's own; arguments are checked before a server is asked. Calls themselves are made by whoever is told to.
 */
import { safeDescription } from '#core/catalog/compact.ts';
import { isJsonObject } from '#core/json.ts';
import type { Json, JsonObject } from '#core/model.ts';
import { explainArguments } from './arguments-check.ts';
import { likeNames } from './names.ts';
import type { MissingServer, Shelf, ShownTool } from './shelf.ts';

/** Claude Code cuts the description of a tool there, in bytes. (platform facts, section 5.2) */
const MAX_DESCRIPTION = 2_048;
const MAX_ABOUT = 90;
const utf8 = new TextEncoder();

/** One tool as `tools/list` gives it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  readonly annotations?: JsonObject;
}

/** What a lazy tool comes to: a text of our own, or a call to pass on. */
export type LazyOutcome =
  | { readonly kind: 'text'; readonly text: string; readonly isError: boolean }
  | { readonly kind: 'call'; readonly shown: ShownTool; readonly args: JsonObject };

/** A line of the full listing: the name, and what it is for in one sentence. */
export function listingLine({ name, tool }: ShownTool): string {
  const about = firstSentence(tool.description);
  return about === '' ? name : `${name}: ${about}`;
}

function firstSentence(description: string): string {
  const text = safeDescription(description, 400);
  const end = /[.!?](?=\s|$)|[。！？]/u.exec(text);
  const sentence = (end === null ? text : text.slice(0, end.index)).trim();
  const points = [...sentence];
  return points.length <= MAX_ABOUT
    ? sentence
    : `${points
        .slice(0, MAX_ABOUT - 1)
        .join('')
        .trimEnd()}…`;
}

/** The names by server, without what they all begin with. */
function namesByServer(tools: readonly ShownTool[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const { name, upstream } of tools) {
    const server = upstream.server.name;
    groups.set(server, [...(groups.get(server) ?? []), name]);
  }
  return [...groups].map(([, names]) => {
    const prefix = `${names[0]?.split('__')[0] ?? ''}__`;
    if (!names.every((name) => name.startsWith(prefix))) return names.join(' ');
    return `${prefix}{${names.map((name) => name.slice(prefix.length)).join(',')}}`;
  });
}

/** As much of the listing as a description holds: lines, else names, else how many tools each server has. */
export function lazyListing(tools: readonly ShownTool[], room = MAX_DESCRIPTION): string {
  const fits = (text: string): boolean => utf8.encode(text).length <= room;
  const lines = tools.map(listingLine).join('\n');
  if (fits(lines)) return lines;
  const names = namesByServer(tools).join('\n');
  if (fits(names)) return names;
  const counts = new Map<string, number>();
  for (const { upstream } of tools) counts.set(upstream.server.name, (counts.get(upstream.server.name) ?? 0) + 1);
  const servers = [...counts].map(([server, count]) => `${server}: ${count} tools`).join('\n');
  return `${servers.slice(0, room - 60)}\nlist_tools names the tools of a server.`;
}

function schemaOf(properties: JsonObject, required: readonly string[]): ListedTool['inputSchema'] {
  return { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

const READS: JsonObject = { readOnlyHint: true };

/** The three tools. The listing stands in the first, so that its bytes are the same as long as the tools are. */
export function lazyTools(tools: readonly ShownTool[]): readonly ListedTool[] {
  const intro = 'Gives the input schema of a tool. Do this before call_tool. The tools:\n';
  return [
    {
      name: 'describe_tool',
      description: `${intro}${lazyListing(tools, MAX_DESCRIPTION - utf8.encode(intro).length)}`,
      inputSchema: schemaOf({ name: { type: 'string' } }, ['name']),
      annotations: READS,
    },
    {
      name: 'call_tool',
      description: 'Calls a tool of describe_tool by name.',
      inputSchema: schemaOf({ name: { type: 'string' }, arguments: { type: 'object' } }, ['name']),
    },
    {
      name: 'list_tools',
      description: 'Lists tools, of one server or with a word in them.',
      inputSchema: schemaOf({ server: { type: 'string' }, word: { type: 'string' } }, []),
      annotations: READS,
    },
  ];
}

const said = (text: string, isError = false): LazyOutcome => ({ kind: 'text', text, isError });

/** Undefined where `tool` is none of the three. */
export async function answerLazily(tool: string, given: JsonObject, shelf: Shelf): Promise<LazyOutcome | undefined> {
  switch (tool) {
    case 'describe_tool': {
      const found = await findTool(given['name'], shelf);
      return typeof found === 'string' ? said(found, true) : said(describe(found));
    }
    case 'call_tool': {
      const found = await findTool(given['name'], shelf);
      if (typeof found === 'string') return said(found, true);
      const args = argumentsOf(given);
      if (args === undefined) return said('"arguments" is not an object. Give the arguments as a JSON object.', true);
      const mistakes = explainArguments(found.name, found.tool, args);
      return mistakes === undefined ? { kind: 'call', shown: found, args } : said(mistakes, true);
    }
    case 'list_tools':
      return said(listTools(await shelf.tools(), given, shelf.missing()));
    default:
      return undefined;
  }
}

async function findTool(name: Json | undefined, shelf: Shelf): Promise<ShownTool | string> {
  if (typeof name !== 'string' || name === '') return '"name" is missing. Give the name of a tool, as listed.';
  const found = await shelf.find(name);
  if (found !== undefined) return found;
  const missing = shelf.missingFor(name);
  if (missing !== undefined) return missingText(missing);
  const tools = await shelf.tools();
  const near = likeNames(
    name,
    tools.map((one) => one.name),
  );
  if (near.length > 0) return `There is no tool "${name}". Did you mean ${near.join(', ')}?`;
  return `There is no tool "${name}". ${tools.length === 0 ? 'There are none at all now.' : 'list_tools names them.'}`;
}

/** Some models write the object as a text. */
function argumentsOf(given: JsonObject): JsonObject | undefined {
  let args = given['arguments'] ?? {};
  if (typeof args === 'string') {
    try {
      args = JSON.parse(args);
    } catch {
      return undefined;
    }
  }
  return isJsonObject(args) ? args : undefined;
}

/** The tool as its server describes it, under the name to call it by. */
function describe({ name, tool }: ShownTool): string {
  const { description, inputSchema, outputSchema, annotations } = tool;
  return JSON.stringify({
    name,
    description,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations }),
  });
}

/** Why none of a server's tools can be called now. */
export function missingText({ server, why }: MissingServer): string {
  return `The tools of server "${server}" are not there. ${why}`;
}

function listTools(
  tools: readonly ShownTool[],
  { server, word }: JsonObject,
  missing: readonly MissingServer[],
): string {
  const isWanted = (name: string): boolean => typeof server !== 'string' || server === '' || server === name;
  const wanted = typeof word === 'string' ? word.toLowerCase() : '';
  const found = tools.filter(
    ({ upstream, name, tool }) =>
      isWanted(upstream.server.name) && (wanted === '' || `${name} ${tool.description}`.toLowerCase().includes(wanted)),
  );
  const without = missing.filter((one) => isWanted(one.server)).map(missingText);
  const servers = [...new Set(tools.map(({ upstream }) => upstream.server.name))];
  const lines =
    found.length > 0 ? found.map(listingLine) : [`No tool fits. The servers are: ${servers.join(', ') || 'none'}.`];
  return [...lines, ...without].join('\n');
}
