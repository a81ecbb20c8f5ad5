/**
 * The compact rules of compact-mode.md, in two sets. `strict` does what the upstream program really does, literal
 * for literal, so that a compacted list equals its; `safe` follows the same intentions but never makes a tool
 * uncallable: nested shapes and `required` stay, no description is emptied, cuts fall between sentences.
 */
import { isJsonObject, jsonObject } from '../json.ts';
import type { CompactRules, Json, JsonObject, Tool } from '../model.ts';

/** Longest description, in bytes for `strict` and in code points for `safe`. */
const MAX_DESCRIPTION = 150;
/** `safe` leaves more room for what a whole tool does; `strict` leaves tool descriptions alone, as upstream does. */
const MAX_TOOL_DESCRIPTION = 300;

// ---- strict: upstream's own cuts --------------------------------------------------------------------------------

/** Each step cuts at the first of its markers that occurs; the order of the markers decides, not their position. */
const STRICT_CUTS: readonly (readonly string[])[] = [
  ['Keywords:', '关键词：', '关键词:'],
  ['Use this tool when you need to:'],
  ['Use for'],
  ['Common uses:'],
  ['IMPORTANT:'],
  ['Examples:'],
  [' / '],
];

function strictDescription(text: string): string {
  let kept = text;
  for (const markers of STRICT_CUTS) {
    const marker = markers.find((candidate) => kept.includes(candidate));
    if (marker !== undefined) kept = kept.slice(0, kept.indexOf(marker));
  }
  kept = kept.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
  const bytes = new TextEncoder().encode(kept);
  // A character split by the cut decodes to U+FFFD, which is what upstream's JSON encoder writes for it too.
  return bytes.length > MAX_DESCRIPTION ? `${new TextDecoder().decode(bytes.slice(0, MAX_DESCRIPTION))}...` : kept;
}

/** Own entries of `schema` under `names`, descriptions shortened; an emptied description is left out. */
function pick(schema: JsonObject, names: readonly string[]): [string, Json][] {
  return names.flatMap((name): [string, Json][] => {
    const value = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (value === undefined) return [];
    if (name !== 'description' || typeof value !== 'string') return [[name, value]];
    const text = strictDescription(value);
    return text === '' ? [] : [[name, text]];
  });
}

function strictProperty(property: Json): Json {
  if (!isJsonObject(property)) return property;
  const entries = pick(property, ['type', 'description', 'enum', 'default']);
  const items = property['items'];
  if (isJsonObject(items)) entries.push(['items', jsonObject(pick(items, ['type', 'description', 'enum']))]);
  return jsonObject(entries);
}

function strictSchema(schema: JsonObject): JsonObject {
  const properties = schema['properties'];
  return jsonObject([
    ...pick(schema, ['type', 'description']),
    [
      'properties',
      isJsonObject(properties)
        ? jsonObject(Object.entries(properties).map(([name, value]) => [name, strictProperty(value)]))
        : {},
    ],
    ...pick(schema, ['required']),
  ]);
}

// ---- safe: the same intentions, nothing broken ------------------------------------------------------------------

/** Each begins a section that runs to the next line break or the next section. */
const SAFE_SECTION =
  /(?:^|(?<=[\s.;。)]))(?:Keywords|关键词|Use this tool when(?: you (?:need|want) to)?|Use for|Common uses|IMPORTANT|Examples?)\s*[:：]/gu;
/** A translation: a slash between spaces before a run of another script. */
const TRANSLATION = / \/ (?=[^\p{Script=Latin}\p{N}\p{P}\p{S}\s])/u;

function withoutSections(text: string): string {
  const starts = [...text.matchAll(SAFE_SECTION)].map((match) => match.index);
  let kept = '';
  let from = 0;
  for (const start of starts) {
    if (start < from) continue;
    kept += text.slice(from, start);
    const line = text.indexOf('\n', start);
    const next = starts.find((other) => other > start) ?? text.length;
    from = Math.min(line < 0 ? text.length : line, next);
  }
  return kept + text.slice(from);
}

/** At most `limit` code points, cut after a sentence where one ends late enough, else after a word. */
export function shorten(text: string, limit: number): string {
  const points = [...text];
  if (points.length <= limit) return text;
  const head = points.slice(0, limit).join('');
  const sentence = [...head.matchAll(/[.!?](?=\s)|[。！？]/gu)].at(-1);
  if (sentence !== undefined && sentence.index >= head.length * 0.4) return head.slice(0, sentence.index + 1);
  const space = head.lastIndexOf(' ');
  return `${(space > head.length * 0.5 ? head.slice(0, space) : head).trimEnd()}...`;
}

/** The safe rules for one description; the original where nothing would be left of it. */
export function safeDescription(text: string, limit: number = MAX_DESCRIPTION): string {
  const cut = withoutSections(text).split(TRANSLATION)[0] ?? '';
  const tidy = (value: string): string =>
    value
      .replace(/[^\S\n]+/g, ' ')
      .replace(/\s*\n\s*/g, ' ')
      .trim();
  const kept = tidy(cut);
  return shorten(kept === '' ? tidy(text) : kept, limit);
}

/** Keywords dropped by the safe rules: limits and hints that a server states again when it refuses. */
const SAFE_DROPPED = new Set([
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'pattern'],
  ...[
    'format',
    'examples',
    'example',
    'title',
    '$schema',
    '$comment',
    'nullable',
    'minItems',
    'maxItems',
    'uniqueItems',
  ],
]);
/** Keywords whose values are maps from a name to a schema, so that a property named `pattern` is no keyword. */
const SCHEMA_MAPS = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
/** Keywords whose values are data, never schemas. */
const DATA = new Set(['enum', 'const', 'default', 'required']);

function safeSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(safeSchema);
  if (!isJsonObject(schema)) return schema;
  return jsonObject(
    Object.entries(schema).flatMap(([name, value]): [string, Json][] => {
      if (SAFE_DROPPED.has(name)) return [];
      if (name === 'additionalProperties' && !isJsonObject(value)) return [];
      if (name === 'description' && typeof value === 'string')
        return value.trim() === '' ? [] : [[name, safeDescription(value)]];
      if (DATA.has(name)) return [[name, value]];
      if (SCHEMA_MAPS.has(name) && isJsonObject(value))
        return [[name, jsonObject(Object.entries(value).map(([inner, part]) => [inner, safeSchema(part)]))]];
      return [[name, safeSchema(value)]];
    }),
  );
}

const RULES: Record<CompactRules, (tool: Tool) => Pick<Tool, 'description' | 'inputSchema'>> = {
  strict: (tool) => ({ description: tool.description, inputSchema: strictSchema(tool.inputSchema) }),
  safe: (tool) => {
    const schema = safeSchema(tool.inputSchema);
    return {
      description: safeDescription(tool.description, MAX_TOOL_DESCRIPTION),
      inputSchema: isJsonObject(schema) ? schema : tool.inputSchema,
    };
  },
};

/** The tool with its description and input schema compacted; what a model never sees (annotations, output) is dropped. */
export function compactTool(tool: Tool, rules: CompactRules): Tool {
  return { name: tool.name, ...(tool.title === undefined ? {} : { title: tool.title }), ...RULES[rules](tool) };
}
