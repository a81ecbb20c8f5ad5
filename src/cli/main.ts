#!/usr/bin/env node
/** `mochi`: reads the words, runs one command, turns what went wrong into one message and an exit code. */
import process from 'node:process';
import { OperationError } from '#core/problem.ts';
import { type CommandName, parseArguments } from './arguments.ts';
import { check } from './check.ts';
import { type Context, createContext } from './context.ts';
import { dataset } from './dataset.ts';
import { economics } from './economics.ts';
import { EXIT, exitCodeOf } from './exit-codes.ts';
import { gateway } from './gateway.ts';
import { generate } from './generate.ts';
import { helpText } from './help.ts';
import { learn } from './learn.ts';
import { list } from './list.ts';
import { languageOf, translator } from './messages.ts';
import { model } from './model.ts';
import { preview } from './preview.ts';
import { serve } from './serve.ts';
import { skills } from './skills.ts';
import { createTerminal, plain } from './terminal.ts';
import { tokens } from './tokens.ts';
import { validate } from './validate.ts';
import { VERSION } from './version.ts';

const RUN: Record<CommandName, (context: Context) => Promise<number>> = {
  list,
  preview,
  generate,
  check,
  validate,
  tokens,
  skills,
  economics,
  serve,
  learn,
  dataset,
  model,
  gateway,
};

async function main(): Promise<number> {
  const { env } = process;
  const cancel = new AbortController();
  const stop = (): void => cancel.abort(new Error('cancelled'));
  const { stdin: input, stdout: output, stderr: errors } = process;
  const terminal = createTerminal({ input, output, errors, env, interrupt: stop });
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const locale = env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'];
  let t = translator(languageOf(locale));
  try {
    const parsed = parseArguments(process.argv.slice(2));
    if (parsed.kind === 'version') {
      terminal.print(VERSION);
      return EXIT.ok;
    }
    if (parsed.kind === 'help') {
      terminal.print(helpText(parsed.command, translator(languageOf(parsed.language ?? locale))));
      return EXIT.ok;
    }
    if (parsed.arguments.language !== undefined) t = translator(languageOf(parsed.arguments.language));
    const host = { env, cwd: process.cwd(), platform: process.platform };
    return await RUN[parsed.arguments.command](createContext(parsed.arguments, terminal, t, cancel.signal, host));
  } catch (error) {
    terminal.done();
    if (cancel.signal.aborted) {
      terminal.note(t('Cancelled; nothing was written.'));
      return EXIT.cancelled;
    }
    if (!OperationError.is(error)) throw error;
    terminal.note(`mochi: ${plain(error.message)}${error.remedy === undefined ? '' : ` ${plain(error.remedy)}`}`);
    return exitCodeOf(error.kind);
  }
}

// A closed pipe (`mochi list | head`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok);
  throw error;
});
process.exitCode = await main();
