/** What is kept of one learned file, and how its text becomes that. The text itself is not kept. */
import { blankSecrets } from '#core/scan/source-secrets.ts';
import { type Fact, factsOf } from './facts.ts';
import { languageOfPath } from './languages.ts';
import { lex, TokenBuffer } from './lexer.ts';
import { type CodeSymbol, LineTable, symbolsOf } from './symbols.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface FileRecord {
  readonly path: string;
  readonly language: string;
  readonly size: number;
  readonly changed: number;
  readonly lines: number;
  readonly symbols: readonly CodeSymbol[];
  readonly facts: readonly Fact[];
}

export interface LearnedFile {
  readonly record: FileRecord;
  /** Valid until the next file is learned into the same buffer. */
  readonly tokens: TokenBuffer;
}

const shared = new TokenBuffer(1 << 16);

/** Lexes a file and notes what it declares and does. Files of no programming language teach tokens only. */
export function learnText(
  path: string,
  text: string,
  place: { readonly size: number; readonly changed: number },
  vocabulary: Vocabulary,
): LearnedFile {
  const language = languageOfPath(path);
  shared.length = 0;
  // Their values stand without quotes, so that no string tells where one begins.
  lex(language.keywords.size > 0 ? text : blankSecrets(text), language, vocabulary, shared);
  const lines = new LineTable(text);
  const file = { text, language, tokens: shared, vocabulary, lines };
  const symbols = language.keywords.size > 0 ? symbolsOf(file) : [];
  const facts = factsOf(file, path, symbols);
  return { record: { path, language: language.id, ...place, lines: lines.count, symbols, facts }, tokens: shared };
}
