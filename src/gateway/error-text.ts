/** What an error says, for the gateway's log and for a model. */
import { shorten } from '#core/catalog/compact.ts';
import { neutralisePaths } from '#core/catalog/neutralise.ts';
import { OperationError } from '#core/problem.ts';

/** Code points of {@link lineOf}. */
const MAX_LINE = 240;

/** What went wrong and what to do, for a log or for a model. */
export function textOf(error: unknown): string {
  if (!OperationError.is(error)) return error instanceof Error ? error.message : String(error);
  return error.remedy === undefined ? error.message : `${error.message} ${error.remedy}`;
}

/** {@link textOf} in one short line without control characters and paths of this machine: servers may have a say in it. */
export function lineOf(error: unknown): string {
  const line = textOf(error)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return shorten(neutralisePaths(line), MAX_LINE);
}
