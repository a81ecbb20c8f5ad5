/**
 * What a reader of TypeScript and JavaScript has in hand: the frames that are open, the tokens around the one that is read,
 * and what was declared and used so far. Opens and closes frames; what a token means is not told here.
 */
import {
  type Access,
  add,
  BOTH,
  baseMode,
  bitOf,
  type Frame,
  type HeadKind,
  type Kind,
  leave,
  newFrame,
  ownerOf,
  type Space,
  TYPE,
} from './script-frames.ts';
import type { Token } from './script-tokens.ts';

/** A name that must exist, unless it is unsure. */
export interface Use {
  readonly token: Token;
  readonly space: Space;
  /** Undefined for a name that stands alone. */
  readonly access: Access | undefined;
  readonly isSure: boolean;
}

export type OnUse = (use: Use, top: Frame) => void;

export class ScriptState {
  top: Frame = newFrame('block', '', undefined);
  /** Names of frames that were left. */
  readonly hidden = new Set<string>();
  /** Names that came by an import, of which nobody says whether they are types. */
  readonly imported = new Set<string>();
  /** As what names were used that stand alone. */
  readonly used = new Map<string, number>();
  /** Where a name stands alone, by what it is there; the last. */
  readonly places = new Map<Space, number>();
  protected readonly onUse: OnUse | undefined;
  protected past: Token[] = [];
  protected left: Frame | undefined;
  /** Whether the last colon parted the two ways of a choice. */
  protected isOfChoice = false;
  protected tokens: readonly Token[] = [];
  protected closing: readonly (number | undefined)[] = [];
  protected at = 0;

  constructor(onUse?: OnUse) {
    this.onUse = onUse;
  }

  protected get previous(): Token | undefined {
    return this.past.at(-1);
  }

  /** Its text, where that may be a key word. */
  protected get before(): string {
    const token = this.previous;
    return token === undefined || token.isTaken ? '' : token.text;
  }

  protected get next(): string {
    return this.tokens[this.at + 1]?.text ?? '';
  }

  protected get isAtEnd(): boolean {
    return this.at + 1 >= this.tokens.length;
  }

  protected isDot(token: Token | undefined): boolean {
    return token?.text === '.' || token?.text === '?.';
  }

  protected open(kind: Kind, close: string): Frame {
    this.top = newFrame(kind, close, this.top);
    return this.top;
  }

  protected openHead(head: HeadKind): Frame {
    this.top = newFrame('head', '', this.top, head);
    return this.top;
  }

  protected leave(): void {
    this.left = this.top;
    this.top = leave(this.top, this.hidden) ?? this.top;
  }

  protected leaveHeads(kept?: RegExp): void {
    while (this.top.kind === 'head' && kept?.test(this.top.head ?? '') !== true) this.leave();
  }

  protected endStatement(): void {
    while (this.top.close === '>') this.leave();
    this.leaveHeads();
    const { top } = this;
    top.mode = baseMode(top.kind);
    top.doing = undefined;
    top.choices = 0;
    top.isCast = false;
    top.isStatic = false;
  }

  /** A statement begins where brackets are still open: what is in them was never finished. */
  protected recover(): void {
    for (let at: Frame | undefined = this.top; at !== undefined; at = at.outer) {
      if (at.kind === 'object' || at.kind === 'class' || at.kind === 'type' || at.kind === 'list') return;
      if (at.kind !== 'block') continue;
      while (this.top !== at && this.top.kind !== 'head') this.leave();
      return;
    }
  }

  protected close(text: string): void {
    let found: Frame | undefined = this.top;
    while (found !== undefined && found.close !== text) {
      // A bracket that was never opened closes nothing.
      if (text !== '}' && found.close === '}') return;
      if (text === '>' && found.close !== '' && found.close !== '>') return;
      found = found.outer;
    }
    if (found === undefined) return;
    while (this.top !== found) this.leave();
    const { kind, isBody } = found;
    this.leave();
    const { top } = this;
    if (kind === 'params' && top.kind === 'head') {
      top.stage = 'after';
      top.mode = 'value';
    } else if (isBody) {
      const { head } = top;
      this.leave();
      if (this.top.kind === 'class' || (head !== 'arrow' && this.top.kind === 'block')) this.endStatement();
    } else if (kind === 'list' || (kind === 'block' && /^(?:block|class)$/.test(top.kind))) this.endStatement();
    else if ((top.kind === 'class' || top.kind === 'type' || top.kind === 'object') && top.mode === 'key')
      top.mode = 'named';
    else if (kind === 'pattern') top.mode = 'named';
  }

  protected introduce(name: string, bits: number, frame: Frame = ownerOf(this.top)): void {
    add(frame.declared, name, bits);
  }

  protected bringIn(name: string, isType: boolean): void {
    if (!isType) this.imported.add(name);
    this.introduce(name, isType ? TYPE : BOTH);
  }

  protected use(token: Token, space: Space, isSure = true): void {
    if (space !== 'list') {
      add(this.top.free, token.text, bitOf(space));
      add(this.used, token.text, bitOf(space));
    }
    this.places.set(space, token.start);
    this.onUse?.({ token, space, access: undefined, isSure }, this.top);
  }

  protected naming(doing: 'naming-block' | 'naming-enum'): void {
    this.top.doing = doing;
    this.top.mode = 'value';
  }

  /** Whether this may still turn out to be parameters. */
  protected isUnsure(frame: Frame | undefined): boolean {
    if (frame?.kind === 'maybe') return true;
    return (frame?.kind === 'object' || frame?.kind === 'values') && frame.close !== ')' && this.isUnsure(frame.outer);
  }
}
