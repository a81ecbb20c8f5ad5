/**
 * Which files are trained on and which are kept aside to measure by. A file's name decides, so that a new file changes
 * nothing for the others.
 */
import { createHash } from 'node:crypto';
import { DATASET_SPLITS, type DatasetSplit } from '#protocol/dataset.ts';

/** Part of the files that each of `valid` and `test` gets. */
const ASIDE = 0.05;
/** Fewer files are all trained on. */
const FEWEST_TO_SPLIT = 3;

const placeOf = (path: string): number => createHash('sha256').update(path).digest().readUInt32BE(0) / 2 ** 32;

/** The split of each path. Where chance gives a split no file at all, it gets the one that is nearest to it. */
export function splitFiles(paths: readonly string[]): ReadonlyMap<string, DatasetSplit> {
  const splits = new Map<string, DatasetSplit>(paths.map((path) => [path, splitOf(placeOf(path))]));
  if (paths.length < FEWEST_TO_SPLIT) return new Map(paths.map((path) => [path, 'train']));
  const byPlace = [...paths].sort((one, two) => placeOf(one) - placeOf(two) || (one < two ? -1 : 1));
  const [lowest, second] = byPlace;
  for (const [split, nearest] of [
    ['test', lowest],
    ['valid', second],
  ] as const)
    if (nearest !== undefined && ![...splits.values()].includes(split)) splits.set(nearest, split);
  if (![...splits.values()].includes('train')) splits.set(byPlace.at(-1) ?? '', 'train');
  return splits;
}

function splitOf(place: number): DatasetSplit {
  const [train, valid, test] = DATASET_SPLITS;
  if (place < ASIDE) return test;
  return place < 2 * ASIDE ? valid : train;
}
