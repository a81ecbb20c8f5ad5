/** What the tools cost over a session in each form, in money, and from which round a form pays against native tools. */
import type { DetailView, SessionView } from '../src/protocol/preview.ts';
import { choice, countField } from './components.ts';
import { type Described, h } from './dom.ts';
import type { View } from './page-state.ts';

export function sessionSection(view: View, detail: DetailView): Described {
  const { state, texts, send } = view;
  const { t } = texts;
  const { model, rounds, mostRounds, prices } = state.session;
  const native = detail.sessions.find((one) => one.form === 'native')?.used ?? 0;
  const dearest = Math.max(...detail.sessions.map((one) => one.used), Number.MIN_VALUE);
  const title = (text: string, name?: string) => h('th', { class: name, attributes: { scope: 'col' } }, text);
  return h(
    'section',
    { key: 'session', attributes: { 'aria-labelledby': 'session-title' } },
    h(
      'div',
      { class: 'title-line' },
      h('h2', { class: 'grow', attributes: { id: 'session-title' } }, t('session.title')),
      choice(
        t('session.model'),
        prices.map((one) => one.model),
        model,
        (chosen) => send({ kind: 'selectSession', model: chosen }),
      ),
      countField(t('session.rounds'), rounds, mostRounds, (count) => send({ kind: 'selectSession', rounds: count })),
    ),
    h(
      'div',
      { class: 'scroller', attributes: { role: 'group', tabindex: '0', 'aria-labelledby': 'session-title' } },
      h(
        'table',
        { class: 'session' },
        h('caption', {}, t(detail.exact ? 'session.dollars' : 'session.estimate', detail.tokenizer)),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            title(t('column.form')),
            title(t('column.idle'), 'figure'),
            title(t('column.used'), 'figure'),
            title(t('column.ofNative'), 'figure'),
            title(t('column.breakEven'), 'figure'),
          ),
        ),
        h(
          'tbody',
          {},
          detail.sessions.map((one) => row(view, one, native, dearest)),
        ),
      ),
    ),
    h('div', { class: 'notes' }, notes(view)),
  );
}

function row({ state, texts }: View, session: SessionView, native: number, dearest: number): Described {
  const { t, dollars, percent } = texts;
  return h(
    'tr',
    { key: session.form, class: session.form === state.mode ? 'selected' : undefined },
    h('th', { attributes: { scope: 'row' } }, t(`form.${session.form}`)),
    h('td', { class: 'figure' }, dollars(session.idle)),
    h(
      'td',
      { class: 'figure weight', css: { '--share': `${((100 * session.used) / dearest).toFixed(1)}%` } },
      dollars(session.used),
    ),
    h('td', { class: 'figure' }, native === 0 ? '–' : percent(session.used / native)),
    h('td', { class: 'figure' }, session.form === 'native' ? '–' : breakEven(session, state.session.rounds, texts)),
  );
}

function breakEven({ breakEvenRound }: SessionView, rounds: number, { t, number }: View['texts']): string {
  if (breakEvenRound === undefined) return t('breakEven.never');
  if (breakEvenRound === 1) return t('breakEven.always');
  return breakEvenRound > rounds ? t('breakEven.unused') : t('breakEven.from', number(breakEvenRound));
}

/** What the figures rest on. */
function notes({ state, texts }: View): readonly Described[] {
  const { t, number, price } = texts;
  const { model, prices, firstCall, toolsUsed } = state.session;
  const known = prices.find((one) => one.model === model);
  const lines = [
    t('session.assumes', number(firstCall), number(toolsUsed)),
    t('session.breakEven'),
    ...(known === undefined
      ? []
      : [t('session.prices', known.asOf, price(known.write), price(known.read), known.source)]),
  ];
  return lines.map((line) => h('p', { class: 'quiet' }, line));
}
