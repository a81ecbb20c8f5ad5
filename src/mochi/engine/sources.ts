/** What the engine knows of the code around a file: the form in which a memory hands it to whoever completes. */
import type { ContextIndex, Sequence } from './context-index.ts';

/** Where a token may come from: the folder of the file, the project around it, everything learned, and its syntax. */
export interface Sources {
  readonly folder?: ContextIndex | undefined;
  readonly near?: ContextIndex | undefined;
  readonly base?: ContextIndex | undefined;
  /** The same sequence as `base`, with classes for tokens. */
  readonly syntax?: ContextIndex | undefined;
  /** The tokens behind `syntax`. */
  readonly syntaxTokens?: Sequence | undefined;
  /** The same sequence as `near`, with classes for tokens. */
  readonly nearSyntax?: ContextIndex | undefined;
  /** The names of the other files in the folder of the file, in the order of their characters. */
  readonly beside?: readonly string[] | undefined;
  /** The ways from the folder of the file to the files around it; the same list as long as they are the same. */
  readonly around?: readonly string[] | undefined;
}
