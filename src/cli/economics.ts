/** `mochi economics`: what the forms of each server's tools cost over a session, in dollars. Starts what preview would. */
import { resolve } from 'node:path';
import {
  EXAMPLE_SESSION,
  type FormSession,
  formSessions,
  multipliers,
  PRICES,
  type Prices,
  readPrices,
  sessionCost,
  USUAL,
  type Usage,
} from '#core/economics.ts';
import { OperationError } from '#core/problem.ts';
import type { TokenReport } from '#core/tokens.ts';
import { createFiles } from '#node/files.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { makeForms } from './forms.ts';
import { noteFailure, noteProblems } from './report.ts';
import { grouped, plain, table } from './terminal.ts';

const MAX_BYTES = 1_000_000;

/** What the forms of a report cost over the session that the options tell, with all that the figures rest on. */
export interface SessionCosts {
  readonly model: string;
  readonly asOf: string;
  readonly source: string;
  readonly rounds: number;
  readonly usage: Usage;
  readonly forms: readonly FormSession[];
}

/** Throws OperationError where there are no such prices. */
export async function sessionCosts(context: Context): Promise<(report: TokenReport) => SessionCosts> {
  const prices = choosePrices(await allPrices(context), context.args.model);
  const { model, asOf, source } = prices;
  const { rounds } = context.args;
  return (report) => ({ model, asOf, source, rounds, usage: USUAL, forms: formSessions(report.forms, rounds, prices) });
}

export async function economics(context: Context): Promise<number> {
  const { args, terminal, t } = context;
  const prices = choosePrices(await allPrices(context), args.model);
  const { forms, failures, declined, problems } = await makeForms(context);
  const code = failures.length > 0 ? EXIT.failed : declined > 0 ? EXIT.attention : EXIT.ok;
  const session = { ...EXAMPLE_SESSION, rounds: args.rounds };
  const servers = forms.map(({ report }) => ({
    server: report.server,
    tokenizer: report.tokenizer,
    exact: report.exact,
    forms: formSessions(report.forms, args.rounds, prices).map((one, index) => ({
      ...one,
      tokens: report.forms[index]?.always.tokens ?? 0,
    })),
  }));
  const habits = multipliers(session, prices);
  if (args.json) {
    const failed = failures.map(({ server, error }) => ({ server: server.name, kind: error.kind }));
    const sums = { appendOnly: sessionCost(session, prices), changingPrompt: sessionCost(session, prices, 0) };
    const result = { prices, session, usage: USUAL, servers, habits, ...sums, failures: failed, problems };
    terminal.print(JSON.stringify(result, undefined, 2));
    return code;
  }
  noteProblems(problems, context);
  for (const { server, error } of failures) noteFailure(server.name, error, context);
  if (forms.length === 0 && code === EXIT.ok) {
    terminal.print(t('No server was chosen. Run "mochi list" to see what is configured.'));
    return code;
  }
  const titles = [t('form'), t('always'), t('idle session'), t('session with calls'), t('break-even round')];
  const columns = titles.map((title, index) => (index === 0 ? { title } : { title, align: 'right' as const }));
  for (const { server, forms: costs } of servers) {
    terminal.print(terminal.style('bold', plain(server)));
    const rows = costs.map(({ form, tokens, idle, used, breakEvenRound }) => {
      const when = breakEvenRound === undefined || breakEvenRound > args.rounds ? '–' : grouped(breakEvenRound);
      return [t(`form: ${form}`), grouped(tokens), dollars(idle), dollars(used), when];
    });
    for (const line of table(columns, rows, terminal.width)) terminal.print(line);
    terminal.print();
  }
  const { firstCall, toolsUsed } = USUAL;
  const when = prices.asOf === '' ? prices.source : prices.asOf;
  for (const line of [
    t(
      '{0} rounds at the prices of {1} ({2}); first call in round {3}, {4} tools used.',
      grouped(args.rounds),
      plain(prices.model),
      plain(when),
      firstCall,
      toolsUsed,
    ),
    t('Break-even: called first in that round or later, the form costs no more than native MCP.'),
    t(
      'A context that only grows is assumed; a prompt that changes every round costs {0} times as much.',
      (habits.find((one) => one.habit === 'dynamic-prompt')?.dollars ?? 1).toFixed(1),
    ),
  ])
    terminal.print(terminal.style('dim', line));
  return code;
}

function dollars(amount: number): string {
  return `$${amount.toFixed(4)}`;
}

/** The person's own before ours. */
async function allPrices({ args, host }: Context): Promise<readonly Prices[]> {
  if (args.prices === undefined) return PRICES;
  const bytes = await createFiles().read(resolve(host.cwd, args.prices), MAX_BYTES);
  const remedy = 'Give an object such as {"my-model": {"miss": 2, "write": 2.5, "read": 0.1, "output": 10}}.';
  if (bytes === undefined) throw new OperationError('not-found', `There is no file ${args.prices}.`, { remedy });
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new OperationError('usage', `${args.prices} is not JSON.`, { remedy });
  }
  const read = readPrices(value, args.prices);
  const [first] = read.problems;
  if (first !== undefined) throw new OperationError('usage', first.message, { remedy: first.remedy ?? remedy });
  return [...read.value, ...PRICES];
}

function choosePrices(prices: readonly Prices[], model: string | undefined): Prices {
  const found = model === undefined ? prices[0] : prices.find((one) => one.model === model);
  if (found !== undefined) return found;
  throw new OperationError('usage', `There are no prices of "${model ?? ''}".`, {
    remedy: `Use one of ${prices.map((one) => one.model).join(', ')}, or give --prices FILE.`,
  });
}
