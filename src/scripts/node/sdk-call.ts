/** What both kinds of connection share: the SDK client, the call of a tool, at once or as a task, the read of a resource. */
import { Client, type ClientOptions, ProtocolError, type Transport } from '@modelcontextprotocol/client';
import type { CallOptions } from './connection.ts';
import { Fault } from './fault.ts';
import { asJsonObject, isObject, type JsonObject, own, ownString } from './json.ts';
import { textOf } from './result.ts';
import { DefaultJsonSchemaValidator } from './sdk-shims.ts';
import { VERSION } from './version.ts';

const HEADER_MISMATCH = -32020;
const TASK_LIFE_MS = 3_600_000;
const TASK_PAUSE_MS = 1000;
const TASK_PAUSE_CAP_MS = 5000;
const TASK_ENDS: ReadonlySet<unknown> = new Set(['completed', 'failed', 'cancelled', 'input_required']);

/** Accepts any object as a result: a server that adds a kind of content must still be heard. */
const anyObject = {
  '~standard': {
    version: 1 as const,
    vendor: 'mochi',
    validate: (value: unknown): { value: JsonObject } | { issues: { message: string }[] } => {
      const object = asJsonObject(value);
      return object === undefined ? { issues: [{ message: 'the result is no object' }] } : { value: object };
    },
    types: undefined as { readonly input: unknown; readonly output: JsonObject } | undefined,
  },
};

export function newClient(options: ClientOptions): Client {
  return new Client(
    { name: 'mochi-call', version: VERSION },
    { capabilities: {}, jsonSchemaValidator: new DefaultJsonSchemaValidator(), ...options },
  );
}

/** Under this name a result travels through the SDK's checks untouched. */
const RAW = 'mochiRaw';

/**
 * Takes results as servers of the stateless revision send them. The SDK refuses a whole result for one missing field
 * or one unknown kind of content; a caller is better served with what there is.
 */
export function hearRaw(transport: Transport): void {
  const deliver = transport.onmessage;
  if (deliver === undefined) return;
  transport.onmessage = (message, extra) => {
    const raw = own(message, 'result');
    if (isObject(raw) && own(raw, 'resultType') !== 'input_required') {
      const lists = { content: [], contents: [], tools: [] };
      const result = { resultType: 'complete', ...lists, ttlMs: 0, cacheScope: 'private', [RAW]: raw };
      Object.assign(message, { result });
    }
    deliver(message, extra);
  };
}

function unwrap(result: unknown): JsonObject {
  const object = asJsonObject(own(result, RAW)) ?? asJsonObject(result);
  if (object === undefined) throw new Fault('protocol', 'the server sent a result that is no object');
  return object;
}

interface Request {
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** Calls a tool; parameters that the schema marks are mirrored into headers on servers that want it. */
export async function callTool(
  client: Client,
  tool: string,
  args: JsonObject,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<JsonObject> {
  const params = { name: tool, arguments: { ...args } };
  const request = { timeout: options.timeoutMs, signal: options.signal };
  const modern = client.getProtocolEra() === 'modern';
  const result = modern
    ? await callModern(client, params, request, options.schema)
    : await callLegacy(client, params, request);
  if (own(result, 'resultType') === 'input_required') {
    throw new Fault('protocol', `${tool} asks a question back, which a script cannot answer`, {
      remedy: 'Give all arguments, or use an interactive client',
    });
  }
  return result;
}

/** Reads a resource. A server that declares none is not asked. */
export async function readResource(
  client: Client,
  uri: string,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<JsonObject> {
  if (own(client.getServerCapabilities(), 'resources') === undefined) {
    throw new Fault('protocol', 'the server has no resources');
  }
  const request = { timeout: options.timeoutMs, signal: options.signal };
  return unwrap(await client.request({ method: 'resources/read', params: { uri } }, anyObject, request));
}

type Params = { readonly name: string; readonly arguments: JsonObject };

async function callModern(
  client: Client,
  params: Params,
  request: Request,
  schema: JsonObject | undefined,
): Promise<JsonObject> {
  const plain = { name: params.name, arguments: { ...params.arguments } };
  if (schema !== undefined && JSON.stringify(schema).includes('"x-mcp-header"')) {
    const toolDefinition = { name: params.name, inputSchema: { ...schema, type: 'object' as const } };
    return unwrap(await client.callTool(plain, { ...request, toolDefinition }));
  }
  try {
    return unwrap(await client.request({ method: 'tools/call', params: plain }, anyObject, request));
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== HEADER_MISMATCH) throw error;
    // The server wants headers that only its own tool list names.
    const inputSchema = { ...(await liveSchema(client, params.name, request)), type: 'object' as const };
    const toolDefinition = { name: params.name, inputSchema };
    return unwrap(await client.callTool(plain, { ...request, toolDefinition }));
  }
}

/** A tool's schema as the server lists it; read leniently, as one bad tool would spoil the SDK's own list. */
async function liveSchema(client: Client, name: string, request: Request): Promise<JsonObject> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const params = cursor === undefined ? {} : { cursor };
    const page = unwrap(await client.request({ method: 'tools/list', params }, anyObject, request));
    const tools = own(page, 'tools');
    const tool: unknown = Array.isArray(tools) ? tools.find((item) => own(item, 'name') === name) : undefined;
    if (tool !== undefined) return asJsonObject(own(tool, 'inputSchema')) ?? {};
    cursor = ownString(page, 'nextCursor');
    if (cursor !== undefined && seen.has(cursor)) return {};
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return {};
}

/** Whether a tool was refused because it only runs as a task (revision 2025-11-25). */
function wantsTask(client: Client, text: string): boolean {
  return own(client.getServerCapabilities(), 'tasks') !== undefined && /task augmentation/i.test(text);
}

async function callLegacy(client: Client, params: Params, request: Request): Promise<JsonObject> {
  try {
    const result = await client.request({ method: 'tools/call', params: { ...params } }, anyObject, request);
    if (own(result, 'isError') !== true || !wantsTask(client, textOf(result))) return result;
  } catch (error) {
    if (!(error instanceof ProtocolError) || !wantsTask(client, error.message)) throw error;
  }
  return callAsTask(client, params, request);
}

async function callAsTask(client: Client, params: Params, request: Request): Promise<JsonObject> {
  const ask = (method: string, more: Record<string, unknown>): Promise<JsonObject> =>
    client.request({ method, params: more }, anyObject, request);
  const created = await ask('tools/call', { ...params, task: { ttl: TASK_LIFE_MS } });
  let task: unknown = own(created, 'task');
  const taskId = ownString(task, 'taskId');
  if (taskId === undefined) return created;
  while (!TASK_ENDS.has(own(task, 'status'))) {
    const pause = own(task, 'pollInterval');
    const ms = Math.min(typeof pause === 'number' && pause > 0 ? pause : TASK_PAUSE_MS, TASK_PAUSE_CAP_MS);
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
    request.signal.throwIfAborted();
    task = await ask('tasks/get', { taskId });
  }
  return ask('tasks/result', { taskId });
}
