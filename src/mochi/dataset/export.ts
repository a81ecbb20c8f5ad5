/**
 * Makes a data set of a folder's code: finds the files, takes samples of each that is worth it, keeps some files aside,
 * and counts everything. The same code gives the same bytes.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findSourceSecrets } from '#core/scan/source-secrets.ts';
import {
  DATASET_SPLITS,
  DATASET_VERSION,
  type DatasetSplit,
  type DatasetStatistics,
  type SplitCounts,
} from '#protocol/dataset.ts';
import { crawl, refusalOf } from '../learn/crawl.ts';
import { type FactsOfFile, findingsOf } from '../learn/findings.ts';
import { languageOfPath } from '../learn/languages.ts';
import { sourceText } from '../learn/source-text.ts';
import { Vocabulary } from '../learn/vocabulary.ts';
import { infillOf } from './infill.ts';
import { KnownLines } from './known-lines.ts';
import { NearDuplicates } from './near-duplicates.ts';
import { openOutput } from './output.ts';
import { conventionQuestions, questionsOf } from './questions.ts';
import { type AlpacaSample, alpacaText, type FimSample, fimText, type SampleSink } from './samples.ts';
import { readSource } from './source-file.ts';
import { splitFiles } from './split.ts';

export interface ExportOptions {
  /** The folder with the code, absolute. */
  readonly root: string;
  /** Where the data set goes, absolute. */
  readonly output: string;
  /** Whether an earlier data set there is replaced. */
  readonly isForced: boolean;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Files between two pauses in which others get to work, and a wish to stop is heard. */
const AT_ONCE = 8;

/**
 * Rejects with the signal's reason once that is aborted, or with OperationError; then the output is as it was before.
 */
export async function exportDataset(options: ExportOptions, signal: AbortSignal): Promise<DatasetStatistics> {
  const { root, isForced, onProgress } = options;
  const output = await openOutput(options.output, isForced);
  try {
    const { files, leftOut } = await crawl(root, {}, signal);
    const code = files.map(({ path }) => path).filter((path) => languageOfPath(path).keywords.size > 0);
    const tally = new Tally(leftOut);
    tally.leaveFileOut('no code', files.length - code.length);
    const splits = splitFiles(code);
    // What is trained on is known before anything is kept aside to measure by.
    const isAside = (path: string): boolean => splits.get(path) !== 'train';
    const paths = [...code.filter((path) => !isAside(path)), ...code.filter(isAside)];
    const vocabulary = new Vocabulary();
    const seen = { files: new NearDuplicates(), pieces: new NearDuplicates() };
    const trained: FactsOfFile[] = [];
    for (const [at, path] of paths.entries()) {
      if (at % AT_ONCE === 0) {
        signal.throwIfAborted();
        onProgress?.(at, paths.length);
        await tally.flush(output.line);
      }
      const split = splits.get(path) ?? 'train';
      const facts = sampleFile(path, await textOf(root, path), { vocabulary, seen, split, tally });
      if (facts !== undefined && split === 'train') trained.push(facts);
    }
    const { patterns, conventions } = findingsOf(trained);
    conventionQuestions([...patterns, ...conventions], tally);
    await tally.flush(output.line);
    signal.throwIfAborted();
    onProgress?.(paths.length, paths.length);
    const statistics = tally.statistics();
    await output.finish(statistics);
    return statistics;
  } catch (error) {
    await output.discard();
    throw error;
  }
}

async function textOf(root: string, path: string): Promise<string | undefined> {
  return readFile(join(root, path)).then(sourceText, () => undefined);
}

interface Around {
  readonly vocabulary: Vocabulary;
  readonly seen: { readonly files: NearDuplicates; readonly pieces: NearDuplicates };
  readonly split: DatasetSplit;
  readonly tally: Tally;
}

/** What the file says of habits; undefined where it gives nothing. */
function sampleFile(path: string, text: string | undefined, around: Around): FactsOfFile | undefined {
  const { vocabulary, seen, split, tally } = around;
  const refusal = text === undefined ? 'unreadable' : refusalOf(text);
  if (text === undefined || refusal !== undefined) {
    tally.leaveFileOut(refusal ?? 'unreadable');
    return undefined;
  }
  const file = readSource(path, text, vocabulary);
  if (typeof file === 'string') {
    tally.leaveFileOut(file);
    return undefined;
  }
  if (seen.files.isKnown(file.tokens.ids.subarray(0, file.tokens.length))) {
    tally.leaveFileOut('near duplicate');
    return undefined;
  }
  tally.takeFile(split, file.text);
  questionsOf(file, split, seen.pieces, tally);
  infillOf(file, split, tally);
  return { path, facts: file.facts };
}

