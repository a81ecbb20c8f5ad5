/**
 * The JSON-RPC side of the scripted server, written by hand so that it can be exactly as old, as new or as wrong
 * as a case wants. Both transports use it.
 */
import { readScripted } from './resources.ts';
import { type Fields, type Outcome, runTool, type Surroundings, TOOLS, type Value } from './tool-box.ts';

export const MODERN = '2026-07-28';
export type Era = 'legacy' | 'modern';

/** Either an answer to a request, or an outcome that only the transport can act on. */
export type Answer =
  | { readonly kind: 'message'; readonly message: Fields }
  | { readonly kind: 'none' }
  | { readonly kind: 'outcome'; readonly id: Value; readonly outcome: Outcome };

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function success(id: Value, result: Fields, era: Era): Fields {
  const shown =
    era === 'modern'
      ? { resultType: 'complete', ...result, _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'scripted' } } }
      : result;
  return { jsonrpc: '2.0', id, result: shown };
}

export function failure(id: Value, code: number, message: string, data?: Fields): Fields {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function unsupported(id: Value, requested: Value): Answer {
  const data = { supported: [MODERN], requested };
  return { kind: 'message', message: failure(id, -32022, 'Unsupported protocol version', data) };
}

/** Whether a request carries the envelope that the stateless revision wants. */
function hasEnvelope(params: Fields): boolean {
  const meta = params['_meta'];
  return (
    isFields(meta) &&
    meta['io.modelcontextprotocol/protocolVersion'] === MODERN &&
    isFields(meta['io.modelcontextprotocol/clientCapabilities'])
  );
}

/** Answers one message. */
export function answer(message: Fields, era: Era, around: Surroundings): Answer {
  const method = message['method'];
  const id = message['id'];
  if (typeof method !== 'string' || id === undefined) return { kind: 'none' };
  const params = isFields(message['params']) ? message['params'] : {};
  if (era === 'modern') {
    if (method === 'initialize') return unsupported(id, params['protocolVersion'] ?? null);
    if (!hasEnvelope(params)) return { kind: 'message', message: failure(id, -32602, 'The _meta envelope is missing') };
    if (method === 'server/discover') {
      const result = {
        supportedVersions: [MODERN],
        capabilities: capabilitiesOf(around),
        ttlMs: 0,
        cacheScope: 'private',
      };
      return { kind: 'message', message: success(id, result, era) };
    }
  } else if (method === 'initialize') {
    const result = {
      protocolVersion: around.revision ?? params['protocolVersion'] ?? '2025-06-18',
      capabilities: capabilitiesOf(around),
      serverInfo: { name: 'scripted', version: '1' },
    };
    return { kind: 'message', message: success(id, result, era) };
  }
  if (method === 'tools/list') return { kind: 'message', message: success(id, { tools: TOOLS.map(asFields) }, era) };
  if (method === 'resources/read') return read(id, String(params['uri']), era, around);
  if (method !== 'tools/call') return { kind: 'message', message: failure(id, -32601, 'Method not found') };
  const args = isFields(params['arguments']) ? params['arguments'] : {};
  const outcome = runTool(String(params['name']), args, around);
  if (outcome === undefined) return { kind: 'message', message: failure(id, -32602, 'Unknown tool') };
  return outcome.kind === 'result'
    ? { kind: 'message', message: success(id, outcome.result, era) }
    : { kind: 'outcome', id, outcome };
}

function capabilitiesOf(around: Surroundings): Fields {
  return around.resources === false ? { tools: {} } : { tools: {}, resources: {} };
}

function read(id: Value, uri: string, era: Era, around: Surroundings): Answer {
  const outcome: Outcome | undefined =
    around.resources === false
      ? { kind: 'exit', code: 8, lastWords: 'asked for a resource' }
      : readScripted(uri, around);
  if (outcome === undefined) return { kind: 'message', message: failure(id, -32002, 'Resource not found') };
  return outcome.kind === 'result'
    ? { kind: 'message', message: success(id, outcome.result, era) }
    : { kind: 'outcome', id, outcome };
}

function asFields(tool: (typeof TOOLS)[number]): Fields {
  return { name: tool.name, description: tool.description, inputSchema: tool.inputSchema };
}

/** The bytes of a message whose text holds `@BROKEN@` marks. */
export function brokenBytes(message: Fields): Buffer {
  const [before = '', after = ''] = JSON.stringify(message).split('@BROKEN@');
  return Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe, 0xc3]), Buffer.from(after)]);
}
