/** Where OAuth tokens are kept: one file a server, in a folder that only its user can read. Never in a skill. */
import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { isObject, own, ownString } from './json.ts';

export interface StoredGrant {
  readonly tokens?: StoredOAuthTokens;
  readonly client?: StoredOAuthClientInformation;
  /** The loopback address the client was registered with. */
  readonly redirect?: string;
}

/** The folder for state of this user that is not shared, by platform. */
export function stateFolder(platform: string, env: Readonly<Record<string, string | undefined>>, home: string): string {
  if (platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'mochi', 'oauth');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'mochi', 'oauth');
  const base = env['XDG_STATE_HOME'];
  return join(base?.startsWith('/') ? base : join(home, '.local', 'state'), 'mochi', 'oauth');
}

/** Parse walls for what this file wrote itself: enough to know it is ours, the SDK checks the rest. */
function isTokens(value: unknown): value is StoredOAuthTokens {
  return ownString(value, 'access_token') !== undefined && ownString(value, 'token_type') !== undefined;
}
function isClient(value: unknown): value is StoredOAuthClientInformation {
  return ownString(value, 'client_id') !== undefined;
}

/** Whether only the owner, who must be us, can read a path. Windows protects the profile folder itself. */
function isPrivate(path: string): boolean {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return false;
  return process.platform === 'win32' || (stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0);
}

/** The grant for one server. Unreadable or open to others counts as none. */
export class GrantStore {
  readonly #folder: string;
  readonly #path: string;

  constructor(server: URL, folder = stateFolder(process.platform, process.env, homedir())) {
    this.#folder = folder;
    const key = createHash('sha256').update(`${server.origin}${server.pathname}`).digest('hex').slice(0, 32);
    this.#path = join(folder, `${key}.json`);
  }

  read(): StoredGrant {
    try {
      if (!isPrivate(this.#folder) || !isPrivate(this.#path)) return {};
      const value: unknown = JSON.parse(readFileSync(this.#path, 'utf8'));
      if (!isObject(value)) return {};
      const tokens = own(value, 'tokens');
      const client = own(value, 'client');
      const redirect = ownString(value, 'redirect');
      return {
        ...(isTokens(tokens) ? { tokens } : {}),
        ...(isClient(client) ? { client } : {}),
        ...(redirect === undefined ? {} : { redirect }),
      };
    } catch {
      return {};
    }
  }

  /** Replaces parts of the grant, whole file at once. */
  update(change: { readonly [K in keyof StoredGrant]: StoredGrant[K] | undefined }): void {
    const next = { ...this.read(), ...change };
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (process.platform !== 'win32') chmodSync(this.#folder, 0o700);
    const temporary = `${this.#path}.${randomBytes(6).toString('hex')}`;
    try {
      writeFileSync(temporary, `${JSON.stringify(next)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(temporary, this.#path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }
}
