/**
 * What crosses the wall between the extension and the panel's page. The host owns the state; the page is a function of
 * the last `state` message. Nothing is asked and answered: everything is announced.
 */
import type { Mode } from '../core/model.ts';

/** Tokens and bytes of one stage. */
export interface StageCost {
  readonly tokens: number;
  readonly bytes: number;
}

export interface FormView {
  readonly form: Mode | 'native' | 'deferred';
  readonly always: StageCost;
  readonly activation: StageCost;
  readonly beforeCall: StageCost;
  readonly toFirstCall: StageCost;
  readonly wholeSchema: boolean;
  /** What Claude may count to the first call, low and high; absent where the count is Claude's own. */
  readonly claude?: readonly [low: number, high: number];
}

export interface ToolView {
  /** As the server spells it: what it is called in messages. */
  readonly name: string;
  /** Its name made visible and short enough to show. */
  readonly label: string;
  /** First sentence, plain text. */
  readonly summary: string;
  /** Tokens of its definition as a native tool. */
  readonly native: number;
  /** Tokens of its reference file in the lazy form. */
  readonly lazy: number;
  readonly included: boolean;
}

export interface MeterView {
  readonly name: 'listing-entry' | 'listing-budget' | 'body-tokens' | 'body-lines';
  readonly form: Mode;
  readonly used: number;
  readonly limit: number;
}

export interface FindingView {
  /** In the person's language. */
  readonly title: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly remedy?: string;
  readonly tool?: string;
  readonly server: string;
}

export interface FileView {
  readonly path: string;
  readonly bytes: number;
}

/** What one form of the tools costs over a session, in US dollars. */
export interface SessionView {
  readonly form: FormView['form'];
  /** With the server never used, and used as {@link SessionFacts} say. */
  readonly idle: number;
  readonly used: number;
  /** First called there or later, it costs no more than native tools; one more than the rounds: only if never. */
  readonly breakEvenRound?: number;
}

/** A model's prices in US dollars for a million tokens. */
export interface PriceView {
  readonly model: string;
  readonly asOf: string;
  readonly source: string;
  readonly write: number;
  readonly read: number;
}

/** What the person chose: whose prices, for how many rounds. */
export interface SessionChoice {
  readonly model: string;
  readonly rounds: number;
}

export interface SessionFacts extends SessionChoice {
  readonly mostRounds: number;
  /** The round of the first call, and how many tools are called. */
  readonly firstCall: number;
  readonly toolsUsed: number;
  /** All that can be chosen. */
  readonly prices: readonly PriceView[];
}

/** One server as the list beside the chart shows it. */
export interface ServerView {
  readonly id: string;
  readonly name: string;
  /** The file that names it, for people. */
  readonly source: string;
  readonly state: 'unread' | 'reading' | 'read' | 'failed' | 'shadowed' | 'disabled';
  readonly tools?: number;
  /** To the first call, of all forms, once read. */
  readonly forms?: Readonly<Record<FormView['form'], number>>;
  /** Why it failed, with the remedy. */
  readonly failure?: string;
}

/** The verdict, in figures; the page has the words. */
export type VerdictView =
  | { readonly kind: 'saves'; readonly form: Mode; readonly saved: number; readonly share: number }
  | { readonly kind: 'saves-idle'; readonly form: Mode; readonly saved: number; readonly extra: number }
  | { readonly kind: 'costs-more'; readonly form: Mode; readonly extra: number; readonly tools: number };

/** The chosen server, or all that were read, measured. */
export interface DetailView {
  /** The server's id, or `all`. */
  readonly id: string;
  readonly origin: 'live' | 'cache' | 'file' | 'several';
  /** Tools that go into the skill. */
  readonly tools: number;
  /** By whom the forms are counted. */
  readonly tokenizer: string;
  /** Whether these are Claude's own counts. */
  readonly exact: boolean;
  readonly forms: readonly FormView[];
  readonly verdict: VerdictView;
  /** What the best form saves by the first call against deferred tools; negative where it costs. */
  readonly savedAgainstDeferred: number;
  readonly meters: readonly MeterView[];
  /** Over the chosen session, in the order of the forms. */
  readonly sessions: readonly SessionView[];
  readonly findings: readonly FindingView[];
  /** Whether the person has accepted all of them that must be; true where there are none. */
  readonly findingsAccepted: boolean;
  /** Every tool of the server; empty for all servers. Counted offline. */
  readonly toolTable: readonly ToolView[];
  readonly toolTokenizer: string;
  /** Files of each form; empty for all servers. */
  readonly files: Readonly<Record<Mode, readonly FileView[]>>;
}

export interface PanelState {
  /** False until the config files were read for the first time. */
  readonly isLoaded: boolean;
  readonly servers: readonly ServerView[];
  /** A server's id, or `all`, which adds up every server that was read. */
  readonly selected: string | undefined;
  readonly mode: Mode;
  readonly session: SessionFacts;
  readonly detail: DetailView | undefined;
  readonly isTrusted: boolean;
}

/** Texts of the page in the person's language; `{0}` and `{1}` stand for what the page fills in. */
export interface PanelStrings {
  readonly [key: string]: string;
}

export type ToWebview =
  | { readonly kind: 'strings'; readonly strings: PanelStrings; readonly language: string }
  | { readonly kind: 'state'; readonly state: PanelState }
  /** Something is under way; without a text it has ended. */
  | { readonly kind: 'busy'; readonly text?: string }
  | { readonly kind: 'failed'; readonly text: string };

export type FromWebview =
  | { readonly kind: 'ready' }
  | { readonly kind: 'selectServer'; readonly id: string }
  | { readonly kind: 'selectMode'; readonly mode: Mode }
  /** What is absent stays as it was chosen before. */
  | ({ readonly kind: 'selectSession' } & Partial<SessionChoice>)
  /** Reads the tools of a server, or of `all` that were not read, after consent. */
  | { readonly kind: 'readTools'; readonly id: string }
  | { readonly kind: 'setTools'; readonly id: string; readonly included: readonly string[] }
  | { readonly kind: 'openFile'; readonly id: string; readonly mode: Mode; readonly path: string }
  | { readonly kind: 'compare'; readonly id: string; readonly left: Mode; readonly right: Mode }
  | { readonly kind: 'acceptFindings'; readonly id: string; readonly accepted: boolean }
  | { readonly kind: 'countExactly'; readonly id: string }
  | { readonly kind: 'write'; readonly id: string; readonly mode: Mode }
  /** Opens a new config file, unsaved. */
  | { readonly kind: 'addServer' }
  | { readonly kind: 'trustWorkspace' }
  | { readonly kind: 'showLog' };
