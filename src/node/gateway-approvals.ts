/**
 * Remembers, in a file of the person's own, which definitions the gateway may start: a client that starts the gateway
 * leaves nobody to ask. An approval is bound to the whole definition with its variables resolved, so that a change of
 * anything asks again. The file holds hashes, never what a definition says.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isRecord, own } from '#core/catalog/read-json.ts';
import type { Server } from '#core/model.ts';
import { OperationError } from '#core/problem.ts';
import { sha256 } from './digest.ts';
import { cacheFolder, type Surroundings } from './person-folders.ts';
import { resolveEndpoint } from './resolve-endpoint.ts';

export interface GatewayApprovals {
  /** False too where a variable is missing, for then nobody can say what would run. */
  has(server: Server): Promise<boolean>;
  add(servers: readonly Server[]): Promise<void>;
}

const VERSION = 1;
/** The oldest are forgotten first. */
const MOST = 500;

export interface GatewayApprovalsOptions extends Surroundings {
  /** The workspace folders, absolute. */
  readonly folders: readonly string[];
}

export function createGatewayApprovals(options: GatewayApprovalsOptions): GatewayApprovals {
  const path = join(cacheFolder(options), 'gateway-approvals.json');
  return {
    async has(server) {
      try {
        return (await readHashes(path)).includes(await hashOf(server, options));
      } catch (error) {
        if (OperationError.is(error)) return false;
        throw error;
      }
    },
    async add(servers) {
      const before = await readHashes(path);
      const mine = await Promise.all(servers.map((server) => hashOf(server, options)));
      const hashes = [...before.filter((hash) => !mine.includes(hash)), ...mine].slice(-MOST);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const temporary = `${path}.${process.pid}.tmp`;
      await writeFile(temporary, `${JSON.stringify({ version: VERSION, hashes })}\n`, { mode: 0o600 });
      await rename(temporary, path);
    },
  };
}

async function hashOf(given: Server, { env, home, folders, platform }: GatewayApprovalsOptions): Promise<string> {
  const spelt = (path: string): string => (platform === 'win32' ? path.replace(/^[A-Z]:/, toLowerCase) : path);
  const { source } = given;
  // Editors and clients spell the drive of one folder differently.
  const server =
    source.folder === undefined ? given : { ...given, source: { ...source, folder: spelt(source.folder) } };
  const endpoint = await resolveEndpoint(server, { env, home, folders: folders.map(spelt) });
  const folder = server.source.folder ?? folders[0] ?? home;
  const envFile =
    endpoint.kind === 'stdio' && endpoint.envFile !== undefined ? await textOf(resolve(folder, endpoint.envFile)) : '';
  return sha256(JSON.stringify([server.name, server.source.folder ?? '', endpoint, server.inputs, sha256(envFile)]));
}

function toLowerCase(text: string): string {
  return text.toLowerCase();
}

/** Empty where there is none: then it adds nothing to what runs. */
async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

async function readHashes(path: string): Promise<readonly string[]> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    const hashes = isRecord(value) && own(value, 'version') === VERSION ? own(value, 'hashes') : undefined;
    return Array.isArray(hashes) ? hashes.filter((hash): hash is string => typeof hash === 'string') : [];
  } catch {
    // No such file, or none of ours: then nothing is approved.
    return [];
  }
}
