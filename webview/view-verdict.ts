/** The verdict: one sentence that says whether a skill is worth it, and under it what it is measured against. */
import type { DetailView } from '../src/protocol/preview.ts';
import { type Described, h } from './dom.ts';
import type { Texts, View } from './page-state.ts';

export function verdictSection({ texts, state }: View, detail: DetailView): Described {
  const { t, number } = texts;
  const form = detail.forms.find((one) => one.form === detail.verdict.form);
  const against = Math.abs(detail.savedAgainstDeferred);
  const lines = [
    t(detail.savedAgainstDeferred >= 0 ? 'againstDeferred.saves' : 'againstDeferred.costs', number(against)),
    form?.claude === undefined
      ? t('exactCount', detail.tokenizer)
      : t('claudeRange', number(form.claude[0]), number(form.claude[1]), t(`form.${detail.verdict.form}`)),
    ...(detail.id === 'all' ? [t('allOnce', number(state.servers.filter((one) => one.state === 'read').length))] : []),
  ];
  return h(
    'section',
    { key: 'verdict', class: `verdict ${detail.verdict.kind}`, attributes: { 'aria-label': t('verdict') } },
    h('p', { class: 'headline' }, verdictText(detail, texts)),
    lines.map((line) => h('p', { class: 'quiet' }, line)),
  );
}

function verdictText({ verdict }: DetailView, { t, number, percent }: Texts): string {
  const form = t(`form.${verdict.form}`);
  switch (verdict.kind) {
    case 'saves':
      return t('verdict.saves', form, number(verdict.saved), percent(verdict.share));
    case 'saves-idle':
      return t('verdict.savesIdle', form, number(verdict.saved), number(verdict.extra));
    case 'costs-more':
      return t('verdict.costsMore', number(verdict.tools), number(verdict.extra));
    default:
      return verdict satisfies never;
  }
}
