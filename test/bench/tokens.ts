/**
 * What the forms cost over the recorded lists of real servers, by load stage and against both baselines, and how fast
 * the pipeline renders and counts. `npm run bench -- tokens`.
 */
import { performance } from 'node:perf_hooks';
import { type Catalog, MODES } from '../../src/core/model.ts';
import { measure, type TokenReport } from '../../src/core/tokens.ts';
import { createOfflineCounter } from '../../src/node/token-counter.ts';
import { corpus, corpusCatalog } from '../support/corpus.ts';
import { renderForTest } from '../support/render.ts';

const counter = createOfflineCounter();
const CALLED: Readonly<Record<string, readonly [tool: string, target: number]>> = {
  everything: ['get-sum', 400],
  filesystem: ['edit_file', 450],
  github: ['create_issue', 620],
};

function reportOf(catalog: Catalog, calledTool?: string): Promise<TokenReport> {
  const skills = MODES.map((mode) => renderForTest(catalog, mode));
  return measure(catalog, skills, counter, calledTool === undefined ? {} : { calledTool });
}

function row(cells: readonly (string | number)[]): void {
  console.log(cells.map((cell, index) => (index === 0 ? String(cell).padEnd(18) : String(cell).padStart(8))).join(''));
}

function costs(
  report: TokenReport,
  form: string,
): { always: number; activation: number; before: number; total: number } {
  const one = report.forms.find((candidate) => candidate.form === form);
  return {
    always: one?.always.tokens ?? 0,
    activation: one?.activation.tokens ?? 0,
    before: one?.beforeCall.tokens ?? 0,
    total: one?.toFirstCall.tokens ?? 0,
  };
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function tokenTable(): Promise<void> {
  console.log(
    `Tokens by ${counter.name}. Stages of the lazy form: listing line, SKILL.md, the called tool's file (median).`,
  );
  row([
    'server',
    'tools',
    'native',
    'deferred',
    'listing',
    'SKILL.md',
    'file',
    'lazy',
    '/native',
    '/defer.',
    'normal',
    'compact',
  ]);
  const ratios: number[] = [];
  for (const catalog of corpus()) {
    const report = await reportOf(catalog);
    const [native, deferred, lazy] = ['native', 'deferred', 'lazy'].map((form) => costs(report, form));
    if (native === undefined || deferred === undefined || lazy === undefined) continue;
    const ratio = lazy.total / native.total;
    if (catalog.tools.length >= 15 && catalog.tools.length <= 80) ratios.push(ratio);
    row([
      catalog.server,
      catalog.tools.length,
      native.total,
      deferred.total,
      lazy.always,
      lazy.activation,
      lazy.before,
      lazy.total,
      ratio.toFixed(3),
      (lazy.total / deferred.total).toFixed(2),
      costs(report, 'normal').total,
      costs(report, 'compact').total,
    ]);
  }
  console.log(
    `lazy / native, median over the ${ratios.length} servers of 15 to 80 tools: ${median(ratios).toFixed(3)} (target 0.16)`,
  );
  for (const [server, [tool, target]] of Object.entries(CALLED)) {
    const report = await reportOf(corpusCatalog(server), tool);
    console.log(
      `${server}, calling ${tool}: lazy ${costs(report, 'lazy').total} (target ${target}), native ${costs(report, 'native').total}, deferred ${costs(report, 'deferred').total}`,
    );
  }
}

/** `count` tools with the shapes of the recorded ones, in catalogs of 100. */
function manyCatalogs(count: number): readonly Catalog[] {
  const all = corpus().flatMap((catalog) => catalog.tools);
  return Array.from({ length: Math.ceil(count / 100) }, (_, part) => ({
    server: `server-${part}`,
    origin: 'file',
    tools: Array.from({ length: Math.min(100, count - 100 * part) }, (_, index) => {
      const tool = all[(100 * part + index) % all.length];
      return { description: '', inputSchema: {}, ...tool, name: `${tool?.name ?? 'tool'}_${100 * part + index}` };
    }),
  }));
}

async function speed(): Promise<void> {
  console.log('\nPipeline: every tool rendered in three modes and counted.');
  row(['tools', 'render s', 'count s', 'tools/s', 'MB', 'of 1k']);
  let first = 0;
  for (const count of [1_000, 10_000, 100_000]) {
    const catalogs = manyCatalogs(count);
    const fresh = createOfflineCounter();
    await fresh.count(['warm']);
    let render = 0;
    let tally = 0;
    let bytes = 0;
    for (const catalog of catalogs) {
      const start = performance.now();
      const skills = MODES.map((mode) => renderForTest(catalog, mode));
      const rendered = performance.now();
      await measure(catalog, skills, fresh);
      tally += performance.now() - rendered;
      render += rendered - start;
      bytes += skills.reduce((sum, skill) => sum + skill.files.reduce((inner, file) => inner + file.text.length, 0), 0);
    }
    const rate = (1_000 * count) / (render + tally);
    first ||= rate;
    row([
      count,
      (render / 1_000).toFixed(2),
      (tally / 1_000).toFixed(2),
      Math.round(rate),
      (bytes / 1e6).toFixed(0),
      (rate / first).toFixed(2),
    ]);
  }
}

await tokenTable();
await speed();
