/**
 * What the page itself remembers between two messages: how the tools are sorted and filtered, and what the person did
 * that the host has not confirmed yet. Everything else is the host's.
 */
import type { FromWebview, PanelState, PanelStrings, ToolView } from '../src/protocol/preview.ts';

export type SortColumn = 'order' | 'name' | 'native' | 'lazy';

export interface PageState {
  readonly filter: string;
  readonly sort: { readonly column: SortColumn; readonly isDescending: boolean };
  /** The tools the person chose, until the host's state says the same. */
  readonly chosen: { readonly id: string; readonly included: readonly string[] } | undefined;
  /** What is under way. */
  readonly busy: string | undefined;
  readonly failure: string | undefined;
}

export const freshPage: PageState = {
  filter: '',
  sort: { column: 'order', isDescending: false },
  chosen: undefined,
  busy: undefined,
  failure: undefined,
};

/** All that a view is made of. */
export interface View {
  readonly state: PanelState;
  readonly page: PageState;
  readonly texts: Texts;
  readonly send: (message: FromWebview) => void;
  readonly change: (part: Partial<PageState>) => void;
}

/** Words and figures in the person's language. */
export interface Texts {
  /** The text of that key with its places filled in; the key itself where there is none. */
  t(key: string, ...values: readonly string[]): string;
  number(value: number): string;
  /** A share of one, as a percentage. */
  percent(share: number): string;
  bytes(value: number): string;
  /** US dollars, down to a hundredth of a cent. */
  dollars(amount: number): string;
  /** US dollars with as many places as they have. */
  price(amount: number): string;
}

export function createTexts(strings: PanelStrings, language: string): Texts {
  const locale = isLocale(language) ? language : 'en';
  const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const dollars = (least: number): Intl.NumberFormat =>
    new Intl.NumberFormat(locale, {
      style: 'currency',
      currency: 'USD',
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: least,
      maximumFractionDigits: 4,
    });
  const [amounts, prices] = [dollars(4), dollars(2)];
  const kilo = new Intl.NumberFormat(locale, { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 });
  return {
    t: (key, ...values) =>
      (Object.hasOwn(strings, key) ? (strings[key] ?? key) : key).replace(
        /\{(\d)\}/g,
        (place, index) => values[Number(index)] ?? place,
      ),
    number: (value) => whole.format(value),
    percent: (share) => percent.format(share),
    dollars: (amount) => amounts.format(amount),
    price: (amount) => prices.format(amount),
    bytes: (value) => (value < 1000 ? `${whole.format(value)} B` : kilo.format(value / 1000)),
  };
}

function isLocale(language: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(language).length > 0;
  } catch {
    return false;
  }
}

/** The tools that go into the skill, as the person last said. */
export function includedTools({ state, page }: Pick<View, 'state' | 'page'>): ReadonlySet<string> {
  const { detail } = state;
  if (page.chosen !== undefined && page.chosen.id === detail?.id) return new Set(page.chosen.included);
  return new Set(detail?.toolTable.filter((tool) => tool.included).map((tool) => tool.name));
}

/** Whether the host's state already says what the person chose. */
export function isConfirmed(chosen: PageState['chosen'], state: PanelState): boolean {
  if (chosen === undefined || chosen.id !== state.detail?.id) return true;
  const wanted = new Set(chosen.included);
  return state.detail.toolTable.every((tool) => tool.included === wanted.has(tool.name));
}

/** The tools that pass the filter, in the wanted order. */
export function shownTools(tools: readonly ToolView[], { filter, sort }: PageState): readonly ToolView[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const passing = tools.filter((tool) => {
    const text = `${tool.name} ${tool.summary}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const { column } = sort;
  if (column === 'order') return passing;
  const sign = sort.isDescending ? -1 : 1;
  return passing.toSorted((a, b) => {
    const order = column === 'name' ? a.name.localeCompare(b.name) : a[column] - b[column];
    return sign * order || a.name.localeCompare(b.name);
  });
}

/** The next sorting when a column's header is pressed: figures begin with the largest, names with the first. */
export function sortedBy(column: SortColumn, sort: PageState['sort']): PageState['sort'] {
  if (sort.column !== column) return { column, isDescending: column !== 'name' };
  const isTurned = sort.isDescending === (column !== 'name');
  return isTurned ? { column, isDescending: !sort.isDescending } : { column: 'order', isDescending: false };
}
