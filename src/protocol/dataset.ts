/** What `mochi dataset` says of what it wrote: its statistics file, read by the command line and by whoever trains. */

export const DATASET_SPLITS = ['train', 'valid', 'test'] as const;
export type DatasetSplit = (typeof DATASET_SPLITS)[number];

/** In the folder of a data set; a folder without it is never replaced. */
export const STATISTICS_FILE = 'statistics.json';
export const DATASET_VERSION = 1;

export interface SplitCounts {
  readonly files: number;
  /** Questions with their answers. */
  readonly alpaca: number;
  /** Pieces of code to fill in. */
  readonly fim: number;
  /** UTF-16 units of all texts to train on. */
  readonly characters: number;
}

export interface DatasetStatistics {
  readonly mochiDataset: typeof DATASET_VERSION;
  readonly splits: Readonly<Record<DatasetSplit, SplitCounts>>;
  /** Samples by what they ask: `write`, `explain`, `find`, `complete`, `convention`, `line`, `block`, `body`. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Samples by language. */
  readonly languages: Readonly<Record<string, number>>;
  /** Files that gave no samples, by reason. */
  readonly filesLeftOut: Readonly<Record<string, number>>;
  /** Samples that were not good enough, by reason. */
  readonly samplesLeftOut: Readonly<Record<string, number>>;
}

/** Whether a parsed file is one of a data set of ours, as far as its readers need. */
export function isDatasetStatistics(value: unknown): value is DatasetStatistics {
  if (typeof value !== 'object' || value === null) return false;
  if (!('mochiDataset' in value) || value.mochiDataset !== DATASET_VERSION || !('splits' in value)) return false;
  const { splits } = value;
  return typeof splits === 'object' && splits !== null && DATASET_SPLITS.every((split) => split in splits);
}
