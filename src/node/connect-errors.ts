/**
 * Why a server could not be reached, told once and for all as an {@link OperationError} with a remedy. Text that
 * servers wrote is cut, stripped of control characters and redacted before it becomes part of a message.
 */
import { OperationError } from '#core/problem.ts';
import { redactValues } from './connect-secrets.ts';

/** How a child process came to its end. */
export type ProcessEnd =
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: NodeJS.Signals | null }
  | { readonly kind: 'line-too-long'; readonly limit: number };

/** The last answer of an HTTP server that was no success. */
export interface HttpFailure {
  readonly status: number;
  /** The scheme and realm asked for, from `WWW-Authenticate`. */
  readonly challenge?: string;
}

/** What is known beside the error itself. */
export interface FailureFacts {
  /** The server's name, for people. */
  readonly server: string;
  readonly secrets: readonly string[];
  readonly redact: (text: string) => string;
  readonly timedOutAfterMs?: number;
  readonly end?: ProcessEnd;
  /** As the process wrote it. */
  readonly stderr?: string;
  readonly http?: HttpFailure;
  /** What the network layer threw. */
  readonly network?: unknown;
  /** Scheme and host, for people. */
  readonly address?: string;
}

/** Bytes of standard error that a message keeps. */
export const OUTPUT_BYTES = 8_192;
/** Bytes that are kept before secrets are replaced, so that a cut never leaves half of one. */
export const OUTPUT_KEPT = 2 * OUTPUT_BYTES;

/** The error to throw for `error`, by the most telling fact. */
export function explainFailure(error: unknown, facts: FailureFacts): OperationError {
  if (error instanceof OperationError) return error;
  return (
    explainTimeout(error, facts) ??
    explainEnd(error, facts) ??
    explainHttp(error, facts) ??
    explainNetwork(error, facts) ??
    new OperationError('protocol', `Server "${facts.server}" broke the protocol: ${errorText(error, facts)}.`, {
      remedy: 'Check that the command or address is an MCP server, and update the server.',
      ...withOutput(facts),
      cause: error,
    })
  );
}

/** The end of what a process wrote, ready to be shown. */
export function shownOutput(facts: Pick<FailureFacts, 'stderr' | 'secrets' | 'redact'>): string {
  const text = facts.redact(redactValues(plain(facts.stderr ?? ''), facts.secrets));
  return text.length > OUTPUT_BYTES
    ? text
        .slice(-OUTPUT_BYTES)
        .replace(/^[\uDC00-\uDFFF]/, '')
        .trim()
    : text.trim();
}

function explainTimeout(error: unknown, facts: FailureFacts): OperationError | undefined {
  if (facts.timedOutAfterMs === undefined) return undefined;
  return new OperationError(
    'timeout',
    `Server "${facts.server}" did not answer within ${Math.round(facts.timedOutAfterMs / 100) / 10} s.`,
    {
      remedy: 'A first start may download the server: try again, or allow more time.',
      ...withOutput(facts),
      cause: error,
    },
  );
}

function explainEnd(error: unknown, facts: FailureFacts): OperationError | undefined {
  const { end, server } = facts;
  if (end === undefined) return undefined;
  if (end.kind === 'line-too-long') {
    return new OperationError('protocol', `Server "${server}" sent a line longer than ${megabytes(end.limit)} MB.`, {
      remedy: 'Report it to the author of the server.',
      ...withOutput(facts),
      cause: error,
    });
  }
  const how = end.signal === null ? `with exit code ${end.code ?? 'unknown'}` : `by signal ${end.signal}`;
  return new OperationError('crashed', `Server "${server}" ended ${how} before it had answered.`, {
    remedy: 'Read its last output; often an argument, a variable or a key is missing.',
    ...withOutput(facts),
    cause: error,
  });
}

function explainHttp(error: unknown, facts: FailureFacts): OperationError | undefined {
  const { http, server } = facts;
  if (http === undefined) return undefined;
  const where = facts.address === undefined ? '' : ` at ${facts.address}`;
  if (http.status === 401 || http.status === 403) {
    const asks = http.challenge === undefined ? '' : `; it asks for ${http.challenge}`;
    return new OperationError(
      'auth-needed',
      `Server "${server}"${where} refused access (HTTP ${http.status})${asks}.`,
      {
        remedy: 'Give a valid token in the headers of its definition; use a variable, not the token itself.',
        cause: error,
      },
    );
  }
  if (http.status >= 300 && http.status < 400) {
    return new OperationError(
      'unreachable',
      `Server "${server}"${where} sends us to another host (HTTP ${http.status}).`,
      {
        remedy: 'Give the address it leads to, if you trust that host: headers with secrets go there, too.',
        cause: error,
      },
    );
  }
  const unreachable = http.status >= 500 || http.status === 404;
  return new OperationError(
    unreachable ? 'unreachable' : 'protocol',
    `Server "${server}"${where} answered with HTTP ${http.status}.`,
    {
      remedy: http.status >= 500 ? 'Try again later, or ask who runs the server.' : 'Check the address and its path.',
      cause: error,
    },
  );
}

function explainNetwork(error: unknown, facts: FailureFacts): OperationError | undefined {
  if (facts.network === undefined) return undefined;
  const code = errorCode(facts.network);
  const where = facts.address === undefined ? '' : ` at ${facts.address}`;
  return new OperationError(
    'unreachable',
    `Server "${facts.server}"${where} cannot be reached (${code ?? errorText(facts.network, facts)}).`,
    { remedy: 'Check the address, and that the server runs and the network allows it.', cause: error },
  );
}

/** The system's code of a network error, for example ECONNREFUSED, also where fetch hides it in causes. */
export function errorCode(error: unknown): string | undefined {
  for (let next = error, depth = 0; next instanceof Error && depth < 5; next = next.cause, depth++) {
    if ('code' in next && typeof next.code === 'string') return next.code;
    if (next instanceof AggregateError) return errorCode(next.errors[0]);
  }
  return undefined;
}

/** An error's own words, in one short line. */
function errorText(error: unknown, facts: FailureFacts): string {
  const text = error instanceof Error ? error.message : String(error);
  const clean = facts
    .redact(redactValues(plain(text), facts.secrets))
    .replace(/\s+/g, ' ')
    .trim();
  return (clean.length > 300 ? `${clean.slice(0, 299)}…` : clean).replace(/\.$/, '');
}

function withOutput(facts: FailureFacts): { readonly output?: string } {
  const output = shownOutput(facts);
  return output === '' ? {} : { output };
}

/** Without escape sequences of terminals and other control characters. */
function plain(text: string): string {
  return text
    .replace(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1_000_000);
}
