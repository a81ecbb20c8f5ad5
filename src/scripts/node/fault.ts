/** How a call can fail, and which exit code each way has. The message is one sentence for people, without secrets. */

/** What went wrong, finer than the exit code. */
export type FaultKind =
  | 'tool-error'
  | 'job-failed'
  | 'usage'
  | 'not-found'
  | 'crashed'
  | 'unreachable'
  | 'protocol'
  | 'auth-needed'
  | 'io'
  | 'timeout'
  | 'unresolved-variable';

/** Exit codes of the script; 0 is a result or a job that still runs. */
export const EXIT_CODES: Readonly<Record<FaultKind, number>> = {
  'tool-error': 1,
  'job-failed': 1,
  usage: 2,
  'not-found': 3,
  crashed: 3,
  unreachable: 3,
  protocol: 3,
  'auth-needed': 3,
  io: 3,
  timeout: 4,
  'unresolved-variable': 5,
};

export interface FaultOptions {
  /** What to do, one sentence in the imperative. */
  readonly remedy?: string | undefined;
  /** HTTP status, where one was the cause. */
  readonly status?: number | undefined;
  /** Seconds the server asked to wait, from `Retry-After`. */
  readonly retryAfter?: number | undefined;
  /** Asking again later may help: HTTP 429 and 503, a lost connection. */
  readonly transient?: boolean | undefined;
  /** The connection is gone; the next call needs a new one. */
  readonly lost?: boolean | undefined;
  readonly cause?: unknown;
}

/** Thrown by every part of the script; printed in one place. */
export class Fault extends Error {
  readonly kind: FaultKind;
  readonly remedy: string | undefined;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly transient: boolean;
  readonly lost: boolean;

  constructor(kind: FaultKind, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'Fault';
    this.kind = kind;
    this.remedy = options.remedy;
    this.status = options.status;
    this.retryAfter = options.retryAfter;
    this.lost = options.lost ?? false;
    this.transient = options.transient ?? this.lost;
  }
}

/** What programs are told (`--json`): one word for each exit code. */
const PUBLIC_KINDS: ReadonlyMap<number, string> = new Map([
  [1, 'tool'],
  [2, 'usage'],
  [3, 'server'],
  [4, 'timeout'],
  [5, 'secret'],
]);

/** The error object of the envelope that `--json` prints. */
export function publicFault(fault: Fault): {
  readonly kind: string;
  readonly message: string;
  readonly remedy?: string;
} {
  return {
    kind: PUBLIC_KINDS.get(EXIT_CODES[fault.kind]) ?? 'server',
    message: oneLine(fault.message, 2000),
    ...(fault.remedy === undefined ? {} : { remedy: oneLine(fault.remedy, 2000) }),
  };
}

/** A fault as data, on the way from a session to its callers. */
export interface FaultData {
  readonly kind: FaultKind;
  readonly message: string;
  readonly remedy?: string;
  readonly transient?: true;
  readonly retryAfter?: number;
}

export function faultData(fault: Fault): FaultData {
  return {
    kind: fault.kind,
    message: oneLine(fault.message, 2000),
    ...(fault.remedy === undefined ? {} : { remedy: oneLine(fault.remedy, 2000) }),
    ...(fault.transient ? { transient: true as const } : {}),
    ...(fault.retryAfter === undefined ? {} : { retryAfter: fault.retryAfter }),
  };
}

/** Whether a word names a kind of fault. */
export function isFaultKind(word: unknown): word is FaultKind {
  return typeof word === 'string' && Object.hasOwn(EXIT_CODES, word);
}

/** Anything thrown, as a Fault; what is not one already is called a crash of this script. */
export function toFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Fault('protocol', oneLine(message, 500) || 'unknown failure', { cause: error });
}

/** Text on one line, cut to a length, without control characters. */
export function oneLine(text: string, limit = 300): string {
  const flat = text
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .replace(/ {2,}/g, ' ')
    .trim();
  return flat.length > limit ? `${flat.slice(0, limit - 1)}…` : flat;
}

/** The line on standard error: `error: MESSAGE. REMEDY`. */
export function faultLine(fault: Fault): string {
  const message = oneLine(fault.message, 2000).replace(/[. ]+$/, '');
  if (fault.remedy === undefined || fault.remedy === '') return `error: ${message}`;
  return `error: ${message}${message.endsWith('?') ? ' ' : '. '}${oneLine(fault.remedy, 2000)}`;
}
