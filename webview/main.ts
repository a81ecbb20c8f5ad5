/**
 * Starts the page: takes messages from the host, draws what they say, sends what the person does, and keeps the last
 * state so that a page that was hidden or reloaded shows the same at once. It decides nothing.
 */
import type { FromWebview, PanelState, PanelStrings, SessionChoice, ToWebview } from '../src/protocol/preview.ts';
import { registerComponents } from './components.ts';
import { patch } from './dom.ts';
import { createTexts, freshPage, isConfirmed, type PageState } from './page-state.ts';
import { pageOf } from './view.ts';

interface Host {
  postMessage(message: FromWebview): void;
  getState(): unknown;
  setState(state: Kept): void;
}

/** What outlives the page. The host reads `selected`, `mode` and `session` of it after a restart. */
interface Kept {
  readonly version: 2;
  readonly selected: string | undefined;
  readonly mode: string;
  readonly session: SessionChoice;
  readonly page: Pick<PageState, 'filter' | 'sort'>;
  readonly state: PanelState;
  readonly strings: PanelStrings;
  readonly language: string;
  readonly scroll: number;
}

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
let page = freshPage;
let state: PanelState | undefined;
let strings: PanelStrings = {};
let language = 'en';
let texts = createTexts(strings, language);

function draw(): void {
  if (state === undefined) return;
  patch(document.body, pageOf({ state, page, texts, send, change }));
}

function change(part: Partial<PageState>): void {
  page = { ...page, ...part };
  draw();
  keep();
}

function send(message: FromWebview): void {
  if (page.failure !== undefined && message.kind !== 'showLog') change({ failure: undefined });
  host.postMessage(message);
}

function keep(): void {
  if (state === undefined) return;
  const { selected, mode } = state;
  const { model, rounds } = state.session;
  const { filter, sort } = page;
  const session = { model, rounds };
  host.setState({
    version: 2,
    selected,
    mode,
    session,
    page: { filter, sort },
    state,
    strings,
    language,
    scroll: scrollY,
  });
}

function take(message: ToWebview): void {
  switch (message.kind) {
    case 'strings':
      ({ strings, language } = message);
      texts = createTexts(strings, language);
      document.documentElement.lang = language;
      draw();
      break;
    case 'state':
      if (state?.selected !== message.state.selected) page = { ...page, filter: '', chosen: undefined };
      state = message.state;
      if (isConfirmed(page.chosen, state)) page = { ...page, chosen: undefined };
      draw();
      keep();
      break;
    case 'busy':
      change({ busy: message.text });
      break;
    case 'failed':
      change({ failure: message.text, chosen: undefined });
      break;
    default:
      message satisfies never;
  }
}

/** The page of before, at once; the host's own state follows. */
function restore(): void {
  const kept = host.getState();
  if (!isKept(kept)) return;
  page = { ...page, ...kept.page };
  take({ kind: 'strings', strings: kept.strings, language: kept.language });
  state = kept.state;
  draw();
  scrollTo(0, kept.scroll);
}

/** Only this page writes what it finds here, so that the version tells all. */
function isKept(kept: unknown): kept is Kept {
  return typeof kept === 'object' && kept !== null && 'version' in kept && kept.version === 2;
}

function isMessage(data: unknown): data is ToWebview {
  return typeof data === 'object' && data !== null && 'kind' in data && typeof data.kind === 'string';
}

registerComponents();
addEventListener('message', (event: MessageEvent<unknown>) => {
  if (isMessage(event.data)) take(event.data);
});
addEventListener('scrollend', keep);
// First, so that the host's own state also repairs a page that could not be brought back.
host.postMessage({ kind: 'ready' });
restore();
