/** The words of `mochi dataset`, checked, and the work they ask for, with its progress told in the log. */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { parseArgs } from 'node:util';
import type { Logger } from '#core/ports.ts';
import { OperationError } from '#core/problem.ts';
import { exportDataset } from './export.ts';

/** Milliseconds between two words about progress. */
const PROGRESS_MS = 500;

/** `argv` after the word `dataset`. Rejects with OperationError, or with the signal's reason. */
export async function runDataset(
  argv: readonly string[],
  { cwd, logger, signal }: { readonly cwd: string; readonly logger: Logger; readonly signal: AbortSignal },
): Promise<void> {
  const { workspace, output, force } = parse(argv);
  if (output === undefined)
    throw new OperationError('usage', 'There is no --output.', { remedy: 'Name the folder the data set goes to.' });
  const root = resolve(cwd, workspace ?? '.');
  const folder = resolve(cwd, output);
  // Replacing the folder would take the code away, and everything above it.
  const way = relative(folder, root);
  if (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
    throw new OperationError('usage', 'The data set would take the place of the code.', {
      remedy: 'Name a folder of its own with --output.',
    });
  let last = performance.now();
  const onProgress = (done: number, total: number): void => {
    if (performance.now() - last < PROGRESS_MS && done < total) return;
    last = performance.now();
    logger.info(`taking samples: ${done} of ${total} files`);
  };
  await exportDataset({ root, output: folder, isForced: force === true, onProgress }, signal);
}

function parse(argv: readonly string[]) {
  try {
    const options = { workspace: { type: 'string' }, output: { type: 'string' }, force: { type: 'boolean' } } as const;
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    const message = error instanceof Error ? (error.message.split('. ')[0] ?? error.message) : String(error);
    throw new OperationError('usage', message, { remedy: 'See "mochi dataset --help".' });
  }
}
