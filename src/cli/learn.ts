/**
 * `mochi learn [DIR]`: has the server's own program learn a folder and keep what it learned, with its progress shown.
 * A later `mochi serve` of the same folder begins with it.
 */
import { resolve } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { createFiles } from '#node/files.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { runMochi } from './mochi-child.ts';

export async function learn(context: Context): Promise<number> {
  const { args, terminal, t } = context;
  const { folder, given } = await codeFolder(context);
  const limit = args.serve.memoryLimit;
  const words = [`--workspace=${folder}`, ...(limit === undefined ? [] : [`--memory-limit=${limit}`])];
  const code = await runMochi(context, ['learn', ...words]);
  if (code === EXIT.ok) terminal.print(t('{0} is learned; "mochi serve" answers from it.', given ?? '.'));
  return code;
}

/** The folder named on the command line, or the workspace; `given` is how it was named. Throws OperationError. */
export async function codeFolder({ args, folders, host }: Context): Promise<{
  readonly folder: string;
  readonly given: string | undefined;
}> {
  const given = args.operands[0] ?? args.workspace[0];
  const folder = given === undefined ? folders[0] : resolve(host.cwd, given);
  if ((await createFiles().stat(folder))?.kind !== 'folder')
    throw new OperationError('not-found', `There is no folder ${given ?? folder}.`, {
      remedy: 'Name one that exists.',
    });
  return { folder, given };
}
