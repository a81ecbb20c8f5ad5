/**
 * A server that asks back before it answers, for the gateway's tests: `node gateway-asking-child.ts legacy` asks by
 * requests in between, `modern` by results that want more. It logs a word while it works.
 */
import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

const isModern = process.argv[2] === 'modern';
const form = {
  message: 'Which branch?',
  requestedSchema: { type: 'object' as const, properties: { branch: { type: 'string' as const } } },
};
const prompt = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Name it' } }],
  maxTokens: 5,
};

async function legacy({ mcpReq }: ServerContext): Promise<string> {
  await mcpReq.log('warning', 'about to ask');
  const { action, content } = await mcpReq.elicitInput(form);
  const sample = await mcpReq.requestSampling(prompt);
  return JSON.stringify({ action, content, sample: (sample.content as { text?: string }).text });
}

function modern({ mcpReq }: ServerContext): unknown {
  const answers = mcpReq.inputResponses as Record<string, Record<string, unknown>> | undefined;
  if (answers?.['form'] === undefined)
    return {
      resultType: 'input_required',
      inputRequests: {
        form: { method: 'elicitation/create', params: form },
        sample: { method: 'sampling/createMessage', params: prompt },
      },
      requestState: 'asked once',
    };
  const { action, content } = answers['form'];
  const sample = (answers['sample']?.['content'] as { text?: string } | undefined)?.text;
  return JSON.stringify({ action, content, sample, state: mcpReq.requestState() });
}

function createServer(): McpServer {
  const server = new McpServer({ name: 'asking', version: '1' }, { capabilities: { logging: {}, tools: {} } });
  server.registerTool('ask', { description: 'Asks.' }, (async (context: ServerContext) => {
    const result = isModern ? modern(context) : await legacy(context);
    return typeof result === 'string' ? { content: [{ type: 'text', text: result }] } : result;
  }) as never);
  return server;
}

if (isModern) serveStdio(createServer, { legacy: 'reject' });
else await createServer().connect(new StdioServerTransport());
