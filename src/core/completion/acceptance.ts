/**
 * Follows one piece of ghost text through the changes of its document: typed along, accepted in parts or as a whole, or
 * gone. An editor tells only of whole acceptances, and not of all; the text itself tells the rest.
 */

/** One change of a document, as an editor reports it. */
export interface TextChange {
  /** UTF-16 units from the document's start. */
  readonly offset: number;
  readonly removed: number;
  readonly inserted: string;
}

export type Fate = 'along' | 'part' | 'whole' | 'gone';

/** What was accepted of it, in one run. */
export interface Taken {
  readonly offset: number;
  readonly text: string;
}

export class GhostText {
  /** What of it has been typed or accepted, from the start of the range it replaces. */
  #typed: string;
  #rest: string;
  #caret: number;
  #taken: Taken | undefined;

  /** `typed` stands left of `caret` already, `text` is what appears after it. */
  constructor(caret: number, typed: string, text: string) {
    this.#caret = caret;
    this.#typed = typed;
    this.#rest = text;
  }

  /** What is still to come. */
  get rest(): string {
    return this.#rest;
  }

  /** What was accepted in parts so far; undefined where it was only typed along. */
  get taken(): Taken | undefined {
    return this.#taken;
  }

  get caret(): number {
    return this.#caret;
  }

  follow({ offset, removed, inserted }: TextChange): Fate {
    const back = this.#caret - offset;
    if (back < 0 || back > this.#typed.length) return offset > this.#caret && removed === 0 ? 'along' : 'gone';
    const text = inserted.replaceAll('\r\n', '\n');
    const standing = back === 0 ? '' : this.#typed.slice(-back);
    if (removed < back || !text.startsWith(standing)) return 'gone';
    const added = text.slice(back);
    if (added === '') return 'along';
    if (!this.#rest.startsWith(added)) return 'gone';
    const isPart = added.length > 1;
    if (isPart) {
      const before = this.#taken;
      const isNext = before !== undefined && before.offset + before.text.length === this.#caret;
      this.#taken = { offset: isNext ? before.offset : this.#caret, text: (isNext ? before.text : '') + added };
    }
    this.#typed += added;
    this.#rest = this.#rest.slice(added.length);
    this.#caret = offset + inserted.length;
    if (this.#rest === '') return isPart ? 'whole' : 'gone';
    return isPart ? 'part' : 'along';
  }
}
