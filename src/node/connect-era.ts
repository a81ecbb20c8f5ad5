/**
 * Which protocol era a process speaks, asked on the very process that then serves: `server/discover` first, as
 * revision 2026-07-28 asks of clients, and silence or any other error means `initialize` (mcp-world.md, section 5).
 */
import { isRecord, own } from '#core/catalog/read-json.ts';

/** Legacy begins with `initialize` (up to 2025-11-25); modern is stateless (2026-07-28 and later). */
export type Era = 'legacy' | 'modern';

/** Remembers the era of a definition by its hash, so that a known server is not asked again. */
export interface EraMemory {
  get(hash: string): Era | undefined;
  set(hash: string, era: Era): void;
}

/** For as long as the program runs. */
export function createEraMemory(): EraMemory {
  return new Map<string, Era>();
}

/** The revision we offer; the same that the SDK's modern codec speaks. */
export const MODERN_REVISION = '2026-07-28';

/** A `server/discover` result, with what is missing filled in. */
export interface Discovery {
  readonly supportedVersions: string[];
  readonly capabilities: Record<string, unknown>;
  readonly instructions?: string;
  readonly _meta?: Record<string, unknown>;
}

export type ProbeAnswer =
  | { readonly kind: 'modern'; readonly discovery: Discovery }
  | { readonly kind: 'legacy' }
  | { readonly kind: 'silent' };

/** One `server/discover` request on an open channel. */
export interface EraProbe {
  /** True where `message` answers the probe, which nobody else then needs to see. */
  accept(message: unknown): boolean;
  /** Resolves when an answer comes, if ever. */
  readonly answered: Promise<ProbeAnswer>;
  /** Sends the request the first time; resolves with the answer, or `silent` after `ms`. May be called again. */
  ask(ms: number): Promise<ProbeAnswer>;
}

const PROBE_ID = 'mochi-discover';

export function createEraProbe(
  send: (message: unknown) => Promise<void>,
  clientInfo: { readonly name: string; readonly version: string },
): EraProbe {
  let settle: (answer: ProbeAnswer) => void = () => {};
  const answered = new Promise<ProbeAnswer>((resolve) => {
    settle = resolve;
  });
  let sent = false;
  return {
    answered,
    accept(message) {
      if (!isRecord(message) || own(message, 'id') !== PROBE_ID || own(message, 'method') !== undefined) return false;
      settle(readAnswer(message));
      return true;
    },
    async ask(ms) {
      if (!sent) {
        sent = true;
        await send(probeRequest(clientInfo));
      }
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<ProbeAnswer>((resolve) => {
        timer = setTimeout(() => resolve({ kind: 'silent' }), ms);
      });
      return Promise.race([answered, silence]).finally(() => clearTimeout(timer));
    },
  };
}

function probeRequest(clientInfo: { readonly name: string; readonly version: string }): unknown {
  return {
    jsonrpc: '2.0',
    id: PROBE_ID,
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
        'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  };
}

function readAnswer(message: Readonly<Record<string, unknown>>): ProbeAnswer {
  const result = own(message, 'result');
  if (!isRecord(result)) return { kind: 'legacy' };
  const versions = own(result, 'supportedVersions');
  const list: readonly unknown[] = Array.isArray(versions) ? versions : [];
  const supportedVersions = list.filter((version) => typeof version === 'string');
  // A server that offers only revisions we do not know may still know `initialize`.
  if (!supportedVersions.includes(MODERN_REVISION)) return { kind: 'legacy' };
  const capabilities = own(result, 'capabilities');
  const instructions = own(result, 'instructions');
  const meta = own(result, '_meta');
  return {
    kind: 'modern',
    discovery: {
      supportedVersions,
      capabilities: isRecord(capabilities) ? capabilities : {},
      ...(typeof instructions === 'string' && { instructions }),
      ...(isRecord(meta) && { _meta: meta }),
    },
  };
}

/**
 * Whether a process that died while it was asked may be started once more, without the question. Servers built on
 * some SDKs end at any request before `initialize`, and say so or nothing; one that gives another reason is believed.
 */
export function diedOfProbe(stderr: string): boolean {
  return stderr.trim() === '' || /initiali[sz]e|server\/discover|handshake/i.test(stderr);
}
