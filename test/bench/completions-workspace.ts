/** Folders of corpus files that are learned as a workspace is, and lines to type in the files that were held out. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suffixFor } from '../../src/core/completion/below.ts';
import type { Answer } from '../../src/core/completion/suggestions.ts';
import { EmbeddedEngine } from '../../src/mochi/engine/embedded.ts';
import { learnFolder } from '../../src/mochi/learn/learn.ts';
import type { AskEngine, TypedLine } from './completions-typing.ts';
import { readTable, root } from './mochi-corpus.ts';

export const textOf = (file: string): string => readFileSync(`${root}.bench/${file}`, 'utf8');
export const projectOf = (file: string): string => file.slice(0, file.indexOf('/'));

export interface Row {
  readonly file: string;
  readonly a: string;
  readonly b: string;
}

export function readRows(): readonly Row[] | undefined {
  return readTable('split')?.map(([file = '', a = '', b = '']) => ({ file, a, b }));
}

/** Copies corpus files into a folder of their own. */
export function workspaceOf(files: readonly string[]): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'mochi-completions-'));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), textOf(file));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The embedded engine on these files; a file that is asked about is left out of what is known. */
export async function engineOn(files: readonly string[]): Promise<AskEngine> {
  const { folder, remove } = workspaceOf(files);
  const signal = new AbortController().signal;
  const memory = await learnFolder(folder, {}, signal);
  remove();
  const engine = new EmbeddedEngine({ root: folder, memory, isLearning: false });
  return async ({ around, language, facts }, path): Promise<Answer> => {
    const request = { prefix: around.before, suffix: suffixFor(around), language, path, maxAlternatives: 2 };
    const found = await engine.complete(facts === undefined ? request : { ...request, facts }, signal);
    const { completion, confidence, steps = [], alternatives } = found;
    return { draft: { text: completion, confidence, steps }, alternatives, engine: engine.name };
  };
}

/** The lines of the benchmark that begin at a line's first token, every `every`th. */
export function heldOutLines(split: 'A' | 'B', every: number): readonly TypedLine[] {
  const rows = readTable(`lines-${split}`)?.filter(([, , , kind]) => kind === 'start') ?? [];
  return rows
    .filter((_, at) => at % every === 0)
    .map(([file = '', from = '', to = '']) => ({ file, text: textOf(file), from: Number(from), to: Number(to) }));
}

/** Code lines of files, chosen at random but always the same; for fitting, from files that are no test files. */
export function linesFrom(files: readonly string[], most: number): readonly TypedLine[] {
  const lines = files.flatMap((file) => {
    const text = textOf(file);
    const found: TypedLine[] = [];
    let at = 0;
    let isComment = false;
    for (const line of text.split('\n')) {
      const bare = line.trim();
      const from = at + line.length - line.trimStart().length;
      if (bare.startsWith('/*')) isComment = true;
      if (!isComment && bare !== '' && !/^(\/\/|\*)/.test(bare))
        found.push({ file, text, from, to: at + line.trimEnd().length });
      if (bare.endsWith('*/')) isComment = false;
      at += line.length + 1;
    }
    return found;
  });
  let seed = 7;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed;
  };
  return lines
    .map((line) => ({ line, order: random() }))
    .sort((one, two) => one.order - two.order)
    .slice(0, most)
    .map(({ line }) => line);
}
