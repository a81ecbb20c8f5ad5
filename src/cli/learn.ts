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
import { plain } from './terminal.ts';

export async function learn(context: Context): Promise<number> {
  const { args, terminal, t } = context;
  const { folder, given } = await codeFolder(context);
  const limit = args.serve.memoryLimit;
  const words = [`--workspace=${folder}`, ...(limit === undefined ? [] : [`--memory-limit=${limit}`])];
  const started = performance.now();
  let learned: Learned | undefined;
  const code = await runMochi(context, ['learn', ...words], (line) => {
    learned = learned ?? readLearned(line);
  });
  // Why it is no success, the log says; what was found and left out helps with it.
  if (code !== EXIT.ok && learned === undefined) return code;
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  if (args.json) {
    terminal.print(JSON.stringify({ folder, seconds, ...learned }, undefined, 2));
    return code;
  }
  if (learned !== undefined) tell(learned, seconds, context);
  if (code === EXIT.ok) terminal.print(t('{0} is learned; "mochi serve" answers from it.', given ?? '.'));
  return code;
}

interface Learned {
  readonly files: number;
  readonly tokens: number;
  readonly symbols: number;
  readonly languages: readonly { readonly language: string; readonly files: number; readonly lines: number }[];
  /** Files by the reason they were left out for. */
  readonly leftOut: Readonly<Record<string, number>>;
}

/** What our own program counted; anything else it says is no reason to fail. */
function readLearned(line: string): Learned | undefined {
  try {
    const said: unknown = JSON.parse(line);
    return isLearned(said) ? said : undefined;
  } catch {
    return undefined;
  }
}

function isLearned(said: unknown): said is Learned {
  return typeof said === 'object' && said !== null && 'files' in said && 'languages' in said && 'leftOut' in said;
}

function tell(learned: Learned, seconds: number, { terminal, t }: Context): void {
  const count = (number: number): string => number.toLocaleString('en');
  const each = (counts: readonly (readonly [string, number])[]): string =>
    counts.map(([name, number]) => `${plain(name)} ${count(number)}`).join(', ');
  terminal.print(t('Files: {0}; tokens: {1}; seconds: {2}', count(learned.files), count(learned.tokens), seconds));
  const languages = learned.languages.map(({ language, files }) => [language, files] as const);
  if (languages.length > 0) terminal.print(t('Languages, in files: {0}', each(languages)));
  const leftOut = Object.entries(learned.leftOut);
  if (leftOut.length > 0) terminal.print(t('Left out, by reason: {0}', each(leftOut)));
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
