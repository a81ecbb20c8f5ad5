/**
 * Ghost text as it is shown, over held-out files of the completion benchmark: `npm run bench -- completions`, or
 * `node test/bench/completions.ts [quick] [typing|members|latency|tune…]`. Typing and members ask the engine in this
 * process, latency asks the built `dist/mochi.mjs` over its streams. Prints, asserts nothing.
 */
import { existsSync } from 'node:fs';
import { THRESHOLD } from '../../src/core/completion/amount.ts';
import { measureLatency } from './completions-latency.ts';
import { measureMembers } from './completions-members.ts';
import { type AskEngine, report, type TypedLine, typeLines, typeWithWords } from './completions-typing.ts';
import { engineOn, heldOutLines, linesFrom, projectOf, type Row, readRows } from './completions-workspace.ts';
import { root } from './mochi-corpus.ts';

const isQuick = process.argv.includes('quick');
const parts = process.argv.slice(2).filter((argument) => argument !== 'quick');
const isWanted = (part: string): boolean => (parts.length === 0 ? part !== 'tune' : parts.includes(part));
const every = isQuick ? 6 : 2;

console.log(
  'targets: right as they stand >= 45 % with keystrokes saved >= 18 % (A) and >= 10 % (B); answer at the provider p95 <= 30 ms',
);
const rows = readRows();
if (rows === undefined || !existsSync(`${root}.bench/${rows[0]?.file}`))
  console.log('missing: the completion benchmark and the sources in .bench/');
else {
  if (isWanted('tune')) await tune(rows);
  const inA = rows.filter(({ a }) => a === 'train').map(({ file }) => file);
  if (isWanted('typing')) {
    await typing('A, files of known projects', heldOutLines('A', every), await engineOn(inA));
    await typing('B, unknown projects', heldOutLines('B', every), await enginesOnB(rows));
  }
  if (isWanted('members')) {
    const most = isQuick ? 60 : 500;
    await measureMembers([
      { name: 'A', rows: rows.filter(({ a }) => a === 'test'), ask: await engineOn(inA), most },
      { name: 'B', rows: rows.filter(({ b }) => b === 'test'), ask: await enginesOnB(rows), most: most / 2 },
    ]);
  }
  if (isWanted('latency')) await measureLatency(inA, heldOutLines('A', isQuick ? 20 : 6));
}

/** The same lines three times: as a new file is written, as a line is written anew, and with an editor's word list. */
async function typing(name: string, lines: readonly TypedLine[], ask: AskEngine): Promise<void> {
  report(`${name}; nothing below`, await typeLines(lines, ask, { threshold: THRESHOLD, withSuffix: false }));
  report(`${name}; the file below`, await typeLines(lines, ask, { threshold: THRESHOLD, withSuffix: true }));
  report(`${name}; word list, first entry`, typeWithWords(lines, false));
  report(`${name}; word list, any of 12 entries`, typeWithWords(lines, true));
}

/** For each unknown project an engine that knows the training files and the project's other files. */
async function enginesOnB(all: readonly Row[]): Promise<AskEngine> {
  const train = all.filter(({ b }) => b === 'train').map(({ file }) => file);
  let current: { readonly project: string; readonly ask: AskEngine } | undefined;
  return async (question, file) => {
    const project = projectOf(file);
    if (current?.project !== project) {
      const own = all.filter((row) => row.b === 'test' && projectOf(row.file) === project).map((row) => row.file);
      current = { project, ask: await engineOn([...train, ...own]) };
    }
    return current.ask(question, file);
  };
}

/** Thresholds side by side on lines of training files, each held out from what is known while it is typed. */
async function tune(all: readonly Row[]): Promise<void> {
  const files = all.filter(({ a, b }) => a === 'train' && b === 'train').map(({ file }) => file);
  const ask = await engineOn(files);
  const hash = (text: string): number => [...text].reduce((sum, char) => (sum * 31 + char.charCodeAt(0)) >>> 0, 7);
  const chosen = files.filter((file) => hash(file) % 100 >= 85);
  const lines = linesFrom(chosen, isQuick ? 60 : 400);
  for (const threshold of [0.25, 0.35, 0.4, 0.45, 0.5, 0.55, 0.65, 0.8])
    report(`training files, threshold ${threshold}`, await typeLines(lines, ask, { threshold, withSuffix: false }));
}
