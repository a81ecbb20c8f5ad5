/** The panel's state: the report's own figures, every tool, what is chosen, and nothing that is too long to show. */
import { describe, expect, it } from 'vitest';
import { formSessions, PRICES } from '../../../src/core/economics.ts';
import { claudeRange } from '../../../src/core/tokens.ts';
import { corpusCatalog } from '../../support/corpus.ts';
import { entryIn, panelState, readEntry, serverNamed, usualEntries } from '../../support/panel-states.ts';

const entries = await usualEntries();
const idOf = (index: number) => entries[index]?.server.id;

function reportOf(index: number) {
  const state = entries[index]?.state;
  if (state?.kind !== 'read') throw new Error('it was not read');
  return state.forms.report;
}

describe('the figures of a server', () => {
  const { detail, servers } = panelState(entries, { selected: idOf(1) });

  it('are those of its report', () => {
    const report = reportOf(1);
    expect(detail).toMatchObject({
      tools: report.tools,
      tokenizer: report.tokenizer,
      forms: report.forms,
      verdict: report.verdict,
      savedAgainstDeferred: report.savedAgainstDeferred,
      meters: report.meters,
    });
    expect(detail?.forms[0]?.claude).toEqual(claudeRange(report.forms[0]?.toFirstCall.tokens ?? 0));
    expect(servers[1]?.forms?.lazy).toBe(report.forms.find((form) => form.form === 'lazy')?.toFirstCall.tokens);
  });

  it('carry no range where Claude counted itself', async () => {
    const entry = await readEntry(corpusCatalog('context7'));
    if (entry.state.kind !== 'read') throw new Error('it was not read');
    const { forms } = entry.state;
    const exact = {
      ...entry,
      state: { ...entry.state, forms: { ...forms, report: { ...forms.report, exact: true } } },
    };
    expect(panelState([exact]).detail?.forms.some((form) => form.claude !== undefined)).toBe(false);
  });

  it('list every tool in the server’s order, left out or not', async () => {
    const catalog = corpusCatalog('github');
    const entry = await readEntry(catalog, { excluded: ['push_files'] });
    const { detail: less } = panelState([entry]);
    expect(less?.tools).toBe(catalog.tools.length - 1);
    expect(less?.toolTable.map((tool) => tool.name)).toEqual(catalog.tools.map((tool) => tool.name));
    expect(less?.toolTable.filter((tool) => !tool.included).map((tool) => tool.name)).toEqual(['push_files']);
    const totals = [detail, less].map((one) => one?.forms.find((form) => form.form === 'native')?.always.tokens ?? 0);
    const own = less?.toolTable.find((tool) => tool.name === 'push_files')?.native ?? 0;
    expect((totals[0] ?? 0) - (totals[1] ?? 0)).toBeGreaterThan(own - 5);
  });
});

describe('all servers', () => {
  const { detail, selected } = panelState(entries, { selected: 'all' });

  it('add up to the sum of those that were read, stage by stage', () => {
    expect(selected).toBe('all');
    const reports = [0, 1, 2].map(reportOf);
    for (const [index, form] of (detail?.forms ?? []).entries())
      for (const stage of ['always', 'activation', 'beforeCall', 'toFirstCall'] as const)
        for (const unit of ['tokens', 'bytes'] as const)
          expect(form[stage][unit]).toBe(
            reports.reduce((sum, report) => sum + (report.forms[index]?.[stage][unit] ?? 0), 0),
          );
    expect(detail?.tools).toBe(reports.reduce((sum, report) => sum + report.tools, 0));
  });

  it('are judged by their sum', () => {
    const native = detail?.forms.find((form) => form.form === 'native')?.toFirstCall.tokens ?? 0;
    const lazy = detail?.forms.find((form) => form.form === 'lazy')?.toFirstCall.tokens ?? 0;
    expect(detail?.verdict).toEqual({ kind: 'saves', form: 'lazy', saved: native - lazy, share: 1 - lazy / native });
  });

  it('share one listing', () => {
    const used = [0, 1, 2].map(
      (index) => reportOf(index).meters.find((meter) => meter.name === 'listing-budget')?.used ?? 0,
    );
    const meters = detail?.meters.filter((meter) => meter.form === 'normal');
    expect(meters).toEqual([
      { name: 'listing-budget', form: 'normal', used: used.reduce((a, b) => a + b, 0), limit: 8_000 },
    ]);
  });

  it('leave out servers that clients do not see', async () => {
    const hidden = await readEntry(corpusCatalog('memory'), { server: { shadowedBy: 'x' } });
    const off = await readEntry(corpusCatalog('exa'), { server: { disabled: true } });
    expect(panelState([...entries, hidden, off], { selected: 'all' }).detail?.tools).toBe(detail?.tools);
  });
});

describe('what a session costs', () => {
  const selected = idOf(1);

  it('is what the command line would print for that model and those rounds', () => {
    const usual = panelState(entries, { selected });
    expect(usual.session).toMatchObject({ model: PRICES[0].model, rounds: 50, firstCall: 1, toolsUsed: 3 });
    expect(usual.detail?.sessions).toEqual(formSessions(reportOf(1).forms, 50, PRICES[0]));
    const session = { model: 'claude-opus-5-5', rounds: 7 };
    const chosen = panelState(entries, { selected, session });
    expect(chosen.session).toMatchObject(session);
    expect(chosen.detail?.sessions).toEqual(formSessions(reportOf(1).forms, 7, PRICES[1] ?? PRICES[0]));
  });

  it('adds up over all servers', () => {
    const { detail } = panelState(entries, { selected: 'all' });
    const each = [0, 1, 2].map((index) => formSessions(reportOf(index).forms, 50, PRICES[0]));
    for (const [index, one] of (detail?.sessions ?? []).entries()) {
      expect(one.idle).toBeCloseTo(
        each.reduce((sum, costs) => sum + (costs[index]?.idle ?? 0), 0),
        10,
      );
      expect(one.used).toBeCloseTo(
        each.reduce((sum, costs) => sum + (costs[index]?.used ?? 0), 0),
        10,
      );
    }
    expect(detail?.sessions).toHaveLength(5);
  });

  it('falls back to the usual prices where a model is no longer known', () => {
    expect(panelState(entries, { session: { model: 'gone', rounds: 3 } }).session).toMatchObject({
      model: PRICES[0].model,
      rounds: 3,
    });
  });
});

describe('the chosen server', () => {
  const unread = entryIn('a', 'unread');
  const off = entryIn('off', 'unread', { disabled: true });
  it.each([
    ['itself where it is there', entries, idOf(2), idOf(2)],
    ['the first that was read where it is gone', [unread, ...entries], 'gone', idOf(0)],
    ['the first that can be read where none was', [off, unread], undefined, unread.server.id],
    ['the first where none can be read', [off], undefined, off.server.id],
    ['no one where there is none', [], 'gone', undefined],
    ['the only one instead of all', [unread], 'all', unread.server.id],
  ])('is %s', (_name, given, selected, expected) => {
    expect(panelState(given, { selected }).selected).toBe(expected);
  });
});

describe('what a server wrote', () => {
  it('is cut and made visible before it is shown', () => {
    const name = `evil\u202e${'x'.repeat(1_000)}`;
    const entry = { ...entryIn('a', 'unread'), server: serverNamed(name) };
    const shown = panelState([entry]).servers[0]?.name ?? '';
    expect(shown.length).toBeLessThan(300);
    expect(shown).toContain('\\u{202e}');
  });
});
