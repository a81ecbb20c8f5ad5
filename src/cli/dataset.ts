/**
 * `mochi dataset [DIR]`: has the server's own program make a data set of a folder's code, to train an adapter on, and
 * shows what it holds. How it is made, and what is left out, lies there.
 */
import { join, resolve } from 'node:path';
import { OperationError } from '#core/problem.ts';
import { createFiles } from '#node/files.ts';
import { DATASET_SPLITS, type DatasetStatistics, isDatasetStatistics, STATISTICS_FILE } from '#protocol/dataset.ts';
import type { Context } from './context.ts';
import { EXIT } from './exit-codes.ts';
import { codeFolder } from './learn.ts';
import { runMochi } from './mochi-child.ts';
import { grouped, table } from './terminal.ts';

/** Where it goes without `--output`. */
const DEFAULT_OUTPUT = 'mochi-dataset';
const LARGEST_STATISTICS = 1_000_000;

export async function dataset(context: Context): Promise<number> {
  const { args, host, terminal } = context;
  const { folder } = await codeFolder(context);
  const output = resolve(host.cwd, args.output ?? DEFAULT_OUTPUT);
  const words = [`--workspace=${folder}`, `--output=${output}`, ...(args.force ? ['--force'] : [])];
  const code = await runMochi(context, ['dataset', ...words]);
  if (code !== EXIT.ok) return code;
  const statistics = await readStatistics(output);
  if (args.json) terminal.print(JSON.stringify({ folder: output, ...statistics }, undefined, 2));
  else summarize(statistics, args.output ?? DEFAULT_OUTPUT, context);
  return EXIT.ok;
}

async function readStatistics(folder: string): Promise<DatasetStatistics> {
  const bytes = await createFiles().read(join(folder, STATISTICS_FILE), LARGEST_STATISTICS);
  const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes ?? new Uint8Array()) || 'null');
  if (isDatasetStatistics(parsed)) return parsed;
  throw new OperationError('io', `${STATISTICS_FILE} of the data set cannot be read.`, { remedy: 'Make it again.' });
}

function summarize({ splits, filesLeftOut, samplesLeftOut }: DatasetStatistics, output: string, context: Context) {
  const { terminal, t } = context;
  const right = { align: 'right' } as const;
  const columns = [
    { title: t('part') },
    { title: t('files'), ...right },
    { title: t('questions'), ...right },
    { title: t('pieces to fill in'), ...right },
    { title: t('characters'), ...right },
  ];
  const rows = DATASET_SPLITS.map((split) => {
    const { files, alpaca, fim, characters } = splits[split];
    return [split, ...[files, alpaca, fim, characters].map(grouped)];
  });
  for (const line of table(columns, rows, terminal.width)) terminal.print(line);
  terminal.print();
  terminal.print(t('Left out: {0} files, {1} samples.', sumOf(filesLeftOut), sumOf(samplesLeftOut)));
  terminal.print(t('The data set is in {0}; {1} says why what was left out.', output, STATISTICS_FILE));
  if (splits.train.alpaca + splits.train.fim === 0)
    terminal.note(t('There is nothing to train on: this folder holds no code that Mochi knows.'));
}

function sumOf(counts: Readonly<Record<string, number>>): string {
  return grouped(Object.values(counts).reduce((sum, one) => sum + one, 0));
}
