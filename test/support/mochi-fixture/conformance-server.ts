/**
 * Mochi's own HTTP wiring with the conformance fixture behind it: `node conformance-server.ts` says on
 * standard error where it listens, and serves until it is ended.
 */
import {
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type HttpService, serveHttp } from '../../../src/mochi/http.ts';
import { createLog } from '../../../src/mochi/log.ts';
import { LIMITS } from '../../../src/protocol/mochi.ts';
import { PIXEL, registerTools } from './conformance-tools.ts';

let service: HttpService | undefined;
const states = createRequestStateCodec<string>({ key: new Uint8Array(32).fill(7) });

function registerPrompts(server: McpServer): void {
  const user = (content: object) => ({ role: 'user', content }) as never;
  server.registerPrompt('test_simple_prompt', { description: 'A prompt without arguments.' }, () => ({
    messages: [user({ type: 'text', text: 'This is a simple prompt for testing.' })],
  }));
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A prompt with two arguments.',
      argsSchema: z.object({
        arg1: completable(z.string(), (start) => ['paris', 'park', 'party'].filter((one) => one.startsWith(start))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => ({
      messages: [user({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
    }),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A prompt with a resource in it.', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user({
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        }),
        user({ type: 'text', text: 'Please process the embedded resource above.' }),
      ],
    }),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'A prompt with an image in it.' }, () => ({
    messages: [
      user({ type: 'image', data: PIXEL, mimeType: 'image/png' }),
      user({ type: 'text', text: 'Please analyze the image above.' }),
    ],
  }));
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'A prompt that asks first.', argsSchema: fromJsonSchema({ type: 'object' }) },
    ((_args: unknown, context: { mcpReq: { inputResponses?: Record<string, unknown> } }) =>
      context.mcpReq.inputResponses?.['user_context'] === undefined
        ? {
            resultType: 'input_required',
            inputRequests: {
              user_context: {
                method: 'elicitation/create',
                params: {
                  message: 'What context should the prompt use?',
                  requestedSchema: {
                    type: 'object',
                    properties: { context: { type: 'string' } },
                    required: ['context'],
                  },
                },
              },
            },
          }
        : { messages: [user({ type: 'text', text: 'With context.' })] }) as never,
  );
}

function registerResources(server: McpServer): void {
  const text = 'This is the content of the static text resource.';
  server.registerResource(
    'static-text',
    'test://static-text',
    { description: 'Text.', mimeType: 'text/plain' },
    () => ({
      contents: [{ uri: 'test://static-text', mimeType: 'text/plain', text }],
    }),
  );
  server.registerResource('static-binary', 'test://static-binary', { description: 'Bytes.' }, () => ({
    contents: [{ uri: 'test://static-binary', mimeType: 'image/png', blob: PIXEL }],
  }));
  server.registerResource('watched', 'test://watched-resource', { description: 'Watched.' }, () => ({
    contents: [{ uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched.' }],
  }));
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'By id.', mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [
        {
          uri: uri.href,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
}

function createServer(): McpServer {
  const server = new McpServer(
    { name: 'mochi-conformance', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
      requestState: {
        // Only the one tool that protects its state has it checked; the others send plain words.
        verify: async (state, context) => (state.includes('.') ? states.verify(state, context) : undefined),
      },
    },
  );
  registerTools(
    server,
    { toolsChanged: () => service?.notify.toolsChanged(), promptsChanged: () => service?.notify.promptsChanged() },
    (payload) => states.mint(payload),
  );
  registerPrompts(server);
  registerResources(server);
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  return server;
}

service = await serveHttp({
  createServer,
  logger: createLog(() => {}),
  host: '127.0.0.1',
  port: 0,
  token: undefined,
  maxBody: LIMITS.httpBody,
});
process.stderr.write(`listening on ${service.url}\n`);
