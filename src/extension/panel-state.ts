/**
 * From what the extension knows to what the panel shows. Long texts of servers are cut here, and everything stays text;
 * figures are those of the report, so that they equal the command line's.
 */
import { formSessions, MOST_ROUNDS, PRICES, type Prices, USUAL, USUAL_ROUNDS } from '#core/economics.ts';
import { MODES, type Mode } from '#core/model.ts';
import type { OperationError, Problem, ProblemKind } from '#core/problem.ts';
import { firstSentence } from '#core/skill/skill-md.ts';
import { claudeRange, type FormCost, type TokenReport } from '#core/tokens.ts';
import type { Forms } from '#node/server-forms.ts';
import type {
  DetailView,
  FileView,
  FindingView,
  FormView,
  PanelState,
  ServerView,
  SessionChoice,
  SessionFacts,
  SessionView,
  ToolView,
} from '#protocol/preview.ts';
import { sumReports } from './panel-sum.ts';
import { shownText } from './shown-text.ts';
import type { CatalogState, ServerEntry } from './workspace-model.ts';

/** What is asked of the model. */
export interface PanelFacts {
  readonly isLoaded: boolean;
  readonly isTrusted: boolean;
  readonly entries: readonly ServerEntry[];
  /** What the person chose, which may be gone by now. */
  readonly selected: string | undefined;
  readonly mode: Mode;
  /** Whose prices and how many rounds the person chose; the usual ones where it is absent. */
  readonly session?: SessionChoice | undefined;
}

/** Words in the person's language. */
export interface PanelWords {
  problemTitle(kind: ProblemKind): string;
  /** A message or a remedy of a problem. */
  problemText(english: string): string;
  failure(error: OperationError): string;
}

/** Every server that was read, added up. */
export const ALL = 'all';

/** The state of the panel. `toolTokenizer` names what the model counts single tools by. */
export function panelStateOf(facts: PanelFacts, words: PanelWords, toolTokenizer: string): PanelState {
  const { isLoaded, isTrusted, entries, mode } = facts;
  const session = sessionFacts(facts.session);
  const selected = selectedOf(facts);
  const entry = entries.find((one) => one.server.id === selected);
  return {
    isLoaded,
    isTrusted,
    servers: entries.map((one) => serverView(one, words)),
    selected,
    mode,
    session,
    detail:
      selected === ALL ? sumOfAll(entries, session, words) : entry && detailOf(entry, session, words, toolTokenizer),
  };
}

/** What is shown before anything is chosen. */
export const usualSession: SessionChoice = { model: PRICES[0].model, rounds: USUAL_ROUNDS };

function sessionFacts(chosen: SessionChoice | undefined): SessionFacts {
  const { model } = pricesOf(chosen?.model);
  const prices = PRICES.map(({ model, asOf, source, write, read }) => ({ model, asOf, source, write, read }));
  return { model, rounds: chosen?.rounds ?? usualSession.rounds, mostRounds: MOST_ROUNDS, ...USUAL, prices };
}

function pricesOf(model: string | undefined): Prices {
  return PRICES.find((one) => one.model === model) ?? PRICES[0];
}

/** Costs over a session grow with the tokens alone, so that those of a sum are the sum of the costs. */
function sessionsOf(forms: readonly FormCost[], { model, rounds }: SessionChoice): readonly SessionView[] {
  return formSessions(forms, rounds, pricesOf(model));
}

function detailOf(
  entry: ServerEntry,
  session: SessionChoice,
  words: PanelWords,
  toolTokenizer: string,
): DetailView | undefined {
  if (entry.state.kind !== 'read') return undefined;
  const { forms, catalog } = entry.state;
  return {
    ...figuresOf(forms.report),
    sessions: sessionsOf(forms.report.forms, session),
    id: entry.server.id,
    origin: catalog.origin,
    findings: forms.inspected.findings.map((finding) => findingView(finding, entry, words)),
    findingsAccepted: entry.findingsAccepted,
    toolTable: toolTable(entry.state),
    toolTokenizer,
    files: filesOf(forms),
  };
}

/** Every tool in the server's order, left out or not. */
function toolTable({ whole, forms, tools }: Extract<CatalogState, { kind: 'read' }>): readonly ToolView[] {
  const included = new Set(forms.inspected.catalog.tools.map((tool) => tool.name));
  return whole.inspected.catalog.tools.map(({ name, description }) => ({
    name,
    label: shownText(name),
    summary: shownText(firstSentence(description, 160)),
    native: tools.get(name)?.native ?? 0,
    lazy: tools.get(name)?.lazy ?? 0,
    included: included.has(name),
  }));
}

