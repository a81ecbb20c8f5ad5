/**
 * Holds the names of a suggestion against what a language server knows: how much of it stands, and which names nobody
 * could say anything about. Only what is known not to exist is cut; silence is no proof.
 */
import type { Space } from './script-frames.ts';
import type { Sight, Sighted } from './sight.ts';

/** What is known of the names at a place. An offer that is empty and partial: it was asked for, and nobody knows. */
export interface Known {
  /** What the server offers at the cursor; undefined where it was not asked or was late. */
  readonly here: Offer | undefined;
  /** Members of a receiver, as written; undefined where they were not asked for or came too late. */
  members(receiver: string, space: Space): Offer | undefined;
  /** What may stand alone elsewhere in the document; undefined as above. */
  scope(space: Space): Offer | undefined;
  /** Whether it is a symbol of the document, for what is not read of a long one. */
  isSymbol(text: string): boolean;
  /** Whether what nobody was asked about in time counts as unknown to the server. */
  readonly isStrict: boolean;
}

export interface Offer {
  readonly names: ReadonlySet<string>;
  /** Those that are types and no values, and those that are no types; others may be both. */
  readonly onlyTypes: ReadonlySet<string>;
  readonly noTypes: ReadonlySet<string>;
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
  readonly open: readonly Sighted[];
}

/** Judges `text`, which stands at the cursor. */
export function judged(text: string, sight: Sight, known: Known): Verdict {
  let confirmed = 0;
  const open: Sighted[] = [];
  for (const name of sight.namesIn(text)) {
    const opinion = opinionOn(name, sight, known);
    if (opinion === false) return { end: cutBefore(text, name.start), confirmed, open };
    if (opinion === true) confirmed += 1;
    else open.push(name);
  }
  return { end: text.length, confirmed, open };
}

/** Whether it exists; undefined where nobody knows. */
function opinionOn(name: Sighted, sight: Sight, known: Known): boolean | undefined {
  const { text, receiver, space } = name;
  if (receiver === undefined) {
    if (name.isSeen || known.isSymbol(text)) return true;
    // What is only mentioned may be introduced here; what is used must be there already.
    if (!name.isUsed) return undefined;
    const isHere = space === sight.space;
    const offer = isHere ? known.here : known.scope(space);
    if (offer !== undefined && isOffered(name, offer) && (isHere || !sight.isHidden(text))) return true;
    return offer === undefined ? unasked(known) : offer.isPartial ? undefined : false;
  }
  // Half the word was typed, or nothing of it: what is offered at the cursor is about this name.
  const isHere = name.start <= 0;
  const offer = isHere ? offerHere(name, receiver, known) : known.members(receiver, space);
  if (offer !== undefined && isOffered(name, offer)) return true;
  if (offer !== undefined && !offer.isPartial) return false;
  if (name.isSeen || known.isSymbol(`${receiver}.${text}`)) return true;
  return offer === undefined ? unasked(known) : undefined;
}

/** A type that is half written is a comparison to a server; it knows better where one stands that is whole. */
function offerHere({ space }: Sighted, receiver: string, known: Known): Offer | undefined {
  const elsewhere = space === 'type' && receiver !== '' ? known.members(receiver, space) : undefined;
  return elsewhere === undefined || elsewhere.isPartial ? known.here : elsewhere;
}

function isOffered({ text, space, isFunction }: Sighted, { names, onlyTypes, noTypes }: Offer): boolean {
  if (!names.has(text)) return false;
  return space === 'value' ? !onlyTypes.has(text) : space === 'type' ? !isFunction && !noTypes.has(text) : true;
}

const unasked = ({ isStrict }: Known): false | undefined => (isStrict ? false : undefined);

/** Leaves out the dot that leads to the name as well, and what opens nothing any more. */
function cutBefore(text: string, start: number): number {
  return text
    .slice(0, Math.max(0, start))
    .replace(/[\s(,]*$/, '')
    .replace(/[?!]?\.$/, '').length;
}
