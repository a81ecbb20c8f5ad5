/**
 * The log of a server whose standard output belongs to the protocol: one JSON object a line, for standard error.
 * Nothing that a client sent or a file holds is ever given to it.
 */
import type { Logger } from '#core/ports.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `write` gets whole lines; messages below `level` are dropped. */
export function createLog(
  write: (line: string) => void,
  level: LogLevel = 'info',
  now: () => Date = () => new Date(),
): Logger {
  const say = (own: LogLevel) => (message: string) => {
    if (LOG_LEVELS.indexOf(own) < LOG_LEVELS.indexOf(level)) return;
    write(`${JSON.stringify({ time: now().toISOString(), level: own, message })}\n`);
  };
  return { trace: say('trace'), debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
}
