/**
 * The door to `node-llama-cpp`, which is no part of the package: it lies in a folder of its own, put there by
 * `mochi model pull` or by hand, and is imported from there by its place. It is the only computed import of the room.
 * What is used of the library stands here as interfaces; the library is never asked to build or download anything.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { MochiFault } from '../../limits.ts';

/** The version that was tested; others have other names for the same things. */
export const BACKEND_VERSION = '3.21.1';

export interface LibrarySequence {
  readonly contextTokens: readonly number[];
  adaptStateToTokens(tokens: readonly number[], allowShift: boolean): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: readonly number[]): Promise<void>;
  evaluateWithMetadata(
    tokens: readonly number[],
    metadata: { readonly confidence: true },
    options: { readonly temperature: number },
  ): AsyncGenerator<{ readonly token: number; readonly confidence: number }, void>;
}

export interface LibraryContext {
  readonly contextSize: number;
  readonly memoryUsage: { readonly ram: number; readonly vram: number };
  getSequence(): LibrarySequence;
  dispose(): Promise<void>;
}

export interface LibraryModel {
  readonly trainContextSize: number;
  readonly gpuLayers: number;
  readonly memoryUsage: { readonly ram: number; readonly vram: number };
  readonly tokens: {
    readonly bos: number | null;
    readonly shouldPrependBosToken: boolean;
    readonly infill: {
      readonly prefixString: string | null | undefined;
      readonly suffixString: string | null | undefined;
      readonly middleString: string | null | undefined;
    };
  };
  tokenize(text: string, specialTokens: boolean): number[];
  detokenize(tokens: readonly number[], specialTokens?: boolean, lastTokens?: readonly number[]): string;
  isEogToken(token: number): boolean;
  createContext(options: {
    readonly contextSize: number;
    readonly sequences: number;
    readonly batchSize: number;
    readonly threads: number;
    readonly lora?: { readonly adapters: readonly { readonly filePath: string; readonly scale: number }[] };
  }): Promise<LibraryContext>;
  dispose(): Promise<void>;
}

interface Needs {
  readonly cpuRam: number;
  readonly gpuVram: number;
}

export interface LibraryInsights {
  readonly trainContextSize: number | undefined;
  readonly totalLayers: number;
  estimateModelResourceRequirementsV2(options: {
    readonly gpuLayers: number;
    readonly useMmap: boolean;
  }): Promise<Needs>;
  estimateContextResourceRequirementsV2(options: {
    readonly contextSize: number;
    readonly modelGpuLayers: number;
    readonly batchSize: number;
    readonly sequences: number;
  }): Promise<Needs>;
}

export interface LibraryLlama {
  readonly gpu: string | false;
  readonly cpuMathCores: number;
  getRamState(): Promise<{ readonly free: number }>;
  loadModel(options: {
    readonly modelPath: string;
    readonly gpuLayers: number | 'auto';
    readonly useMmap: boolean;
    readonly ignoreMemorySafetyChecks: boolean;
    readonly onLoadProgress: (share: number) => void;
  }): Promise<LibraryModel>;
}

export interface Library {
  getLlama(options: {
    readonly build: 'never';
    readonly skipDownload: true;
    readonly progressLogs: false;
    readonly maxThreads: number;
    readonly logLevel: string;
    readonly logger: (level: string, message: string) => void;
  }): Promise<LibraryLlama>;
  readGgufFileInfo(file: string): Promise<unknown>;
  readonly GgufInsights: { from(info: unknown, llama: LibraryLlama): Promise<LibraryInsights> };
}

/** A function of the library, whose types are its own. */
const callable = z.custom((value) => typeof value === 'function');
const manifestSchema = z.object({ version: z.string(), exports: z.unknown() });
const moduleSchema = z.looseObject({ getLlama: callable, readGgufFileInfo: callable, GgufInsights: callable });

/** Loads it from this folder. Throws a MochiFault `not-ready` that says how to get it. */
export async function openBackend(folder: string): Promise<Library> {
  const home = join(folder, 'node_modules', 'node-llama-cpp');
  const text = await readFile(join(home, 'package.json'), 'utf8').catch(() => undefined);
  if (text === undefined) throw missing('The engine for models is not installed.');
  const manifest = manifestSchema.safeParse(parsed(text)).data;
  if (manifest?.version !== BACKEND_VERSION)
    throw missing(`The engine for models is version ${manifest?.version ?? 'unknown'}, not ${BACKEND_VERSION}.`);
  try {
    const module: unknown = await import(pathToFileURL(join(home, 'dist', 'index.js')).href);
    if (isLibrary(module)) return module;
  } catch (error) {
    throw missing(`The engine for models cannot be loaded (${error instanceof Error ? error.name : 'unknown'}).`);
  }
  throw missing('The engine for models is not what it should be.');
}

/** The version was checked before; this looks whether the parts are there. */
function isLibrary(module: unknown): module is Library {
  return moduleSchema.safeParse(module).success;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function missing(message: string): MochiFault {
  return new MochiFault('not-ready', message, {
    remedy: 'Run "mochi model pull", or name its folder with --backend or MOCHI_BACKEND.',
  });
}
