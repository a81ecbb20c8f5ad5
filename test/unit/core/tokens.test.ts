import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../../src/core/model.ts';
import { MODES } from '../../../src/core/model.ts';
import { claudeRange, measure, type TokenReport } from '../../../src/core/tokens.ts';
import { createOfflineCounter } from '../../../src/node/token-counter.ts';
import { corpus, corpusCatalog } from '../../support/corpus.ts';
import { renderForTest } from '../../support/render.ts';

const counter = createOfflineCounter();

function report(catalog: Catalog, calledTool?: string): Promise<TokenReport> {
  const skills = MODES.map((mode) => renderForTest(catalog, mode));
  return measure(catalog, skills, counter, calledTool === undefined ? {} : { calledTool });
}

function toFirstCall(of: TokenReport, form: string): number {
  return of.forms.find((one) => one.form === form)?.toFirstCall.tokens ?? Number.NaN;
}

describe('tokens to the first call', () => {
  it.each([
    ['everything', 'get-sum', 400],
    ['filesystem', 'edit_file', 450],
    ['github', 'create_issue', 620],
  ])('of the lazy form of %s, calling %s, are at most %i', async (name, tool, limit) => {
    const measured = await report(corpusCatalog(name), tool);
    expect(toFirstCall(measured, 'lazy')).toBeLessThanOrEqual(limit);
    expect(measured.forms.find((one) => one.form === 'lazy')?.wholeSchema).toBe(true);
  });

  it('are at most 0.16 of native at the median over the servers of 15 to 80 tools', async () => {
    const ratios: number[] = [];
    for (const catalog of corpus())
      if (catalog.tools.length >= 15 && catalog.tools.length <= 80) {
        const measured = await report(catalog);
        ratios.push(toFirstCall(measured, 'lazy') / toFirstCall(measured, 'native'));
      }
    ratios.sort((a, b) => a - b);
    expect(ratios.length).toBeGreaterThanOrEqual(10);
    expect(ratios[Math.floor(ratios.length / 2)]).toBeLessThanOrEqual(0.16);
  });

  it('are the sum of their stages, in tokens and in bytes', async () => {
    for (const form of (await report(corpusCatalog('github'))).forms) {
      expect(form.toFirstCall.tokens).toBe(form.always.tokens + form.activation.tokens + form.beforeCall.tokens);
      expect(form.toFirstCall.bytes).toBe(form.always.bytes + form.activation.bytes + form.beforeCall.bytes);
    }
  });
});

describe('the lazy SKILL.md', () => {
  it('stays under 5,000 tokens for every recorded server and for one of 235 tools', async () => {
    const large = corpusCatalog('zereight-gitlab');
    const more = corpusCatalog('mongodb').tools.slice(0, 34);
    const catalogs = [...corpus(), { ...large, tools: [...large.tools, ...more] }];
    for (const catalog of catalogs) {
      const { meters } = await report(catalog);
      const body = meters.find((meter) => meter.form === 'lazy' && meter.name === 'body-tokens');
      expect(body?.used, catalog.server).toBeLessThan(5_000);
    }
    expect(catalogs.at(-1)?.tools).toHaveLength(235);
  });

  it('groups tools by what they are about where even short summaries would be too long', async () => {
    const tools = Array.from({ length: 1_000 }, (_, index) => ({
      name: `${['create', 'list', 'delete', 'update'][index % 4]}_${['alpha', 'beta', 'gamma'][index % 3]}_${index}`,
      description: 'Does something that is worth a long first sentence, so that it has to be cut',
      inputSchema: { type: 'object' },
    }));
    const skill = renderForTest({ server: 'large', origin: 'file', tools }, 'lazy');
    const text = skill.files.find((file) => file.path === 'SKILL.md')?.text ?? '';
    expect(text).toContain('- alpha: create_alpha_0, ');
    for (const tool of tools) expect(text).toContain(tool.name);
  });
});

describe('the verdict', () => {
  it('says that a skill saves where a server has many tools', async () => {
    const { verdict, savedAgainstDeferred } = await report(corpusCatalog('mongodb'));
    expect(verdict).toMatchObject({ kind: 'saves', form: 'lazy' });
    expect(savedAgainstDeferred).not.toBe(0);
  });

  it('says that a skill costs more than it saves where a server has one small tool', async () => {
    const { verdict } = await report(corpusCatalog('nx'));
    expect(verdict.kind).not.toBe('saves');
  });

  it('has something to say about a server without tools', async () => {
    expect((await report({ server: 'none', origin: 'file', tools: [] })).verdict.kind).toBe('costs-more');
  });
});

describe('counting', () => {
  it('names its tokenizer and counts control words of the tokenizer as text', async () => {
    expect(counter.name).toBe('o200k_base');
    expect(await counter.count(['hello world', '<|endoftext|>', ''])).toEqual([2, expect.any(Number), 0]);
    expect((await counter.count(['<|endoftext|>']))[0]).toBeGreaterThan(1);
  });

  it('agrees with the native figures of the recorded lists', async () => {
    expect(toFirstCall(await report(corpusCatalog('github')), 'native')).toBe(3548);
  });

  it('gives a span for Claude, never one number', () => {
    const [low, high] = claudeRange(1000);
    expect(low).toBeGreaterThan(1000);
    expect(high).toBeGreaterThan(low);
  });

  it('stops when cancelled', async () => {
    await expect(counter.count(['text'], AbortSignal.abort())).rejects.toThrow();
  });
});
