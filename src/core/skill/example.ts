/** Example arguments for printed commands, made from a schema so that they pass its own check where that is possible. */
import { isJsonObject, jsonObject, ownValue } from '../json.ts';
import type { Json, JsonObject, Tool } from '../model.ts';
import { wordsOf } from './words.ts';

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'someone@example.com',
  ipv4: '192.0.2.1',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** Follows references inside the tool's schema; a cycle ends where the depth does. */
function followed(schema: JsonObject, root: JsonObject): JsonObject {
  let at = schema;
  for (let steps = 0; steps < 8 && typeof at['$ref'] === 'string' && at['$ref'].startsWith('#/'); steps++) {
    let target: Json | undefined = root;
    for (const part of at['$ref'].slice(2).split('/'))
      target = isJsonObject(target) ? ownValue(target, part.replaceAll('~1', '/').replaceAll('~0', '~')) : undefined;
    if (!isJsonObject(target)) return at;
    at = target;
  }
  return at;
}

/** A text of a wanted shape, long enough for the schema: a format's example, else the parameter's name. */
function exampleText(schema: JsonObject, name: string): string {
  const text = FORMATS[String(schema['format'])] ?? name;
  const least = Math.min(Number(schema['minLength'] ?? 0), 200);
  return text.length >= least ? text : text.padEnd(least, 'x');
}

function exampleNumber(schema: JsonObject): number {
  const least = Number(schema['minimum'] ?? Number(schema['exclusiveMinimum'] ?? 0) + 1);
  const most = Number(schema['maximum'] ?? Number.POSITIVE_INFINITY);
  return Math.max(least, Math.min(1, most));
}

/** `name` says what a string without other hints should be called. */
function exampleValue(given: Json | undefined, name: string, depth: number, root: JsonObject): Json {
  if (!isJsonObject(given)) return name;
  const schema = followed(given, root);
  const options = schema['enum'];
  const known = schema['const'] ?? schema['default'] ?? (Array.isArray(options) ? options[0] : undefined);
  if (known !== undefined && known !== null && (typeof known !== 'object' || depth > 0)) return known;
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (schema['type'] === undefined && Array.isArray(branches)) return exampleValue(branches[0], name, depth + 1, root);
  const type = Array.isArray(schema['type']) ? schema['type'].find((one) => one !== 'null') : schema['type'];
  switch (type) {
    case 'integer':
    case 'number':
      return exampleNumber(schema);
    case 'boolean':
      return true;
    case 'array': {
      const least = Math.min(Number(schema['minItems'] ?? 0), 3);
      return Array.from({ length: least }, () => exampleValue(schema['items'], 'item', depth + 1, root));
    }
    case 'object':
      return exampleObject(schema, depth + 1, root);
    default:
      return schema['properties'] === undefined ? exampleText(schema, name) : exampleObject(schema, depth + 1, root);
  }
}

function exampleObject(schema: JsonObject, depth: number, root: JsonObject): JsonObject {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = schema['properties'];
  if (depth > 4 || !isJsonObject(properties)) return {};
  return jsonObject(
    required.flatMap((name): [string, Json][] =>
      typeof name === 'string' && Object.hasOwn(properties, name)
        ? [[name, exampleValue(properties[name], name, depth, root)]]
        : [],
    ),
  );
}

/** The tool's required arguments with example values, as minified JSON. */
export function exampleArguments(tool: Tool): string {
  return JSON.stringify(exampleObject(tool.inputSchema, 0, tool.inputSchema));
}

/** Verbs of tools that only look, for servers that do not annotate. */
const LOOKING = new Set(
  'check count describe diff echo explain fetch find get inspect list lookup ping query read retrieve search show stat test validate view'.split(
    ' ',
  ),
);

/** How well a tool serves as the example that a reader may run as printed: higher is better, below 0 is a risk. */
export function exampleFitness(tool: Tool): number {
  const readOnly = tool.annotations?.['readOnlyHint'];
  const looks = wordsOf(tool.name).some((word) => LOOKING.has(word));
  const safety = readOnly === true ? 4 : readOnly === false ? -4 : looks ? 2 : -2;
  return safety + (/\bdeprecated\b/i.test(tool.description) ? -3 : 0) + (exampleArguments(tool) === '{}' ? -1 : 0);
}
