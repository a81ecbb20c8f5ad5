/**
 * Reads tools as servers and files really give them: laxly, so that one malformed tool is a problem that names
 * it and never loses the list. A schema is handed on exactly as it came; nothing here judges or repairs it.
 */
import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Catalog, Tool } from '../model.ts';
import type { Place, Problem, Reported } from '../problem.ts';
import { isJsonObject, isRecord, type JsonLimits, judgeJson, own } from './read-json.ts';

/** Tools beyond this many are left out, with a problem. The largest real server known has 235. */
export const MAX_TOOLS = 5_000;
/** Nesting and bytes of one tool. The largest real tool known has 77 kB and nine levels. */
export const TOOL_LIMITS: JsonLimits = { depth: 64, bytes: 2_000_000 };

export interface ReadToolsContext {
  /** The server the tools are said to belong to, for problems. */
  readonly server: string;
  /** {@link MAX_TOOLS} unless given. */
  readonly maxTools?: number;
  /** The file the tools came from, for problems. */
  readonly at?: Place;
}

/** What a tools file says: the tools, and what else a recorded listing keeps beside them. */
export type ToolsFile = Pick<Catalog, 'tools' | 'instructions' | 'serverInfo' | 'protocolVersion'>;

/**
 * Reads a list of tools from a `tools/list` result or a file. Per tool the schema is `inputSchema`, else
 * `parameters` (schema-passthrough.md). What is no list at all is one `catalog-invalid` problem.
 */
export function readTools(list: unknown, context: ReadToolsContext): Reported<readonly Tool[]> {
  if (!Array.isArray(list)) {
    return { value: [], problems: [listProblem(context, list)] };
  }
  const entries: readonly unknown[] = list;
  const maxTools = context.maxTools ?? MAX_TOOLS;
  const tools = new Map<string, Tool>();
  const problems: Problem[] = [];
  for (const [index, entry] of entries.slice(0, maxTools).entries()) {
    const read = readTool(entry, index, context);
    problems.push(...read.problems);
    if (read.value === undefined) continue;
    if (tools.has(read.value.name)) problems.push(duplicate(read.value.name, index, context));
    else tools.set(read.value.name, read.value);
  }
  if (entries.length > maxTools) {
    problems.push({
      kind: 'catalog-truncated',
      severity: 'warning',
      message: `The server lists ${entries.length} tools; only the first ${maxTools} are used.`,
      remedy: 'Ask the server for fewer tools, if it has a setting for that.',
      ...origin(context),
    });
  }
  return { value: [...tools.values()], problems };
}

/**
 * Reads a tools file: an array of tools, an object with `tools`, a single tool, or a `tools/list` answer.
 * Problems name `file`; broken JSON has a line and a column.
 */
export function readToolsFile(text: string, file: string): Reported<ToolsFile> {
  const parsed = parseJson(text.replace(/^\uFEFF/, ''), file);
  if (parsed.problems.length > 0) return { value: { tools: [] }, problems: parsed.problems };
  const root =
    isRecord(parsed.value) && isRecord(own(parsed.value, 'result')) ? own(parsed.value, 'result') : parsed.value;
  const context = { server: file, at: { file } };
  if (!isRecord(root)) {
    const read = readTools(root, context);
    return { value: { tools: read.value }, problems: read.problems };
  }
  const list = own(root, 'tools') ?? (typeof own(root, 'name') === 'string' ? [root] : undefined);
  const read = readTools(list, context);
  return { value: { tools: read.value, ...recordedFacts(root) }, problems: read.problems };
}

function recordedFacts(root: Readonly<Record<string, unknown>>): Omit<ToolsFile, 'tools'> {
  const instructions = own(root, 'instructions');
  const protocolVersion = own(root, 'protocolVersion');
  const serverInfo = readServerInfo(own(root, 'serverInfo'));
  return {
    ...(typeof instructions === 'string' && { instructions }),
    ...(typeof protocolVersion === 'string' && { protocolVersion }),
    ...(serverInfo !== undefined && { serverInfo }),
  };
}

/** The name, version and title a server gives itself; undefined where it gives no name. */
export function readServerInfo(value: unknown): Catalog['serverInfo'] {
  if (!isRecord(value)) return undefined;
  const name = own(value, 'name');
  const version = own(value, 'version');
  const title = own(value, 'title');
  if (typeof name !== 'string') return undefined;
  return {
    name,
    ...(typeof version === 'string' && { version }),
    ...(typeof title === 'string' && { title }),
  };
}

