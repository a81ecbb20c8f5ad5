/** Has the server's own program do one piece of work and end, with its progress shown and its complaints told. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { OperationError } from '#core/problem.ts';
import { type Context, MOCHI_PROGRAM } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { createLogView } from './server-words.ts';

/** The exit code of `mochi.mjs` with these words; `onOutput` gets what it prints. Rejects with the signal's reason, and with OperationError `crashed`. */
export async function runMochi(
  context: Context,
  words: readonly string[],
  onOutput: (line: string) => void = () => {},
): Promise<number> {
  const { host, terminal, signal } = context;
  const child = spawn(process.execPath, [MOCHI_PROGRAM, ...words], {
    cwd: host.cwd,
    env: { ...host.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => {
    child.kill('SIGTERM');
  };
  signal.addEventListener('abort', stop, { once: true });
  createInterface({ input: child.stdout }).on('line', onOutput);
  createInterface({ input: child.stderr }).on('line', createLogView(context));
  const code = await new Promise<number | null>((done, reject) => {
    child.once('error', (cause) => reject(new OperationError('crashed', 'Mochi could not be started.', { cause })));
    child.once('close', done);
  });
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  terminal.done();
  return code ?? EXIT.failed;
}
