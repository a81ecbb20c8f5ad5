/** How results look on a terminal: problems, failures, and what the forms of a server cost. */
import type { OperationError, Problem } from '#core/problem.ts';
import { claudeRange, type FormCost, type Meter, type TokenReport, type Verdict } from '#core/tokens.ts';
import type { Context } from './context.ts';
import { grouped, plain, type Style, table } from './terminal.ts';

const SIGNS: Record<Problem['severity'], readonly [string, Style]> = {
  error: ['✖', 'red'],
  warning: ['▲', 'yellow'],
  info: ['·', 'dim'],
};

/** Problems on standard error: what, where, and what to do. Remarks without need for action only with `all`. */
export function noteProblems(problems: readonly Problem[], { terminal, t }: Context, all = false): void {
  const needed = problems.filter((problem) => all || problem.severity !== 'info');
  // To tell of a single remark takes no less room than to show it.
  const shown = problems.length - needed.length === 1 ? problems : needed;
  for (const problem of shown) {
    const [sign, style] = SIGNS[problem.severity];
    const at = problem.at;
    const place =
      at === undefined
        ? (problem.tool ?? problem.server ?? '')
        : `${at.file}${at.line === undefined ? '' : `:${at.line}${at.column === undefined ? '' : `:${at.column}`}`}`;
    const head = `${sign} ${t(`problem: ${problem.kind}`)}${place === '' ? '' : ` (${plain(place)})`}`;
    terminal.note(terminal.noteStyle(style, head));
    terminal.note(`    ${plain(t(problem.message))}`);
    if (problem.remedy !== undefined) terminal.note(terminal.noteStyle('dim', `    → ${plain(t(problem.remedy))}`));
  }
  const hidden = problems.length - shown.length;
  if (hidden > 0) terminal.note(terminal.noteStyle('dim', t('More remarks: {0}. --json shows all.', hidden)));
}

/** A failed server or file: one line, the remedy, and the last words of the process. */
export function noteFailure(name: string | undefined, error: OperationError, { terminal, t }: Context): void {
  const who = name === undefined ? '' : `${plain(name)}: `;
  terminal.note(terminal.noteStyle('red', `✖ ${who}${t(`failure: ${error.kind}`)}`));
  terminal.note(`    ${plain(t(error.message))}`);
  if (error.remedy !== undefined) terminal.note(terminal.noteStyle('dim', `    → ${plain(t(error.remedy))}`));
  // The cause stands first in stack traces and last in most logs.
  const lines = (error.output ?? '').split('\n').filter((one) => one.trim() !== '');
  for (const line of lines.length <= 14 ? lines : [...lines.slice(0, 5), '…', ...lines.slice(-8)])
    terminal.note(terminal.noteStyle('dim', `    | ${plain(line)}`));
}

/** The table of one server's forms, stage by stage, with the verdict. */
export function printReport(report: TokenReport, context: Context): void {
  const { terminal, t } = context;
  const native = report.forms.find((form) => form.form === 'native')?.toFirstCall.tokens ?? 0;
  const row = (form: FormCost): readonly string[] => [
    t(`form: ${form.form}`),
    grouped(form.always.tokens),
    form.activation.tokens === 0 ? '–' : grouped(form.activation.tokens),
    form.beforeCall.tokens === 0 ? '–' : grouped(form.beforeCall.tokens),
    grouped(form.toFirstCall.tokens),
    native === 0 ? '–' : `${Math.round((100 * form.toFirstCall.tokens) / native)} %`,
  ];
  const columns = [t('form'), t('always'), t('on activation'), t('before a call'), t('to first call'), t('of native')];
  const lines = table(
    columns.map((title, index) => (index === 0 ? { title } : { title, align: 'right' as const })),
    report.forms.map(row),
    terminal.width,
  );
  const heading = t('{0}: {1} tools, tokens by {2}', plain(report.server), report.tools, report.tokenizer);
  terminal.print(terminal.style('bold', heading));
  lines.forEach((line, index) => {
    terminal.print(`  ${index === 0 ? terminal.style('dim', line) : line}`);
  });
  terminal.print(`  ${verdictText(report.verdict, context)}`);
  if (!report.exact) {
    const lazy = report.forms.find((form) => form.form === report.verdict.form)?.toFirstCall.tokens ?? 0;
    const [low, high] = claudeRange(lazy);
    terminal.print(
      terminal.style(
        'dim',
        `  ${t('An estimate: Claude may count {0} to {1} for the {2}.', grouped(low), grouped(high), t(`form: ${report.verdict.form}`))}`,
      ),
    );
  }
  for (const meter of report.meters.filter((one) => one.used > one.limit))
    terminal.print(terminal.style('yellow', `  ${meterText(meter, context)}`));
}

function verdictText(verdict: Verdict, { t, terminal }: Context): string {
  const form = t(`form: ${verdict.form}`);
  switch (verdict.kind) {
    case 'saves':
      return terminal.style(
        'green',
        t(
          'The {0} saves {1} tokens by the first call ({2} % of native).',
          form,
          grouped(verdict.saved),
          Math.round(100 * verdict.share),
        ),
      );
    case 'saves-idle':
      return t(
        'The {0} saves {1} tokens while idle, but costs {2} more by a first call.',
        form,
        grouped(verdict.saved),
        grouped(verdict.extra),
      );
    case 'costs-more':
      return terminal.style(
        'yellow',
        t(
          'This server has {0} tools: a skill costs {1} tokens more than it saves.',
          verdict.tools,
          grouped(verdict.extra),
        ),
      );
    default:
      return verdict satisfies never;
  }
}

function meterText(meter: Meter, { t }: Context): string {
  return t(
    '{0} over the limit: {1}, {2} of {3}.',
    t(`form: ${meter.form}`),
    t(`meter: ${meter.name}`),
    grouped(meter.used),
    grouped(meter.limit),
  );
}
