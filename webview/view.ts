/**
 * The whole page as a function of the last state: which of its faces is shown (loading, nothing configured, nothing
 * read, failed, measured) and in which order its parts stand. The parts are described in the files beside this one.
 */
import type { ServerView } from '../src/protocol/preview.ts';
import { button, progressRing } from './components.ts';
import { type Child, type Described, h } from './dom.ts';
import type { View } from './page-state.ts';
import { filesSection } from './view-files.ts';
import { findingsSection } from './view-findings.ts';
import { formsSection } from './view-forms.ts';
import { serverList } from './view-servers.ts';
import { sessionSection } from './view-session.ts';
import { serversTable, toolsSection } from './view-tools.ts';
import { verdictSection } from './view-verdict.ts';
import { writeBar } from './view-write.ts';

/** The children of the page's body. */
export function pageOf(view: View): readonly Described[] {
  const { state, page, texts } = view;
  const isEmpty = state.isLoaded && state.servers.length === 0;
  return [
    h(
      'div',
      { key: 'busy', class: page.busy === undefined ? 'busy' : 'busy active', attributes: { role: 'status' } },
      h('span', { class: 'unseen' }, page.busy ?? ''),
    ),
    h(
      'div',
      { key: 'layout', class: isEmpty || !state.isLoaded ? 'layout alone' : 'layout' },
      isEmpty || !state.isLoaded ? undefined : serverList(view),
      h('main', { key: 'main' }, failureBanner(view), mainPart(view, isEmpty)),
    ),
    h('div', { key: 'live', class: 'unseen', attributes: { 'aria-live': 'polite' } }, totalsInWords(view)),
    ...(isEmpty || !state.isLoaded || state.detail === undefined ? [] : [writeBar(view, texts)]),
  ];
}

function mainPart(view: View, isEmpty: boolean): readonly Child[] {
  const { state } = view;
  if (!state.isLoaded) return [loading(view.texts.t('loading'), 'h1')];
  if (isEmpty) return [nothingConfigured(view)];
  const server = state.servers.find((one) => one.id === state.selected);
  if (state.detail === undefined) return [heading(view, server), withoutFigures(view, server)];
  return [
    heading(view, server),
    verdictSection(view, state.detail),
    formsSection(view, state.detail),
    sessionSection(view, state.detail),
    findingsSection(view, state.detail),
    state.detail.id === 'all' ? serversTable(view) : toolsSection(view, state.detail),
    state.detail.id === 'all' ? undefined : filesSection(view, state.detail),
  ];
}

function heading({ state, texts, send, page }: View, server: ServerView | undefined): Described {
  const { t, number } = texts;
  const { detail } = state;
  const facts = [
    ...(server === undefined ? [] : [server.source]),
    ...(detail === undefined ? [] : [t('toolCount', number(detail.tools)), t(`origin.${detail.origin}`)]),
  ];
  const canRead = state.isTrusted && page.busy === undefined;
  return h(
    'header',
    { key: 'heading', class: 'heading' },
    h(
      'div',
      {},
      h('h1', {}, server === undefined ? t('allServers') : server.name),
      h('p', { class: 'quiet' }, facts.join(' · ')),
    ),
    detail === undefined || server === undefined
      ? undefined
      : h(
          'div',
          { class: 'actions' },
          button(t('readAgain'), {
            look: 'secondary',
            isDisabled: !canRead,
            onClick: () => send({ kind: 'readTools', id: server.id }),
          }),
          detail.exact
            ? undefined
            : button(t('countExactly'), {
                look: 'secondary',
                isDisabled: !canRead,
                onClick: () => send({ kind: 'countExactly', id: server.id }),
              }),
        ),
  );
}

function loading(text: string, tag: 'h1' | 'p'): Described {
  const attributes = { role: 'status' };
  return h('div', { key: 'loading', class: 'face', attributes }, progressRing(), h(tag, { class: 'wait' }, text));
}

function nothingConfigured({ texts, send }: View): Described {
  const { t } = texts;
  return h(
    'section',
    { key: 'empty', class: 'face' },
    h('h1', {}, t('empty.title')),
    h('p', { class: 'quiet' }, t('empty.text')),
    button(t('empty.action'), { look: 'primary', onClick: () => send({ kind: 'addServer' }) }),
  );
}

/** What stands where the figures would be: reading, failed, or not read yet, with the one thing to do. */
function withoutFigures(view: View, server: ServerView | undefined): Described {
  const { state, texts, send, page } = view;
  const { t } = texts;
  if (server?.state === 'reading') return loading(t('reading', server.name), 'p');
  const id = server?.id ?? 'all';
  const read = (text: string) =>
    state.isTrusted
      ? button(text, {
          look: 'primary',
          isDisabled: page.busy !== undefined,
          onClick: () => send({ kind: 'readTools', id }),
        })
      : button(t('trust'), { look: 'primary', onClick: () => send({ kind: 'trustWorkspace' }) });
  if (server?.state === 'failed')
    return h(
      'section',
      { key: 'failed', class: 'face', attributes: { role: 'alert' } },
      h('h2', {}, t('failed.title', server.name)),
      h('p', { class: 'quiet' }, server.failure ?? ''),
      h(
        'div',
        { class: 'actions' },
        read(t('tryAgain')),
        button(t('showLog'), { look: 'secondary', onClick: () => send({ kind: 'showLog' }) }),
      ),
    );
  if (server?.state === 'shadowed' || server?.state === 'disabled')
    return h('section', { key: server.state, class: 'face' }, h('p', { class: 'quiet' }, t(`${server.state}.text`)));
  return h(
    'section',
    { key: 'unread', class: 'face' },
    h('h2', {}, t(server === undefined ? 'unread.all' : 'unread.title')),
    h('p', { class: 'quiet' }, t(state.isTrusted ? 'unread.text' : 'restricted.text')),
    read(t(server === undefined ? 'readAllTools' : 'readTools')),
  );
}

function failureBanner({ page, texts, change, send }: View): Described | undefined {
  if (page.failure === undefined) return undefined;
  return h(
    'div',
    { key: 'failure', class: 'banner', attributes: { role: 'alert' } },
    h('p', {}, page.failure),
    h(
      'div',
      { class: 'actions' },
      button(texts.t('showLog'), { look: 'secondary', onClick: () => send({ kind: 'showLog' }) }),
      button(texts.t('dismiss'), { look: 'secondary', onClick: () => change({ failure: undefined }) }),
    ),
  );
}

/** Said aloud after every change of the figures. */
function totalsInWords({ state, texts }: View): string {
  const { detail, mode } = state;
  const form = detail?.forms.find((one) => one.form === mode);
  if (detail === undefined || form === undefined) return '';
  const { t, number } = texts;
  return t('totals', t(`form.${mode}`), number(form.toFirstCall.tokens), detail.tokenizer, number(detail.tools));
}
