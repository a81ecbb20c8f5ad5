/**
 * Turns a JSON Schema into the parameter lines of the normal form. Every keyword is shown: the ones that
 * schema-passthrough.md names in its words (`default`, `options`, `min`, `max`), any other under its own name.
 * References inside the schema are followed, with a guard against cycles; nothing is fetched.
 */
import { isJsonObject, ownValue } from '../json.ts';
import type { Json, JsonObject } from '../model.ts';

/** One line about one parameter, or about one nested part of it. */
export interface ParameterRow {
  /** 0 for a parameter of the tool, one more for each level of nesting. */
  readonly depth: number;
  /** The parameter's name; for a part that has none, what it is, for example `each item`. */
  readonly name: string;
  readonly named: boolean;
  readonly required: boolean;
  /** For people: `string`, `array of object`, `string | null`, `any`. */
  readonly type: string;
  readonly description: string;
  /** `keyword: value` pairs in reading order. */
  readonly extras: readonly string[];
}

/** Deeper nesting than this is left to the reference files; no recorded server goes beyond 9. */
const MAX_DEPTH = 12;
/** A schema that unfolds to more lines than this is cut, with a line that says so. */
const MAX_ROWS = 5_000;

/** A value as the lines show it: lists in brackets, strings inside them in single quotes (schema-passthrough.md). */
export function valueText(value: Json, inside = false): string {
  if (typeof value === 'string')
    return inside ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : value === '' ? "''" : value;
  if (Array.isArray(value)) return `[${value.map((item) => valueText(item, true)).join(', ')}]`;
  return JSON.stringify(value);
}

/** Follows a JSON pointer inside `root`; undefined for anything else, so that no reference leaves the schema. */
function resolve(ref: string, root: JsonObject): JsonObject | undefined {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  let at: Json | undefined = root;
  for (const part of ref.split('/').slice(1)) {
    let name = part;
    try {
      name = decodeURIComponent(part);
    } catch {
      // A stray percent sign is part of the name.
    }
    name = name.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(name)];
    else at = isJsonObject(at) ? ownValue(at, name) : undefined;
  }
  return isJsonObject(at) ? at : undefined;
}

