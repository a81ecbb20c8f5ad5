/**
 * One MCP server in front of many. Builds the servers of both protocol eras over the same upstreams: in the modes
 * normal and compact it lists their tools, in the mode lazy it stands for them with three of its own. Everything else
 * passes through; not the extension of tasks, and subscriptions to single resources only in the earlier era.
 */
import {
  ProtocolError,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type Result,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { compactTool, shorten } from '#core/catalog/compact.ts';
import { isJsonObject } from '#core/json.ts';
import type { CompactRules, JsonObject, Mode, Server as ServerDefinition, Tool } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import type { ListKind } from '#node/mcp-client.ts';
import { filteredInput } from '#node/stdin-messages.ts';
import { ANY_PARAMS, passOn } from './any.ts';
import { createConversations } from './conversation.ts';
import { textOf } from './error-text.ts';
import { createFront, type Front } from './front.ts';
import { answerLazily, lazyTools, missingText } from './lazy-tools.ts';
import type { NameStyle } from './names.ts';
import { createNotes } from './notes.ts';
import { createPassThrough } from './pass-through.ts';
import { serveOthers, throwRefusal } from './serve-others.ts';
import { createShelf, type Shelf, type ShownTool, type ToolRules } from './shelf.ts';
import { createUpstream, type Upstream, type UpstreamParts } from './upstream.ts';

export interface GatewayParts extends Omit<UpstreamParts, 'onDidChange' | 'onNote' | 'capabilities'> {
  readonly servers: readonly ServerDefinition[];
  readonly mode: Mode;
  readonly compactRules: CompactRules;
  readonly rules: ToolRules;
  readonly names: NameStyle;
  readonly version: string;
  /** Milliseconds that a listing waits for a server while it has nothing to show, and whoever asks for one thing. */
  readonly patienceMs: number;
}

export interface Gateway {
  /** A server for one connection. */
  createServer(): Promise<Server>;
  /** Ends all upstreams. */
  close(): Promise<void>;
}

const MAX_MESSAGE = 64 * 1024 * 1024;

export function createGateway(parts: GatewayParts): Gateway {
  const { logger } = parts;
  const connected = new Set<Server>();
  const ending = new AbortController();
  const announce = (what: ListKind): void => {
    if (what === 'tools') shelf.changed();
    for (const server of connected) tell(server, what).catch(() => connected.delete(server));
  };
  const notes = createNotes(connected);
  const conversations = createConversations();
  /** Of the client that asked last: there is one, or they are alike. */
  let capabilities: JsonObject = {};
  const upstreams = parts.servers.map((server) =>
    createUpstream(server, {
      ...parts,
      onDidChange: announce,
      capabilities: () => capabilities,
      onNote: notes.pass,
    }),
  );
  const shelf = createShelf({
    upstreams,
    rules: parts.rules,
    names: parts.names,
    logger,
    signal: ending.signal,
    patienceMs: parts.patienceMs,
    now: parts.now,
    onDidArrive: () => announce('tools'),
  });
  const passThrough = createPassThrough({ ...parts, upstreams });
  return {
    async createServer() {
      const instructions = await instructionsOf(upstreams);
      const server = new Server(
        { name: 'mochi-gateway', title: 'Mochi gateway', version: parts.version },
        {
          capabilities: {
            tools: { listChanged: true },
            resources: { listChanged: true, subscribe: true },
            prompts: { listChanged: true },
            completions: {},
            logging: {},
          },
          ...(instructions === '' ? {} : { instructions }),
        },
      );
      const front = createFront({
        server,
        notes,
        conversations,
        onCapabilities: (seen) => {
          capabilities = seen;
        },
      });
      serveTools(server, parts, shelf, front);
      serveOthers(server, { passThrough, front, notes, upstreams });
      connected.add(server);
      server.onclose = () => connected.delete(server);
      return server;
    },
    async close() {
      ending.abort(new OperationError('crashed', 'The gateway is closing.'));
      conversations.close();
      await Promise.all(upstreams.map((upstream) => upstream.close()));
    },
  };
}

/** Claude Code cuts the instructions of a server there. (platform facts, section 5.2) */
const MAX_INSTRUCTIONS = 2_048;

/** What the servers say of themselves, as far as it is known without starting them, each with an equal part of the room. */
async function instructionsOf(upstreams: readonly Upstream[]): Promise<string> {
  const said = await Promise.all(
    upstreams.map(async (upstream) => {
      const text = (await upstream.recorded())?.instructions?.trim() ?? '';
      return text === '' ? [] : [{ title: `# ${upstream.server.name}`, text }];
    }),
  );
  const parts = said.flat();
  const room = Math.floor(MAX_INSTRUCTIONS / Math.max(1, parts.length)) - 80;
  return parts.map(({ title, text }) => `${title}\n${shorten(text, Math.max(0, room))}`).join('\n\n');
}

function tell(server: Server, what: ListKind): Promise<void> {
  switch (what) {
    case 'tools':
      return server.sendToolListChanged();
    case 'resources':
      return server.sendResourceListChanged();
    case 'prompts':
      return server.sendPromptListChanged();
    default:
      return what satisfies never;
  }
}

function serveTools(server: Server, { mode, compactRules }: GatewayParts, shelf: Shelf, front: Front): void {
  const compacted = new WeakMap<Tool, Tool>();
  const shaped = ({ name, tool }: ShownTool): object => {
    if (mode === 'normal') return listed(name, tool);
    const short = compacted.get(tool) ?? compactListing(tool, compactRules);
    compacted.set(tool, short);
    return listed(name, short);
  };
  server.setRequestHandler('tools/list', { params: ANY_PARAMS }, async (_, context) => {
    front.look(context);
    const tools = await shelf.tools();
    return { tools: mode === 'lazy' ? lazyTools(tools) : tools.map(shaped) };
  });
  server.setRequestHandler('tools/call', { params: ANY_PARAMS }, async (params, context) => {
    const name = typeof params['name'] === 'string' ? params['name'] : '';
    const args = isJsonObject(params['arguments']) ? params['arguments'] : {};
    front.look(context);
    if (mode === 'lazy') {
      const outcome = await answerLazily(name, args, shelf);
      if (outcome?.kind === 'text') return said(outcome.text, outcome.isError);
      if (outcome?.kind === 'call') return call(outcome.shown, outcome.args, context, front);
    } else {
      const shown = await shelf.find(name);
      if (shown !== undefined) return call(shown, args, context, front);
      const missing = shelf.missingFor(name);
      if (missing !== undefined) return said(missingText(missing), true);
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${name}".`);
  });
}

/** Clients ask for permission by the annotations and show them to no model. The strict rules drop them, as upstream does. */
function compactListing(tool: Tool, rules: CompactRules): Tool {
  const { annotations } = tool;
  return { ...compactTool(tool, rules), ...(rules === 'safe' && annotations !== undefined ? { annotations } : {}) };
}

/** A tool for the list, under its public name; clients insist on a schema of type object. */
function listed(name: string, tool: Tool): object {
  return { ...tool, name, inputSchema: { ...tool.inputSchema, type: 'object' } };
}

function said(text: string, isError: boolean): Result {
  return { content: [{ type: 'text', text }], ...(isError ? { isError } : {}) };
}

/** What a server answers goes out as it is; what keeps it from answering is told to the model, which may go on. */
async function call(
  { upstream, tool }: ShownTool,
  args: JsonObject,
  context: ServerContext,
  front: Front,
): Promise<Result> {
  try {
    return passOn(await front.exchange(context, upstream, (options) => upstream.call(tool, args, options)));
  } catch (error) {
    context.mcpReq.signal.throwIfAborted();
    throwRefusal(error);
    if (OperationError.is(error)) return said(textOf(error), true);
    throw error;
  }
}

/** Serves on standard streams until the client is gone or `close` is called. */
export function serveGateway(
  gateway: Gateway,
  logger: Logger,
): { readonly ended: Promise<void>; close(): Promise<void> } {
  const input = filteredInput(MAX_MESSAGE, parseJSONRPCMessage);
  const transport = new StdioServerTransport(input, undefined, { maxBufferSize: MAX_MESSAGE });
  const service = serveStdio(() => gateway.createServer(), {
    transport,
    onerror: (error) => logger.debug(`message refused: ${error.name}`),
  });
  const closeWire = transport.onclose;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      closeWire?.();
      resolve();
    };
  });
  return {
    ended,
    async close() {
      await service.close();
      input.destroy();
    },
  };
}
