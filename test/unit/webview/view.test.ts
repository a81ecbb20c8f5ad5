// @vitest-environment happy-dom
import { globSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { panelStrings } from '../../../src/extension/panel-messages.ts';
import type { FromWebview, PanelState, VerdictView } from '../../../src/protocol/preview.ts';
import { patch } from '../../../webview/dom.ts';
import { createTexts, freshPage, isConfirmed, type PageState } from '../../../webview/page-state.ts';
import { pageOf } from '../../../webview/view.ts';
import { corpusCatalog } from '../../support/corpus.ts';
import { entryIn, panelState, readEntry, usualEntries } from '../../support/panel-states.ts';

vi.mock('@vscode/webview-ui-toolkit', () => ({}));

const strings = panelStrings({ t: (text: unknown) => String(text) });
const texts = createTexts(strings, 'en');
const entries = await usualEntries();

let page: PageState;
let sent: FromWebview[];
beforeEach(() => {
  page = freshPage;
  sent = [];
  document.body.replaceChildren();
});

function show(state: PanelState): void {
  const change = (part: Partial<PageState>) => {
    page = { ...page, ...part };
    show(state);
  };
  patch(document.body, pageOf({ state, page, texts, send: (message) => sent.push(message), change }));
}

const text = (selector: string) => document.querySelector(selector)?.textContent;
const all = (selector: string) => [...document.querySelectorAll(selector)];
function press(label: string): void {
  const found = all('vscode-button, button').find(
    (one) => (one.getAttribute('aria-label') ?? one.textContent) === label,
  );
  if (!(found instanceof HTMLElement)) throw new Error(`no button ${label}`);
  found.click();
}
const selectedId = (index: number) => ({ selected: entries[index]?.server.id });

describe('the faces of the page', () => {
  it.each<[string, PanelState, string, string | undefined, FromWebview | undefined]>([
    ['loading', panelState([], { isLoaded: false }), 'Reading the config files…', undefined, undefined],
    ['nothing configured', panelState([]), 'No MCP servers yet', 'Add a Server', { kind: 'addServer' }],
    [
      'nothing read',
      panelState([entryIn('a', 'unread')]),
      'Its tools have not been read yet',
      'Read Tools',
      { kind: 'readTools', id: entryIn('a', 'unread').server.id },
    ],
    [
      'Restricted Mode',
      panelState([entryIn('a', 'unread')], { isTrusted: false }),
      'Restricted Mode',
      'Manage Workspace Trust',
      { kind: 'trustWorkspace' },
    ],
    ['reading', panelState([entryIn('a', 'reading')]), 'Reading the tools of a…', undefined, undefined],
    [
      'none of all read',
      panelState([entryIn('a', 'unread'), entryIn('b', 'unread')], { selected: 'all' }),
      'No server has been read yet',
      'Read Tools of All Servers',
      { kind: 'readTools', id: 'all' },
    ],
    [
      'failed',
      panelState(entries, selectedId(4)),
      'The server did not answer in 60 s. Start it by hand.',
      'Try Again',
      { kind: 'readTools', id: entries[4]?.server.id ?? '' },
    ],
    [
      'shadowed',
      panelState([entryIn('a', 'unread', { shadowedBy: 'b' })]),
      'Another source names a server like this one',
      undefined,
      undefined,
    ],
  ])('%s says so and offers the one thing to do', (_name, state, words, action, message) => {
    show(state);
    expect(text('main')).toContain(words);
    expect(all('main vscode-button[appearance="primary"]').map((one) => one.textContent)).toEqual(
      action === undefined ? [] : [action],
    );
    if (action !== undefined) press(action);
    expect(sent).toEqual(message === undefined ? [] : [message]);
  });
});

describe('the measured page', () => {
  const state = panelState(entries, selectedId(1));

  it('shows every figure of every form, with the tokenizer and the range for Claude', () => {
    show(state);
    const rows = all('.form').map((row) => row.textContent ?? '');
    expect(rows).toHaveLength(5);
    for (const [index, form] of (state.detail?.forms ?? []).entries()) {
      for (const stage of [form.always, form.activation, form.beforeCall, form.toFirstCall])
        expect(rows[index]).toContain(stage.tokens.toLocaleString('en'));
      expect(rows[index]).toContain(`Claude ${form.claude?.[0].toLocaleString('en')}–`);
    }
    expect(text('.forms caption')).toContain('o200k_base');
    expect(text('.tools caption')).toContain('o200k_base');
  });

  it('makes its bars out of the figures', () => {
    show(state);
    const native = all('.form .bar')[0]?.firstElementChild;
    expect(native instanceof HTMLElement && native.style.getPropertyValue('--share')).toBe('100.00%');
  });

  it.each<[VerdictView, string]>([
    [
      { kind: 'saves', form: 'lazy', saved: 2978, share: 0.84 },
      'The lazy skill saves 2,978 tokens by the first call: 84%',
    ],
    [{ kind: 'saves-idle', form: 'lazy', saved: 900, extra: 40 }, 'saves 900 tokens while idle, but costs 40 more'],
    [{ kind: 'costs-more', form: 'normal', extra: 12, tools: 1 }, 'with 1 tools it costs 12 tokens more than it saves'],
  ])('says %j in words', (verdict, words) => {
    if (state.detail === undefined) throw new Error('nothing was measured');
    show({ ...state, detail: { ...state.detail, verdict } });
    expect(text('.headline')).toContain(words);
  });

  it('sends a chosen form, server and file, and a comparison', () => {
    show(state);
    const id = state.selected ?? '';
    const compact = document.querySelector<HTMLInputElement>('input[value="compact"]');
    compact?.click();
    press('SKILL.md');
    press('Normal ↔ Lazy');
    document.querySelectorAll<HTMLElement>('.server').item(1).click();
    expect(sent).toEqual([
      { kind: 'selectMode', mode: 'compact' },
      { kind: 'openFile', id, mode: 'normal', path: 'SKILL.md' },
      { kind: 'compare', id, left: 'normal', right: 'lazy' },
      { kind: 'selectServer', id: entries[0]?.server.id },
    ]);
  });

  it('leaves a tool out at once, and waits for the host to say so', () => {
    show(state);
    const first = document.querySelector<HTMLInputElement>('tbody .check input');
    first?.click();
    const names = state.detail?.toolTable.map((tool) => tool.name) ?? [];
    expect(sent).toEqual([{ kind: 'setTools', id: state.selected, included: names.slice(1) }]);
    expect(text('#tools-title + p')).toContain(`${names.length - 1} of ${names.length}`);
    expect(isConfirmed(page.chosen, state)).toBe(false);
  });

  it('includes and leaves out all tools that pass the filter', () => {
    page = { ...page, filter: 'pull' };
    show(state);
    document.querySelector<HTMLInputElement>('thead .check input')?.click();
    const left = sent.flatMap((message) => (message.kind === 'setTools' ? message.included : []));
    expect(left.length).toBeGreaterThan(5);
    expect(left.filter((name) => name.includes('pull_request'))).toEqual([]);
  });

  it('marks the sorted column for screen readers', () => {
    show(state);
    press('as native tool');
    expect(all('.tools th[aria-sort="descending"]')).toHaveLength(1);
    const figures = all('.tools tbody tr td:nth-child(3)').map((cell) => Number(cell.textContent));
    expect(figures).toEqual(figures.toSorted((a, b) => b - a));
  });

  it('says nothing to do when no tool passes the filter', () => {
    page = { ...page, filter: 'no such tool' };
    show(state);
    expect(text('.no-match')).toBe('No tool matches the filter.');
  });

  it('adds up all servers that were read and lists them', () => {
    show(panelState(entries, { selected: 'all' }));
    expect(all('.tools tbody tr')).toHaveLength(3);
    press('context7');
    press('Write Skills…');
    expect(sent).toEqual([
      { kind: 'selectServer', id: entries[2]?.server.id },
      { kind: 'write', id: 'all', mode: 'lazy' },
    ]);
  });
});

describe('what a session costs', () => {
  const state = panelState(entries, selectedId(1));
  const cells = () => all('.session tbody tr').map((row) => [...row.children].map((cell) => cell.textContent));

  it('is shown for every form, with the round from which it pays and what the figures rest on', () => {
    show(state);
    expect(cells().map(([form]) => form)).toEqual(
      ['native', 'deferred', 'normal', 'lazy', 'compact'].map((form) => strings[`form.${form}`]),
    );
    for (const [index, one] of (state.detail?.sessions ?? []).entries())
      expect(cells()[index]?.slice(1, 3)).toEqual([`$${one.idle.toFixed(4)}`, `$${one.used.toFixed(4)}`]);
    expect(cells()[0]?.slice(3)).toEqual(['100%', '–']);
    expect(text('.notes')).toContain('first called in round 1, different tools: 3');
    expect(text('.notes')).toContain('as of 2026-10-24: $2.50 to write a million tokens');
  });

  it.each<[number | undefined, string]>([
    [1, 'always'],
    [17, 'from round 17'],
    [51, 'only if never used'],
    [undefined, 'never'],
  ])('says of the round %s that it pays %s', (breakEvenRound, words) => {
    if (state.detail === undefined) throw new Error('nothing was measured');
    const sessions = state.detail.sessions.map(({ form, idle, used }) => ({
      ...{ form, idle, used },
      ...(breakEvenRound === undefined ? {} : { breakEvenRound }),
    }));
    show({ ...state, detail: { ...state.detail, sessions } });
    expect(cells()[3]?.[4]).toBe(words);
  });

  it('is asked for with another model or other rounds, and not with nonsense', () => {
    show(state);
    const select = document.querySelector<HTMLSelectElement>('.field select');
    const field = document.querySelector<HTMLInputElement>('.field .count');
    if (select === null || field === null) throw new Error('there are no fields');
    select.value = 'claude-opus-5-5';
    select.dispatchEvent(new Event('change'));
    for (const value of ['', '0', '1.5', '99999999', '200']) {
      field.value = value;
      field.dispatchEvent(new Event('change'));
    }
    expect(sent).toEqual([
      { kind: 'selectSession', model: 'claude-opus-5-5' },
      { kind: 'selectSession', rounds: 200 },
    ]);
  });
});

describe('writing', () => {
  const finding = { kind: 'poisoned', severity: 'warning', message: 'It says "ignore the user".' } as const;
  const catalog = corpusCatalog('context7');

  it.each([
    ['findings were not accepted', { findings: [finding], findingsAccepted: false }, {}, 'Look at the findings first.'],
    ['no tool is left', { excluded: catalog.tools.map((tool) => tool.name) }, {}, 'No tool is included.'],
    ['the folder is not trusted', {}, { isTrusted: false }, 'Trust the folder to write.'],
  ])('is off, with the reason, when %s', async (_name, entry, facts, reason) => {
    show(panelState([await readEntry(catalog, entry)], facts));
    expect(text('#write-obstacle')).toBe(reason);
    press('Write Skill…');
    expect(sent).toEqual([]);
  });

  it('is on once findings were accepted, and names the server and the mode', async () => {
    const state = panelState([await readEntry(catalog, { findings: [finding], findingsAccepted: true })], {
      mode: 'normal',
    });
    show(state);
    expect(text('.findings')).toContain('ignore the user');
    press('Write Skill…');
    expect(sent).toEqual([{ kind: 'write', id: state.selected, mode: 'normal' }]);
  });
});

describe('hostile text of a server', () => {
  const hostile = '<img src=x onerror=alert(1)></script>${1}javascript:';

  it('is shown as text wherever it stands', async () => {
    const catalog = {
      ...corpusCatalog('context7'),
      server: hostile,
      tools: [
        { name: hostile, description: hostile, inputSchema: {} },
        { name: '__proto__', description: '', inputSchema: {} },
      ],
    };
    show(panelState([await readEntry(catalog)]));
    expect(all('img, script, b, iframe')).toEqual([]);
    expect(text('h1')).toContain('<img src=x');
    expect(text('.tools tbody')).toContain('<img src=x');
    expect(all('.tool')).toHaveLength(2);
    expect(text('.tools tbody')).toContain('__proto__');
  });

  it('is cut where it is long', async () => {
    const long = 'word '.repeat(20_000);
    const catalog = { ...corpusCatalog('context7'), tools: [{ name: long, description: long, inputSchema: {} }] };
    show(panelState([await readEntry(catalog)]));
    expect(text('.tools tbody')?.length).toBeLessThan(1_000);
  });
});

describe('the strings', () => {
  const code = globSync('webview/*.ts').map((file) => readFileSync(file, 'utf8'));
  const literal = new Set(code.flatMap((one) => [...one.matchAll(/'([\w.-]+)'/g)].map(([, key]) => key ?? '')));
  const computed = [...code.join('').matchAll(/`(\w+\.)\$\{/g)].map(([, prefix]) => prefix ?? '');

  it('are all in use', () => {
    const unused = Object.keys(strings).filter(
      (key) => !literal.has(key) && !computed.some((prefix) => key.startsWith(prefix)) && !key.endsWith('.text'),
    );
    expect(computed.length).toBeGreaterThan(5);
    expect(unused).toEqual([]);
  });

  it('hold every text that the page asks for', () => {
    const asked = code.flatMap((one) => [...one.matchAll(/\bt\(\s*'([\w.-]+)'/g)].map(([, key]) => key ?? ''));
    expect(asked.length).toBeGreaterThan(50);
    expect(asked.filter((key) => !Object.hasOwn(strings, key))).toEqual([]);
  });
});
