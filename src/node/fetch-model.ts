/** All that a model needs, for whoever has no command line at hand: what runs it, and the default model. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { download } from './download.ts';
import { BACKEND_PACKAGE_VERSION, installBackend, isBackendInstalled } from './install-backend.ts';
import { backendFolder, modelsFolder } from './model-place.ts';
import { addressOf, DEFAULT_MODEL } from './model-source.ts';
import type { Surroundings } from './person-folders.ts';

/** What would be fetched, as people are asked about it. */
export interface ModelOffer {
  readonly library: string;
  readonly libraryThere: boolean;
  readonly model: string;
  readonly modelThere: boolean;
  /** Where the model comes from. */
  readonly host: string;
  readonly size: string;
  readonly licence: string;
  readonly folder: string;
}

export interface FetchProgress {
  readonly what: 'library' | 'model';
  /** 0 to 1, where it is known. */
  readonly share: number | undefined;
}

const wanted = (around: Surroundings) =>
  ({ folder: backendFolder(around), platform: around.platform, arch: process.arch, gpu: 'none' }) as const;
const fileIn = (around: Surroundings): string => join(modelsFolder(around), DEFAULT_MODEL.file);
const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() === true;

/** Throws OperationError `usage` where there is no build for this machine. */
export async function offerModel(around: Surroundings): Promise<ModelOffer> {
  return {
    library: `node-llama-cpp ${BACKEND_PACKAGE_VERSION}`,
    libraryThere: await isBackendInstalled(wanted(around)),
    model: DEFAULT_MODEL.file,
    modelThere: await isFile(fileIn(around)),
    host: addressOf(undefined, around.env).host,
    size: DEFAULT_MODEL.size,
    licence: DEFAULT_MODEL.licence,
    folder: modelsFolder(around),
  };
}

/** Fetches what is not there; gives the file of the model. Throws OperationError, or the signal's reason. */
export async function fetchModel(
  around: Surroundings,
  signal: AbortSignal,
  onProgress: (progress: FetchProgress) => void,
): Promise<string> {
  if (!(await isBackendInstalled(wanted(around)))) {
    onProgress({ what: 'library', share: undefined });
    await installBackend({ ...wanted(around), env: around.env, signal });
  }
  const to = fileIn(around);
  if (await isFile(to)) return to;
  onProgress({ what: 'model', share: 0 });
  await download({
    url: addressOf(undefined, around.env),
    to,
    sha256: DEFAULT_MODEL.sha256,
    magic: 'GGUF',
    signal,
    onProgress: ({ done, total }) =>
      onProgress({ what: 'model', share: total === undefined ? undefined : done / Math.max(1, total) }),
  });
  return to;
}
