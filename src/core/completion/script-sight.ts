/**
 * Sight in TypeScript and JavaScript: what is declared or used around the cursor, told from values and types, and members
 * that are taken of the same thing. Reads brackets and tokens; a language server knows better, and is asked about what is
 * not seen here.
 */
import type { Around } from './around.ts';
import { type Access, bitOf, declaredIn, type Frame, isSelf, outwards, type Space } from './script-frames.ts';
import { Reader } from './script-reader.ts';
import type { Use } from './script-state.ts';
import { type Token, Tokens } from './script-tokens.ts';
import type { Sight, Sighted } from './sight.ts';
import { standingOf } from './syntax.ts';

/** Whether the names of a language are looked for by its brackets. */
export const isScript = (language: string): boolean => /^(typescript|javascript)(react)?$/.test(language);

/** There in every program, by the standard of the language or in every place where it runs. */
const GLOBALS = new Set(
  (
    'Array ArrayBuffer BigInt Boolean DataView Date Error Function Infinity JSON Map Math NaN Number Object Promise Proxy ' +
    'RangeError Reflect RegExp Set String Symbol SyntaxError TypeError Uint8Array WeakMap WeakSet clearTimeout ' +
    'console decodeURIComponent encodeURIComponent isFinite isNaN parseFloat parseInt queueMicrotask setTimeout'
  ).split(' '),
);
const GLOBAL_TYPES = new Set(
  (
    'Array ArrayBuffer Boolean DataView Date Error Function Map Number Object Promise RangeError RegExp Set String Symbol ' +
    'SyntaxError TypeError Uint8Array WeakMap WeakSet AsyncGenerator AsyncIterable Awaited Exclude Extract Generator ' +
    'InstanceType Iterable IterableIterator Iterator NonNullable Omit Parameters Partial Pick PromiseLike Readonly ' +
    'ReadonlyArray ReadonlyMap ReadonlySet Record Required ReturnType'
  ).split(' '),
);

export function scriptSight(text: Around, language: string): Sight {
  return new ScriptSight(text, language);
}

/** What is read below the cursor. */
interface Below {
  /** The frames at the cursor with what comes below it, by those without. */
  readonly copies: ReadonlyMap<Frame, Frame>;
  readonly used: ReadonlyMap<string, number>;
}

class ScriptSight implements Sight {
  readonly #text: Around;
  readonly #tokens: Tokens;
  readonly #read = new Reader();
  readonly #steps: Generator<void>;
  /** Whether the cursor stands in a comment or a string. */
  readonly #isText: boolean;
  /** What was typed of a name that ends at the cursor. */
  readonly #half: string;
  #below: Below | undefined;

  constructor(text: Around, language: string) {
    this.#text = text;
    this.#half = /#?[A-Za-z_$\u0080-\uffff][\w$\u0080-\uffff]*$/.exec(text.before.slice(-200))?.[0] ?? '';
    this.#tokens = new Tokens(language.endsWith('react'));
    this.#isText = standingOf(text.before, language).kind !== 'code';
    this.#steps = this.#stepsOver(text);
  }

