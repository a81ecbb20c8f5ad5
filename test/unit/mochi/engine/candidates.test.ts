import { describe, expect, it } from 'vitest';
import { Candidates, type Sources } from '../../../../src/mochi/engine/candidates.ts';
import { ContextIndex } from '../../../../src/mochi/engine/context-index.ts';
import { OpenFile } from '../../../../src/mochi/engine/open-file.ts';
import { languageOfPath } from '../../../../src/mochi/learn/languages.ts';
import { lex, TokenBuffer } from '../../../../src/mochi/learn/lexer.ts';
import { Vocabulary } from '../../../../src/mochi/learn/vocabulary.ts';

const typescript = languageOfPath('a.ts');

function lexed(text: string, vocabulary: Vocabulary): TokenBuffer {
  const buffer = new TokenBuffer(64);
  lex(text, typescript, vocabulary, buffer);
  return buffer;
}

/** What an index of `text` alone offers. */
function sourcesOf(text: string, vocabulary: Vocabulary): Required<Sources> {
  const { ids, gaps, length } = lexed(text, vocabulary);
  const tokens = ids.slice(0, length);
  const bytes = gaps.slice(0, length);
  const base = ContextIndex.build(tokens, bytes, vocabulary.size);
  const syntax = ContextIndex.build(vocabulary.classesOf(tokens), bytes, vocabulary.classes);
  return { base, near: base, folder: base, syntax, nearSyntax: syntax, syntaxTokens: tokens };
}

function proposed(prefix: string, sources: Sources, vocabulary: Vocabulary, path?: string): ReadonlySet<string> {
  const file = new OpenFile(vocabulary, path);
  const { ids, gaps, length } = lexed(prefix, vocabulary);
  for (let at = 0; at < length; at += 1) file.push(ids[at] ?? 0, gaps[at] ?? 0);
  const candidates = new Candidates();
  candidates.gather(file, sources);
  return new Set(
    Array.from(candidates.symbols.subarray(1, candidates.count), (symbol) => vocabulary.textOf(symbol >> 1)),
  );
}

describe('candidates', () => {
  const learned = 'const alpha = load(beta);\nconst gamma = load(delta);\n';

  it('are what followed in learned files, and what those had where the syntax was alike', () => {
    const vocabulary = new Vocabulary();
    const sources = sourcesOf(learned, vocabulary);
    expect(proposed('const other = load(', sources, vocabulary)).toContain('delta');
    expect(proposed('let other = save(', { ...sources, base: undefined, near: sources.near }, vocabulary)).toContain(
      'beta',
    );
  });

  it('are nothing that only the masked file knows', () => {
    const vocabulary = new Vocabulary();
    const sources = sourcesOf(learned, vocabulary);
    const { length } = sources.base?.tokens ?? [];
    for (const index of [sources.base, sources.syntax]) index?.mask(0, length);
    const found = proposed('const other = load(', sources, vocabulary);
    for (const name of ['alpha', 'beta', 'gamma', 'delta']) expect(found).not.toContain(name);
    expect(found).toContain('other');
  });

  it('are names made as the lines above made theirs', () => {
    const vocabulary = new Vocabulary();
    const text =
      'const orderPath = pathOf(orderName);\nconst invoicePath = pathOf(invoiceName);\nconst refundPath = pathOf(';
    expect(proposed(text, {}, vocabulary)).toContain('refundName');
  });

  it('are names that the file is called by', () => {
    const vocabulary = new Vocabulary();
    expect(proposed('export class ', {}, vocabulary, 'src/order-list.ts')).toContain('OrderList');
    expect(proposed('export function ', {}, vocabulary, 'src/order-list.ts')).toContain('orderList');
    expect(proposed('export class ', {}, vocabulary)).not.toContain('OrderList');
  });
});
