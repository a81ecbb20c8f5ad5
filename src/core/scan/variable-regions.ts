/**
 * Where variables stand in a text in Mochi's notation, so that what is around them can be changed without
 * touching them. It expands nothing; `config/variables.ts` does.
 */
import { matchBraces } from '../config/variable-scan.ts';

/** One `${…}`, or a stretch between two of them. */
export interface Region {
  readonly start: number;
  readonly end: number;
  readonly kind: 'literal' | 'variable';
  /** What stands between the braces of a variable. */
  readonly body?: string;
}

/** The text in regions, without gaps. An escaped `$${` is literal; so is a `${` that nothing closes. */
export function regionsOf(text: string): readonly Region[] {
  const closes = matchBraces(text);
  const regions: Region[] = [];
  let done = 0;
  for (let at = text.indexOf('${'); at >= 0; ) {
    let first = at;
    while (first > done && text[first - 1] === '$') first -= 1;
    const close = (at - first) % 2 === 0 ? closes.get(at) : undefined;
    if (close === undefined) {
      at = text.indexOf('${', at + 2);
      continue;
    }
    if (at > done) regions.push({ start: done, end: at, kind: 'literal' });
    regions.push({ start: at, end: close + 1, kind: 'variable', body: text.slice(at + 2, close) });
    done = close + 1;
    at = text.indexOf('${', done);
  }
  if (done < text.length) regions.push({ start: done, end: text.length, kind: 'literal' });
  return regions;
}

/** The name and fallback of an environment variable's body; undefined for `input:id` and the like. */
export function environmentBody(body: string): { readonly name: string; readonly fallback?: string } | undefined {
  const match = /^([A-Za-z_][A-Za-z0-9_.()-]*?)(?::-([\s\S]*))?$/.exec(body);
  if (match?.[1] === undefined) return undefined;
  return { name: match[1], ...(match[2] === undefined ? {} : { fallback: match[2] }) };
}