/** Clients see it. */
export function isUsable({ server }: ServerEntry): boolean {
  return server.shadowedBy === undefined && !server.disabled;
}

/** The chosen server where it still is; else the first that has figures, else the first that could have some. */
function selectedOf({ entries, selected }: PanelFacts): string | undefined {
  if (entries.some((entry) => entry.server.id === selected)) return selected;
  if (selected === ALL && entries.length > 1) return ALL;
  const usable = entries.filter(isUsable);
  const first = usable.find((entry) => entry.state.kind === 'read') ?? usable[0] ?? entries[0];
  return first?.server.id;
}

function serverView({ server, state }: ServerEntry, words: PanelWords): ServerView {
  const base = { id: server.id, name: shownText(server.name), source: shownText(server.source.display) };
  if (server.shadowedBy !== undefined) return { ...base, state: 'shadowed' };
  switch (state.kind) {
    case 'read': {
      const total = (form: FormView['form']) =>
        state.forms.report.forms.find((one) => one.form === form)?.toFirstCall.tokens ?? 0;
      const forms = {
        native: total('native'),
        deferred: total('deferred'),
        normal: total('normal'),
        lazy: total('lazy'),
        compact: total('compact'),
      };
      return { ...base, state: 'read', tools: state.forms.report.tools, forms };
    }
    case 'failed':
      return { ...base, state: 'failed', failure: words.failure(state.error) };
    case 'reading':
      return { ...base, state: 'reading' };
    case 'unread':
      return { ...base, state: server.disabled ? 'disabled' : 'unread' };
    default:
      return state satisfies never;
  }
}

type Figures = Pick<
  DetailView,
  'tools' | 'tokenizer' | 'exact' | 'forms' | 'verdict' | 'savedAgainstDeferred' | 'meters'
>;

function figuresOf({ tools, tokenizer, exact, forms, verdict, savedAgainstDeferred, meters }: TokenReport): Figures {
  return {
    tools,
    tokenizer,
    exact,
    verdict,
    savedAgainstDeferred,
    meters,
    forms: forms.map((form) => (exact ? form : { ...form, claude: claudeRange(form.toFirstCall.tokens) })),
  };
}

function sumOfAll(entries: readonly ServerEntry[], session: SessionChoice, words: PanelWords): DetailView | undefined {
  const read = entries.flatMap((entry) =>
    entry.state.kind === 'read' && isUsable(entry) ? [{ entry, forms: entry.state.forms }] : [],
  );
  if (read.length === 0) return undefined;
  const sum = sumReports(read.map(({ forms }) => forms.report));
  return {
    ...sum,
    sessions: sessionsOf(sum.forms, session),
    id: ALL,
    origin: 'several',
    findings: read.flatMap(({ entry, forms }) =>
      forms.inspected.findings.map((finding) => findingView(finding, entry, words)),
    ),
    findingsAccepted: read.every(({ entry }) => entry.findingsAccepted),
    toolTable: [],
    toolTokenizer: '',
    files: { normal: [], lazy: [], compact: [] },
  };
}

function findingView(finding: Problem, { server }: ServerEntry, words: PanelWords): FindingView {
  return {
    title: words.problemTitle(finding.kind),
    severity: finding.severity,
    message: shownText(words.problemText(finding.message), 1_000),
    ...(finding.remedy === undefined ? {} : { remedy: shownText(words.problemText(finding.remedy), 1_000) }),
    ...(finding.tool === undefined ? {} : { tool: shownText(finding.tool) }),
    server: shownText(server.name),
  };
}

function filesOf({ skills }: Forms): DetailView['files'] {
  const files = (mode: Mode): readonly FileView[] =>
    skills.find((skill) => skill.mode === mode)?.files.map(({ path, text }) => ({ path, bytes: sizeOf(text) })) ?? [];
  const [normal, lazy, compact] = MODES.map(files);
  return { normal: normal ?? [], lazy: lazy ?? [], compact: compact ?? [] };
}

const utf8 = new TextEncoder();

function sizeOf(text: string): number {
  return utf8.encode(text).length;
}
