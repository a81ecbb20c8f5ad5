/** The only doors to the outside. Core names what it needs; the rooms around it say how. */
import type { Catalog, Server } from './model.ts';
import type { Reported } from './problem.ts';

/** Something that must be let go. */
export interface Disposable {
  dispose(): void;
}

/** The shape of VS Code's log output channel. Never give it source text, prompts, headers or environment values. */
export interface Logger {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'other';
  /** Bytes. */
  readonly size: number;
}

/** Reading files, nothing more. Missing files are `undefined`, not errors. */
export interface Files {
  stat(path: string): Promise<FileStat | undefined>;
  /** The bytes of a regular file of at most `limit` bytes; throws OperationError `io` otherwise. */
  read(path: string, limit: number): Promise<Uint8Array | undefined>;
  /** Names in a folder, sorted; empty when there is none. */
  list(path: string): Promise<readonly string[]>;
}

/** Reads a server's tools. Throws OperationError; a bad tool among good ones is a problem instead. */
export interface ToolLister {
  list(server: Server, signal: AbortSignal): Promise<Reported<Catalog>>;
}

/** Counts the tokens of texts, all by one named tokenizer. */
export interface TokenCounter {
  /** For people, for example `o200k_base`. Every figure is shown with it. */
  readonly name: string;
  /** Whether the figures are the model's own or an estimate for it. */
  readonly exact: boolean;
  count(texts: readonly string[], signal?: AbortSignal): Promise<readonly number[]>;
}
