/**
 * Holds the names of a suggestion against what a language server knows: how much of it stands, and which names nobody
 * could say anything about. Only what is known not to exist is cut; silence is no proof.
 */
import { type Name, namesIn } from './names.ts';

/** What is known of the names at a place. An offer that is empty and partial: it was asked for, and nobody knows. */
export interface Known {
  /** What the server offers at the cursor; undefined where it was not asked or was late. */
  readonly here: Offer | undefined;
  /** Members of a receiver, as written; undefined where they were not asked for or came too late. */
  members(receiver: string): Offer | undefined;
  /** Whether a name can be seen from the cursor, or a name with its receiver stands in the document or its symbols. */
  isWritten(text: string): boolean;
  /** Whether what nobody was asked about in time counts as unknown to the server. */
  readonly isStrict: boolean;
}

export interface Offer {
  readonly names: ReadonlySet<string>;
  /** Whether there may be more; then a missing name proves nothing. */
  readonly isPartial: boolean;
  /** Likeliest first, for an engine. */
  readonly facts: readonly string[];
}

export interface Verdict {
  /** How much of the text stands: up to the last token before the first name that does not exist. */
  readonly end: number;
  /** Names that were found to exist. */
  readonly confirmed: number;
  /** Names that nobody could confirm or deny so far. */
  readonly open: readonly Name[];
}

/** Judges `text`, which stands after `before`. */
export function judged(text: string, before: string, language: string, known: Known): Verdict {
  let confirmed = 0;
  const open: Name[] = [];
  const isScope = !/\.\s*[\p{L}\p{N}_$]*$/u.test(before.slice(-300));
  const scope = isScope ? known.here : undefined;
  for (const name of namesIn(text, before, language)) {
    const opinion = opinionOn(name, known, scope);
    if (opinion === false) return { end: cutBefore(text, name.start), confirmed, open };
    if (opinion === true) confirmed += 1;
    else open.push(name);
  }
  return { end: text.length, confirmed, open };
}

/** Whether it exists; undefined where nobody knows. `scope` is what may stand alone here. */
function opinionOn(name: Name, known: Known, scope: Offer | undefined): boolean | undefined {
  const { text, receiver } = name;
  if (receiver === undefined) {
    if (scope?.names.has(text) || known.isWritten(text)) return true;
    // What is only mentioned may be introduced here; what is used must be there already.
    if (!name.isUsed) return undefined;
    return scope === undefined ? unasked(known) : scope.isPartial ? undefined : false;
  }
  // Half the word was typed, or nothing of it: what is offered at the cursor is about this name.
  const offer = name.start <= 0 ? known.here : known.members(receiver);
  if (offer?.names.has(text)) return true;
  if (offer !== undefined && !offer.isPartial) return false;
  if (receiver !== '' && known.isWritten(`${receiver}.${text}`)) return true;
  return offer === undefined ? unasked(known) : undefined;
}

const unasked = ({ isStrict }: Known): false | undefined => (isStrict ? false : undefined);

/** Leaves out the dot that leads to the name as well, and what opens nothing any more. */
function cutBefore(text: string, start: number): number {
  return text
    .slice(0, Math.max(0, start))
    .replace(/[\s(,]*$/, '')
    .replace(/[?!]?\.$/, '').length;
}
