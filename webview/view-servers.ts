/** The list of servers beside the figures: what is configured, what each costs, and which one is shown. */
import type { ServerView } from '../src/protocol/preview.ts';
import { type Described, h } from './dom.ts';
import type { View } from './page-state.ts';

export function serverList(view: View): Described {
  const { state, texts } = view;
  const usable = state.servers.filter((server) => server.state !== 'shadowed' && server.state !== 'disabled');
  const readCount = usable.filter((server) => server.state === 'read').length;
  const all =
    state.servers.length > 1
      ? [entry(view, 'all', texts.t('allServers'), texts.t('readCount', String(readCount), String(usable.length)))]
      : [];
  const tokenizer = state.detail?.tokenizer;
  return h(
    'nav',
    { key: 'servers', class: 'servers', attributes: { 'aria-label': texts.t('servers') } },
    h(
      'ul',
      {},
      all,
      state.servers.map((server) => entry(view, server.id, server.name, stateText(view, server), server)),
    ),
    tokenizer === undefined
      ? undefined
      : h('p', { class: 'list-note' }, texts.t('listNote', texts.t(`form.${state.mode}`), tokenizer)),
  );
}

function entry(view: View, id: string, name: string, note: string, server?: ServerView): Described {
  const isSelected = view.state.selected === id;
  return h(
    'li',
    { key: id },
    h(
      'button',
      {
        class: server === undefined || server.state !== 'failed' ? 'server' : 'server broken',
        attributes: {
          type: 'button',
          'aria-current': isSelected ? 'true' : undefined,
          ...(server === undefined ? {} : { title: server.source }),
        },
        on: { click: () => view.send({ kind: 'selectServer', id }) },
      },
      h('span', { class: 'server-name' }, name),
      h('span', { class: 'server-note' }, note),
    ),
  );
}

function stateText({ state, texts }: View, server: ServerView): string {
  const { t, number } = texts;
  if (server.state !== 'read' || server.forms === undefined) return t(`state.${server.state}`);
  return t('serverNote', number(server.tools ?? 0), number(server.forms[state.mode]));
}
