/**
 * Where the sessions of a user live: a folder only that user can enter, and in it a socket, facts and a lock for each
 * session. Windows has no such sockets; there the facts name a port of this machine and a token.
 */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from './fault.ts';
import { isObject } from './json.ts';
import { codeOf } from './server-config.ts';

/** Sessions of the other runtime's script live in the same folder and speak another language. */
const PREFIX = 'node-';
/** A socket's whole path has to fit into 104 bytes on some systems. */
const BASE_LIMIT = 50;

/** The folder of sessions, by platform. */
export function sessionFolder(
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
  uid: number,
  temporary: string,
): string {
  if (platform === 'win32') return `${env['LOCALAPPDATA'] ?? temporary}\\mochi-sessions`;
  const runtime = env['XDG_RUNTIME_DIR'];
  if (runtime?.startsWith('/') && runtime.length <= BASE_LIMIT) return `${runtime}/mochi-sessions`;
  return `${temporary.length <= BASE_LIMIT ? temporary.replace(/\/+$/, '') : '/tmp'}/mochi-sessions-${uid}`;
}

/** Makes the folder, and refuses one that somebody else could have put there. */
export function openSessionFolder(): string {
  const folder = sessionFolder(process.platform, process.env, process.getuid?.() ?? 0, tmpdir());
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (process.platform === 'win32') return folder;
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== process.getuid?.()) {
      throw new Fault('io', `${folder} does not belong to you`, { remedy: 'Remove it' });
    }
    if ((stat.mode & 0o077) !== 0) chmodSync(folder, 0o700);
    return folder;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('io', `cannot use ${folder} (${codeOf(error)})`, {
      remedy: 'Set XDG_RUNTIME_DIR to a folder of yours',
      cause: error,
    });
  }
}

export interface SessionFiles {
  readonly key: string;
  readonly socket: string;
  readonly facts: string;
  readonly lock: string;
}

/** What a session tells about itself. Never a secret but the token, which only Windows needs. */
export interface SessionFacts {
  readonly name: string;
  readonly server: string;
  readonly config: string;
  readonly pid: number;
  readonly port?: number;
  readonly token?: string;
}

export function filesOf(folder: string, key: string): SessionFiles {
  const path = (extension: string): string => join(folder, `${key}.${extension}`);
  return { key, socket: path('sock'), facts: path('json'), lock: path('lock') };
}

/** The files of a session, by what it belongs to and its name. */
export function sessionFiles(folder: string, place: string, server: string | undefined, name: string): SessionFiles {
  let where = place;
  try {
    where = realpathSync(place);
  } catch {
    // An address instead of a file, or a file that is gone: its text is the key.
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([where, server ?? null, name]))
    .digest('hex');
  return filesOf(folder, PREFIX + digest.slice(0, 16));
}

/** The key in a file name of the folder; undefined for files that are no facts of ours. */
export function keyOfFacts(file: string): string | undefined {
  return file.startsWith(PREFIX) && file.endsWith('.json') ? file.slice(0, -'.json'.length) : undefined;
}

/** Parse wall for facts: a damaged file is as good as none. */
function isFacts(value: unknown): value is SessionFacts {
  return isObject(value) && typeof value['pid'] === 'number' && typeof value['name'] === 'string';
}

export function readFacts(files: SessionFiles): SessionFacts | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(files.facts, 'utf8'));
    return isFacts(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a process with this id lives. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