/** A split's counts while they grow. */
type Counts = { -readonly [key in keyof SplitCounts]: number };

/** Takes samples, leaves out what was there before or holds a secret, counts, and hands on what is to be written. */
class Tally implements SampleSink {
  readonly #known = new Set<string>();
  readonly #trained = new KnownLines();
  readonly #kinds = new Map<string, number>();
  readonly #languages = new Map<string, number>();
  readonly #files = new Map<string, number>();
  readonly #samples = new Map<string, number>();
  readonly #splits = new Map<DatasetSplit, Counts>(
    DATASET_SPLITS.map((split) => [split, { files: 0, alpaca: 0, fim: 0, characters: 0 }]),
  );
  #waiting: { readonly name: string; readonly value: unknown }[] = [];

  constructor(leftOut: ReadonlyMap<string, number>) {
    for (const [reason, count] of leftOut) this.#files.set(reason, count);
  }

  alpaca(sample: AlpacaSample, split: DatasetSplit): void {
    // Comments and examples come from elsewhere in the file than the code that was looked at.
    const text = alpacaText(sample);
    if (findSourceSecrets(`${sample.instruction}\n${sample.output}`).length > 0) this.leaveOut('secret');
    else this.#take('alpaca', sample, text, split, `${sample.instruction}\n${sample.input}`);
  }

  fim(sample: FimSample, split: DatasetSplit): void {
    this.#take('fim', sample, fimText(sample), split, `${sample.prefix.slice(-200)}\n${sample.middle}`);
  }

  #take(
    form: 'alpaca' | 'fim',
    sample: AlpacaSample | FimSample,
    text: string,
    split: DatasetSplit,
    identity: string,
  ): void {
    const key = createHash('sha256').update(identity.replace(/\s+/g, ' ')).digest('base64');
    if (this.#known.has(key)) {
      this.leaveOut('duplicate');
      return;
    }
    if (split !== 'train' && this.#trained.hold(codeOf(sample))) {
      this.leaveOut('trained on');
      return;
    }
    this.#known.add(key);
    count(this.#kinds, sample.kind);
    count(this.#languages, sample.language);
    const counts = this.#splits.get(split);
    if (counts !== undefined) {
      counts[form] += 1;
      counts.characters += text.length;
    }
    this.#waiting.push(
      { name: `${form}/${split}.jsonl`, value: sample },
      { name: `text/${split}.jsonl`, value: { text } },
    );
  }

  leaveOut(reason: string): void {
    count(this.#samples, reason);
  }

  takeFile(split: DatasetSplit, text: string): void {
    if (split === 'train') this.#trained.add(text);
    const counts = this.#splits.get(split);
    if (counts !== undefined) counts.files += 1;
  }

  leaveFileOut(reason: string, many = 1): void {
    if (many > 0) count(this.#files, reason, many);
  }

  async flush(write: (name: string, value: unknown) => Promise<void>): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { name, value } of waiting) await write(name, value);
  }

  statistics(): DatasetStatistics {
    const none = { files: 0, alpaca: 0, fim: 0, characters: 0 };
    const of = (split: DatasetSplit) => this.#splits.get(split) ?? none;
    return {
      mochiDataset: DATASET_VERSION,
      splits: { train: of('train'), valid: of('valid'), test: of('test') },
      kinds: sorted(this.#kinds),
      languages: sorted(this.#languages),
      filesLeftOut: sorted(this.#files),
      samplesLeftOut: sorted(this.#samples),
    };
  }
}

/** What a model that learned by heart would say again. */
function codeOf(sample: AlpacaSample | FimSample): string {
  if ('middle' in sample) return sample.middle;
  return sample.kind === 'explain' ? sample.input : sample.output;
}

function count(into: Map<string, number>, key: string, many = 1): void {
  into.set(key, (into.get(key) ?? 0) + many);
}

/** Most first. */
function sorted(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  const entries = [...counts].sort(([one, many], [two, more]) => more - many || (one < two ? -1 : 1));
  return Object.fromEntries(entries);
}
