/**
 * Resources and prompts of the servers that run, passed through: addresses as they are, prompts under the gateway's
 * names. Nothing here starts a server; one that comes up is announced, and its lists can be read then.
 */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { isRecord, own } from '#core/catalog/read-json.ts';
import type { JsonObject } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { publicNames } from './names.ts';
import { textOf } from './shelf.ts';
import type { Upstream } from './upstream.ts';

type Entry = Readonly<Record<string, unknown>>;
interface Owned {
  readonly upstream: Upstream;
  readonly entry: Entry;
}

/** Pages of one list of one server. */
const MAX_PAGES = 50;

export interface PassThrough {
  /** Of several servers with the same address, the first one's. */
  resources(signal: AbortSignal): Promise<readonly Entry[]>;
  templates(signal: AbortSignal): Promise<readonly Entry[]>;
  read(uri: string, signal: AbortSignal): Promise<JsonObject>;
  prompts(signal: AbortSignal): Promise<readonly Entry[]>;
  prompt(name: string, args: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject>;
}

export function createPassThrough(upstreams: readonly Upstream[], logger: Logger): PassThrough {
  const owners = new Map<string, Upstream>();

  const pagesOf = async (upstream: Upstream, method: string, key: string, signal: AbortSignal): Promise<Owned[]> => {
    const entries: Owned[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < MAX_PAGES; page++) {
      const result = await upstream.request(method, cursor === undefined ? {} : { cursor }, { signal });
      const list = own(result, key);
      for (const entry of Array.isArray(list) ? list : []) if (isRecord(entry)) entries.push({ upstream, entry });
      const next = own(result, 'nextCursor');
      if (typeof next !== 'string' || next === cursor) break;
      cursor = next;
    }
    return entries;
  };

  const gather = async (
    what: 'resources' | 'prompts',
    method: string,
    key: string,
    signal: AbortSignal,
  ): Promise<readonly Owned[]> => {
    const lists = await Promise.all(
      upstreams
        .filter((upstream) => upstream.offers(what))
        .map((upstream) =>
          pagesOf(upstream, method, key, signal).catch((error: unknown) => {
            logger.debug(`"${upstream.server.name}" gives no ${key}: ${textOf(error)}`);
            return [];
          }),
        ),
    );
    return lists.flat();
  };

  const promptsNamed = async (signal: AbortSignal) => {
    const found = (await gather('prompts', 'prompts/list', 'prompts', signal)).flatMap(({ upstream, entry }) => {
      const name = own(entry, 'name');
      return typeof name === 'string' ? [{ upstream, entry, name }] : [];
    });
    const names = publicNames(found.map(({ upstream, name }) => ({ server: upstream.server.name, name })));
    return found.map((one, index) => ({ ...one, shown: names[index] ?? '' }));
  };

  return {
    async resources(signal) {
      owners.clear();
      const shown: Entry[] = [];
      for (const { upstream, entry } of await gather('resources', 'resources/list', 'resources', signal)) {
        const uri = own(entry, 'uri');
        if (typeof uri !== 'string' || owners.has(uri)) continue;
        owners.set(uri, upstream);
        shown.push(entry);
      }
      return shown;
    },
    async templates(signal) {
      const found = await gather('resources', 'resources/templates/list', 'resourceTemplates', signal);
      return found.map(({ entry }) => entry);
    },
    async read(uri, signal) {
      const owner = owners.get(uri);
      const others = upstreams.filter((upstream) => upstream !== owner && upstream.offers('resources'));
      // An address that no list holds may fit a template of any of them.
      for (const upstream of owner === undefined ? others : [owner]) {
        try {
          return await upstream.request('resources/read', { uri }, { signal });
        } catch (error) {
          signal.throwIfAborted();
          logger.debug(`"${upstream.server.name}" has no ${uri}: ${textOf(error)}`);
        }
      }
      throw new ResourceNotFoundError(uri);
    },
    prompts: async (signal) => (await promptsNamed(signal)).map(({ entry, shown }) => ({ ...entry, name: shown })),
    async prompt(name, args, signal) {
      const found = (await promptsNamed(signal)).find((one) => one.shown === name);
      if (found === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No running server has a prompt "${name}".`);
      const params = { name: found.name, ...(args === undefined ? {} : { arguments: args }) };
      return found.upstream.request('prompts/get', params, { signal });
    },
  };
}
