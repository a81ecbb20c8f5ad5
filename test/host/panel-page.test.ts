/** The panel's page in a real browser, under its real policy and in every kind of theme, without a workbench. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PanelState } from '../../src/protocol/preview.ts';
import { corpusCatalog } from '../support/corpus.ts';
import { entryIn, largeCatalog, panelState, readEntry, usualEntries } from '../support/panel-states.ts';
import { openPanelBrowser, type PanelBrowser, THEMES } from './bed/panel-page.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
let browser: PanelBrowser;
beforeAll(async () => {
  browser = await openPanelBrowser();
});
afterAll(() => browser.close());

const findings = [
  { kind: 'poisoned', severity: 'error', message: 'It tells the model to read a file first.', tool: 'search_code' },
  { kind: 'secret', severity: 'warning', message: 'A default value looks like a key.', remedy: 'Leave it out.' },
] as const;

async function states(): Promise<Readonly<Record<string, PanelState>>> {
  const entries = await usualEntries();
  const found = await readEntry(corpusCatalog('github'), { findings, excluded: ['push_files'] });
  const selected = (index: number) => ({ selected: entries[index]?.server.id });
  return {
    loading: panelState([], { isLoaded: false }),
    empty: panelState([]),
    unread: panelState(entries, selected(3)),
    failed: panelState(entries, selected(4)),
    restricted: panelState([entryIn('a', 'unread')], { isTrusted: false }),
    measured: panelState(entries, selected(1)),
    findings: panelState([found, ...entries], { mode: 'normal' }),
    all: panelState(entries, { selected: 'all' }),
    large: panelState([await readEntry(largeCatalog(500))]),
  };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds, as sentences. */