  *#stepsOver({ before, isCut }: Around): Generator<void> {
    const from = isCut ? endOfComment(before) : 0;
    const tokens: Token[] = [];
    yield* this.#tokens.steps(before.slice(from, before.length - this.#half.length), from, tokens);
    yield;
    yield* this.#read.steps(tokens);
  }

  steps(): Generator<void> {
    return this.#steps;
  }

  /** What stands before the cursor, read to its end. */
  get #reader(): Reader {
    for (const _ of this.#steps);
    return this.#read;
  }

  get space(): Space | undefined {
    const { top, isBehindDot } = this.#reader;
    if (isBehindDot) return undefined;
    if (top.kind === 'list') return 'list';
    return top.mode === 'value' || top.mode === 'type' ? top.mode : undefined;
  }

  namesIn(text: string): readonly Sighted[] {
    if (this.#isText) return [];
    const names: Sighted[] = [];
    const offset = -this.#half.length;
    const reader = this.#reader.fork((use, top) => {
      // What is behind no name is known at the cursor alone, and a list that begins here names a module later.
      const isKnowable =
        use.space === 'list' ? this.space === 'list' : use.access?.receiver !== '' || use.token.start <= 0;
      if (isKnowable && use.token.end > 0) names.push(this.#sighted(use, top));
    });
    reader.read(this.#tokens.fork().read(this.#half + text, offset));
    return names;
  }

  #sighted({ token, space, access, isSure }: Use, top: Frame): Sighted {
    const { text, start, end } = token;
    const name = { text, start, end, receiver: access?.receiver, isUsed: isSure, space };
    if (access === undefined) return { ...name, isSeen: this.#sees(text, space, top), isFunction: false };
    const same = [...this.#accesses(access.receiver, top)].filter(({ member }) => member === text);
    return {
      ...name,
      isSeen: same.some(({ isType }) => isType === access.isType),
      isFunction: same.some(({ isCalled }) => isCalled),
    };
  }

  placeBehind(receiver: string, space: Space): number | undefined {
    let last: number | undefined;
    for (const { at, isType } of this.#accesses(receiver, this.#reader.top, true))
      if (isType === (space === 'type') && at >= 0 && at > (last ?? -1)) last = at;
    return last;
  }

  placeOf(space: Space): number | undefined {
    return this.#reader.places.get(space);
  }

  isHidden(name: string): boolean {
    return this.#reader.hidden.has(name);
  }

  #sees(name: string, space: Space, top: Frame): boolean {
    if (space === 'list') return false;
    if ((space === 'value' ? GLOBALS : GLOBAL_TYPES).has(name)) return true;
    const bit = bitOf(space);
    const below = this.#readBelow();
    const isHere = [...outwards(top)].some((frame) => {
      const others = frame.base && below.copies.get(frame.base);
      // What the suggestion uses itself says nothing, and a line that is missing here may have declared what is used below.
      const free = frame.base?.free.get(name) ?? 0;
      return ((declaredIn(frame, name) | (others?.declared.get(name) ?? 0) | free) & bit) !== 0;
    });
    if (!isHere || !this.#reader.imported.has(name)) return isHere;
    // An import may be a type alone, which only its uses tell.
    const used = (this.#reader.used.get(name) ?? 0) | (below.used.get(name) ?? 0);
    return used === 0 || (used & bit) !== 0;
  }

  /** Members that are taken of the same thing as at a place, within a suggestion or at the cursor. */
  *#accesses(receiver: string, top: Frame, isAsked = false): Generator<Access> {
    if (receiver === '') return;
    const root = /^(?:new )?([^.([]*)/.exec(receiver)?.[1] ?? '';
    const below = this.#readBelow();
    for (const frame of outwards(top)) {
      const wanted = frame.kind === 'class' && frame.isStatic && isSelf(root) ? `static ${root}` : root;
      const known = isAsked ? frame : frame.base;
      const others = known && below.copies.get(known);
      for (const access of [...(known?.members ?? []), ...(others?.members ?? [])])
        if (access.receiver === receiver && access.root === wanted) yield access;
      if (isSelf(root) ? frame.hasSelf || frame.kind === 'class' : declaredIn(frame, root) !== 0) return;
    }
  }

  #readBelow(): Below {
    if (this.#below !== undefined) return this.#below;
    const reader = this.#reader.fork(undefined);
    const copies = new Map<Frame, Frame>();
    for (const frame of outwards(reader.top)) if (frame.base !== undefined) copies.set(frame.base, frame);
    // Behind the cursor, at the end of its line, nothing is known of what will be there.
    const { after } = this.#text;
    const tokens = this.#tokens.fork().read(after.slice(0, after.lastIndexOf('\n') + 1), 0);
    reader.read(tokens);
    for (const frame of copies.values())
      frame.members.forEach((access, at) => {
        frame.members[at] = { ...access, at: -1 };
      });
    this.#below = { copies, used: reader.used };
    return this.#below;
  }
}

/** Where code begins in a text that may begin in a comment. */
function endOfComment(text: string): number {
  const [open, close] = [text.indexOf('/*'), text.indexOf('*/')];
  return close >= 0 && (open < 0 || close < open) ? close + 2 : 0;
}
