/**
 * Who can reach a server of Mochi, as it was asked for: which addresses are this machine's alone, and the token without
 * which no other is listened on. Asked by the server, and by the command line before it starts or describes one.
 */
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import type { Files } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { TOKEN_VARIABLE } from '#protocol/mochi.ts';

/** Shorter tokens can be guessed. */
const MIN_TOKEN = 16;
/** Bytes of a file that holds a token and nothing else. */
const LARGEST_FILE = 10_000;

export interface Reach {
  readonly host: string;
  readonly allowRemote: boolean;
  readonly tokenFile: string | undefined;
}

export interface Around {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly files: Pick<Files, 'read'>;
}

function usage(message: string, remedy: string): OperationError {
  return new OperationError('usage', message, { remedy });
}

/** Whether listening on this interface is out of reach for other machines. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * The token from the file, else from the environment, never part of an error; undefined where none is wanted or needed.
 * Throws OperationError `usage` for a token that is none, and where other machines could come in without leave.
 */
export async function readToken({ host, allowRemote, tokenFile }: Reach, around: Around): Promise<string | undefined> {
  const token = await givenToken(tokenFile, around);
  if (isLoopback(host)) return token;
  if (!allowRemote)
    throw usage(`--host ${host} can be reached from other machines.`, 'Add --allow-remote if that is meant.');
  if (token === undefined)
    throw usage(`--host ${host} needs a token.`, `Give --token-file FILE or set ${TOKEN_VARIABLE}.`);
  return token;
}

async function givenToken(file: string | undefined, { env, cwd, files }: Around): Promise<string | undefined> {
  const given = file === undefined ? env[TOKEN_VARIABLE] : await readTokenFile(resolve(cwd, file), files);
  const token = given?.trim();
  if (token === undefined || (file === undefined && token === '')) return undefined;
  if (token.length < MIN_TOKEN || /\s/.test(token))
    throw usage(
      `The token must be one word of at least ${MIN_TOKEN} characters.`,
      'Make one with "openssl rand -hex 32".',
    );
  return token;
}

async function readTokenFile(path: string, files: Pick<Files, 'read'>): Promise<string> {
  const bytes = await files.read(path, LARGEST_FILE).catch(() => undefined);
  if (bytes === undefined)
    throw usage(`--token-file ${path} cannot be read.`, 'Name a file that holds the token and nothing else.');
  return new TextDecoder().decode(bytes);
}
