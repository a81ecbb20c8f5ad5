/** Resources, prompts, completions, subscriptions and log levels of the gateway, over the servers that have them. */
import { ProtocolError, ProtocolErrorCode, type Result, type Server } from '@modelcontextprotocol/server';
import { own } from '#core/catalog/read-json.ts';
import { isJsonObject } from '#core/json.ts';
import type { JsonObject } from '#core/model.ts';
import { ANY_PARAMS, objectOf, passOn } from './any.ts';
import type { Front } from './front.ts';
import { type Notes, readLevel } from './notes.ts';
import type { PassThrough } from './pass-through.ts';
import type { Upstream } from './upstream.ts';

export interface OtherParts {
  readonly passThrough: PassThrough;
  readonly front: Front;
  readonly notes: Notes;
  readonly upstreams: readonly Upstream[];
}

/** An error that the server itself answered with keeps its code and its words. */
export function throwRefusal(error: unknown): void {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'number') return;
  throw new ProtocolError(cause.code, cause.message, 'data' in cause ? cause.data : undefined);
}

async function refusing(work: Promise<JsonObject>): Promise<Result> {
  try {
    return passOn(await work);
  } catch (error) {
    throwRefusal(error);
    throw error;
  }
}

export function serveOthers(server: Server, { passThrough, front, notes, upstreams }: OtherParts): void {
  server.setRequestHandler('resources/list', { params: ANY_PARAMS }, async (_, { mcpReq }) => ({
    resources: await passThrough.resources(mcpReq.signal),
  }));
  server.setRequestHandler('resources/templates/list', { params: ANY_PARAMS }, async (_, { mcpReq }) => ({
    resourceTemplates: await passThrough.templates(mcpReq.signal),
  }));
  server.setRequestHandler('resources/read', { params: ANY_PARAMS }, (params, context) =>
    refusing(
      passThrough.read(String(own(params, 'uri')), context.mcpReq.signal, (upstream, work) =>
        front.exchange(context, upstream, work),
      ),
    ),
  );
  server.setRequestHandler('prompts/list', { params: ANY_PARAMS }, async (_, { mcpReq }) => ({
    prompts: await passThrough.prompts(mcpReq.signal),
  }));
  server.setRequestHandler('prompts/get', { params: ANY_PARAMS }, async (params, context) => {
    const found = await passThrough.prompt(String(own(params, 'name')), context.mcpReq.signal);
    const args = params['arguments'];
    const wanted = { name: found.name, ...(isJsonObject(args) ? { arguments: args } : {}) };
    return refusing(
      front.exchange(context, found.upstream, (options) => found.upstream.request('prompts/get', wanted, options)),
    );
  });
  server.setRequestHandler('completion/complete', { params: ANY_PARAMS }, async (params, { mcpReq }) =>
    refusing(complete(params, passThrough, mcpReq.signal)),
  );
  serveSubscriptions(server, passThrough, notes);
  server.setRequestHandler('logging/setLevel', { params: ANY_PARAMS }, async ({ level: given }, { mcpReq }) => {
    const level = readLevel(given);
    if (level === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such log level.');
    notes.setLevel(server, level);
    await Promise.all(
      upstreams
        .filter((upstream) => upstream.offers('logging'))
        .map((upstream) =>
          upstream.request('logging/setLevel', { level }, { signal: mcpReq.signal }).catch(() => undefined),
        ),
    );
    return {};
  });
}

/** Asks the server that has the prompt or the address; one that completes nothing is as good as none. */
async function complete(params: JsonObject, passThrough: PassThrough, signal: AbortSignal): Promise<JsonObject> {
  const ref = objectOf(params['ref']);
  const { uri, name } = ref;
  const nothing: JsonObject = { completion: { values: [], total: 0, hasMore: false } };
  if (typeof name === 'string') {
    const found = await passThrough.prompt(name, signal);
    if (!found.upstream.offers('completions')) return nothing;
    return found.upstream.request('completion/complete', { ...params, ref: { ...ref, name: found.name } }, { signal });
  }
  if (typeof uri !== 'string')
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The reference names neither a prompt nor an address.');
  const upstream = await passThrough.ownerOf(uri, signal);
  if (upstream?.offers('completions') !== true) return nothing;
  return upstream.request('completion/complete', params, { signal });
}

function serveSubscriptions(server: Server, passThrough: PassThrough, notes: Notes): void {
  const change = async (method: string, params: JsonObject, signal: AbortSignal): Promise<Result> => {
    const uri = String(own(params, 'uri'));
    const upstream = await passThrough.ownerOf(uri, signal);
    if (upstream === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No running server has ${uri}.`, { uri });
    if (method === 'resources/subscribe') notes.follow(server, uri);
    else notes.unfollow(server, uri);
    return refusing(upstream.request(method, params, { signal }));
  };
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    server.setRequestHandler(method, { params: ANY_PARAMS }, (params, { mcpReq }) =>
      change(method, params, mcpReq.signal),
    );
}
