/**
 * The tools of all servers behind the gateway under their public names, and which server has which. A server that is
 * slow, broken or not allowed to start is left out, never in another's way; one that comes late is announced.
 */
import type { Catalog, Tool } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { createDeadline, raceAbort } from '#node/deadline.ts';
import { matchesRule, type NameStyle, publicNames } from './names.ts';
import type { Upstream } from './upstream.ts';

export interface ShownTool {
  readonly name: string;
  readonly upstream: Upstream;
  readonly tool: Tool;
}

/** Rules as in {@link matchesRule}. What is denied stays denied, whatever is allowed. */
export interface ToolRules {
  /** Where not empty, only these tools are shown and called. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface Shelf {
  /** In the order of the servers and of their own lists. */
  tools(): Promise<readonly ShownTool[]>;
  /** By public name, or by the tool's own name where only one server has such a tool. */
  find(name: string): Promise<ShownTool | undefined>;
  /** The lists are others now. */
  changed(): void;
}

export interface ShelfParts {
  readonly upstreams: readonly Upstream[];
  readonly rules: ToolRules;
  readonly names: NameStyle;
  readonly logger: Logger;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
  /** Milliseconds that a listing waits for a server; what comes later is announced. */
  readonly patienceMs: number;
  /** Called when a server that was left out has come. */
  readonly onDidArrive: () => void;
}

export function createShelf(parts: ShelfParts): Shelf {
  const { upstreams, logger, signal, patienceMs, onDidArrive } = parts;
  let last: readonly ShownTool[] = [];
  let isWhole = false;
  let version = 0;
  const excuses = new Map<Upstream, string>();

  const catalogOf = async (upstream: Upstream): Promise<Catalog | undefined> => {
    const { name } = upstream.server;
    const deadline = createDeadline(signal, patienceMs);
    const pending = upstream.catalog(signal);
    try {
      const catalog = await raceAbort(pending, deadline.signal);
      excuses.delete(upstream);
      return catalog;
    } catch (error) {
      if (deadline.isOver()) pending.then(onDidArrive, () => {});
      const why = deadline.isOver() ? 'is slow to start; its tools follow' : textOf(error);
      if (excuses.get(upstream) !== why) logger.warn(`Left out "${name}": ${why}`);
      excuses.set(upstream, why);
      return undefined;
    } finally {
      deadline.clear();
    }
  };

  const gather = async (): Promise<readonly ShownTool[]> => {
    const at = version;
    const catalogs = await Promise.all(upstreams.map(catalogOf));
    const found = upstreams.flatMap((upstream, index) =>
      (catalogs[index]?.tools ?? [])
        .filter((tool) => isShown(upstream, tool, parts.rules))
        .map((tool) => ({ upstream, tool })),
    );
    const names = publicNames(
      found.map(({ upstream, tool }) => ({ server: upstream.server.name, name: tool.name })),
      parts.names,
    );
    last = found.map((one, index) => ({ ...one, name: names[index] ?? '' }));
    isWhole = catalogs.every((catalog) => catalog !== undefined) && at === version;
    return last;
  };

  const search = (name: string): ShownTool | undefined => {
    const exact = last.find((one) => one.name === name);
    if (exact !== undefined) return exact;
    const own = last.filter(({ tool }) => tool.name === name);
    return own.length === 1 ? own[0] : undefined;
  };

  return {
    tools: async () => (isWhole ? last : gather()),
    async find(name) {
      // A list that lacks a broken server is good enough for the tools of the others.
      const found = search(name);
      if (found !== undefined || isWhole) return found;
      await gather();
      return search(name);
    },
    changed() {
      version++;
      isWhole = false;
      // What was found stays until the next listing, but not with tools that are gone.
      last = [];
    },
  };
}

function isShown({ server }: Upstream, tool: Tool, rules: ToolRules): boolean {
  const origin = { server: server.name, name: tool.name };
  if (server.excludeTools?.includes(tool.name) === true) return false;
  if (server.includeTools !== undefined && !server.includeTools.includes(tool.name)) return false;
  if (rules.deny.some((rule) => matchesRule(rule, origin))) return false;
  return rules.allow.length === 0 || rules.allow.some((rule) => matchesRule(rule, origin));
}

/** What went wrong and what to do, for a log or for a model. */
export function textOf(error: unknown): string {
  if (!OperationError.is(error)) return error instanceof Error ? error.message : String(error);
  return error.remedy === undefined ? error.message : `${error.message} ${error.remedy}`;
}
