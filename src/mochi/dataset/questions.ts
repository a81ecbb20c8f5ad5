/**
 * Questions and answers made of one file: its documented declarations to write, explain and find, and its functions to
 * go on with; and of the habits of all files, what they are. Nothing is answered that does not stand in the code.
 */
import type { DatasetSplit } from '#protocol/dataset.ts';
import type { Finding } from '../learn/knowledge.ts';
import type { CodeSymbol } from '../learn/symbols.ts';
import type { NearDuplicates } from './near-duplicates.ts';
import type { SampleRefusal, SampleSink } from './samples.ts';
import { hasSecret, type SourceFile } from './source-file.ts';

const LONGEST = 6_000;
const MOST_LINES = 120;
const FEWEST_TOKENS = 20;
const FEWEST_LINES = 3;
/** A function shorter than this is too little to be cut in two. */
const FEWEST_LINES_TO_CUT = 8;
const MOST_OF_FILE = 60;

const NAMES: ReadonlyMap<string, string> = new Map([
  ['typescript', 'TypeScript'],
  ['javascript', 'JavaScript'],
  ['csharp', 'C#'],
  ['cpp', 'C++'],
  ['php', 'PHP'],
]);

/** For people. */
export const languageName = (id: string): string => NAMES.get(id) ?? id.charAt(0).toUpperCase() + id.slice(1);

/** Gives the sink all samples of a file's declarations. */
export function questionsOf(file: SourceFile, split: DatasetSplit, seen: NearDuplicates, sink: SampleSink): void {
  let taken = 0;
  for (const symbol of file.symbols) {
    if (symbol.kind === 'constant') continue;
    if (taken >= MOST_OF_FILE) return;
    const piece = pieceOf(file, symbol);
    const refusal = refusalOf(file, symbol, piece) ?? (isSeen(file, symbol, seen) ? 'near duplicate' : undefined);
    if (refusal !== undefined) {
      sink.leaveOut(refusal);
      continue;
    }
    taken += 1;
    describe(file, symbol, piece.code, split, sink);
    if (symbol.kind === 'function' || symbol.kind === 'method') goOn(file, symbol, piece.code, split, sink);
  }
}

/** What one file's declaration says; `start` and `end` are offsets into the text. */
interface CodePiece {
  readonly code: string;
  readonly start: number;
  readonly end: number;
}

/** Whole lines, with their common indentation taken away. */
function pieceOf({ text, lines }: SourceFile, symbol: CodeSymbol): CodePiece {
  const start = lines.startOf(symbol.line);
  const after = symbol.endLine < lines.count ? lines.startOf(symbol.endLine + 1) : text.length;
  return { code: dedented(text.slice(start, after).trimEnd()), start, end: after };
}

function dedented(code: string): string {
  const lines = code.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  let common = indents[0] ?? '';
  for (const indent of indents) while (!indent.startsWith(common)) common = common.slice(0, -1);
  return lines.map((line) => line.slice(common.length).trimEnd()).join('\n');
}

function refusalOf(file: SourceFile, symbol: CodeSymbol, { code, start, end }: CodePiece): SampleRefusal | undefined {
  const lineCount = symbol.endLine - symbol.line + 1;
  if (code.length > LONGEST || lineCount > MOST_LINES) return 'too long';
  if (symbol.to - symbol.from < FEWEST_TOKENS || lineCount < FEWEST_LINES) return 'trivial';
  if (isData(code)) return 'data';
  // The comment before it is part of a sample too.
  return hasSecret(file, Math.max(0, start - 2_500), end) ? 'secret' : undefined;
}

