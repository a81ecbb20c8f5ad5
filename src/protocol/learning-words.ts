/**
 * What Mochi says while it learns, as sentences of its log messages: written by the server and read again by its clients,
 * from this one place, so that neither can change them alone.
 */

/** How far learning is. */
export interface Learning {
  readonly done: number;
  readonly total: number;
}

const PROGRESS = 'learning: ';
const END = 'learned ';

/** Learning has begun, and how much there is to learn is not known yet. */
export const LOOKING = `${PROGRESS}looking for files`;

/** `stage` is one word. */
export function progressWords(stage: string, { done, total }: Learning): string {
  return `${PROGRESS}${stage}, ${done} of ${total} files`;
}

/** `how` is what was learned, for example `everything`. */
export function endWords(how: string, files: number): string {
  return `${END}${how}: ${files} files`;
}

/**
 * The same, read. Undefined where the words tell nothing of learning; `learning` is undefined where they give no count or
 * tell that it is over.
 */
export function learningIn(words: unknown): { readonly learning: Learning | undefined } | undefined {
  if (typeof words !== 'string') return undefined;
  if (words.startsWith(END)) return { learning: undefined };
  if (!words.startsWith(PROGRESS)) return undefined;
  const [, done, total] = /, (\d+) of (\d+) files$/.exec(words) ?? [];
  return { learning: total === undefined ? undefined : { done: Number(done), total: Number(total) } };
}
