/** Exit codes, stable: scripts and CI rely on them. The first that applies, from the bottom up, is used. */
import type { OperationErrorKind } from '#core/problem.ts';

export const EXIT = {
  /** All done. */
  ok: 0,
  /** Something needs a person: drift, an invalid skill, a conflict, findings that nobody accepted. */
  attention: 1,
  /** Wrong words on the command line. */
  usage: 2,
  /** A server, a file or the network failed. */
  failed: 3,
  /** Ended by Ctrl-C. */
  cancelled: 130,
} as const;

/** The code of an operation that ended everything. */
export function exitCodeOf(kind: OperationErrorKind): number {
  if (kind === 'usage') return EXIT.usage;
  return kind === 'conflict' || kind === 'outside-root' || kind === 'consent-needed' ? EXIT.attention : EXIT.failed;
}
