/** The recorded tool lists of real servers, as catalogs. Test data only; see the files for packages and licences. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Catalog } from '../../src/core/model.ts';

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'corpus');

export function corpusNames(): readonly string[] {
  return readdirSync(FOLDER)
    .map((file) => basename(file, '.json'))
    .sort();
}

export function corpusCatalog(name: string): Catalog {
  const recorded = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as {
    tools: Catalog['tools'];
    instructions?: string;
  };
  const { tools, instructions } = recorded;
  return { server: name, origin: 'file', tools, ...(instructions === undefined ? {} : { instructions }) };
}

/** All of them, sorted by name. */
export function corpus(): readonly Catalog[] {
  return corpusNames().map(corpusCatalog);
}
