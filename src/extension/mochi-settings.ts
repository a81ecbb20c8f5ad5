/** The settings of completions and of Mochi's own server. What a file may hold is checked here, as in `settings.ts`. */
import * as vscode from 'vscode';
import { THRESHOLD } from '#core/completion/amount.ts';
import { settingIds } from './contributions.ts';

export interface CompletionSettings {
  readonly enabled: boolean;
  /** Whether completions are wanted in a language, by the editor's identifier. */
  isWanted(language: string): boolean;
  /** Characters; shorter suggestions are not shown. */
  readonly minimumLength: number;
  /** 0 to 1; less sure suggestions are not shown. */
  readonly threshold: number;
  readonly severalLines: boolean;
  /** Whether what the language server has not confirmed in time is shown all the same. */
  readonly unverified: boolean;
}

/** As they hold for a document, or for the window. */
export function readCompletionSettings(scope?: vscode.Uri): CompletionSettings {
  const settings = vscode.workspace.getConfiguration(undefined, scope);
  const value = (id: string): unknown => settings.get(id);
  const languages = new Map(Object.entries(objectOf(value(settingIds.completionsLanguages))));
  return {
    enabled: value(settingIds.completionsEnabled) !== false,
    isWanted: (language) => (languages.get(language) ?? languages.get('*') ?? true) !== false,
    minimumLength: numberIn(value(settingIds.minimumLength), 1, 100, 4),
    threshold: numberIn(value(settingIds.threshold), 0.05, 0.95, THRESHOLD),
    severalLines: value(settingIds.multiline) !== false,
    unverified: value(settingIds.unverified) === true,
  };
}

/** Whether completions are switched on for the window; asked at every key and every change of the status. */
export function isCompletionEnabled(): boolean {
  return vscode.workspace.getConfiguration().get(settingIds.completionsEnabled) !== false;
}

export interface LearningSettings {
  readonly askAboveFiles: number;
  readonly onBattery: boolean;
}

export function readLearningSettings(): LearningSettings {
  const settings = vscode.workspace.getConfiguration();
  const value = (id: string): unknown => settings.get(id);
  return {
    askAboveFiles: numberIn(value(settingIds.askAboveFiles), 100, 10_000_000, 30_000),
    onBattery: value(settingIds.learnOnBattery) === true,
  };
}

/** The address of a model server; empty where none is set up. */
export function readModelUrl(): string {
  const url: unknown = vscode.workspace.getConfiguration().get(settingIds.modelUrl);
  return typeof url === 'string' ? url.trim() : '';
}

/** What Mochi is told at its start. One word each, so that a value that begins with a dash stays a value. */
export function readServerWords(): readonly string[] {
  const settings = vscode.workspace.getConfiguration();
  const value = (id: string): unknown => settings.get(id);
  const given = [
    ['engine', value(settingIds.engine)],
    ['model', value(settingIds.model)],
    ['model-url', value(settingIds.modelUrl)],
    ['adapter', value(settingIds.adapter)],
  ] as const;
  return [
    `--memory-limit=${numberIn(value(settingIds.memoryGigabytes), 0.1, 32, 32)}`,
    ...given.flatMap(([name, text]) =>
      // The default needs no word, so that a Mochi that knows no engines starts too.
      typeof text === 'string' && text !== '' && text !== 'auto' ? [`--${name}=${text}`] : [],
    ),
  ];
}

function numberIn(value: unknown, least: number, most: number, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : fallback;
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
