/** The table of one server's tools, where tools are left out of the skill; or of all servers, where one is chosen. */
import type { DetailView, FormView, ServerView, ToolView } from '../src/protocol/preview.ts';
import { filterField } from './components.ts';
import { type Described, h } from './dom.ts';
import { includedTools, type SortColumn, shownTools, sortedBy, type View } from './page-state.ts';

const FORMS: readonly FormView['form'][] = ['native', 'deferred', 'normal', 'lazy', 'compact'];

export function toolsSection(view: View, detail: DetailView): Described {
  const { page, texts, change } = view;
  const { t, number } = texts;
  const included = includedTools(view);
  const shown = shownTools(detail.toolTable, page);
  const heaviest = Math.max(1, ...detail.toolTable.map((tool) => Math.max(tool.native, tool.lazy)));
  return h(
    'section',
    { key: 'tools', attributes: { 'aria-labelledby': 'tools-title' } },
    h(
      'div',
      { class: 'title-line' },
      h('h2', { attributes: { id: 'tools-title' } }, t('tools.title')),
      h('p', { class: 'quiet grow' }, t('tools.count', number(included.size), number(detail.toolTable.length))),
      filterField(t('tools.filter'), page.filter, (filter) => change({ filter })),
    ),
    h(
      'div',
      { class: 'scroller', attributes: { role: 'group', tabindex: '0', 'aria-labelledby': 'tools-title' } },
      h(
        'table',
        { class: 'tools' },
        h('caption', {}, t('tokensBy', detail.toolTokenizer)),
        toolsHead(view, detail, shown, included),
        h(
          'tbody',
          {},
          shown.map((tool) => toolRow(view, detail, tool, included, heaviest)),
        ),
      ),
      shown.length === 0 ? h('p', { class: 'quiet no-match' }, t('tools.none')) : undefined,
    ),
  );
}

function toolsHead(
  view: View,
  detail: DetailView,
  shown: readonly ToolView[],
  included: ReadonlySet<string>,
): Described {
  const { t } = view.texts;
  const count = shown.filter((tool) => included.has(tool.name)).length;
  return h(
    'thead',
    {},
    h(
      'tr',
      {},
      h(
        'th',
        { class: 'check', attributes: { scope: 'col' } },
        h('input', {
          attributes: { type: 'checkbox', 'aria-label': t('tools.all') },
          properties: {
            checked: count > 0 && count === shown.length,
            indeterminate: count > 0 && count < shown.length,
          },
          on: {
            change: () => {
              const isWanted = count < shown.length;
              const names = new Set(shown.map((tool) => tool.name));
              choose(view, detail, (tool) => (names.has(tool.name) ? isWanted : included.has(tool.name)));
            },
          },
        }),
      ),
      sortHeader(view, 'name', t('column.tool')),
      sortHeader(view, 'native', t('column.native'), 'figure'),
      sortHeader(view, 'lazy', t('column.lazy'), 'figure'),
    ),
  );
}

function sortHeader({ page, change }: View, column: SortColumn, text: string, className?: string): Described {
  const { sort } = page;
  const direction = sort.isDescending ? 'descending' : 'ascending';
  const isSorted = sort.column === column;
  return h(
    'th',
    { class: className, attributes: { scope: 'col', 'aria-sort': isSorted ? direction : 'none' } },
    h(
      'button',
      {
        class: 'sort',
        attributes: { type: 'button' },
        on: { click: () => change({ sort: sortedBy(column, sort) }) },
      },
      text,
      h('span', { class: isSorted ? `arrow ${direction}` : 'arrow', attributes: { 'aria-hidden': 'true' } }),
    ),
  );
}

function toolRow(
  view: View,
  detail: DetailView,
  tool: ToolView,
  included: ReadonlySet<string>,
  heaviest: number,
): Described {
  const { t, number } = view.texts;
  const isIncluded = included.has(tool.name);
  const weight = (tokens: number) =>
    h(
      'td',
      { class: 'figure weight', css: { '--share': `${((100 * tokens) / heaviest).toFixed(1)}%` } },
      number(tokens),
    );
  return h(
    'tr',
    { key: tool.name, class: isIncluded ? 'tool' : 'tool left-out' },
    h(
      'td',
      { class: 'check' },
      h('input', {
        attributes: { type: 'checkbox', 'aria-label': t('tools.include', tool.label) },
        properties: { checked: isIncluded },
        on: {
          change: () => choose(view, detail, (one) => (one.name === tool.name ? !isIncluded : included.has(one.name))),
        },
      }),
    ),
    h(
      'th',
      { attributes: { scope: 'row' } },
      h('span', { class: 'tool-name code' }, tool.label),
      h('span', { class: 'tool-summary' }, tool.summary),
    ),
    weight(tool.native),
    weight(tool.lazy),
  );
}

function choose({ send, change }: View, detail: DetailView, isWanted: (tool: ToolView) => boolean): void {
  const included = detail.toolTable.filter(isWanted).map((tool) => tool.name);
  change({ chosen: { id: detail.id, included } });
  send({ kind: 'setTools', id: detail.id, included });
}

/** What every server that was read costs to the first call, in every form. */
export function serversTable({ state, texts, send }: View): Described {
  const { t, number } = texts;
  const row = (server: ServerView) =>
    h(
      'tr',
      { key: server.id },
      h(
        'th',
        { attributes: { scope: 'row' } },
        h(
          'button',
          {
            class: 'link',
            attributes: { type: 'button' },
            on: { click: () => send({ kind: 'selectServer', id: server.id }) },
          },
          server.name,
        ),
      ),
      h('td', { class: 'figure' }, number(server.tools ?? 0)),
      FORMS.map((form) =>
        h('td', { class: form === state.mode ? 'figure chosen' : 'figure' }, number(server.forms?.[form] ?? 0)),
      ),
    );
  return h(
    'section',
    { key: 'all-servers', attributes: { 'aria-labelledby': 'all-servers-title' } },
    h('h2', { attributes: { id: 'all-servers-title' } }, t('perServer.title')),
    h(
      'div',
      { class: 'scroller', attributes: { role: 'group', tabindex: '0', 'aria-labelledby': 'all-servers-title' } },
      h(
        'table',
        { class: 'tools' },
        h('caption', {}, t('toFirstCallBy', state.detail?.tokenizer ?? '')),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { attributes: { scope: 'col' } }, t('column.server')),
            h('th', { class: 'figure', attributes: { scope: 'col' } }, t('tools.title')),
            FORMS.map((form) => h('th', { class: 'figure', attributes: { scope: 'col' } }, t(`short.${form}`))),
          ),
        ),
        h('tbody', {}, state.servers.filter((server) => server.forms !== undefined).map(row)),
      ),
    ),
  );
}
