/**
 * Resources and prompts of the servers, passed through: addresses as they are, prompts under the gateway's names. Lists
 * hold what the running servers have, and start none; one that comes up is announced. Whoever asks for one by its name
 * gets it from a server that has to be started, too.
 */
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { isRecord, own } from '#core/catalog/read-json.ts';
import type { JsonObject } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { createDeadline } from '#node/deadline.ts';
import { textOf } from './error-text.ts';
import { type NameStyle, publicNames } from './names.ts';
import type { RequestOptions, Upstream } from './upstream.ts';

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
  /** `exchange` carries each request. */
  read(uri: string, signal: AbortSignal, exchange: Exchange): Promise<JsonObject>;
  /** The running server that lists this address, or a template of this text; else the only one that has any. */
  ownerOf(uri: string, signal: AbortSignal): Promise<Upstream | undefined>;
  prompts(signal: AbortSignal): Promise<readonly Entry[]>;
  /** By public name, or by the prompt's own where only one server has such a prompt: who has it, and its own name. */
  prompt(name: string, signal: AbortSignal): Promise<{ readonly upstream: Upstream; readonly name: string }>;
}

export interface PassThroughParts {
  readonly upstreams: readonly Upstream[];
  readonly logger: Logger;
  readonly names: NameStyle;
  /** Milliseconds that somebody who asks for one thing waits for servers to start. */
  readonly patienceMs: number;
}

export type Exchange = (
  upstream: Upstream,
  work: (options: RequestOptions) => Promise<JsonObject>,
) => Promise<JsonObject>;

export function createPassThrough({ upstreams, logger, names: style, patienceMs }: PassThroughParts): PassThrough {
  /** Starts what does not run yet, as far as it may and comes in time. */
  const wakeAll = async (signal: AbortSignal): Promise<void> => {
    const deadline = createDeadline(signal, patienceMs);
    try {
      await Promise.all(
        upstreams.map((upstream) =>
          upstream.wake(deadline.signal).catch((error: unknown) => {
            logger.debug(`"${upstream.server.name}" did not come up: ${textOf(error)}`);
          }),
        ),
      );
      signal.throwIfAborted();
    } finally {
      deadline.clear();
    }
  };

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
    const origins = found.map(({ upstream, name }) => ({ server: upstream.server.name, name }));
    const names = publicNames(origins, style);
    return found.map((one, index) => ({ ...one, shown: names[index] ?? '' }));
  };

  const resources = async (signal: AbortSignal): Promise<readonly Entry[]> => {
    owners.clear();
    const shown: Entry[] = [];
    for (const { upstream, entry } of await gather('resources', 'resources/list', 'resources', signal)) {
      const uri = own(entry, 'uri');
      if (typeof uri !== 'string' || owners.has(uri)) continue;
      owners.set(uri, upstream);
      shown.push(entry);
    }
    return shown;
  };
  const templates = (signal: AbortSignal): Promise<readonly Owned[]> =>
    gather('resources', 'resources/templates/list', 'resourceTemplates', signal);

  return {
    resources,
    templates: async (signal) => (await templates(signal)).map(({ entry }) => entry),
    async read(uri, signal, exchange) {
      const owner = owners.get(uri);
      const tried = new Set<Upstream>();
      const from = async (candidates: readonly Upstream[]): Promise<JsonObject | undefined> => {
        for (const upstream of candidates) {
          if (tried.has(upstream) || !upstream.offers('resources')) continue;
          tried.add(upstream);
          try {
            return await exchange(upstream, (options) => upstream.request('resources/read', { uri }, options));
          } catch (error) {
            signal.throwIfAborted();
            logger.debug(`"${upstream.server.name}" has no ${uri}: ${textOf(error)}`);
          }
        }
        return undefined;
      };
      // An address that no list holds may fit a template of any of them.
      const found = await from(owner === undefined ? upstreams : [owner]);
      if (found !== undefined) return found;
      if (owner === undefined) await wakeAll(signal);
      const late = owner === undefined ? await from(upstreams) : undefined;
      if (late !== undefined) return late;
      throw new ResourceNotFoundError(uri);
    },
    async ownerOf(uri, signal) {
      const search = async (): Promise<Upstream | undefined> => {
        if (!owners.has(uri)) await resources(signal);
        const listed = owners.get(uri);
        if (listed !== undefined) return listed;
        return (await templates(signal)).find(({ entry }) => own(entry, 'uriTemplate') === uri)?.upstream;
      };
      const found = await search();
      if (found !== undefined) return found;
      await wakeAll(signal);
      const having = upstreams.filter((upstream) => upstream.offers('resources'));
      return (await search()) ?? (having.length === 1 ? having[0] : undefined);
    },
    prompts: async (signal) => (await promptsNamed(signal)).map(({ entry, shown }) => ({ ...entry, name: shown })),
    async prompt(name, signal) {
      const search = async () => {
        const all = await promptsNamed(signal);
        const alike = all.filter((one) => one.name === name);
        return all.find((one) => one.shown === name) ?? (alike.length === 1 ? alike[0] : undefined);
      };
      let found = await search();
      if (found === undefined) {
        await wakeAll(signal);
        found = await search();
      }
      if (found === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No server has a prompt "${name}".`);
      return { upstream: found.upstream, name: found.name };
    },
  };
}
