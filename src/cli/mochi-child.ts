/** Has the server's own program do one piece of work and end, with its progress shown and its complaints told. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { OperationError } from '#core/problem.ts';
import { type Context, MOCHI_PROGRAM } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { plain } from './terminal.ts';

/** The exit code of `mochi.mjs` with these words; `onOutput` gets what it prints. Rejects with the signal's reason, and with OperationError `crashed`. */
export async function runMochi(
  { host, terminal, signal }: Context,
  words: readonly string[],
  onOutput: (line: string) => void = () => {},
): Promise<number> {
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
  createInterface({ input: child.stderr }).on('line', (line) => {
    const said = readLine(line);
    if (said.isProblem) terminal.note(plain(said.message));
    else terminal.progress(plain(said.message));
  });
  const code = await new Promise<number | null>((done, reject) => {
    child.once('error', (cause) => reject(new OperationError('crashed', 'Mochi could not be started.', { cause })));
    child.once('close', done);
  });
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  terminal.done();
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
