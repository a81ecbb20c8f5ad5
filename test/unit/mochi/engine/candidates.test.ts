import { describe, expect, it } from 'vitest';
import { Candidates } from '../../../../src/mochi/engine/candidates.ts';
import { ContextIndex } from '../../../../src/mochi/engine/context-index.ts';
import { OpenFile } from '../../../../src/mochi/engine/open-file.ts';
import type { Sources } from '../../../../src/mochi/engine/sources.ts';
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
  return { base, near: base, folder: base, syntax, nearSyntax: syntax, syntaxTokens: tokens, beside: [], around: [] };
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

  it('are strings made so, too', () => {
    const vocabulary = new Vocabulary();
    const text = "add(orderStore, 'order.json');\nadd(invoiceStore, 'invoice.json');\nadd(refundStore, ";
    expect(proposed(text, {}, vocabulary)).toContain("'refund.json'");
  });

  it('are names and strings made as files near by made theirs', () => {
    const vocabulary = new Vocabulary();
    const near = (name: string): string => `export class ${name} extends Fault {\n  name = '${name}';\n}\n`;
    const { near: index, nearSyntax } = sourcesOf(near('OrderFault') + near('UserFault'), vocabulary);
    const sources = { near: index, nearSyntax };
    const prefix = 'export class RefundFault extends Fault {\n  name = ';
    expect(proposed(prefix, sources, vocabulary)).toContain("'RefundFault'");
    expect(proposed(prefix, { near: index }, vocabulary)).not.toContain("'RefundFault'");
  });

  it('are the last names of the file, whatever else may follow a common token', () => {
    const vocabulary = new Vocabulary();
    const names = Array.from({ length: 600 }, (_, at) => `item${at}Here`);
    const sources = sourcesOf(names.map((name) => `call(${name});\n`).join(''), vocabulary);
    expect(proposed('const onlyHere = 1;\ncall(', sources, vocabulary)).toContain('onlyHere');
  });

  it('are members of the type that a name was declared with', () => {
    const vocabulary = new Vocabulary();
    const sources = sourcesOf('interface Recipe {\n  title: string;\n  portions: number;\n}\n', vocabulary);
    expect(proposed('function cook(it: Recipe) {\n  it.', sources, vocabulary)).toContain('portions');
    expect(proposed('function cook(it: Other) {\n  it.', { near: sources.near }, vocabulary)).not.toContain('portions');
  });

  it('are strings that no index has room for', () => {
    const vocabulary = new Vocabulary();
    const many = (prefix: string): string =>
      Array.from({ length: 900 }, (_, at) => `{ name: '${prefix}${at}' },`).join('\n');
    const { near, nearSyntax } = sourcesOf(many('M'), vocabulary);
    const sources = { ...sourcesOf(many('N'), vocabulary), near, nearSyntax, folder: undefined };
    expect(proposed("const list = ['a'];\nexport class Refund { name: ", sources, vocabulary)).toContain("'Refund'");
  });

  it('are the files beside, where one is named', () => {
    const prefix = "export * from './basket.ts';\nexport * from ";
    expect(proposed(prefix, { beside: ['basket.ts', 'order.ts'] }, new Vocabulary())).toContain("'./order.ts'");
    expect(proposed(prefix, {}, new Vocabulary())).not.toContain("'./order.ts'");
  });

  it('are few where it is clear what follows', () => {
    const vocabulary = new Vocabulary();
    const filler = Array.from({ length: 60 }, (_, at) => `const w${at} = ${at};\n`).join('');
    const text = filler + 'if (isReady()) {\n  start();\n}\n'.repeat(30);
    const sources = sourcesOf(text, vocabulary);
    const clear = proposed(`${text}if (isReady`, sources, vocabulary);
    expect(clear).toContain('(');
    expect(clear.size).toBeLessThan(30);
  });

  it('are names that the file is called by', () => {
    const vocabulary = new Vocabulary();
    expect(proposed('export class ', {}, vocabulary, 'src/order-list.ts')).toContain('OrderList');
    expect(proposed('export function ', {}, vocabulary, 'src/order-list.ts')).toContain('orderList');
    expect(proposed('export class ', {}, vocabulary)).not.toContain('OrderList');
  });
});
