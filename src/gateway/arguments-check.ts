/**
 * Checks arguments against a tool's schema before they are sent, and says what is wrong so that the next attempt can be
 * right. What cannot be checked is let pass: the server decides in the end. Patterns are left to it altogether, because
 * one that was made for it would hold up every other server behind the gateway.
 */
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { parameterRows } from '#core/catalog/schema.ts';
import { isJsonObject, jsonObject } from '#core/json.ts';
import type { Json, JsonObject, Tool } from '#core/model.ts';

type Check = (args: JsonObject) => string | undefined;

const checks = new WeakMap<JsonObject, Check>();
const MAX_ROWS = 60;
const MAX_MISTAKES = 12;
/** Keywords whose values map names to schemas, so that a property named `pattern` is no keyword. */
const MAPS = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const DATA = new Set(['enum', 'const', 'default', 'examples']);

function withoutPatterns(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, Json][] => {
    if (keyword === 'pattern' || keyword === 'patternProperties' || keyword === 'format') return [];
    // Names that only a pattern allows would be refused as unknown.
    if (keyword === 'additionalProperties' && Object.hasOwn(schema, 'patternProperties')) return [];
    if (DATA.has(keyword)) return [[keyword, value]];
    if (MAPS.has(keyword) && isJsonObject(value))
      return [[keyword, jsonObject(Object.entries(value).map(([name, part]) => [name, withoutPatterns(part)]))]];
    return [[keyword, withoutPatterns(value)]];
  });
  return jsonObject(entries);
}

function checkOf(schema: JsonObject): Check {
  const found = checks.get(schema);
  if (found !== undefined) return found;
  let check: Check = () => undefined;
  try {
    const bare = withoutPatterns(schema);
    const validate = new AjvJsonSchemaValidator().getValidator(isJsonObject(bare) ? bare : {});
    check = (args) => {
      const result = validate(args);
      return result.valid ? undefined : result.errorMessage;
    };
  } catch {
    // A schema that cannot be compiled, for example because it refers to another document, checks nothing.
  }
  checks.set(schema, check);
  return check;
}

/** Every parameter in one line, nested ones indented, as the lines of a skill have them. */
function parameterLines(schema: JsonObject): readonly string[] {
  const rows = parameterRows(schema);
  const lines = rows.slice(0, MAX_ROWS).map(({ depth, name, type, required, description, extras }) => {
    const about = [description.replace(/\s+/g, ' ').slice(0, 160), ...extras].filter((part) => part !== '');
    return `${'  '.repeat(depth)}- ${name} (${type}${required ? ', required' : ''})${about.length === 0 ? '' : `: ${about.join('; ')}`}`;
  });
  return rows.length > MAX_ROWS ? [...lines, `- and ${rows.length - MAX_ROWS} more: see describe_tool`] : lines;
}

/** What is wrong with the arguments and what the tool takes; undefined where they fit. */
export function explainArguments(name: string, tool: Tool, args: JsonObject): string | undefined {
  const mistakes = checkOf(tool.inputSchema)(args);
  if (mistakes === undefined) return undefined;
  const lines = mistakes.split(/, (?=data(?:\/| ))/).map((line) => line.replace(/^data/, 'arguments'));
  const parameters = parameterLines(tool.inputSchema);
  return [
    `The arguments do not fit ${name}; nothing was called.`,
    ...lines.slice(0, MAX_MISTAKES).map((line) => `- ${line}`),
    ...(parameters.length === 0 ? ['It takes no arguments.'] : ['It takes:', ...parameters]),
  ].join('\n');
}
