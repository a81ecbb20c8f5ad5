/**
 * Where in a config file the servers stand: under the key that the client reads, or under one that it does not, which
 * is a common mistake when an entry is copied from another client.
 */
import { type Field, fieldOf, type Node, scalarOf } from './document.ts';
import { FOLDER_KEY, type Platform } from './sources.ts';

/** A map or list of servers, with the keys that lead to it; no keys means the file itself. */
export interface Root {
  readonly keys: readonly string[];
  readonly node: Node;
  /** Where its key stands. */
  readonly at: number;
}

/** Root keys of all clients, without case and punctuation. */
const KNOWN = new Set(['mcpservers', 'mcpserver', 'servers', 'contextservers', 'mcp']);
const ENTRY_KEYS = ['command', 'url', 'serverUrl', 'httpUrl', 'transport'];

export interface FolderKey {
  readonly path: string;
  readonly platform: Platform;
}

/** Follows keys; editors also accept several of them joined by dots. `FOLDER_KEY` matches the folder's path. */
export function follow(node: Node, keys: readonly string[], folder: FolderKey | undefined): Field | undefined {
  for (let count = keys.length; count > 0; count -= 1) {
    const wanted = keys.slice(0, count).join('.');
    const field = wanted === FOLDER_KEY ? folderField(node, folder) : fieldOf(node, wanted);
    if (field === undefined) continue;
    const rest = keys.slice(count);
    const found = rest.length === 0 ? field : follow(field.value, rest, folder);
    if (found !== undefined) return found;
  }
  return undefined;
}

function folderField(node: Node, folder: FolderKey | undefined): Field | undefined {
  if (node.kind !== 'object' || folder === undefined) return undefined;
  const wanted = comparable(folder.path, folder.platform);
  return node.fields.findLast((field) => comparable(field.key, folder.platform) === wanted);
}

function comparable(path: string, platform: Platform): string {
  const slashed = platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path;
  return slashed.length > 1 && slashed.endsWith('/') ? slashed.slice(0, -1) : slashed;
}

/** Maps of servers under other clients' keys, in the order of the file. `own` is the key that the client reads. */
export function foreignRoots(root: Node, own: readonly string[]): readonly Root[] {
  if (root.kind !== 'object') return [];
  const found: Root[] = [];
  for (const field of root.fields) {
    if (!KNOWN.has(field.key.toLowerCase().replace(/[-_.\s]/g, ''))) continue;
    for (const [keys, candidate] of [
      [[field.key], field],
      [[field.key, 'servers'], fieldOf(field.value, 'servers')],
      [[field.key, 'mcpServers'], fieldOf(field.value, 'mcpServers')],
    ] as const) {
      if (candidate === undefined || keys.join('.') === own.join('.') || !isServerMap(candidate.value)) continue;
      found.push({ keys, node: candidate.value, at: candidate.at });
    }
  }
  return found;
}

/** Whether at least one value looks like a server's entry. */
export function isServerMap(node: Node): boolean {
  if (node.kind === 'array')
    return node.items.some((item) => scalarOf(fieldOf(item, 'name')?.value) !== undefined && isEntry(item));
  return node.kind === 'object' && node.fields.some((field) => isEntry(field.value));
}

function isEntry(node: Node): boolean {
  return node.kind === 'object' && node.fields.some((field) => ENTRY_KEYS.includes(field.key));
}
