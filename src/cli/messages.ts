/**
 * What the command line says to people, in English, Japanese and Simplified Chinese. A sentence is its
 * own key; a label for one of a set of words, such as `form: lazy`, has its English text in `l10n/cli.en.json`. The
 * translations stand beside it, and a test says which are missing.
 */
import { type ProblemTable, problemTranslator } from '#core/problem-text.ts';
import en from '../../l10n/cli.en.json' with { type: 'json' };
import ja from '../../l10n/cli.ja.json' with { type: 'json' };
import zhCn from '../../l10n/cli.zh-cn.json' with { type: 'json' };
import fetchJa from '../../l10n/fetch.ja.json' with { type: 'json' };
import fetchZhCn from '../../l10n/fetch.zh-cn.json' with { type: 'json' };
import problemsJa from '../../l10n/problems.ja.json' with { type: 'json' };
import problemsZhCn from '../../l10n/problems.zh-cn.json' with { type: 'json' };
import usageJa from '../../l10n/usage.ja.json' with { type: 'json' };
import usageZhCn from '../../l10n/usage.zh-cn.json' with { type: 'json' };

export type Language = 'en' | 'ja' | 'zh-cn';
export type Translate = (text: string, ...values: readonly (string | number)[]) => string;

const BUNDLES: Record<Language, ReadonlyMap<string, string>> = {
  en: new Map(Object.entries(en)),
  ja: new Map(Object.entries(ja)),
  'zh-cn': new Map(Object.entries(zhCn)),
};

/** Sentences of problems and of wrong usage; English is what they are reported in. */
const PROBLEMS: Record<Language, ProblemTable> = {
  en: {},
  ja: { ...problemsJa, ...usageJa, ...fetchJa },
  'zh-cn': { ...problemsZhCn, ...usageZhCn, ...fetchZhCn },
};

/** The language of a POSIX locale such as `ja_JP.UTF-8` or of a tag such as `zh-Hans`; English where it is another. */
export function languageOf(locale: string | undefined): Language {
  const tag = (locale ?? '').toLowerCase().replace('_', '-');
  if (tag.startsWith('ja')) return 'ja';
  return /^zh(?!-(?:tw|hk|mo|hant))/.test(tag) ? 'zh-cn' : 'en';
}

/** The language that was asked for, else the one that the environment names. */
export function languageFrom(given: string | undefined, env: Readonly<Record<string, string | undefined>>): Language {
  return languageOf(given ?? (env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG']));
}

/**
 * `{0}`, `{1}`… in a text are replaced by the values, in one pass, so that a value can hold no placeholder. The sentence
 * of a problem is its own text.
 */
export function translator(language: Language): Translate {
  const bundle = BUNDLES[language];
  const problems = problemTranslator(PROBLEMS[language]);
  return (text, ...values) =>
    (bundle.get(text) ?? (values.length === 0 ? problems(text) : text)).replace(/\{(\d+)\}/g, (whole, index: string) =>
      String(values[Number(index)] ?? whole),
    );
}
