/**
 * `mochi learn [DIR]`: has the server's own program learn a folder and keep what it learned, with its progress shown.
 * A later `mochi serve` of the same folder begins with it.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { OperationError } from '#core/problem.ts';
import { createFiles } from '#node/files.ts';
import { type Context, MOCHI_PROGRAM } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { plain } from './terminal.ts';

export async function learn(context: Context): Promise<number> {
  const { args, folders, host, terminal, t, signal } = context;
  const given = args.operands[0] ?? args.workspace[0];
  const folder = given === undefined ? folders[0] : resolve(host.cwd, given);
  if ((await createFiles().stat(folder))?.kind !== 'folder')
    throw new OperationError('not-found', `There is no folder ${given ?? folder}.`, {
      remedy: 'Name one that exists.',
    });
  const limit = args.serve.memoryLimit;
  const words = [`--workspace=${folder}`, ...(limit === undefined ? [] : [`--memory-limit=${limit}`])];
  const child = spawn(process.execPath, [MOCHI_PROGRAM, 'learn', ...words], {
    cwd: host.cwd,
    env: { ...host.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = (): void => {
    child.kill('SIGTERM');
  };
  signal.addEventListener('abort', stop, { once: true });
  createInterface({ input: child.stderr }).on('line', (line) => {
    const said = readLine(line);
    if (said.isProblem) terminal.note(plain(said.message));
    else terminal.progress(plain(said.message));
  });
  const code = await new Promise<number | null>((done, reject) => {
    child.once('error', (cause) => reject(new OperationError('crashed', 'Learning could not be started.', { cause })));
    child.once('close', done);
  });
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  terminal.done();
  if (code === EXIT.ok) terminal.print(t('{0} is learned; "mochi serve" answers from it.', given ?? '.'));
  return code ?? EXIT.failed;
}

/** A line of the child's log; what is none is shown as it is. */
function readLine(line: string): { readonly message: string; readonly isProblem: boolean } {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null && 'level' in parsed && 'message' in parsed)
      return { message: String(parsed.message), isProblem: parsed.level === 'warn' || parsed.level === 'error' };
  } catch {
    // Not of the log.
  }
  return { message: line, isProblem: true };
}
