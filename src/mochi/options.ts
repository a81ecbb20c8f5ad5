/** The words of `mochi serve`, checked: who listens where, what is served, and what protects it. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { joinNegatives } from '#core/negative-values.ts';
import type { Files } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { readToken } from '#node/serve-reach.ts';
import { LIMITS } from '#protocol/mochi.ts';
import { commandWords } from './context/command-words.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { type ModelOptions, modelOptions } from './model-options.ts';

/** Where `--transport http` listens without `--port`. */
export const DEFAULT_PORT = 6680;

export interface ServeOptions {
  /** The folder to learn; absolute. */
  readonly workspace: string;
  /** Whether somebody named it, or it is where the process was started. */
  readonly isChosen: boolean;
  readonly transport: 'stdio' | 'http';
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  /** Whether skills of the home folder are served too. */
  readonly user: boolean;
  /** Bytes. */
  readonly memoryLimit: number;
  /** The command of a kiri server whose findings join the answers, as words. */
  readonly kiri: readonly string[] | undefined;
  readonly models: ModelOptions;
  readonly logLevel: LogLevel;
}

const OPTIONS = {
  workspace: { type: 'string', short: 'w' },
  user: { type: 'boolean' },
  transport: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  'allow-remote': { type: 'boolean' },
  'token-file': { type: 'string' },
  'memory-limit': { type: 'string' },
  kiri: { type: 'string' },
  engine: { type: 'string' },
  model: { type: 'string' },
  'model-url': { type: 'string' },
  adapter: { type: 'string', multiple: true },
  backend: { type: 'string' },
  'log-level': { type: 'string' },
} as const;

function usage(message: string, remedy: string): OperationError {
  return new OperationError('usage', message, { remedy });
}

function numberIn(option: string, given: string | undefined, least: number, most: number, fallback: number): number {
  if (given === undefined) return fallback;
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (!(value >= least && value <= most))
    throw usage(`--${option} ${given} is not possible.`, `Use a number from ${least} to ${most}.`);
  return value;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly files: Pick<Files, 'read'>;
}

/** `argv` without the interpreter and the program. Throws OperationError `usage`. */
export async function parseOptions(argv: readonly string[], around: Surroundings): Promise<ServeOptions> {
  const values = parse(argv);
  const transport = values.transport ?? 'stdio';
  if (transport !== 'stdio' && transport !== 'http')
    throw usage(`--transport ${transport} is not known.`, 'Use stdio or http; http serves the legacy SSE too.');
  const host = values.host ?? '127.0.0.1';
  const port = numberIn('port', values.port, 0, 65_535, DEFAULT_PORT);
  if (!Number.isInteger(port)) throw usage(`--port ${port} is not possible.`, 'Use a whole number.');
  const reach = { host, allowRemote: values['allow-remote'] === true, tokenFile: values['token-file'] };
  const token = await readToken(reach, around);
  const level = LOG_LEVELS.find((one) => one === (values['log-level'] ?? 'info'));
  if (level === undefined)
    throw usage(`--log-level ${values['log-level'] ?? ''} is not known.`, `Use one of ${LOG_LEVELS.join(', ')}.`);
  const gigabytes = numberIn('memory-limit', values['memory-limit'], 0.1, LIMITS.memoryBytes / 2 ** 30, 32);
  return {
    workspace: resolve(around.cwd, values.workspace ?? '.'),
    isChosen: values.workspace !== undefined,
    user: values.user ?? false,
    transport,
    host,
    port,
    token,
    memoryLimit: gigabytes * 2 ** 30,
    kiri: values.kiri === undefined ? undefined : kiriWords(values.kiri),
    models: modelOptions(values, around),
    logLevel: level,
  };
}

function kiriWords(command: string): readonly string[] {
  const words = commandWords(command);
  if (words === undefined) throw usage('--kiri has no command.', 'Give it as one text: --kiri "kiri --repo .".');
  return words;
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...joinNegatives(argv)], options: OPTIONS }).values;
  } catch (error) {
    const message = error instanceof Error ? (error.message.split(/\.\s/)[0] ?? error.message) : String(error);
    throw usage(`${message.replace(/\.$/, '')}.`, 'See "mochi serve --help".');
  }
}
