/** Example arguments for printed commands, made from a schema so that they pass its own check where that is possible. */
import { isJsonObject } from '../json.ts';
import type { Json, JsonObject, Tool } from '../model.ts';

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'someone@example.com',
  ipv4: '192.0.2.1',
  uri: 'https://example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
};

/** `name` says what a string without other hints should be called. */
function exampleValue(schema: Json | undefined, name: string, depth: number): Json {
  if (!isJsonObject(schema)) return name;
  const options = schema['enum'];
  const known = schema['const'] ?? schema['default'] ?? (Array.isArray(options) ? options[0] : undefined);
  if (known !== undefined && known !== null && (typeof known !== 'object' || depth > 0)) return known;
  const branches = schema['anyOf'] ?? schema['oneOf'];
  if (schema['type'] === undefined && Array.isArray(branches)) return exampleValue(branches[0], name, depth + 1);
  const type = Array.isArray(schema['type']) ? schema['type'].find((one) => one !== 'null') : schema['type'];
  switch (type) {
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number'
        ? Math.max(schema['minimum'], Math.min(1, Number(schema['maximum'] ?? 1)))
        : 1;
    case 'boolean':
      return true;
    case 'array':
      return isJsonObject(schema['items']) && Number(schema['minItems'] ?? 0) > 0
        ? [exampleValue(schema['items'], 'item', depth + 1)]
        : [];
    case 'object':
      return exampleObject(schema, depth + 1);
    default:
      return FORMATS[String(schema['format'])] ?? name;
  }
}

function exampleObject(schema: JsonObject, depth: number): JsonObject {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = schema['properties'];
  if (depth > 4 || !isJsonObject(properties)) return {};
  return Object.fromEntries(
    required.flatMap((name): [string, Json][] =>
      typeof name === 'string' && Object.hasOwn(properties, name)
        ? [[name, exampleValue(properties[name], name, depth)]]
        : [],
    ),
  );
}

/** The tool's required arguments with example values, as minified JSON. */
export function exampleArguments(tool: Tool): string {
  return JSON.stringify(exampleObject(tool.inputSchema, 0));
}
