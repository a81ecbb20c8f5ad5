import { describe, expect, it } from 'vitest';
import type { ToolView } from '../../../src/protocol/preview.ts';
import { createTexts, freshPage, type PageState, shownTools, sortedBy } from '../../../webview/page-state.ts';

const tool = (name: string, native: number, lazy: number, summary = ''): ToolView => ({
  name,
  label: name,
  summary,
  native,
  lazy,
  included: true,
});
const tools = [tool('write', 30, 5, 'Writes a file'), tool('Read', 10, 50), tool('list', 30, 20, 'Lists FILES')];

describe('the shown tools', () => {
  it.each<[Partial<PageState>, readonly string[]]>([
    [{}, ['write', 'Read', 'list']],
    [{ filter: 'file' }, ['write', 'list']],
    [{ filter: ' FILE  a ' }, ['write']],
    [{ filter: '(' }, []],
    [{ sort: { column: 'name', isDescending: false } }, ['list', 'Read', 'write']],
    [{ sort: { column: 'native', isDescending: true } }, ['list', 'write', 'Read']],
    [{ sort: { column: 'lazy', isDescending: false } }, ['write', 'list', 'Read']],
    [{ filter: 'file', sort: { column: 'lazy', isDescending: true } }, ['list', 'write']],
  ])('with %j are %j', (part, names) => {
    expect(shownTools(tools, { ...freshPage, ...part }).map(({ name }) => name)).toEqual(names);
  });
});

describe('pressing a header', () => {
  it.each(['native', 'lazy'] as const)(
    'of figures shows the largest first, then the smallest, then the order',
    (column) => {
      const first = sortedBy(column, freshPage.sort);
      const second = sortedBy(column, first);
      expect([first, second, sortedBy(column, second)]).toEqual([
        { column, isDescending: true },
        { column, isDescending: false },
        { column: 'order', isDescending: false },
      ]);
    },
  );

  it('of names begins with the first, and another header begins anew', () => {
    const named = sortedBy('name', { column: 'native', isDescending: false });
    expect(named).toEqual({ column: 'name', isDescending: false });
    expect(sortedBy('name', named)).toEqual({ column: 'name', isDescending: true });
  });
});

describe('texts', () => {
  const { t, number, percent, bytes } = createTexts({ a: '{1} of {0}, {2}', toString: 'mine' }, 'de');

  it('fill in their places and leave places without a value', () => {
    expect(t('a', '5', '{0}')).toBe('{0} of 5, {2}');
  });

  it('are the key where there is none, also for names that every object has', () => {
    expect([t('b'), t('constructor'), t('toString')]).toEqual(['b', 'constructor', 'mine']);
  });

  it('write figures as the language does', () => {
    const figures = [number(1234567), percent(0.163), bytes(999), bytes(1500)];
    expect(figures.map((figure) => figure.replace(/\s/g, ' '))).toEqual(['1.234.567', '16 %', '999 B', '1,5 kB']);
  });

  it('fall back to English for a language that is none', () => {
    expect(createTexts({}, '*').number(1234)).toBe('1,234');
  });
});
