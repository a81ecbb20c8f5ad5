/**
 * What is open at a place in TypeScript or JavaScript: brackets, and what has parameters or a name of its own. Each
 * holds what is declared in it, what is used without being declared there, and which members are taken of what.
 */

/** As what a name is meant: `list` stands in the braces of an import or export. */
export type Space = 'value' | 'type' | 'list';

/** Bits of what a declaration gives. */
export const VALUE = 1;
export const TYPE = 2;
export const BOTH = 3;

export type Kind =
  | 'block'
  | 'class'
  | 'object'
  /** Braces of members of a type. */
  | 'type'
  | 'list'
  | 'pattern'
  | 'enum'
  | 'params'
  | 'generics'
  /** Arguments of a type, a tuple, parentheses in a type. */
  | 'types'
  /** Arguments, an array, an index, parentheses. */
  | 'values'
  /** Parentheses that are not closed yet and may become parameters. */
  | 'maybe'
  /** No bracket: a function, class, type or loop from its first word to its last bracket. */
  | 'head';

export type Mode = 'value' | 'type' | 'binding' | 'key' | 'named';
export type HeadKind = 'function' | 'arrow' | 'class' | 'interface' | 'alias' | 'loop';

/** A member that is taken of something. */
export interface Access {
  readonly receiver: string;
  /** The first name of the receiver; empty where it has none. */
  readonly root: string;
  readonly member: string;
  /** Whether it is taken where a type is written. */
  readonly isType: boolean;
  /** Whether it is called, and not made: then it is no type. */
  readonly isCalled: boolean;
  /** Where the member's name begins; -1 where nobody can be asked about it. */
  readonly at: number;
}

export interface Frame {
  kind: Kind;
  /** What closes it; empty for a head. */
  readonly close: string;
  readonly outer: Frame | undefined;
  readonly head: HeadKind | undefined;
  /** The same at the cursor, where this is a copy for what is read further. */
  readonly base: Frame | undefined;
  readonly declared: Map<string, number>;
  readonly free: Map<string, number>;
  readonly members: Access[];
  mode: Mode;
  /** Of a head: before its parameters, behind them, in its body. */
  stage: 'start' | 'after' | 'body';
  /** Whether `this` is something else in it. */
  hasSelf: boolean;
  /** Of a class: the member that is read belongs to the class itself. */
  isStatic: boolean;
  /** Whether it closes its head. */
  isBody: boolean;
  doing: 'declaring' | 'importing' | 'exporting' | 'naming-block' | 'naming-enum' | 'case' | undefined;
  /** Question marks whose colon is still to come. */
  choices: number;
  /** Whether a type is read that an operator ends. */
  isCast: boolean;
}

export function newFrame(kind: Kind, close: string, outer: Frame | undefined, head?: HeadKind): Frame {
  return {
    kind,
    close,
    outer,
    head,
    base: undefined,
    declared: new Map(),
    free: new Map(),
    members: [],
    mode: baseMode(kind),
    stage: 'start',
    hasSelf: false,
    isStatic: false,
    isBody: false,
    doing: undefined,
    choices: 0,
    isCast: false,
  };
}

/** A copy to read on from, which leaves what is known at the cursor as it is. */
export function copyOf(frame: Frame): Frame {
  return {
    ...frame,
    outer: frame.outer && copyOf(frame.outer),
    base: frame,
    declared: new Map(),
    free: new Map(),
    members: [],
  };
}

export function baseMode(kind: Kind): Mode {
  if (kind === 'params' || kind === 'generics') return 'binding';
  if (kind === 'types') return 'type';
  return kind === 'block' || kind === 'values' || kind === 'maybe' || kind === 'head' ? 'value' : 'key';
}

export const bitOf = (space: Space): number => (space === 'value' ? VALUE : space === 'type' ? TYPE : BOTH);

export const isSelf = (root: string): boolean => root === 'this' || root === 'super';

/** What a name is declared as in this frame; 0 where it is not. */
export function declaredIn(frame: Frame, name: string): number {
  return (frame.declared.get(name) ?? 0) | (frame.base?.declared.get(name) ?? 0);
}

export function add(to: Map<string, number>, name: string, bits: number): void {
  to.set(name, (to.get(name) ?? 0) | bits);
}

/** Where a name that is introduced in this frame belongs. */
export function ownerOf(frame: Frame): Frame {
  let at = frame;
  while (at.outer !== undefined && /^(?:pattern|params|generics|list)$/.test(at.kind)) at = at.outer;
  return at.kind === 'head' || at.kind === 'block' ? at : frame;
}

/** Notes an access; those by `this` of a class itself are told apart from those of what it makes. */
export function note(frame: Frame, access: Access): void {
  const isOfClass = frame.kind === 'class' && frame.isStatic && isSelf(access.root);
  frame.members.push(isOfClass ? { ...access, root: `static ${access.root}` } : access);
}

/** Ends a frame: what it used without declaring it, those around it used. */
export function leave(frame: Frame, hidden: Set<string>): Frame | undefined {
  const { outer } = frame;
  if (outer === undefined) return undefined;
  for (const [name, bits] of frame.free) {
    const rest = bits & ~declaredIn(frame, name);
    if (rest !== 0) add(outer.free, name, rest);
  }
  for (const access of frame.members) {
    const isOwn =
      isSelf(access.root) || access.root.startsWith('static ')
        ? frame.hasSelf || frame.kind === 'class'
        : declaredIn(frame, access.root) !== 0;
    if (!isOwn) note(outer, access);
  }
  for (const name of frame.declared.keys()) hidden.add(name);
  return outer;
}

/** The frames around a place, the innermost first. */
export function* outwards(frame: Frame | undefined): Generator<Frame> {
  for (let at = frame; at !== undefined; at = at.outer) yield at;
}
