/**
 * What can be wrong, in two forms. A {@link Problem} is a value that travels beside a result: discovery,
 * parsing and rendering never fail, they report. An {@link OperationError} is thrown by the rooms that do
 * I/O, classified once by the adapter that knows the cause.
 */

/** A spot in a file. Lines and columns count from 1; columns count UTF-16 units, as editors do. */
export interface Place {
  /** Path for people: relative to the workspace folder, or with `~` for the home folder. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export type Severity = 'error' | 'warning' | 'info';

/** Every kind of problem the pipeline reports. A kind is stable: scripts may match on it. */
export type ProblemKind =
  // config files
  | 'config-syntax'
  | 'config-encoding'
  | 'config-too-large'
  | 'config-too-deep'
  | 'config-unreadable'
  | 'config-wrong-root'
  | 'config-comment'
  | 'entry-invalid'
  | 'entry-unsupported'
  | 'entry-duplicate'
  | 'entry-shadowed'
  | 'entry-name'
  | 'variable-unknown'
  | 'package-unpinned'
  // catalogs
  | 'tool-invalid'
  | 'tool-duplicate'
  | 'catalog-invalid'
  | 'catalog-match'
  | 'catalog-truncated'
  | 'catalog-paging'
  // skills
  | 'skill-name'
  | 'skill-collision'
  | 'skill-invalid'
  | 'skill-large'
  | 'description-shortened'
  | 'schema-lossy'
  | 'path-neutralised'
  // findings in hostile text
  | 'secret'
  | 'poisoned'
  | 'shadowing'
  | 'hidden-unicode'
  | 'suspicious-url'
  // writing
  | 'plan-conflict'
  | 'drift';

/** Something a person should know about, with the place and what to do. English; the shells translate by kind. */
export interface Problem {
  readonly kind: ProblemKind;
  readonly severity: Severity;
  /** What is wrong, one sentence, never with a secret in it. */
  readonly message: string;
  /** What to do about it, one sentence in the imperative. */
  readonly remedy?: string;
  readonly at?: Place;
  /** The server or tool it concerns, as spelt at its origin. */
  readonly server?: string;
  readonly tool?: string;
}

/** A result that cannot fail: the value, and all that was wrong on the way. */
export interface Reported<T> {
  readonly value: T;
  readonly problems: readonly Problem[];
}

/** How an operation on the outside world failed. */
export type OperationErrorKind =
  | 'not-found'
  | 'crashed'
  | 'auth-needed'
  | 'timeout'
  | 'protocol'
  | 'unreachable'
  | 'consent-needed'
  | 'unresolved-variable'
  | 'outside-root'
  | 'conflict'
  | 'io'
  | 'usage';

export interface OperationErrorOptions {
  readonly remedy?: string;
  readonly cause?: unknown;
  /** Last lines a child process wrote to standard error, already free of secrets. */
  readonly output?: string;
}

/** Thrown only by rooms that touch the outside. `message` is English and for logs; `kind` is what code matches. */
export class OperationError extends Error {
  readonly kind: OperationErrorKind;
  readonly remedy: string | undefined;
  readonly output: string | undefined;

  constructor(kind: OperationErrorKind, message: string, options: OperationErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'OperationError';
    this.kind = kind;
    this.remedy = options.remedy;
    this.output = options.output;
  }

  static is(error: unknown, kind?: OperationErrorKind): error is OperationError {
    return error instanceof OperationError && (kind === undefined || error.kind === kind);
  }
}
