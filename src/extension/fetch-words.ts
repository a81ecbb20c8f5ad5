/**
 * Sentences of fetching a model, in the editor's language. They stand in tables of their own, which the command line reads
 * too, and are loaded where something went wrong.
 */
import { type ProblemTable, problemTranslator } from '#core/problem-text.ts';
import ja from '../../l10n/fetch.ja.json' with { type: 'json' };
import zhCn from '../../l10n/fetch.zh-cn.json' with { type: 'json' };

const TABLES: ReadonlyMap<string, ProblemTable> = new Map([
  ['ja', ja],
  ['zh-cn', zhCn],
]);

/** By the editor's tag of a language; English where there is no table. */
export function fetchTranslator(language: string): (english: string) => string {
  return problemTranslator(TABLES.get(language) ?? {});
}
