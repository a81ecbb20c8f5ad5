/**
 * The tools that the conformance suites call by name, registered on a server of the SDK. They show what the wiring
 * under test must carry: content of every kind, progress, logs, questions to the client, input in several rounds.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  fromJsonSchema,
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';

export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

/** What tools of this file publish about changed lists. */
export interface Changes {
  toolsChanged(): void;
  promptsChanged(): void;
}

type Handler = (context: ServerContext, args: Record<string, unknown>) => unknown;

const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
const object = (properties: object = {}, more: object = {}) => ({ type: 'object', properties, ...more });

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

const ENUMS = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
      { const: 'value3', title: 'Third Option' },
    ],
  },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
        { const: 'value3', title: 'Third Choice' },
      ],
    },
  },
};

const DEFAULTS = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};

/** A question travels on the stream of the call that asks it: the stream of the session may not be open yet. */
const onItsStream = (context: ServerContext) => ({ relatedRequestId: context.mcpReq.id });

const elicit = (context: ServerContext, message: string, properties: object, required: readonly string[] = []) =>
  context.mcpReq.elicitInput(
    { message, requestedSchema: object(properties, { required }) } as never,
    onItsStream(context),
  );

async function withProgress(context: ServerContext): Promise<CallToolResult> {
  const progressToken = context.mcpReq._meta?.progressToken;
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await context.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    await delay(50);
  }
  return text('Three steps are done.');
}

async function withLogs(context: ServerContext): Promise<CallToolResult> {
  for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await context.mcpReq.log('info', message);
    await delay(50);
  }
  return text('Three messages are logged.');
}

async function reconnecting(context: ServerContext): Promise<CallToolResult> {
  context.http?.closeSSE?.();
  await delay(100);
  return text('The stream was closed and came back.');
}

async function sampling(context: ServerContext, { prompt }: Record<string, unknown>): Promise<CallToolResult> {
  const answer = await context.mcpReq.requestSampling(
    { messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }], maxTokens: 100 },
    onItsStream(context),
  );
  const content = answer.content as { readonly text?: string };
  return text(`LLM response: ${content.text ?? ''}`);
}

// ---- input in several rounds (revision 2026-07-28) ------------------------------------------------------------------

const ask = (message: string, properties: object) => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: object(properties, { required: Object.keys(properties) }) },
});
const sample = (prompt: string, maxTokens: number) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens },
});
const roots = { method: 'roots/list', params: {} };
const askName = ask('What is your name?', { name: { type: 'string' } });

function needs(inputRequests: object, requestState?: string): InputRequiredResult {
  return {
    resultType: 'input_required',
    inputRequests,
    ...(requestState === undefined ? {} : { requestState }),
  } as InputRequiredResult;
}

/** The content of an accepted form among the answers, where it has the text asked for. */
function accepted(context: ServerContext, key: string, field: string): string | undefined {
  const answer = context.mcpReq.inputResponses?.[key] as { action?: string; content?: Record<string, unknown> };
  const value = answer?.action === 'accept' ? answer.content?.[field] : undefined;
  return typeof value === 'string' ? value : undefined;
}
const has = (context: ServerContext, key: string): boolean => context.mcpReq.inputResponses?.[key] !== undefined;
const state = (context: ServerContext): string => String(context.mcpReq.requestState() ?? '');

const capabilitiesOf = (context: ServerContext): Record<string, unknown> =>
  ((context.mcpReq.envelope ?? {}) as Record<string, Record<string, unknown>>)[CLIENT_CAPABILITIES_META_KEY] ?? {};

function multiRound(context: ServerContext): unknown {
  const color = ask('Step 2: What is your favorite color?', { color: { type: 'string' } });
  if (has(context, 'step2') && state(context) === 'round-2') return text('Both steps are done.');
  if (has(context, 'step1') && state(context) === 'round-1') return needs({ step2: color }, 'round-2');
  return needs({ step1: ask('Step 1: What is your name?', { name: { type: 'string' } }) }, 'round-1');
}

function byCapability(context: ServerContext): unknown {
  const declared = capabilitiesOf(context);
  if (Object.keys(context.mcpReq.inputResponses ?? {}).length > 0) return text('Answered.');
  return needs({
    ...(declared['elicitation'] === undefined ? {} : { form: askName }),
    ...(declared['sampling'] === undefined ? {} : { question: sample('What is the capital of France?', 100) }),
  });
}

