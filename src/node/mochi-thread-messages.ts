/**
 * What the extension host and the thread that runs Mochi say to each other: plain data, copied on its way. The two
 * bundles are built together, so what arrives is what the types say.
 */
import { OperationError, type OperationErrorKind } from '#core/problem.ts';
import type { Learning } from '#protocol/learning-words.ts';
import type { MochiStats } from '#protocol/mochi.ts';
import type { Acceptance, Counts } from './acceptance-counts.ts';
import type { ProcessState } from './managed-process.ts';
import type { MochiClient } from './mochi-client.ts';

/** What a thread is given when it is made. */
export interface ThreadSetup {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly home: string;
  /** The editor's own executable, which is a Node when told so. */
  readonly runtime: string;
  /** `dist/mochi.mjs`, absolute. */
  readonly program: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
}

/** What Mochi is told at each of its starts, which only the host knows. */
export interface StartWords {
  readonly words: readonly string[];
  /** The key of a model server, where one is set up. */
  readonly key: string | undefined;
}

/** One greeted process of a folder; the next one has another number. */
export interface Line {
  readonly folder: string;
  readonly connection: number;
}

type Asked<K extends 'complete' | 'ask' | 'suggest'> = Parameters<MochiClient[K]>[0];
type Given<K extends 'complete' | 'ask' | 'suggest' | 'call'> = Awaited<ReturnType<MochiClient[K]>>;

/** What the host asks for, by name: what it gives and what it gets. */
export interface Calls {
  isLearned: { readonly given: { readonly folder: string }; readonly gets: boolean };
  isOnBattery: { readonly given: object; readonly gets: boolean | undefined };
  acceptance: { readonly given: { readonly folder: string }; readonly gets: Counts };
  addAcceptance: { readonly given: { readonly folder: string; readonly more: Acceptance }; readonly gets: Counts };
  /** `turn` grows with everything the host wants of a process, so that it can tell states from before. */
  stop: { readonly given: { readonly folder: string; readonly turn: number }; readonly gets: undefined };
  restart: { readonly given: { readonly folder: string; readonly turn: number }; readonly gets: undefined };
  complete: { readonly given: Line & { readonly request: Asked<'complete'> }; readonly gets: Given<'complete'> };
  ask: { readonly given: Line & { readonly request: Asked<'ask'> }; readonly gets: Given<'ask'> };
  suggest: { readonly given: Line & { readonly request: Asked<'suggest'> }; readonly gets: Given<'suggest'> };
  call: { readonly given: Line & { readonly tool: string; readonly args: object }; readonly gets: Given<'call'> };
  readStats: { readonly given: Line; readonly gets: MochiStats };
}

/** One call with its name, so that a switch over the name knows what was given. */
export type Call = {
  readonly [K in keyof Calls]: { readonly what: K; readonly given: Calls[K]['given'] };
}[keyof Calls];

export type ToThread =
  | { readonly kind: 'call'; readonly id: number; readonly call: Call }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'start'; readonly folder: string; readonly turn: number }
  | { readonly kind: 'changed'; readonly line: Line; readonly paths: readonly string[] | undefined }
  | { readonly kind: 'words'; readonly id: number; readonly words: StartWords }
  /** Nothing more is wanted: it closes its door and ends by itself. */
  | { readonly kind: 'end' };

/** What a greeted process is, seen from outside. */
export interface Greeted {
  readonly connection: number;
  readonly version: string;
}

export type FromThread =
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }
  | {
      readonly kind: 'state';
      readonly folder: string;
      readonly turn: number;
      readonly state: ProcessState<Greeted>;
    }
  /** A process is about to be started. */
  | { readonly kind: 'needs-words'; readonly id: number }
  | { readonly kind: 'log'; readonly level: LogLevel; readonly message: string }
  /** A process is there, or it and all it started are gone. */
  | { readonly kind: 'spawned' | 'gone'; readonly pid: number }
  | { readonly kind: 'resources'; readonly line: Line }
  | { readonly kind: 'progress'; readonly line: Line; readonly learning: Learning | undefined };

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** An error as it travels: copying one as it is would lose its class. */
export interface SentError {
  readonly kind: OperationErrorKind | undefined;
  readonly name: string;
  readonly message: string;
  readonly remedy: string | undefined;
  readonly output: string | undefined;
}

export function sentError(error: unknown): SentError {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const { kind, remedy, output } = OperationError.is(error)
    ? error
    : { kind: undefined, remedy: undefined, output: undefined };
  return { kind, name, message, remedy, output };
}

export function receivedError({ kind, name, message, remedy, output }: SentError): Error {
  if (kind === undefined) return Object.assign(new Error(message), { name });
  return new OperationError(kind, message, {
    ...(remedy === undefined ? {} : { remedy }),
    ...(output === undefined ? {} : { output }),
  });
}
