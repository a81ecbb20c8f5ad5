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
}

export interface ToolView {
  readonly name: string;
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
  readonly kind: string;
  readonly severity: 'error' | 'warning' | 'info';
  readonly title: string;
  readonly message: string;
  readonly remedy?: string;
  readonly tool?: string;
}

export interface FileView {
  readonly path: string;
  readonly bytes: number;
  readonly tokens: number;
}

/** One server as the list beside the chart shows it. */
export interface ServerView {
  readonly id: string;
  readonly name: string;
  readonly source: string;
  readonly state: 'unread' | 'reading' | 'read' | 'failed' | 'shadowed' | 'disabled';
  readonly tools?: number;
  readonly tokens?: number;
  /** Why it failed, with the remedy. */
  readonly failure?: string;
}

/** The chosen server, measured. */
export interface ServerDetail {
  readonly id: string;
  readonly origin: 'live' | 'cache' | 'file';
  readonly forms: readonly FormView[];
  readonly tools: readonly ToolView[];
  readonly meters: readonly MeterView[];
  readonly findings: readonly FindingView[];
  readonly findingsAccepted: boolean;
  /** The verdict in words. */
  readonly verdict: string;
  readonly verdictKind: 'saves' | 'saves-idle' | 'costs-more';
  /** Low and high count for Claude of the form the verdict names. */
  readonly claude: readonly [number, number] | undefined;
  /** Files of each form. */
  readonly files: Readonly<Record<Mode, readonly FileView[]>>;
}

export interface PanelState {
  readonly servers: readonly ServerView[];
  /** `all` adds up every server that was read. */
  readonly selected: string | 'all' | undefined;
  readonly mode: Mode;
  readonly tokenizer: string;
  readonly exact: boolean;
  readonly detail: ServerDetail | undefined;
  readonly isTrusted: boolean;
}

/** Texts of the page in the person's language, by key. */
export type PanelStrings = Readonly<Record<string, string>>;

export type ToWebview =
  | { readonly kind: 'strings'; readonly strings: PanelStrings; readonly language: string }
  | { readonly kind: 'state'; readonly state: PanelState }
  /** Something is under way; `undefined` ends it. */
  | { readonly kind: 'busy'; readonly text: string | undefined }
  | { readonly kind: 'failed'; readonly text: string };

export type FromWebview =
  | { readonly kind: 'ready' }
  | { readonly kind: 'selectServer'; readonly id: string }
  | { readonly kind: 'selectMode'; readonly mode: Mode }
  /** Reads the server's tools, after consent. */
  | { readonly kind: 'readTools'; readonly id: string }
  | { readonly kind: 'setTools'; readonly id: string; readonly included: readonly string[] }
  | { readonly kind: 'openFile'; readonly id: string; readonly mode: Mode; readonly path: string }
  | { readonly kind: 'compare'; readonly id: string; readonly left: Mode; readonly right: Mode }
  | { readonly kind: 'acceptFindings'; readonly id: string; readonly accepted: boolean }
  | { readonly kind: 'countExactly'; readonly id: string }
  | { readonly kind: 'write'; readonly id: string; readonly mode: Mode };