function readTool(entry: unknown, index: number, context: ReadToolsContext): Reported<Tool | undefined> {
  const lost = (what: string, name?: string): Reported<undefined> => ({
    value: undefined,
    problems: [toolProblem('error', index, name, `${what}; it is left out`, context)],
  });
  if (!isRecord(entry)) return lost('is not an object');
  const name = own(entry, 'name');
  if (typeof name !== 'string' || name === '') return lost('has no name');
  const verdict = judgeJson(entry, TOOL_LIMITS);
  if (verdict === 'too-deep') return lost(`is nested deeper than ${TOOL_LIMITS.depth} levels`, name);
  if (verdict === 'too-large') return lost(`is larger than ${TOOL_LIMITS.bytes} bytes`, name);
  if (verdict === 'foreign') return lost('holds a value that is not JSON', name);
  const schema = own(entry, 'inputSchema') ?? own(entry, 'parameters') ?? { type: 'object' };
  if (!isJsonObject(schema, TOOL_LIMITS)) return lost('has an inputSchema that is not an object', name);

  const warnings: string[] = [];
  const description = own(entry, 'description');
  if (description !== undefined && description !== null && typeof description !== 'string') {
    warnings.push('has a description that is not text, which is not shown');
  }
  if (own(schema, 'type') !== 'object' || (own(entry, 'inputSchema') ?? own(entry, 'parameters')) === undefined) {
    warnings.push('has an inputSchema without "type": "object", which strict clients refuse');
  }
  return {
    value: {
      name,
      description: typeof description === 'string' ? description : '',
      inputSchema: schema,
      ...rest(entry),
    },
    problems: warnings.map((what) => toolProblem('warning', index, name, what, context)),
  };
}

function rest(entry: Readonly<Record<string, unknown>>): Pick<Tool, 'title' | 'outputSchema' | 'annotations'> {
  const title = own(entry, 'title');
  const output = own(entry, 'outputSchema');
  const annotations = own(entry, 'annotations');
  return {
    ...(typeof title === 'string' && { title }),
    ...(isJsonObject(output, TOOL_LIMITS)
      ? { outputSchema: output }
      : typeof output === 'boolean' && { outputSchema: output }),
    ...(isJsonObject(annotations, TOOL_LIMITS) && { annotations }),
  };
}

function toolProblem(
  severity: 'error' | 'warning',
  index: number,
  name: string | undefined,
  what: string,
  context: ReadToolsContext,
): Problem {
  const label = name === undefined ? `Tool ${index + 1}` : `Tool ${index + 1} (${shown(name)})`;
  return {
    kind: 'tool-invalid',
    severity,
    message: `${label} ${what}.`,
    remedy: 'Report it to the author of the server; the other tools are not affected.',
    ...(name !== undefined && { tool: name }),
    ...origin(context),
  };
}

function duplicate(name: string, index: number, context: ReadToolsContext): Problem {
  return {
    kind: 'tool-duplicate',
    severity: 'warning',
    message: `Tool ${index + 1} (${shown(name)}) has the name of an earlier tool; the first one is used.`,
    remedy: 'Report it to the author of the server: a call by this name cannot tell the two apart.',
    tool: name,
    ...origin(context),
  };
}

function listProblem(context: ReadToolsContext, list: unknown): Problem {
  return {
    kind: 'catalog-invalid',
    severity: 'error',
    message: list === undefined ? 'There is no list of tools.' : 'The list of tools is not an array.',
    remedy: 'Give an array of tools, or an object with an array under "tools".',
    ...origin(context),
  };
}

function origin(context: ReadToolsContext): Pick<Problem, 'server' | 'at'> {
  return context.at === undefined ? { server: context.server } : { at: context.at };
}

/** Names come from outside and may be of any length or hold line breaks. */
function shown(name: string): string {
  const text = JSON.stringify(name);
  return text.length <= 80 ? text : `${text.slice(0, 76)}…"`;
}

function parseJson(text: string, file: string): Reported<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return { value, problems: [] };
  } catch {
    const errors: ParseError[] = [];
    parseTree(text, errors, { disallowComments: true });
    const first = errors[0];
    const before = text.slice(0, first?.offset ?? 0);
    return {
      value: undefined,
      problems: [
        {
          kind: 'catalog-invalid',
          severity: 'error',
          message: `The file is not valid JSON${first === undefined ? '' : ` (${printParseErrorCode(first.error)})`}.`,
          remedy: 'Correct the JSON at this place; comments and trailing commas are not allowed here.',
          at: { file, line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') },
        },
      ],
    };
  }
}
