// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from 'vitest';
import { type Described, h, patch } from '../../../webview/dom.ts';

let root: HTMLElement;
beforeEach(() => {
  root = document.createElement('div');
  document.body.replaceChildren(root);
});

const list = (...keys: readonly string[]): Described =>
  h(
    'ul',
    {},
    keys.map((key) => h('li', { key }, key)),
  );
const items = () => [...root.querySelectorAll('li')];
const texts = () => items().map((item) => item.textContent);

describe('patching', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['nothing', [], []],
    ['a first item', [], ['a']],
    ['an item in front', ['b', 'c'], ['a', 'b', 'c']],
    ['an item in the middle', ['a', 'c'], ['a', 'b', 'c']],
    ['a removed first item', ['a', 'b', 'c'], ['b', 'c']],
    ['a removed last item', ['a', 'b'], ['a']],
    ['a turned order', ['a', 'b', 'c', 'd'], ['d', 'c', 'b', 'a']],
    ['a mixture', ['a', 'b', 'c', 'd', 'e'], ['e', 'x', 'b', 'y', 'a']],
    ['an emptied list', ['a', 'b'], []],
  ])('shows %s and keeps each element its own', (_name, before, after) => {
    patch(root, [list(...before)]);
    const elements = new Map(items().map((item) => [item.textContent, item]));
    patch(root, [list(...after)]);
    expect(texts()).toEqual(after);
    for (const item of items()) {
      const known = elements.get(item.textContent);
      if (known !== undefined) expect(item).toBe(known);
    }
  });

  it('leaves an element that stays where it is in the document, so that it keeps the focus', () => {
    const view = (...before: readonly string[]) => [
      ...before.map((key) => h('p', { key }, key)),
      h('button', { key: 'stay' }, 'stay'),
    ];
    patch(root, view('a', 'b'));
    const moved: unknown[] = [];
    const insert = root.insertBefore.bind(root);
    root.insertBefore = (node, child) => {
      moved.push(node);
      return insert(node, child);
    };
    patch(root, view('b'));
    expect(root.textContent).toBe('bstay');
    expect(moved).toEqual([]);
  });

  it('sets text as text', () => {
    const hostile = '<img src=x onerror="steal()"></script><b>bold</b>';
    patch(root, [h('p', { attributes: { title: hostile } }, hostile)]);
    expect(root.querySelectorAll('*')).toHaveLength(1);
    expect(root.textContent).toBe(hostile);
    expect(root.firstElementChild?.getAttribute('title')).toBe(hostile);
  });

  it('changes text in place, and makes and removes text beside elements', () => {
    patch(root, [h('p', {}, 'one ', h('b', {}, 'two'), ' three')]);
    const before = root.firstElementChild?.firstChild;
    patch(root, [h('p', {}, 'uno ', h('b', {}, 'due'))]);
    expect(root.textContent).toBe('uno due');
    expect(root.firstElementChild?.firstChild).toBe(before);
  });

  it('adds, changes and removes attributes', () => {
    patch(root, [h('p', { class: 'a', attributes: { role: 'note', lang: undefined } })]);
    patch(root, [h('p', { attributes: { role: 'alert' } })]);
    expect(root.innerHTML).toBe('<p role="alert"></p>');
  });

  it('holds properties to what is described, whatever a person did to them', () => {
    const box = () => root.querySelector('input');
    const view = () => [h('input', { attributes: { type: 'checkbox' }, properties: { checked: true } })];
    patch(root, view());
    box()?.click();
    expect(box()?.checked).toBe(false);
    patch(root, view());
    expect(box()?.checked).toBe(true);
  });

  it('leaves what a person is typing until the description is another', () => {
    const field = () => root.querySelector('input');
    const view = (value: string) => [h('input', { drafts: { value } })];
    patch(root, view('50'));
    const typed = field();
    if (typed !== null) typed.value = '12';
    patch(root, view('50'));
    expect(field()?.value).toBe('12');
    patch(root, view('120'));
    expect(field()?.value).toBe('120');
  });

  it('sets custom properties of CSS and takes them away', () => {
    const share = () => root.querySelector('p')?.style.getPropertyValue('--share');
    patch(root, [h('p', { css: { '--share': '40%' } })]);
    expect(share()).toBe('40%');
    patch(root, [h('p')]);
    expect(share()).toBe('');
  });

  it('calls only the listener described last, and once', () => {
    const heard: string[] = [];
    const view = (word: string) => [h('button', { on: { click: () => heard.push(word) } })];
    patch(root, view('first'));
    patch(root, view('second'));
    root.querySelector('button')?.click();
    patch(root, [h('button')]);
    root.querySelector('button')?.click();
    expect(heard).toEqual(['second']);
  });

  it('replaces an element of another kind and leaves out what is absent', () => {
    patch(root, [h('p', {}, 'a'), h('p', {}, 'b')]);
    patch(root, [h('section', {}, undefined, [undefined, 'c'])]);
    expect(root.innerHTML).toBe('<section>c</section>');
  });
});
