/**
 * What Mochi writes to standard error, read again: one JSON object a line, given to a log at its own level. Lines of
 * another shape come from the runtime, and the last of them often say why it ended.
 */
import { isRecord, own } from '#core/catalog/read-json.ts';
import type { Logger } from '#core/ports.ts';
import { createLineReader } from './connect-stdio.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;
type Level = (typeof LEVELS)[number];

interface Said {
  readonly level: Level;
  readonly message: string;
}

/** Characters of one line that are kept. */
const MOST = 2_000;

/** Takes standard error chunk by chunk; whole lines go to `logger`. */
export function createLogReplay(logger: Logger, name: string): (chunk: Buffer) => void {
  const take = createLineReader(1_000_000, (line) => {
    const said = saidBy(line);
    if (said !== undefined) logger[said.level](`${name}: ${said.message}`);
  });
  // A line without an end is not worth its memory.
  let isReading = true;
  return (chunk) => {
    if (isReading) isReading = take(chunk);
  };
}

/** The sentence that tells best why a process ended, from the end of its standard error; empty where there is none. */
export function lastWords(output: string): string {
  const said = output.split('\n').flatMap((line) => saidBy(line) ?? []);
  const errors = said.filter(({ level }) => level === 'error');
  return (errors.at(-1) ?? said.filter(({ level }) => level === 'warn').at(-1))?.message ?? '';
}

function saidBy(line: string): Said | undefined {
  const text = line.trim();
  if (text === '') return undefined;
  const value = text.startsWith('{') ? jsonOf(text) : undefined;
  const given = isRecord(value) ? [own(value, 'level'), own(value, 'message')] : [];
  const level = LEVELS.find((one) => one === given[0]);
  if (level !== undefined && typeof given[1] === 'string') return { level, message: given[1].slice(0, MOST) };
  return { level: 'warn', message: text.slice(0, MOST) };
}

function jsonOf(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