/** Tables of numbers and strings are no code to learn from. */
function isData(code: string): boolean {
  const words = code.match(/[A-Za-z_]\w*/g)?.length ?? 0;
  const literals = (code.match(/\b\d[\w.]*\b/g)?.length ?? 0) + (code.match(/(['"`])(?:(?!\1).)*\1/g)?.length ?? 0);
  return literals > 20 && literals > words;
}

function isSeen({ tokens }: SourceFile, { from, to }: CodeSymbol, seen: NearDuplicates): boolean {
  return seen.isKnown(tokens.ids.subarray(from, to));
}

/** What a comment must be to say what code does. */
function isTelling(doc: string): boolean {
  // Cut within a sentence it is no answer.
  if (doc.endsWith('…')) return false;
  if (doc.length < 20 || (doc.match(/\p{L}{2,}/gu)?.length ?? 0) < 3) return false;
  return !/^(?:todo|fixme|hack|xxx|eslint|ts-|prettier|biome|istanbul|c8|@|region|#|noqa|type:|pylint|nolint)|copyright|licen[cs]e/i.test(
    doc,
  );
}

function describe(file: SourceFile, symbol: CodeSymbol, code: string, split: DatasetSplit, sink: SampleSink): void {
  if (!isTelling(symbol.doc)) return;
  const { language } = file;
  const kind = symbol.kind === 'class' || symbol.kind === 'type' ? 'declaration' : symbol.kind;
  const source = `${file.path}:${symbol.line}`;
  const doc = /[.!?:]$/.test(symbol.doc) ? symbol.doc : `${symbol.doc}.`;
  const called = `\`${symbol.name}\``;
  const common = { language: language.id, source };
  sink.alpaca(
    {
      ...common,
      kind: 'write',
      instruction: `Write the ${languageName(language.id)} ${kind} ${called} of ${file.path}. ${doc}`,
      input: '',
      output: code,
    },
    split,
  );
  sink.alpaca(
    { ...common, kind: 'explain', instruction: `What does the ${kind} ${called} do?`, input: code, output: doc },
    split,
  );
  sink.alpaca(
    {
      ...common,
      kind: 'find',
      instruction: `Which ${kind} of this code base is this? ${doc}`,
      input: '',
      output: `${called} in ${file.path}:\n${headOf(code).join('\n')}`,
    },
    split,
  );
}

/** The lines up to the one that opens the body. */
function headOf(code: string): readonly string[] {
  const lines = code.split('\n');
  const opening = lines.findIndex((line) => /(?:[{:]|=>|\bdo)\s*$/.test(line));
  return lines.slice(0, opening < 0 || opening > 11 ? 1 : opening + 1);
}

function goOn(file: SourceFile, symbol: CodeSymbol, code: string, split: DatasetSplit, sink: SampleSink): void {
  const lines = code.split('\n');
  if (lines.length < FEWEST_LINES_TO_CUT) return;
  const cut = Math.max(headOf(code).length + 1, Math.floor(lines.length * 0.4));
  const rest = lines.slice(cut).join('\n');
  if (rest.trim().length < 40) return;
  sink.alpaca(
    {
      kind: 'complete',
      instruction: `Complete this ${languageName(file.language.id)} code of ${file.path}.`,
      input: lines.slice(0, cut).join('\n'),
      output: rest,
      language: file.language.id,
      source: `${file.path}:${symbol.line}`,
    },
    split,
  );
}

/** Gives the sink what the habits found in the files of the training split are. */
export function conventionQuestions(findings: readonly Finding[], sink: SampleSink): void {
  for (const { name, title, description, examples } of findings) {
    // Which methods are called of which names is a count, not a habit to answer with.
    if (name.startsWith('call-')) continue;
    const [example] = examples;
    const shown = example === undefined ? '' : `\n\nFor example in ${example.file}:\n${example.code}`;
    sink.alpaca(
      {
        kind: 'convention',
        instruction: `What is the habit of this code base: ${title}?`,
        input: '',
        output: `${description}${shown}`,
        language: languageOfName(name),
        source: example === undefined ? name : `${example.file}:${example.line}`,
      },
      'train',
    );
  }
}

/** Names of findings begin or end with their language where they have one. */
function languageOfName(name: string): string {
  return /typescript|javascript|python|go|rust|java|cpp|csharp|ruby|php|kotlin|swift|c(?=-|$)/.exec(name)?.[0] ?? 'any';
}
