/** Code as the engine sees it: its tokens, an open file with it, and an index of it. */
import { ContextIndex } from '../../src/mochi/engine/context-index.ts';
import { OpenFile } from '../../src/mochi/engine/open-file.ts';
import { languageOfPath } from '../../src/mochi/learn/languages.ts';
import { lex, TokenBuffer } from '../../src/mochi/learn/lexer.ts';
import type { Vocabulary } from '../../src/mochi/learn/vocabulary.ts';

function lexed(text: string, vocabulary: Vocabulary, path: string): TokenBuffer {
  const buffer = new TokenBuffer(64);
  lex(text, languageOfPath(path), vocabulary, buffer);
  return buffer;
}

export function openFileOf(text: string, vocabulary: Vocabulary, path = 'a.ts'): OpenFile {
  const { ids, gaps, length } = lexed(text, vocabulary, path);
  const file = new OpenFile(vocabulary);
  for (let at = 0; at < length; at += 1) file.push(ids[at] ?? 0, gaps[at] ?? 0);
  return file;
}

/** An index of one file. Texts that are lexed later bring tokens that it does not know. */
export function indexOf(text: string, vocabulary: Vocabulary, path = 'a.ts'): ContextIndex {
  const { ids, gaps, length } = lexed(text, vocabulary, path);
  const tokens = Int32Array.from([0, ...ids.subarray(0, length)]);
  return ContextIndex.build(tokens, Uint8Array.from([2, ...gaps.subarray(0, length)]), vocabulary.size);
}
