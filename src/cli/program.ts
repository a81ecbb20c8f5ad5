/** What every program of the command line does around its commands: words, language, Ctrl-C, failures, exit codes. */
import process from 'node:process';
import { OperationError } from '#core/problem.ts';
import { type CommandName, parseArguments } from './arguments.ts';
import { type Context, createContext } from './context.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { helpText } from './help.ts';
import { languageFrom, translator } from './messages.ts';
import { createTerminal, plain } from './terminal.ts';
import { VERSION } from './version.ts';

/** Runs to its end and leaves the exit code with the process. */
export async function runProgram(
  words: readonly string[],
  run: (command: CommandName, context: Context) => Promise<number>,
): Promise<void> {
  // A closed pipe (`mochi list | head`) is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    throw error;
  });
  process.exitCode = await outcomeOf(words, run);
}

async function outcomeOf(
  words: readonly string[],
  run: (command: CommandName, context: Context) => Promise<number>,
): Promise<number> {
  const { env } = process;
  const cancel = new AbortController();
  const stop = (): void => cancel.abort(new Error('cancelled'));
  const { stdin: input, stdout: output, stderr: errors } = process;
  const terminal = createTerminal({ input, output, errors, env, interrupt: stop });
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  let language = languageFrom(undefined, env);
  let t = translator(language);
  try {
    const parsed = parseArguments(words);
    if (parsed.kind === 'version') {
      terminal.print(VERSION);
      return EXIT.ok;
    }
    if (parsed.kind === 'help') {
      terminal.print(helpText(parsed.command, translator(languageFrom(parsed.language, env))));
      return EXIT.ok;
    }
    language = languageFrom(parsed.arguments.language, env);
    t = translator(language);
    const host = { env, cwd: process.cwd(), platform: process.platform };
    return await run(
      parsed.arguments.command,
      createContext(parsed.arguments, terminal, { language, t }, cancel.signal, host),
    );
  } catch (error) {
    terminal.done();
    if (cancel.signal.aborted) {
      terminal.note(t('Cancelled; nothing was written.'));
      return EXIT.cancelled;
    }
    if (!OperationError.is(error)) throw error;
    terminal.note(`mochi: ${plain(t(error.message))}${error.remedy === undefined ? '' : ` ${plain(t(error.remedy))}`}`);
    return exitCodeOf(error.kind);
  }
}
