/** The files of each form side by side, each opened in the editor, and the way to VS Code's own diff of two forms. */
import type { DetailView, FileView, FormView } from '../src/protocol/preview.ts';
import { button } from './components.ts';
import { type Described, h } from './dom.ts';
import type { View } from './page-state.ts';

type Mode = Exclude<FormView['form'], 'native' | 'deferred'>;

const MODES: readonly Mode[] = ['normal', 'lazy', 'compact'];
const PAIRS: readonly (readonly [Mode, Mode])[] = [
  ['normal', 'lazy'],
  ['normal', 'compact'],
  ['lazy', 'compact'],
];
/** More files than this in one folder are folded. */
const FOLDED = 8;

export function filesSection(view: View, detail: DetailView): Described {
  const { texts, send } = view;
  const { t } = texts;
  const pair = ([left, right]: readonly [Mode, Mode]) =>
    button(t('compare.pair', t(`short.${left}`), t(`short.${right}`)), {
      look: 'secondary',
      onClick: () => send({ kind: 'compare', id: detail.id, left, right }),
    });
  return h(
    'section',
    { key: 'files', attributes: { 'aria-labelledby': 'files-title' } },
    h(
      'div',
      { class: 'title-line' },
      h('h2', { class: 'grow', attributes: { id: 'files-title' } }, t('files.title')),
      h(
        'div',
        { class: 'actions', attributes: { role: 'group', 'aria-labelledby': 'compare-title' } },
        h('span', { class: 'quiet', attributes: { id: 'compare-title' } }, t('compare.title')),
        PAIRS.map(pair),
      ),
    ),
    h(
      'div',
      { class: 'columns' },
      MODES.map((mode) => column(view, detail, mode)),
    ),
  );
}

function column(view: View, detail: DetailView, mode: Mode): Described {
  const { t, number, bytes } = view.texts;
  const files = detail.files[mode];
  const size = files.reduce((sum, file) => sum + file.bytes, 0);
  return h(
    'div',
    { key: mode, class: view.state.mode === mode ? 'column selected' : 'column' },
    h('h3', {}, t(`form.${mode}`)),
    h('p', { class: 'quiet' }, t('files.count', number(files.length), bytes(size))),
    folder(view, detail, mode, files, ''),
  );
}

/** The files below a folder: those in it, then its folders; a chain of folders with nothing beside is one line. */
function folder(view: View, detail: DetailView, mode: Mode, files: readonly FileView[], at: string): Described {
  const own = files.filter((file) => !file.path.slice(at.length).includes('/'));
  const names = new Set(
    files.flatMap((file) => {
      const rest = file.path.slice(at.length);
      return rest.includes('/') ? [rest.slice(0, rest.indexOf('/'))] : [];
    }),
  );
  return h(
    'ul',
    { class: 'tree' },
    own.map((file) => fileItem(view, detail, mode, file, at)),
    [...names].map((name) => {
      const path = `${at}${name}/`;
      const inside = files.filter((file) => file.path.startsWith(path));
      return h(
        'li',
        { key: path },
        h(
          'details',
          { attributes: inside.length > FOLDED ? {} : { open: '' } },
          h(
            'summary',
            {},
            h('span', { class: 'code' }, `${name}/`),
            h('span', { class: 'quiet' }, ` ${view.texts.number(inside.length)}`),
          ),
          folder(view, detail, mode, inside, path),
        ),
      );
    }),
  );
}

function fileItem({ texts, send }: View, detail: DetailView, mode: Mode, file: FileView, at: string): Described {
  return h(
    'li',
    { key: file.path, class: 'file' },
    h(
      'button',
      {
        class: 'link code',
        attributes: { type: 'button', title: file.path },
        on: { click: () => send({ kind: 'openFile', id: detail.id, mode, path: file.path }) },
      },
      file.path.slice(at.length),
    ),
    h('span', { class: 'quiet figure' }, texts.bytes(file.bytes)),
  );
}
