/** States of the panel for tests, made of recorded tool lists by the code that makes the real ones. */
import type { Catalog, Mode, Server, Tool } from '../../src/core/model.ts';
import { MODES } from '../../src/core/model.ts';
import { OperationError as Failure, type OperationError, type Problem } from '../../src/core/problem.ts';
import { definitionText, measure } from '../../src/core/tokens.ts';
import { type PanelFacts, type PanelWords, panelStateOf } from '../../src/extension/panel-state.ts';
import type { CatalogState, ServerEntry, ToolCost } from '../../src/extension/workspace-model.ts';
import type { Forms } from '../../src/node/server-forms.ts';
import { createOfflineCounter } from '../../src/node/token-counter.ts';
import type { PanelState } from '../../src/protocol/preview.ts';
import { corpusCatalog } from './corpus.ts';
import { renderForTest } from './render.ts';

export const counter = createOfflineCounter();

/** A server of a name, as if `.mcp.json` named it. */
export function serverNamed(name: string, more: Partial<Server> = {}): Server {
  const source = {
    id: 'claude-code:/w/.mcp.json',
    dialect: 'claude-code',
    label: 'Claude Code',
    path: '/w/.mcp.json',
    display: '.mcp.json',
    scope: 'folder' as const,
    folder: '/w',
  };
  return {
    id: `${source.id}#${name}`,
    name,
    source,
    at: { file: '.mcp.json', line: 1 },
    endpoint: { kind: 'stdio', command: 'server', args: [], env: {} },
    disabled: false,
    inputs: [],
    ...more,
  };
}

async function formsFor(server: Server, catalog: Catalog, findings: readonly Problem[]): Promise<Forms> {
  const skills = MODES.map((mode) => renderForTest(catalog, mode));
  const inspected = { catalog, original: catalog, endpoint: server.endpoint, excluded: [], findings, notes: [] };
  return { server, inspected, skills, report: await measure(catalog, skills, counter) };
}

async function costsOf({ inspected }: Forms): Promise<ReadonlyMap<string, ToolCost>> {
  const { tools } = inspected.catalog;
  const counts = await counter.count(tools.map(definitionText));
  return new Map(
    tools.map(({ name }, index) => [name, { native: counts[index] ?? 0, lazy: (counts[index] ?? 0) + 9 }]),
  );
}

export interface EntryOptions {
  readonly excluded?: readonly string[];
  readonly findings?: readonly Problem[];
  readonly findingsAccepted?: boolean;
  readonly server?: Partial<Server>;
}

/** A server whose tools were read. */
export async function readEntry(catalog: Catalog, options: EntryOptions = {}): Promise<ServerEntry> {
  const server = serverNamed(catalog.server, options.server);
  const { excluded = [], findings = [], findingsAccepted = findings.length === 0 } = options;
  const whole = await formsFor(server, catalog, findings);
  const kept = { ...catalog, tools: catalog.tools.filter((tool) => !excluded.includes(tool.name)) };
  const forms = excluded.length === 0 ? whole : await formsFor(server, kept, findings);
  const state: CatalogState = {
    kind: 'read',
    catalog,
    whole,
    forms,
    tools: await costsOf(whole),
    problems: [],
    basis: '',
  };
  return { server, skill: catalog.server, state, excluded, findingsAccepted, approved: true };
}

/** A server in any other state. */
export function entryIn(
  name: string,
  kind: 'unread' | 'reading' | OperationError,
  more: Partial<Server> = {},
): ServerEntry {
  const state: CatalogState = typeof kind === 'string' ? { kind } : { kind: 'failed', error: kind };
  return { server: serverNamed(name, more), skill: name, state, excluded: [], findingsAccepted: true, approved: false };
}

const words: PanelWords = {
  problemTitle: (kind) => kind,
  problemText: (english) => english,
  failure: (error) => `${error.message} ${error.remedy ?? ''}`,
};

export function panelState(entries: readonly ServerEntry[], more: Partial<PanelFacts> = {}): PanelState {
  const mode: Mode = 'lazy';
  const facts = { isLoaded: true, isTrusted: true, entries, selected: undefined, mode, ...more };
  return panelStateOf(facts, words, counter.name);
}

/** What every test of the page shows first: three servers read, one not, one failed. */
export async function usualEntries(): Promise<readonly ServerEntry[]> {
  return [
    await readEntry(corpusCatalog('filesystem')),
    await readEntry(corpusCatalog('github')),
    await readEntry(corpusCatalog('context7')),
    entryIn('stripe', 'unread'),
    entryIn(
      'kubernetes',
      new Failure('timeout', 'The server did not answer in 60 s.', { remedy: 'Start it by hand.' }),
    ),
  ];
}

/** A catalog of that many tools, taken from the recorded ones. */
export function largeCatalog(count: number): Catalog {
  const base = corpusCatalog('zereight-gitlab');
  const tools = Array.from({ length: count }, (_, index): Tool => {
    const tool = base.tools[index % base.tools.length];
    if (tool === undefined) throw new Error('no recorded tools');
    return { ...tool, name: `${tool.name}_${index}` };
  });
  return { ...base, server: 'large', tools };
}
