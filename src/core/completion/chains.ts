/**
 * Members of what a call or an index gives, `load(file).text` or `rows[0].id`: named after what is called, `load()` and
 * `rows[]`, as nothing else of it can be told from text. Says where the same stands elsewhere.
 */
import { isWordChar } from './syntax.ts';

/** UTF-16 units between the brackets that are looked at. */
const REACH = 1_000;

/** The receiver that ends `left`, as `name()` or `name[]`; undefined where it is neither. */
export function chainAt(left: string): string | undefined {
  const close = left.at(-1);
  if (close !== ')' && close !== ']') return undefined;
  const open = opening(left, left.length - 1);
  const name = open === undefined ? undefined : /[\p{L}_$][\p{L}\p{N}_$]*$/u.exec(left.slice(0, open).slice(-100))?.[0];
  return name === undefined ? undefined : `${name}${close === ')' ? '()' : '[]'}`;
}

export const isChain = (receiver: string): boolean => receiver.endsWith('()') || receiver.endsWith('[]');

/** The places behind the dots that follow such a receiver in a text, the last first. */
export function* placesBehind(text: string, chain: string): Generator<number> {
  const close = chain.slice(-1);
  for (let at = text.lastIndexOf('.'); at > 0; at = text.lastIndexOf('.', at - 1)) {
    const end = /[?!]/.test(text.charAt(at - 1)) ? at - 1 : at;
    if (text.charAt(end - 1) === close && chainAt(text.slice(Math.max(0, end - REACH), end)) === chain) yield at + 1;
  }
}

/** Whether a text has this member behind such a receiver. */
export function isChained(text: string, chain: string, member: string): boolean {
  for (const at of placesBehind(text, chain))
    if (text.startsWith(member, at) && !isWordChar(text.charAt(at + member.length))) return true;
  return false;
}

function opening(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at >= Math.max(0, from - REACH); at -= 1) {
    const char = text.charAt(at);
    if (char === ')' || char === ']' || char === '}') depth += 1;
    else if (char === '(' || char === '[' || char === '{') depth -= 1;
    if (depth === 0) return at;
  }
  return undefined;
}
