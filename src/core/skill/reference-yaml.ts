/**
 * Writes and reads the reference YAML of the lazy form. Only a small subset of YAML is written (block mappings,
 * one-line scalars, flow lists of scalars), chosen so that YAML 1.1 and 1.2 readers agree on every value and so
 * that the call script can read it without a YAML library. Nothing is lost: {@link toolFromEntry} is the inverse
 * of {@link toolEntry}.
 */
import { jsonObject } from '../json.ts';
import type { Json, JsonObject, Tool } from '../model.ts';

/** Words that some YAML reader takes for a boolean, null or number. */
const AMBIGUOUS = /^(?:y|n|yes|no|true|false|on|off|null|nan|inf|infinity)$/i;
/** Safe to write bare in a block: starts with a letter (or one of a few signs), stays on one line. */
const BLOCK_PLAIN = /^[\p{L}($/][^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}\p{Co}]*$/u;
const FLOW_PLAIN = /^[A-Za-z$/][\w$./@+ -]*$/;
const KEY_PLAIN = /^[A-Za-z_$/][\w$./-]*$/;
/** YAML counts these as unprintable or as line breaks where JSON leaves them bare. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

function quoted(text: string): string {
  return JSON.stringify(text).replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function isPlain(text: string, shape: RegExp): boolean {
  return (
    shape.test(text) && !AMBIGUOUS.test(text) && !text.includes(': ') && !text.includes(' #') && !/[:\s]$/.test(text)
  );
}

/** JSON numbers, with the point that YAML 1.1 wants before an exponent. */
function number(value: number): string {
  return JSON.stringify(value).replace(/^(-?\d+)e/, '$1.0e');
}

function scalar(value: string | number | boolean | null, shape: RegExp): string {
  if (typeof value === 'string') return isPlain(value, shape) ? value : quoted(value);
  return typeof value === 'number' ? number(value) : String(value);
}

function key(name: string): string {
  return KEY_PLAIN.test(name) && !AMBIGUOUS.test(name) ? name : quoted(name);
}

function isScalar(value: Json): value is string | number | boolean | null {
  return value === null || typeof value !== 'object';
}

/** `value` as it follows a key or a dash: on the same line, or as a block indented by `indent` on the next ones. */
function block(value: Json, indent: string): string {
  if (isScalar(value)) return ` ${scalar(value, BLOCK_PLAIN)}\n`;
  if (Array.isArray(value)) return list(value, indent);
  const entries = Object.entries(value);
  if (entries.length === 0) return ' {}\n';
  return `\n${entries.map(([name, inner]) => `${indent}${key(name)}:${block(inner, `${indent}  `)}`).join('')}`;
}

function list(values: readonly Json[], indent: string): string {
  if (values.every(isScalar)) return ` [${values.map((value) => scalar(value, FLOW_PLAIN)).join(', ')}]\n`;
  const item = (value: Json): string => {
    const text = block(value, `${indent}  `);
    // A mapping begins on the dash's own line; its first key takes the place of the indentation.
    return text.startsWith('\n') ? `${indent}- ${text.slice(1 + indent.length + 2)}` : `${indent}-${text}`;
  };
  return `\n${values.map(item).join('')}`;
}

/** A YAML mapping, entries in the given order, each under a checked key. Ends with a newline. */
export function yamlMapping(entries: readonly (readonly [string, Json])[]): string {
  return entries.map(([name, value]) => `${key(name)}:${block(value, '  ')}`).join('');
}

/** Root keywords that have, or would take, a place of their own beside the tool's description. */
const RESERVED = new Set(['description', 'parameters', 'inputSchema', '_usage']);

/** Whether the friendly form (required, parameters, other root keywords) can be turned back into the schema. */
function isFriendly(schema: JsonObject): boolean {
  if (schema['type'] !== 'object') return false;
  const properties = schema['properties'];
  if (properties !== undefined && (isScalar(properties) || Array.isArray(properties))) return false;
  return !Object.keys(schema).some((name) => RESERVED.has(name));
}

/**
 * A tool as its reference shows it: `description`, `required`, `parameters` (the schema's properties, verbatim) and
 * every other root keyword beside them, `type: object` being implied. A schema that this could not be turned back
 * from stands verbatim under `inputSchema`. (spec: schema-passthrough.md, widened to lose nothing)
 */
export function toolEntry(tool: Tool): JsonObject {
  const schema = tool.inputSchema;
  if (!isFriendly(schema))
    return jsonObject([
      ['description', tool.description],
      ['inputSchema', schema],
    ]);
  const entries: (readonly [string, Json])[] = [['description', tool.description]];
  for (const name of ['required', 'properties']) {
    const value = Object.hasOwn(schema, name) ? schema[name] : undefined;
    if (value !== undefined) entries.push([name === 'properties' ? 'parameters' : name, value]);
  }
  for (const [name, value] of Object.entries(schema))
    if (name !== 'type' && name !== 'required' && name !== 'properties') entries.push([name, value]);
  return jsonObject(entries);
}

/** The tool's description and input schema, back from its reference entry. */
export function toolFromEntry(entry: JsonObject): { readonly description: string; readonly inputSchema: JsonObject } {
  const description = typeof entry['description'] === 'string' ? entry['description'] : '';
  const verbatim = entry['inputSchema'];
  if (verbatim !== undefined && !isScalar(verbatim) && !Array.isArray(verbatim))
    return { description, inputSchema: jsonObject(Object.entries(verbatim)) };
  const rest = Object.entries(entry).filter(([name]) => name !== 'description');
  return {
    description,
    inputSchema: jsonObject([
      ['type', 'object'],
      ...rest.map(([name, value]) => [name === 'parameters' ? 'properties' : name, value] as const),
    ]),
  };
}

/** The key of a tool in a reference file: its name, with a backslash before what `_usage` or a backslash would be. */
export function toolKey(name: string): string {
  return name === '_usage' || name.startsWith('\\') ? `\\${name}` : name;
}

/** The name of the tool under a reference key; inverse of {@link toolKey}. */
export function toolNameOfKey(text: string): string {
  return text.startsWith('\\') ? text.slice(1) : text;
}
