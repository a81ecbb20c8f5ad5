/**
 * Every text of a catalog with its place and role, and the same walk with a change made on the way. The walk
 * knows JSON Schema only so far as to tell what is read by people, what is a value, and what is structure.
 */
import type { Catalog, Json, JsonObject, Tool } from '../model.ts';

/**
 * - `prose`: descriptions and titles, read by people and models.
 * - `example`: defaults and examples; changing one loses nothing that a call needs.
 * - `value`: enum members and constants; a call must spell them exactly.
 * - `structure`: every other string, such as a type, a pattern or a tool's name.
 * - `key`: the name of a property.
 */
export type TextRole = 'prose' | 'example' | 'value' | 'structure' | 'key';

/** One text where it stands. */
export interface CatalogText {
  readonly text: string;
  readonly role: TextRole;
  /** JSON pointer (RFC 6901) inside the tool, or inside the catalog where `tool` is absent. */
  readonly pointer: string;
  readonly tool?: string;
  /** The schema property whose default, example or allowed value the text is. */
  readonly name?: string;
}

const EXAMPLES: ReadonlySet<string> = new Set(['default', 'examples', 'example']);
const VALUES: ReadonlySet<string> = new Set(['enum', 'const']);
/** Keywords whose keys are names that someone chose, not keywords. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const PROSE: ReadonlySet<string> = new Set(['description', 'title', '$comment', 'markdownDescription', 'errorMessage']);

/** What to make of one text; returning it as it came leaves the value as it was. */
export type TextChange = (text: CatalogText) => string;

/** All texts, in the catalog's order: first its own, then tool by tool. */
export function textsOf(catalog: Catalog): readonly CatalogText[] {
  const texts: CatalogText[] = [];
  changeTexts(catalog, (text) => {
    texts.push(text);
    return text.text;
  });
  return texts;
}

/** The catalog with every text changed. Keys are shown to `change` but stay; unchanged parts are the same objects. */
export function changeTexts(catalog: Catalog, change: TextChange): Catalog {
  const { instructions } = catalog;
  const told =
    instructions === undefined ? undefined : change({ text: instructions, role: 'prose', pointer: '/instructions' });
  const tools = catalog.tools.map((tool) => changeTool(tool, change));
  if (told === instructions && tools.every((tool, index) => tool === catalog.tools[index])) return catalog;
  return { ...catalog, tools, ...(told === undefined ? {} : { instructions: told }) };
}

interface Where {
  readonly tool: string;
  readonly pointer: string;
  /** The nearest property name. */
  readonly name?: string;
  /** Set below a keyword that holds data. */
  readonly role?: 'example' | 'value';
  /** The keys of this object are names. */
  readonly named?: boolean;
}

function changeTool(tool: Tool, change: TextChange): Tool {
  const at = (pointer: string): Where => ({ tool: tool.name, pointer });
  const text = (value: string, role: TextRole, pointer: string): string =>
    change({ text: value, role, pointer, tool: tool.name });
  text(tool.name, 'structure', '/name');
  const changed: Tool = {
    ...tool,
    ...(tool.title === undefined ? {} : { title: text(tool.title, 'prose', '/title') }),
    description: text(tool.description, 'prose', '/description'),
    inputSchema: changeObject(tool.inputSchema, at('/inputSchema'), change),
    ...(tool.outputSchema === undefined
      ? {}
      : { outputSchema: changeJson(tool.outputSchema, 'outputSchema', at('/outputSchema'), change) }),
    ...(tool.annotations === undefined
      ? {}
      : { annotations: changeObject(tool.annotations, at('/annotations'), change) }),
  };
  const same =
    changed.title === tool.title &&
    changed.description === tool.description &&
    changed.inputSchema === tool.inputSchema &&
    changed.outputSchema === tool.outputSchema &&
    changed.annotations === tool.annotations;
  return same ? tool : changed;
}

function changeJson(value: Json, key: string, where: Where, change: TextChange): Json {
  if (typeof value === 'string') {
    const role = where.role ?? (PROSE.has(key) && where.named !== true ? 'prose' : 'structure');
    const name = where.role === undefined ? undefined : where.name;
    return change({
      text: value,
      role,
      pointer: where.pointer,
      tool: where.tool,
      ...(name === undefined ? {} : { name }),
    });
  }
  if (isList(value)) {
    const items = value.map((item, index) => {
      return changeJson(item, key, { ...where, pointer: `${where.pointer}/${index}` }, change);
    });
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  return isObject(value) ? changeObject(value, where, change) : value;
}

function changeObject(object: JsonObject, where: Where, change: TextChange): JsonObject {
  let same = true;
  const entries = Object.entries(object).map(([key, value]): readonly [string, Json] => {
    const inner = below(where, key, value);
    change({ text: key, role: 'key', pointer: inner.pointer, tool: where.tool });
    const next = changeJson(value, key, inner, change);
    if (next !== value) same = false;
    return [key, next];
  });
  return same ? object : Object.fromEntries(entries);
}

function below(where: Where, key: string, value: Json): Where {
  const pointer = `${where.pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const { tool, role, name } = where;
  if (role !== undefined) return { tool, pointer, role, name: key };
  const kept = name === undefined ? {} : { name };
  if (where.named === true) return { tool, pointer, name: key };
  if (NAMED.has(key) && isObject(value)) return { tool, pointer, named: true, ...kept };
  if (EXAMPLES.has(key)) return { tool, pointer, role: 'example', ...kept };
  if (VALUES.has(key)) return { tool, pointer, role: 'value', ...kept };
  return { tool, pointer, ...kept };
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
