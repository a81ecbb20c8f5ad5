/**
 * `references/mcp.json`: how a skill's script reaches its server. Takes a lifted definition, so that no secret is in
 * it, and writes places of this machine as variables, so that the skill is the same for everyone.
 */
import { mapEndpoint } from '../endpoint.ts';
import { jsonObject } from '../json.ts';
import type { Endpoint, Json, JsonObject, Server } from '../model.ts';

/** Absolute paths that are written as variables; the longer of two matches wins. */
export interface Places {
  readonly workspaceFolder?: string;
  readonly userHome?: string;
}

/** The text with the places at its path boundaries written as variables. */
export function portable(text: string, places: Places): string {
  const known: [string, string][] = [];
  if (places.workspaceFolder !== undefined) known.push([places.workspaceFolder, '${workspaceFolder}']);
  if (places.userHome !== undefined) known.push([places.userHome, '${userHome}']);
  let result = text;
  for (const [path, variable] of known.sort((a, b) => b[0].length - a[0].length)) {
    if (path.length < 2) continue;
    let from = 0;
    for (let at = result.indexOf(path, from); at >= 0; at = result.indexOf(path, from)) {
      const before = result[at - 1];
      const after = result[at + path.length];
      const isWhole =
        (before === undefined || /[\s=:,;"'(]/.test(before)) && (after === undefined || /[\\/\s,;:"')]/.test(after));
      if (isWhole) result = result.slice(0, at) + variable + result.slice(at + path.length);
      from = at + (isWhole ? variable.length : path.length);
    }
  }
  return result;
}

/** The definition with every string made portable. */
export function portableEndpoint(endpoint: Endpoint, places: Places): Endpoint {
  return mapEndpoint(endpoint, (text) => portable(text, places));
}

function entryOf(endpoint: Endpoint, timeoutMs: number | undefined): JsonObject {
  const timeout: [string, Json][] = timeoutMs === undefined ? [] : [['timeout', timeoutMs]];
  switch (endpoint.kind) {
    case 'stdio':
      return jsonObject([
        ['type', 'stdio'],
        ['command', endpoint.command],
        ['args', endpoint.args],
        ...(Object.keys(endpoint.env).length === 0 ? [] : [['env', jsonObject(Object.entries(endpoint.env))] as const]),
        ...(endpoint.cwd === undefined ? [] : [['cwd', endpoint.cwd] as const]),
        ...(endpoint.envFile === undefined ? [] : [['envFile', endpoint.envFile] as const]),
        ...timeout,
      ]);
    case 'http':
    case 'sse':
      return jsonObject([
        ['type', endpoint.kind],
        ['url', endpoint.url],
        ...(Object.keys(endpoint.headers).length === 0
          ? []
          : [['headers', jsonObject(Object.entries(endpoint.headers))] as const]),
        ...timeout,
      ]);
    default:
      return endpoint satisfies never;
  }
}

/** The file as an object: one server, under its own name. `endpoint` is lifted and portable. */
export function serverConfig(server: Pick<Server, 'name' | 'timeoutMs'>, endpoint: Endpoint): JsonObject {
  return { mcpServers: jsonObject([[server.name, entryOf(endpoint, server.timeoutMs)]]) };
}