/** Keywords that the lines express by structure or in words of their own; all others pass through by name. */
const STRUCTURAL = new Set([
  ...['type', 'description', 'properties', 'required', 'items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', '$ref'],
  ...['default', 'enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'format', 'const'],
  ...['additionalProperties', 'patternProperties', '$defs', 'definitions', '$schema'],
]);
const WORDED: readonly (readonly [keyword: string, word: string])[] = [
  ['default', 'default'],
  ['enum', 'options'],
  ['minimum', 'min'],
  ['maximum', 'max'],
  ['const', 'const'],
  ['format', 'format'],
  ['pattern', 'pattern'],
  ['minLength', 'min length'],
  ['maxLength', 'max length'],
];

function extrasOf(schema: JsonObject): readonly string[] {
  const extras = WORDED.flatMap(([keyword, word]) => {
    const value = ownValue(schema, keyword);
    return value === undefined ? [] : [`${word}: ${valueText(value)}`];
  });
  const items = ownValue(schema, 'items');
  if (isJsonObject(items) && isLeaf(items)) extras.push(...extrasOf(items));
  for (const [keyword, value] of Object.entries(schema))
    if (!STRUCTURAL.has(keyword)) extras.push(`${keyword}: ${valueText(value)}`);
  if (ownValue(schema, 'additionalProperties') === false) extras.push('no other properties');
  return extras;
}

const BRANCHES = ['anyOf', 'oneOf', 'allOf'] as const;

/** Nothing below it needs a line of its own. */
function isLeaf(schema: JsonObject): boolean {
  return ['properties', 'items', 'prefixItems', 'patternProperties', '$ref', 'description', ...BRANCHES].every(
    (keyword) => ownValue(schema, keyword) === undefined,
  );
}

/** Walks one tool's schema; holds the root for references and the lines found so far. */
class Unfolding {
  readonly rows: ParameterRow[] = [];
  readonly root: JsonObject;

  constructor(root: JsonObject) {
    this.root = root;
  }

  /** The schema with its reference followed; keywords beside the reference win, as newer dialects have it. */
  private followed(schema: JsonObject, seen: readonly string[]): { schema: JsonObject; seen: readonly string[] } {
    const ref = ownValue(schema, '$ref');
    if (typeof ref !== 'string') return { schema, seen };
    const target = seen.includes(ref) ? undefined : resolve(ref, this.root);
    const beside = Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$ref'));
    if (target === undefined) return { schema: { ...beside, see: ref }, seen };
    return this.followed({ ...target, ...beside }, [...seen, ref]);
  }

  /** The type for people. Branches inside branches inside branches are only called `any`: a line is no place for them. */
  private typeText(schema: JsonObject, seen: readonly string[], levels = 3): string {
    const type = ownValue(schema, 'type');
    const inner = (part: Json): string => {
      if (!isJsonObject(part) || levels === 0) return 'any';
      const target = this.followed(part, seen);
      return this.typeText(target.schema, target.seen, levels - 1);
    };
    if (Array.isArray(type)) return type.map((item) => valueText(item)).join(' | ');
    if (typeof type === 'string' && type !== 'array') return type;
    if (type === 'array') {
      const items = inner(ownValue(schema, 'items') ?? true);
      return items === 'any' ? 'array' : `array of ${items.includes(' | ') ? `(${items})` : items}`;
    }
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const branches = ownValue(schema, keyword);
      if (Array.isArray(branches)) return [...new Set(branches.map(inner))].join(' | ');
    }
    return isJsonObject(ownValue(schema, 'properties')) ? 'object' : 'any';
  }

  add(name: string, named: boolean, given: Json, required: boolean, depth: number, before: readonly string[]): void {
    if (this.rows.length >= MAX_ROWS) return;
    if (!isJsonObject(given)) {
      const type = given === false ? 'nothing' : 'any';
      this.rows.push({ depth, name, named, required, type, description: '', extras: [] });
      return;
    }
    const { schema, seen } = this.followed(given, before);
    const text = ownValue(schema, 'description');
    this.rows.push({
      depth,
      name,
      named,
      required,
      type: this.typeText(schema, seen),
      description: typeof text === 'string' ? text : '',
      extras: extrasOf(schema),
    });
    if (depth < MAX_DEPTH) this.addParts(schema, depth + 1, seen);
  }

  private addParts(schema: JsonObject, depth: number, seen: readonly string[]): void {
    this.addProperties(schema, depth, seen);
    const items = ownValue(schema, 'items');
    if (isJsonObject(items) && !isLeaf(items)) {
      const inner = this.followed(items, seen);
      const text = ownValue(inner.schema, 'description');
      // Array items one level deeper, and no line for "each item" where it would say nothing of its own.
      if (typeof text === 'string' || this.isBranching(inner.schema))
        this.add('each item', false, items, false, depth, seen);
      else this.addParts(inner.schema, depth, inner.seen);
    }
    const tuple = ownValue(schema, 'prefixItems');
    if (Array.isArray(tuple))
      for (const [index, item] of tuple.entries()) this.add(`item ${index + 1}`, false, item, false, depth, seen);
    for (const keyword of BRANCHES) {
      const branches = ownValue(schema, keyword);
      if (!Array.isArray(branches)) continue;
      const word = { anyOf: 'any of', oneOf: 'one of', allOf: 'all of' }[keyword];
      for (const branch of branches)
        if (!isJsonObject(branch) || Object.keys(branch).some((name) => name !== 'type'))
          this.add(word, false, branch, false, depth, seen);
    }
  }

  private isBranching(schema: JsonObject): boolean {
    return BRANCHES.some((keyword) => ownValue(schema, keyword) !== undefined);
  }

  addProperties(schema: JsonObject, depth: number, seen: readonly string[]): void {
    const properties = ownValue(schema, 'properties');
    const required = ownValue(schema, 'required');
    const needs = new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
    if (isJsonObject(properties))
      for (const [name, inner] of Object.entries(properties)) this.add(name, true, inner, needs.has(name), depth, seen);
    const patterns = ownValue(schema, 'patternProperties');
    if (isJsonObject(patterns))
      for (const [pattern, inner] of Object.entries(patterns))
        this.add(`names like ${pattern}`, false, inner, false, depth, seen);
    const others = ownValue(schema, 'additionalProperties');
    if (isJsonObject(others) && Object.keys(others).length > 0)
      this.add('any other name', false, others, false, depth, seen);
  }
}

/** The lines of a tool's input schema, in its own order, nested parts below what holds them. */
export function parameterRows(schema: JsonObject): readonly ParameterRow[] {
  const unfolding = new Unfolding(schema);
  unfolding.addProperties(schema, 0, []);
  for (const keyword of BRANCHES) {
    const branches = ownValue(schema, keyword);
    const word = { anyOf: 'any of', oneOf: 'one of', allOf: 'all of' }[keyword];
    if (Array.isArray(branches)) for (const branch of branches) unfolding.add(word, false, branch, false, 0, []);
  }
  return unfolding.rows;
}
