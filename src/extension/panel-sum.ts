/** Adds up what several servers cost, each used once, and judges the sum as one server is judged. */
import type { Mode } from '#core/model.ts';
import { claudeRange, type FormCost, type TokenReport } from '#core/tokens.ts';
import type { FormView, MeterView, StageCost, VerdictView } from '#protocol/preview.ts';

export interface SummedReports {
  readonly tokenizer: string;
  readonly exact: boolean;
  readonly tools: number;
  readonly forms: readonly FormView[];
  readonly meters: readonly MeterView[];
  readonly verdict: VerdictView;
  readonly savedAgainstDeferred: number;
}

const STAGES = ['always', 'activation', 'beforeCall', 'toFirstCall'] as const;

/** The sum of at least one report; all of them have the same forms. */
export function sumReports(reports: readonly TokenReport[]): SummedReports {
  const exact = reports.every((report) => report.exact);
  const tools = reports.reduce((sum, report) => sum + report.tools, 0);
  const forms = (reports[0]?.forms ?? []).map(({ form }) => sumOf(form, reports, exact));
  return {
    tokenizer: [...new Set(reports.map((report) => report.tokenizer))].join(' + '),
    exact,
    tools,
    forms,
    meters: listingMeters(reports),
    ...verdictOf(forms, tools),
  };
}

function sumOf(form: FormCost['form'], reports: readonly TokenReport[], exact: boolean): FormView {
  const same = reports.flatMap((report) => report.forms.filter((one) => one.form === form));
  const [always, activation, beforeCall, toFirstCall] = STAGES.map((stage) => added(same.map((one) => one[stage])));
  const none = { tokens: 0, bytes: 0 };
  return {
    form,
    always: always ?? none,
    activation: activation ?? none,
    beforeCall: beforeCall ?? none,
    toFirstCall: toFirstCall ?? none,
    wholeSchema: same.every((one) => one.wholeSchema),
    ...(exact ? {} : { claude: claudeRange(toFirstCall?.tokens ?? 0) }),
  };
}

function added(costs: readonly StageCost[]): StageCost {
  return costs.reduce((a, b) => ({ tokens: a.tokens + b.tokens, bytes: a.bytes + b.bytes }), { tokens: 0, bytes: 0 });
}

/** Of the limits, only the listing is shared by all skills. */
function listingMeters(reports: readonly TokenReport[]): readonly MeterView[] {
  const meters = reports.flatMap((report) => report.meters.filter((meter) => meter.name === 'listing-budget'));
  const sums = new Map<Mode, MeterView>();
  for (const meter of meters) sums.set(meter.form, { ...meter, used: meter.used + (sums.get(meter.form)?.used ?? 0) });
  return [...sums.values()];
}

function verdictOf(forms: readonly FormView[], tools: number): Pick<SummedReports, 'verdict' | 'savedAgainstDeferred'> {
  const costOf = (name: FormView['form']) => forms.find((one) => one.form === name);
  const native = costOf('native');
  const modes: readonly Mode[] = ['normal', 'lazy', 'compact'];
  const [best, ...others] = modes.flatMap((mode) => {
    const cost = costOf(mode);
    return cost === undefined ? [] : [{ mode, cost }];
  });
  if (native === undefined || best === undefined)
    return { verdict: { kind: 'costs-more', form: 'lazy', extra: 0, tools }, savedAgainstDeferred: 0 };
  const { mode: form, cost } = others.reduce(
    (least, other) => (other.cost.toFirstCall.tokens < least.cost.toFirstCall.tokens ? other : least),
    best,
  );
  const upfront = native.toFirstCall.tokens;
  const saved = upfront - cost.toFirstCall.tokens;
  const idle = native.always.tokens - cost.always.tokens;
  const verdict: VerdictView =
    saved > 0
      ? { kind: 'saves', form, saved, share: saved / upfront }
      : idle > 0
        ? { kind: 'saves-idle', form, saved: idle, extra: -saved }
        : { kind: 'costs-more', form, extra: -saved, tools };
  const deferred = costOf('deferred')?.toFirstCall.tokens ?? 0;
  return { verdict, savedAgainstDeferred: deferred - cost.toFirstCall.tokens };
}
