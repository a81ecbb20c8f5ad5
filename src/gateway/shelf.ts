/**
 * The tools of all servers behind the gateway under their public names, and which server has which. A server that is
 * slow, broken or not allowed to start is left out, never in another's way; one that comes late is announced.
 */
import type { Catalog, Tool } from '#core/model.ts';
import type { Logger } from '#core/ports.ts';
import { createDeadline, raceAbort } from '#node/deadline.ts';
import { type Attendance, createAttendance } from './attendance.ts';
import { matchesRule, type NameStyle, publicNames, serverPrefix } from './names.ts';
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
  /** The servers whose tools are not there, as far as anybody has asked for them, in their order. */
  missing(): readonly MissingServer[];
  /** The server whose tools are not there and whose tool bears this public name. */
  missingFor(name: string): MissingServer | undefined;
  /** The lists are others now. */
  changed(): void;
}

export interface MissingServer {
  readonly server: string;
  /** One short line. */
  readonly why: string;
}

export interface ShelfParts {
  readonly upstreams: readonly Upstream[];
  readonly rules: ToolRules;
  readonly names: NameStyle;
  readonly logger: Logger;
  /** Ends all waiting. */
  readonly signal: AbortSignal;
  /** Milliseconds that a listing waits for servers while it has nothing to show; what comes later is announced. */
  readonly patienceMs: number;
  /** Milliseconds that it waits for the others once it has something; {@link SHORT_PATIENCE} unless given. */
  readonly shortPatienceMs?: number;
  /** Milliseconds since some moment. */
  readonly now: () => number;
  /** Called when a server that was left out has come. */
  readonly onDidArrive: () => void;
}

/** Long enough for a server that is installed already, short enough for an agent that waits. */
const SHORT_PATIENCE = 2_000;

export function createShelf(parts: ShelfParts): Shelf {
  const { signal, patienceMs } = parts;
  const shortMs = Math.min(patienceMs, parts.shortPatienceMs ?? SHORT_PATIENCE);
  let last: readonly ShownTool[] = [];
  let isWhole = false;
  let version = 0;
  const attendances = parts.upstreams.map((upstream) => createAttendance(upstream, parts));

  /** Done when the work is or the time is over; the work never rejects. */
  const within = async (work: Promise<unknown>, ms: number): Promise<void> => {
    const deadline = createDeadline(signal, ms);
    await raceAbort(work, deadline.signal).catch(() => {});
    deadline.clear();
  };

  const collect = async (): Promise<readonly (Catalog | undefined)[]> => {
    const catalogs: (Catalog | undefined)[] = attendances.map(() => undefined);
    let show: () => void = () => {};
    const something = new Promise<void>((resolve) => {
      show = resolve;
    });
    const all = Promise.all(
      attendances.map(async (attendance, index) => {
        const catalog = await attendance.list();
        catalogs[index] = catalog;
        if (catalog !== undefined) show();
      }),
    );
    await within(all, shortMs);
    if (catalogs.every((catalog) => catalog === undefined))
      await within(Promise.race([all, something]), patienceMs - shortMs);
    for (const attendance of attendances) attendance.giveUpWaiting();
    return [...catalogs];
  };

  const gather = async (): Promise<readonly ShownTool[]> => {
    const at = version;
    const catalogs = await collect();
    const found = attendances.flatMap(({ upstream }, index) =>
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

  const ownersOf = (name: string): readonly Attendance[] =>
    attendances.filter(({ upstream }) => name.startsWith(serverPrefix(upstream.server.name)));

  const missingOf = (some: readonly Attendance[]): readonly MissingServer[] =>
    some.flatMap((attendance) => {
      const why = attendance.excuse();
      return why === undefined ? [] : [{ server: attendance.upstream.server.name, why }];
    });

  return {
    tools: async () => (isWhole ? last : gather()),
    async find(name) {
      // A list that lacks a broken server is good enough for the tools of the others.
      const found = search(name);
      if (found !== undefined || isWhole) return found;
      await within(Promise.all(ownersOf(name).map((owner) => owner.meet())), patienceMs);
      await gather();
      return search(name);
    },
    missing: () => missingOf(attendances),
    missingFor: (name) => missingOf(ownersOf(name))[0],
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
