/**
 * What a member is taken of, told from the tokens before its dot: `this.store`, `load()`, `rows[].name()`. What is in
 * brackets is left out, as it says nothing of the kind of thing that comes.
 */
import type { Token } from './script-tokens.ts';

/** Tokens that are looked back at. */
const REACH = 300;
const OPENING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '>': '<' };

export interface Receiver {
  readonly receiver: string;
  /** Its first name. */
  readonly root: string;
  /** Whether `new` stands before it. */
  readonly isMade: boolean;
}

/** The receiver that ends before the dot at the end of `past`; undefined where it has no name. */
export function receiverBefore(past: readonly Token[]): Receiver | undefined {
  let at = past.length - 2;
  let receiver = '';
  for (let parts = 0; parts < 12; parts += 1) {
    let suffix = '';
    for (let token = past[at]; token !== undefined && token.kind === 'mark'; token = past[at]) {
      if (token.text === '!') at -= 1;
      else if (token.text === ')' || token.text === ']') {
        const open = openingOf(past, at);
        if (open === undefined) return undefined;
        suffix = `${token.text === ')' ? '()' : '[]'}${suffix}`;
        at = open - 1;
        const isOptional = past[at]?.text === '?.';
        if (isOptional) at -= 1;
      } else if (token.text === '>' && suffix.startsWith('()')) {
        const open = openingOf(past, at);
        if (open === undefined) return undefined;
        at = open - 1;
      } else return undefined;
    }
    const word = past[at];
    if (
      word?.kind !== 'word' ||
      (!word.isTaken &&
        /^(?:return|await|typeof|if|while|for|switch|in|of|case|new|import|catch|void)$/.test(word.text))
    )
      return undefined;
    receiver = `${word.text}${suffix}${receiver === '' ? '' : `.${receiver}`}`;
    const before = past[at - 1]?.text;
    if (before !== '.' && before !== '?.') {
      const isMade = before === 'new';
      return { receiver: isMade && suffix !== '' ? `new ${receiver}` : receiver, root: word.text, isMade };
    }
    at -= 2;
  }
  return undefined;
}

function openingOf(past: readonly Token[], from: number): number | undefined {
  const close = past[from]?.text ?? '';
  const open = OPENING[close];
  let depth = 0;
  for (let at = from; at >= Math.max(0, from - REACH); at -= 1) {
    const { kind, text } = past[at] ?? { kind: 'mark', text: '' };
    if (kind !== 'mark') continue;
    if (text === close) depth += 1;
    else if (text === open || (open === '{' && text === '${')) depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}
