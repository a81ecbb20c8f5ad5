/** Turns what the SDK and the runtime throw into faults with a name, a remedy and an exit code. Decides nothing else. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from '@modelcontextprotocol/client';
import { Fault, oneLine } from './fault.ts';
import { own } from './json.ts';

export interface FaultContext {
  readonly timeoutMs: number;
  readonly mask: (text: string) => string;
  readonly retryAfter?: (() => number | undefined) | undefined;
  /** Where the server is, for people. */
  readonly place?: string | undefined;
  /** The tool that was called; absent while connecting. */
  readonly tool?: string | undefined;
}

/** The HTTP status an error carries, if any. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.data.status;
  if (error instanceof SseError) return error.code;
  const match = error instanceof Error ? /\(HTTP (\d{3})\)/.exec(error.message) : null;
  return match?.[1] === undefined ? undefined : Number(match[1]);
}

/** The body of a refusal, as far as the SDK kept it. */
export function bodyOf(error: unknown): string {
  const text = own(own(error, 'data'), 'text');
  return typeof text === 'string' ? text : '';
}

/** Whether an error means that the server wants authorization. */
export function isUnauthorized(error: unknown): boolean {
  return statusOf(error) === 401 || (error instanceof Error && error.name === 'UnauthorizedError');
}

function systemCode(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; at instanceof Error && depth < 6; depth += 1) {
    const code = own(at, 'code');
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{3,}$/.test(code) && !(at instanceof SdkError)) return code;
    const errors = own(at, 'errors');
    at = Array.isArray(errors) && errors.length > 0 ? errors[0] : at.cause;
  }
  return undefined;
}

/** The message of the first cause: what wraps it says less. */
function innermost(error: unknown): string {
  let at = error;
  for (let depth = 0; at instanceof Error && at.cause instanceof Error && depth < 6; depth += 1) at = at.cause;
  return at instanceof Error ? at.message : String(at);
}

/** A deadline passed. */
export function timedOut(timeoutMs: number): Fault {
  return new Fault('timeout', `no answer within ${Math.round(timeoutMs / 100) / 10} s`, {
    remedy: 'Give --timeout more seconds, or use --session for a slow start',
  });
}

/** The message in an error body, where it is JSON or short text; pages of HTML are left out. */
function detailOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const error = own(value, 'error');
    const message = own(error, 'message') ?? own(value, 'message') ?? own(value, 'error_description') ?? error;
    if (typeof message === 'string') return oneLine(message);
  } catch {
    // Not JSON: shown as text below.
  }
  return /^\s*</.test(text) ? '' : oneLine(text);
}

function httpFault(status: number, error: unknown, where: FaultContext): Fault {
  const retryAfter = where.retryAfter?.();
  if (status === 401 || status === 403) {
    return new Fault('auth-needed', `the server wants authorization (HTTP ${status})`, {
      remedy: 'Put a valid token into the header that references/mcp.json names',
      status,
      cause: error,
    });
  }
  if (status === 429 || status === 503) {
    const again = retryAfter === undefined ? '' : ` (try again in ${Math.round(retryAfter)} s)`;
    return new Fault('unreachable', `the server is busy, HTTP ${status}${again}`, {
      remedy: 'Try again later',
      transient: true,
      status,
      retryAfter,
      cause: error,
    });
  }
  const detail = detailOf(bodyOf(error));
  return new Fault('protocol', where.mask(`HTTP ${status}${detail === '' ? '' : `: ${detail}`}`), {
    remedy: "Check the address and the server's log",
    transient: status === 502 || status === 504,
    status,
    cause: error,
  });
}

function protocolFault(error: ProtocolError, where: FaultContext): Fault {
  const what = oneLine(error.message, 1000) || `error ${error.code}`;
  return where.tool === undefined
    ? new Fault('protocol', where.mask(`the server refused the connection: ${what}`), {
        remedy: "Check the server's log",
        cause: error,
      })
    : new Fault('protocol', where.mask(`the server refused ${where.tool}: ${what}`), {
        remedy: `See --describe ${where.tool}`,
        cause: error,
      });
}

/** Names what was thrown. A fault inside it wins: it knows the cause. */
export function classify(error: unknown, where: FaultContext): Fault {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth += 1) {
    if (at instanceof Fault) return at;
  }
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) return timedOut(where.timeoutMs);
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError')) {
    return timedOut(where.timeoutMs);
  }
  if (error instanceof ProtocolError) return protocolFault(error, where);
  const status = isUnauthorized(error) ? 401 : statusOf(error);
  if (status !== undefined) return httpFault(status, error, where);
  const code = systemCode(error);
  const place = where.place ?? 'the server';
  if (code !== undefined) {
    return new Fault('unreachable', where.mask(`cannot connect to ${place}: ${code}`), {
      remedy: 'Check the address, and that the server is running',
      lost: true,
      cause: error,
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed) {
    return new Fault('unreachable', `the connection to ${where.mask(place)} was lost`, {
      remedy: 'Try again',
      lost: true,
      cause: error,
    });
  }
  const lost = /fetch failed|terminated|socket|network/i.test(message);
  if (/fetch failed/i.test(message)) {
    return new Fault('unreachable', where.mask(`cannot connect to ${place}: ${oneLine(innermost(error), 200)}`), {
      remedy: 'Check the address',
      lost: true,
      cause: error,
    });
  }
  return new Fault(lost ? 'unreachable' : 'protocol', where.mask(oneLine(message, 500)), { lost, cause: error });
}
