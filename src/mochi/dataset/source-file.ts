/**
 * A source file as samples are made of it: its text without licence header, its declarations, and where secrets stand.
 * Says why a file is no good; which samples are made, others decide.
 */
import type { SecretSpan } from '#core/scan/secrets.ts';
import { findSourceSecrets } from '#core/scan/source-secrets.ts';
import { type Fact, factsOf } from '../learn/facts.ts';
import { type Language, languageOfPath } from '../learn/languages.ts';
import { lex, TokenBuffer } from '../learn/lexer.ts';
import { type CodeSymbol, LineTable, symbolsOf } from '../learn/symbols.ts';
import type { Vocabulary } from '../learn/vocabulary.ts';

export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly language: Language;
  readonly lines: LineTable;
  /** Of the text, valid until the next file is read. */
  readonly tokens: TokenBuffer;
  readonly symbols: readonly CodeSymbol[];
  readonly facts: readonly Fact[];
  /** Where secrets stand, in order. */
  readonly secrets: readonly SecretSpan[];
}

export type FileRefusal = 'no code' | 'short' | 'wide' | 'model markers';

const FEWEST_LINES = 5;
/** Characters of a line beyond which a file was not written by hand. */
const WIDEST_LINE = 400;
/** A tokenizer takes these for its own signs wherever they stand. */
const MARKERS = /<\|[a-z_]{2,30}\|>/i;
/** Where a compiler says what it made a file of. */
const SOURCE_MAP = /^[ \t]*\/[/*][#@][ \t]*sourceMappingURL=.*\n?/gm;
const shared = new TokenBuffer(1 << 16);

/** The file, or why it gives no samples. */
export function readSource(path: string, whole: string, vocabulary: Vocabulary): SourceFile | FileRefusal {
  const language = languageOfPath(path);
  if (language.keywords.size === 0) return 'no code';
  const plain = whole
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replace(SOURCE_MAP, '');
  const text = withoutLicence(plain);
  const lines = new LineTable(text);
  if (lines.count < FEWEST_LINES) return 'short';
  if (text.split('\n').some((line) => line.length > WIDEST_LINE)) return 'wide';
  if (MARKERS.test(text)) return 'model markers';
  shared.length = 0;
  lex(text, language, vocabulary, shared);
  const lexed = { text, language, tokens: shared, vocabulary, lines };
  const symbols = symbolsOf(lexed);
  return {
    path,
    text,
    language,
    lines,
    tokens: shared,
    symbols,
    facts: factsOf(lexed, path, symbols),
    secrets: findSourceSecrets(text),
  };
}

/** A comment at the very start that speaks of rights is every file's and teaches nothing. */
function withoutLicence(text: string): string {
  const header =
    /^(?:#!.*\n)?\s*(?:\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|"""[\s\S]*?"""|(?:[ \t]*(?:\/\/|#|--|;).*\n)+)\s*/.exec(text);
  if (header === null || !/licen[cs]e|copyright|spdx|all rights reserved/i.test(header[0])) return text;
  return text.slice(header[0].length);
}

/** Whether a secret stands in a part of the file. */
export function hasSecret({ secrets }: Pick<SourceFile, 'secrets'>, start: number, end: number): boolean {
  return secrets.some((span) => span.start < end && span.end > start);
}
