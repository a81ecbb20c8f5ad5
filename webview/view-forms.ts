/** The forms side by side: a bar of load stages and its figures for each, against both baselines; and the budgets. */
import type { DetailView, FormView, MeterView, StageCost } from '../src/protocol/preview.ts';
import { type Described, h } from './dom.ts';
import type { View } from './page-state.ts';

const STAGES = ['always', 'activation', 'beforeCall'] as const;

export function formsSection(view: View, detail: DetailView): Described {
  const { t } = view.texts;
  const largest = Math.max(1, ...detail.forms.map((form) => form.toFirstCall.tokens));
  const native = detail.forms.find((form) => form.form === 'native')?.toFirstCall.tokens ?? 0;
  const rows = (forms: readonly FormView[]) => forms.map((form) => formRow(view, form, largest, native));
  const isBaseline = ({ form }: FormView) => form === 'native' || form === 'deferred';
  return h(
    'section',
    { key: 'forms', attributes: { 'aria-labelledby': 'forms-title' } },
    h('h2', { attributes: { id: 'forms-title' } }, t('forms.title')),
    h(
      'table',
      { class: 'forms', attributes: { role: 'table' } },
      h('caption', {}, t(detail.exact ? 'tokensBy' : 'estimateBy', detail.tokenizer)),
      h(
        'thead',
        { attributes: { role: 'rowgroup' } },
        h(
          'tr',
          { class: 'form-grid', attributes: { role: 'row' } },
          heading(t('column.form')),
          h('th', { class: 'unseen', attributes: { scope: 'col', role: 'columnheader' } }, t('column.bar')),
          STAGES.map((stage) => heading(t(`stage.${stage}`), stage)),
          heading(t('column.total'), undefined, 'figure'),
          heading(t('column.ofNative'), undefined, 'figure'),
        ),
      ),
      h(
        'tbody',
        { key: 'baselines', class: 'baselines', attributes: { role: 'rowgroup' } },
        rows(detail.forms.filter(isBaseline)),
      ),
      h(
        'tbody',
        { key: 'skills', attributes: { role: 'rowgroup' } },
        rows(detail.forms.filter((form) => !isBaseline(form))),
      ),
    ),
    meters(view, detail),
  );
}

function heading(text: string, stage?: string, className?: string): Described {
  return h(
    'th',
    { class: stage === undefined ? className : 'figure', attributes: { scope: 'col', role: 'columnheader' } },
    stage === undefined ? undefined : h('span', { class: `swatch ${stage}`, attributes: { 'aria-hidden': 'true' } }),
    text,
  );
}

function formRow({ state, texts, send }: View, form: FormView, largest: number, native: number): Described {
  const { t, number, percent } = texts;
  const isSelected = form.form === state.mode;
  const cost = (stage: StageCost, name: string, label: string) =>
    h(
      'td',
      { class: stage.tokens === 0 ? 'figure none' : 'figure', attributes: { role: 'cell', 'data-label': label } },
      h('span', { class: `swatch ${name} card-only`, attributes: { 'aria-hidden': 'true' } }),
      number(stage.tokens),
    );
  return h(
    'tr',
    { key: form.form, class: isSelected ? 'form form-grid selected' : 'form form-grid', attributes: { role: 'row' } },
    h(
      'th',
      { class: 'form-name', attributes: { scope: 'row', role: 'rowheader' } },
      formName(form, isSelected, t, send),
    ),
    h(
      'td',
      { class: 'bar-cell', attributes: { role: 'cell' } },
      h(
        'span',
        { class: 'bar', attributes: { 'aria-hidden': 'true' } },
        STAGES.map((stage) =>
          h('span', { class: `segment ${stage}`, css: { '--share': share(form[stage].tokens, largest) } }),
        ),
      ),
    ),
    STAGES.map((stage) => cost(form[stage], stage, t(`stage.${stage}`))),
    h(
      'td',
      { class: 'figure total', attributes: { role: 'cell', 'data-label': t('column.total') } },
      h('strong', {}, number(form.toFirstCall.tokens)),
      form.claude === undefined
        ? undefined
        : h('span', { class: 'claude' }, t('claudeShort', number(form.claude[0]), number(form.claude[1]))),
    ),
    h(
      'td',
      { class: 'figure', attributes: { role: 'cell', 'data-label': t('column.ofNative') } },
      native === 0 ? '–' : percent(form.toFirstCall.tokens / native),
    ),
  );
}

function formName(form: FormView, isSelected: boolean, t: View['texts']['t'], send: View['send']): Described {
  const { form: name } = form;
  const note = t(`note.${name}`);
  const words = h('span', { class: 'words' }, h('span', {}, t(`form.${name}`)), h('span', { class: 'note' }, note));
  if (name === 'native' || name === 'deferred') return h('span', { class: 'plain-name' }, words);
  return h(
    'label',
    {},
    h('input', {
      attributes: { type: 'radio', name: 'mode', value: name },
      properties: { checked: isSelected },
      on: { change: () => send({ kind: 'selectMode', mode: name }) },
    }),
    words,
  );
}

function share(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(2)}%`;
}

/** How much of each client limit the chosen form uses. */
function meters({ state, texts }: View, detail: DetailView): Described {
  const { t } = texts;
  return h(
    'div',
    { class: 'meters', attributes: { role: 'group', 'aria-label': t('meters.title', t(`form.${state.mode}`)) } },
    detail.meters.filter((meter) => meter.form === state.mode).map((one) => meter(one, texts)),
  );
}

function meter({ name, used, limit }: MeterView, { t, number }: View['texts']): Described {
  const isOver = used > limit;
  const value = t('ofLimit', number(used), number(limit));
  return h(
    'div',
    { key: name, class: isOver ? 'meter over' : 'meter' },
    h('span', { class: 'meter-name' }, t(`meter.${name}`)),
    h('span', { class: 'meter-value' }, isOver ? t('overLimit', value) : value),
    h(
      'span',
      {
        class: 'track',
        attributes: {
          role: 'meter',
          'aria-label': t(`meter.${name}`),
          'aria-valuemin': '0',
          'aria-valuemax': String(limit),
          'aria-valuenow': String(Math.min(used, limit)),
          'aria-valuetext': value,
        },
      },
      h('span', { class: 'fill', css: { '--share': share(Math.min(used, limit), limit) } }),
    ),
  );
}
