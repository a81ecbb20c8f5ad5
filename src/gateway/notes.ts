/**
 * What servers say beside their answers, passed on: log messages to the calls that run at that server, else to all
 * clients; changed resources to those who asked to hear of them; finished questions to everybody.
 */
import type { LoggingLevel, Server, ServerContext } from '@modelcontextprotocol/server';
import type { JsonObject } from '#core/model.ts';
import type { Upstream } from './upstream.ts';

/** From the least to the most severe. */
const LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const satisfies readonly LoggingLevel[];

export function readLevel(value: unknown): LoggingLevel | undefined {
  return LEVELS.find((level) => level === value);
}

export interface Notes {
  /** From now until `work` is done, what `upstream` logs goes to the request of `context`. */
  during<T>(upstream: Upstream, context: ServerContext, work: () => Promise<T>): Promise<T>;
  /** A notification of a server. */
  pass(upstream: Upstream, method: string, params: JsonObject): void;
  /** What a client wants to hear of logs; all of it until it says so. */
  setLevel(server: Server, level: LoggingLevel): void;
  follow(server: Server, uri: string): void;
  unfollow(server: Server, uri: string): void;
}

export function createNotes(connected: ReadonlySet<Server>): Notes {
  const running = new Map<Upstream, Set<ServerContext>>();
  const levels = new WeakMap<Server, LoggingLevel>();
  const followed = new WeakMap<Server, Set<string>>();
  const quietly = (sent: Promise<unknown>): void => void sent.catch(() => {});

  const log = (upstream: Upstream, params: JsonObject): void => {
    const level = readLevel(params['level']) ?? 'info';
    const logger = typeof params['logger'] === 'string' ? params['logger'] : upstream.server.name;
    const { data } = params;
    const calls = running.get(upstream);
    if (calls !== undefined) for (const { mcpReq } of calls) quietly(mcpReq.log(level, data, logger));
    else
      for (const server of connected) {
        const least = levels.get(server);
        if (least !== undefined && LEVELS.indexOf(level) < LEVELS.indexOf(least)) continue;
        quietly(server.sendLoggingMessage({ level, logger, data }));
      }
  };

  return {
    async during(upstream, context, work) {
      const calls = running.get(upstream) ?? new Set();
      running.set(upstream, calls.add(context));
      try {
        return await work();
      } finally {
        calls.delete(context);
        if (calls.size === 0) running.delete(upstream);
      }
    },
    pass(upstream, method, params) {
      const { uri, elicitationId } = params;
      switch (method) {
        case 'notifications/message':
          return log(upstream, params);
        case 'notifications/resources/updated':
          if (typeof uri !== 'string') return;
          for (const server of connected)
            if (followed.get(server)?.has(uri) === true) quietly(server.sendResourceUpdated({ uri }));
          return;
        case 'notifications/elicitation/complete':
          if (typeof elicitationId !== 'string') return;
          for (const server of connected) quietly(server.notification({ method, params: { elicitationId } }));
          return;
        default:
      }
    },
    setLevel: (server, level) => void levels.set(server, level),
    follow: (server, uri) => void followed.set(server, (followed.get(server) ?? new Set()).add(uri)),
    unfollow: (server, uri) => void followed.get(server)?.delete(uri),
  };
}
