/**
 * The completion corpus and its splits, read from where they lie, and the indexes a split allows. Says what is missing
 * rather than fetching it: the sources are `npm pack`ed into `.bench/` by hand, the tables come with the fixtures.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ContextIndex } from '../../src/mochi/engine/context-index.ts';
import type { Sources } from '../../src/mochi/engine/sources.ts';
import { languageOfPath } from '../../src/mochi/learn/languages.ts';
import { lex, TokenBuffer } from '../../src/mochi/learn/lexer.ts';
import { Vocabulary } from '../../src/mochi/learn/vocabulary.ts';

export const root: string = fileURLToPath(new URL('../../', import.meta.url));
const tables = process.env['COMPLETION_BENCH'] ?? `${root}../shared/fixtures/completion-bench`;

export interface CorpusFile {
  readonly path: string;
  readonly a: string;
  readonly b: string;
  readonly text: string;
  readonly ids: Int32Array;
  readonly gaps: Uint8Array;
  readonly starts: Int32Array;
}

/** The tables of the benchmark; undefined where they or the sources are missing, which is said. */
export function readTable(name: string): readonly (readonly string[])[] | undefined {
  const path = `${tables}/${name}.tsv`;
  if (!existsSync(path)) {
    console.log(`missing: ${name}.tsv of the completion benchmark (set COMPLETION_BENCH to its folder)`);
    return undefined;
  }
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.slice(1).map((line) => line.split('\t'));
}

export interface Corpus {
  readonly files: readonly CorpusFile[];
  readonly vocabulary: Vocabulary;
}

export function readCorpus(): Corpus | undefined {
  const rows = readTable('split');
  if (rows === undefined) return undefined;
  if (!existsSync(`${root}.bench/${rows[0]?.[0]}`)) {
    console.log('missing: the sources in .bench/ (npm pack the packages named with the benchmark, one folder each)');
    return undefined;
  }
  const vocabulary = new Vocabulary();
  const buffer = new TokenBuffer(1 << 16);
  const files = rows.map(([path = '', a = '', b = '']): CorpusFile => {
    const text = readFileSync(`${root}.bench/${path}`, 'utf8');
    buffer.length = 0;
    lex(text, languageOfPath(path), vocabulary, buffer);
    const { ids, gaps, starts, length } = buffer;
    return {
      path,
      a,
      b,
      text,
      ids: ids.slice(0, length),
      gaps: gaps.slice(0, length),
      starts: starts.slice(0, length),
    };
  });
  return { files, vocabulary };
}

interface Joined {
  readonly index: ContextIndex;
  readonly places: ReadonlyMap<string, readonly [number, number]>;
}

export function join(files: readonly CorpusFile[], vocabulary: Vocabulary): Joined {
  const length = files.reduce((sum, file) => sum + file.ids.length + 1, 0);
  const tokens = new Int32Array(length);
  const gaps = new Uint8Array(length);
  const places = new Map<string, readonly [number, number]>();
  let at = 0;
  for (const file of files) {
    gaps[at] = 2;
    tokens.set(file.ids, at + 1);
    gaps.set(file.gaps, at + 1);
    places.set(file.path, [at, at + 1 + file.ids.length]);
    at += 1 + file.ids.length;
  }
  return { index: ContextIndex.build(tokens, gaps, vocabulary.size), places };
}

export function syntaxOf(base: ContextIndex, vocabulary: Vocabulary): ContextIndex {
  return ContextIndex.build(vocabulary.classesOf(base.tokens), base.gaps, vocabulary.classes);
}

const projectOf = (file: CorpusFile): string => file.path.slice(0, file.path.indexOf('/'));

/** What may be known while a test file is written: `known` files, and in nested splits its own project's others. */
export function createSetup(
  known: readonly CorpusFile[],
  nested: readonly CorpusFile[],
  vocabulary: Vocabulary,
): (file: CorpusFile) => Sources {
  const base = join(known, vocabulary).index;
  const syntax = syntaxOf(base, vocabulary);
  const everything = [...known, ...nested];
  const projects = new Map<string, Joined & { readonly syntax: ContextIndex }>();
  const ways = new Map<string, readonly string[]>();
  const folders = new Map<string, { readonly index: ContextIndex | undefined; readonly names: readonly string[] }>();
  return (file) => {
    const project = projectOf(file);
    let near = projects.get(project);
    if (near === undefined) {
      const joined = join(
        everything.filter((it) => projectOf(it) === project),
        vocabulary,
      );
      near = { ...joined, syntax: syntaxOf(joined.index, vocabulary) };
      projects.set(project, near);
    }
    const [from, to] = near.places.get(file.path) ?? [0, 0];
    near.index.mask(from, to);
    near.syntax.mask(from, to);
    const isNested = near.places.has(file.path);
    const folder = dirname(file.path);
    const key = isNested ? file.path : folder;
    if (!folders.has(key)) {
      if (folders.size > 50) folders.clear();
      const beside = everything.filter((it) => it !== file && dirname(it.path) === folder);
      folders.set(key, {
        index: beside.length > 0 ? join(beside, vocabulary).index : undefined,
        names: beside.map((it) => basename(it.path)).sort(),
      });
    }
    if (!ways.has(folder))
      ways.set(
        folder,
        [...near.places.keys()].map((path) => relative(folder, path)),
      );
    return {
      around: ways.get(folder),
      folder: folders.get(key)?.index,
      beside: folders.get(key)?.names,
      near: near.index,
      nearSyntax: near.syntax,
      base,
      syntax,
      syntaxTokens: base.tokens,
    };
  };
}

/** Split A knows the training files; B knows those of its training projects and all others of the file's own project. */
export function setupOf(split: 'a' | 'b', { files, vocabulary }: Corpus): (file: CorpusFile) => Sources {
  const known = files.filter((file) => file[split] === 'train');
  return createSetup(known, split === 'b' ? files.filter((file) => file.b === 'test') : [], vocabulary);
}