/** `protect` signs a state; the server's own check has refused a forged one before the tool is reached. */
function inSeveralRounds(protect: (payload: string) => Promise<string>): Readonly<Record<string, Handler>> {
  return {
    test_input_required_result_elicitation: (context) => {
      const name = accepted(context, 'user_name', 'name');
      return name === undefined ? needs({ user_name: askName }) : text(`Hello, ${name}!`);
    },
    test_input_required_result_sampling: (context) =>
      has(context, 'capital_question')
        ? text(JSON.stringify(context.mcpReq.inputResponses?.['capital_question']))
        : needs({ capital_question: sample('What is the capital of France?', 100) }),
    test_input_required_result_list_roots: (context) =>
      has(context, 'client_roots')
        ? text(JSON.stringify(context.mcpReq.inputResponses?.['client_roots']))
        : needs({ client_roots: roots }),
    test_input_required_result_request_state: (context) =>
      has(context, 'confirm') && state(context) === 'asked'
        ? text('state-ok')
        : needs({ confirm: ask('Please confirm', { ok: { type: 'boolean' } }) }, 'asked'),
    test_input_required_result_multiple_inputs: (context) =>
      ['user_name', 'greeting', 'client_roots'].every((key) => has(context, key))
        ? text('All three are here.')
        : needs({ user_name: askName, greeting: sample('Generate a greeting', 50), client_roots: roots }, 'asked'),
    test_input_required_result_multi_round: multiRound,
    test_input_required_result_capabilities: byCapability,
    test_input_required_result_tampered_state: async (context) =>
      has(context, 'confirm')
        ? text('The state is unharmed.')
        : needs({ confirm: ask('Please confirm', { ok: { type: 'boolean' } }) }, await protect('asked')),
  };
}

const CONTENT: Readonly<Record<string, CallToolResult>> = {
  test_simple_text: text('This is a simple text response for testing.'),
  test_image_content: { content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] },
  test_audio_content: { content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  },
  test_multiple_content_types: {
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      { type: 'image', data: PIXEL, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  },
  test_error_handling: {
    content: [{ type: 'text', text: 'This tool intentionally returns an error for testing' }],
    isError: true,
  },
};

const ACTIONS: Readonly<Record<string, Handler>> = {
  test_tool_with_logging: withLogs,
  test_logging_tool: withLogs,
  test_tool_with_progress: withProgress,
  test_reconnection: reconnecting,
  test_elicitation_sep1034_defaults: async (context) => {
    const { action, content } = await elicit(context, 'Look at the defaults', DEFAULTS);
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  },
  test_elicitation_sep1330_enums: async (context) => {
    const { action, content } = await elicit(context, 'Choose', ENUMS);
    return text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  },
  // The server itself refuses to ask a client for what it has not declared.
  test_missing_capability: (context) =>
    has(context, 'question') ? text('Answered.') : needs({ question: sample('Anything', 10) }),
  test_streaming_elicitation: async (context) => {
    await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: 'step', progress: 1 } });
    return has(context, 'user_name') ? text('Answered.') : needs({ user_name: askName });
  },
};

export function registerTools(
  server: McpServer,
  changes: Changes,
  protect: (payload: string) => Promise<string>,
): void {
  const add = (name: string, handler: Handler, schema: object = object()): void => {
    server.registerTool(
      name,
      { description: `Conformance fixture: ${name}.`, inputSchema: fromJsonSchema(schema as never) },
      (async (args: Record<string, unknown>, context: ServerContext) => handler(context, args)) as never,
    );
  };
  for (const [name, result] of Object.entries(CONTENT)) add(name, () => result);
  for (const [name, handler] of Object.entries({ ...ACTIONS, ...inSeveralRounds(protect) })) add(name, handler);
  add('test_sampling', sampling, object({ prompt: { type: 'string' } }, { required: ['prompt'] }));
  const user = {
    username: { type: 'string', description: "User's response" },
    email: { type: 'string', description: "User's email address" },
  };
  add(
    'test_elicitation',
    async (context, { message }) => {
      const { action, content } = await elicit(context, String(message), user, ['username', 'email']);
      return text(`User response: action: ${action}, content: ${JSON.stringify(content)}`);
    },
    object({ message: { type: 'string' } }, { required: ['message'] }),
  );
  add('json_schema_2020_12_tool', (_, args) => text(JSON.stringify(args)), SCHEMA_2020_12);
  add(
    'test_headers',
    (_, args) => text(JSON.stringify(args)),
    object({ region: { type: 'string', 'x-mcp-header': 'Region' } }),
  );
  add('test_trigger_tool_change', () => {
    changes.toolsChanged();
    return text('Said so.');
  });
  add('test_trigger_prompt_change', () => {
    changes.promptsChanged();
    return text('Said so.');
  });
}