async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const { violations }: { violations: readonly Violation[] } = await page.evaluate('axe.run(document)');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary}`),
  );
}

describe.each(THEMES)('in a %s theme', (theme) => {
  it('every face is free of barriers, and nothing is refused by the policy', async () => {
    for (const [name, state] of Object.entries(await states())) {
      const { page, show, complaints } = await browser.open({ theme });
      await show(state);
      expect(await barriers(page), name).toEqual([]);
      expect(complaints, name).toEqual([]);
      await page.close();
    }
  });
});

describe('the space of the page', () => {
  it.each([
    ['a wide pane', 1400, 'en'],
    ['half a window', 700, 'en'],
    ['a narrow pane', 320, 'en'],
    ['a window at 200 %', 560, 'ja'],
    ['a pane at 400 %', 320, 'ja'],
    ['a pane in Chinese', 900, 'zh-cn'],
  ])('is enough in %s: nothing reaches beyond it', async (_name, width, language) => {
    for (const [name, state] of Object.entries(await states())) {
      const { page, show } = await browser.open({ width, language });
      await show(state);
      const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(excess, name).toBeLessThanOrEqual(0);
      await page.close();
    }
  });
});

describe('by keyboard', () => {
  it('everything can be reached in the order of the page, and seen', async () => {
    const { page, show } = await browser.open();
    await show((await states())['findings'] as PanelState);
    const reached: string[] = [];
    for (let step = 0; step < 60; step++) {
      await page.keyboard.press('Tab');
      const [name, seen] = await page.evaluate<[string, boolean]>(`(() => {
        const one = document.activeElement;
        const box = one.getBoundingClientRect();
        return [one.getAttribute('aria-label') || one.value || one.textContent, box.width > 0 && box.height > 0];
      })()`);
      expect(seen, name).toBe(true);
      reached.push(name);
    }
    const order = ['All servers', 'Read Again', 'normal', 'I have looked', 'Filter tools', 'Include all shown tools'];
    const places = order.map((word) => reached.findIndex((name) => name.includes(word)));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    await page.close();
  });

  it('a form is chosen with the arrows, a tool left out with the space bar', async () => {
    const { page, show, said } = await browser.open();
    const state = (await states())['measured'] as PanelState;
    await show(state);
    await page.locator('input[value="lazy"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.locator('.tools tbody .check input').first().focus();
    await page.keyboard.press('Space');
    const names = state.detail?.toolTable.map((tool) => tool.name) ?? [];
    expect((await said()).slice(1)).toEqual([
      { kind: 'selectMode', mode: 'compact' },
      { kind: 'setTools', id: state.selected, included: names.slice(1) },
    ]);
    await page.close();
  });
});

describe('the tools of a large server', () => {
  it('change nothing but what changed: one tool of 500 left out touches a handful of nodes', async () => {
    const { page, show, tell } = await browser.open();
    const catalog = largeCatalog(500);
    await show(panelState([await readEntry(catalog)]));
    expect(await page.locator('.tool').count()).toBe(500);
    await page.evaluate(`globalThis.touched = new Set();
      new MutationObserver((records) => records.forEach(({ target }) => touched.add(target)))
        .observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })`);
    const left = catalog.tools[3]?.name ?? '';
    await page.getByLabel(`Include ${left}`, { exact: true }).click();
    await tell({ kind: 'state', state: panelState([await readEntry(catalog, { excluded: [left] })]) });
    await page.getByText('499 of 500').waitFor();
    expect(await page.locator('.tool.left-out').count()).toBe(1);
    expect(await page.evaluate('touched.size')).toBeLessThan(120);
    await page.close();
  });

  it('are all shown again in the order of their cost, and filtered', async () => {
    const { page, show } = await browser.open();
    await show(panelState([await readEntry(largeCatalog(500))]));
    await page.getByRole('button', { name: 'as native tool' }).click();
    const figures = (await page.locator('.tool td:nth-child(3)').allInnerTexts()).map((text) =>
      Number(text.replace(',', '')),
    );
    expect(figures).toEqual(figures.toSorted((a, b) => b - a));
    await page.locator('vscode-text-field input').fill('merge_request');
    const names = await page.locator('.tool .tool-name').allInnerTexts();
    expect(names.length).toBeGreaterThan(10);
    expect(names.length).toBeLessThan(500);
    await page.close();
  });
});

describe('what a server wrote', () => {
  it('stays text in the browser', async () => {
    const hostile = '<img src=x onerror="globalThis.stolen = 1"><script>globalThis.stolen = 1</script>${7*7}';
    const tools = [{ name: hostile, description: hostile, inputSchema: {} }];
    const { page, show, complaints } = await browser.open();
    await show(panelState([await readEntry({ server: hostile, origin: 'live', tools })]));
    expect(await page.evaluate('globalThis.stolen')).toBeUndefined();
    expect(await page.locator('img, body script').count()).toBe(0);
    expect(await page.locator('h1').innerText()).toContain('<img src=x');
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe('a page that comes back', () => {
  it('shows at once what it showed before, sorted and filtered as before', async () => {
    const first = await browser.open();
    await first.show((await states())['measured'] as PanelState);
    await first.page.getByRole('button', { name: 'lazy reference' }).click();
    await first.page.locator('vscode-text-field input').fill('issue');
    const kept = await first.page.evaluate('kept');
    const before = await first.page.locator('main').innerText();
    await first.page.close();
    const second = await browser.open({ kept });
    await second.page.locator('main').waitFor();
    expect(await second.page.locator('main').innerText()).toBe(before);
    expect(await second.page.locator('vscode-text-field input').inputValue()).toBe('issue');
    expect(await second.said()).toEqual([{ kind: 'ready' }]);
    await second.page.close();
  });

  it('is repaired by the host where it cannot be brought back', async () => {
    const kept = { version: 2, page: {}, strings: {}, language: 'en', state: { servers: 5 }, scroll: 0 };
    const { page, show, said } = await browser.open({ kept });
    expect(await said()).toEqual([{ kind: 'ready' }]);
    await show((await states())['measured'] as PanelState);
    await page.locator('.verdict').waitFor();
    expect(await page.locator('main').count()).toBe(1);
    await page.close();
  });

  it('starts afresh with what it does not understand', async () => {
    const { page, said, complaints } = await browser.open({ kept: { version: 0, state: '<b>' } });
    await page.waitForFunction('said.length > 0');
    expect(await said()).toEqual([{ kind: 'ready' }]);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe('the language of the page', () => {
  it.each([
    ['ja', '形式ごとのコスト'],
    ['zh-cn', '各形式的成本'],
  ])('is %s where the editor speaks it, also for screen readers', async (language, words) => {
    const { page, show } = await browser.open({ language });
    await show((await states())['measured'] as PanelState);
    await page.getByRole('heading', { name: words }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe(language);
    expect(await page.locator('main').innerText()).not.toMatch(/\b(saves|Tools|Files|tokens to)\b/);
    await page.close();
  });
});

describe('what a person hears', () => {
  it('are the totals whenever they change, failures at once', async () => {
    const { page, show, tell } = await browser.open();
    const entry = await readEntry(corpusCatalog('github'));
    await show(panelState([entry]));
    const live = page.locator('[aria-live="polite"]');
    const before = await live.innerText();
    expect(before).toContain('o200k_base');
    await tell({
      kind: 'state',
      state: panelState([await readEntry(corpusCatalog('github'), { excluded: ['push_files'] })]),
    });
    await page.waitForFunction(`document.querySelector('[aria-live]').innerText !== ${JSON.stringify(before)}`);
    await tell({ kind: 'failed', text: 'The server went away.' });
    await page.getByRole('alert').getByText('The server went away.').waitFor();
    await page.close();
  });
});
