/**
 * Where variables stand in a text in Mochi's notation, so that what is around them can be changed without
 * touching them. It expands nothing; `config/variables.ts` does.
 */

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
  const regions: Region[] = [];
  let done = 0;
  for (let at = text.indexOf('${'); at >= 0; ) {
    let first = at;
    while (first > done && text[first - 1] === '$') first -= 1;
    const end = (at - first) % 2 === 0 ? closeOf(text, at) : undefined;
    if (end === undefined) {
      at = text.indexOf('${', at + 2);
      continue;
    }
    if (at > done) regions.push({ start: done, end: at, kind: 'literal' });
    regions.push({ start: at, end, kind: 'variable', body: text.slice(at + 2, end - 1) });
    done = end;
    at = text.indexOf('${', end);
  }
  if (done < text.length) regions.push({ start: done, end: text.length, kind: 'literal' });
  return regions;
}

const MAX_BODY = 4096;

/** Just behind the brace that closes the `${` at `from`. */
function closeOf(text: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from + 2; at < text.length && at < from + MAX_BODY; at += 1) {
    if (text[at] === '{' && text[at - 1] === '$') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

/** The name and fallback of an environment variable's body; undefined for `input:id` and the like. */
export function environmentBody(body: string): { readonly name: string; readonly fallback?: string } | undefined {
  const match = /^([A-Za-z_][A-Za-z0-9_.()-]*?)(?::-([\s\S]*))?$/.exec(body);
  if (match?.[1] === undefined) return undefined;
  return { name: match[1], ...(match[2] === undefined ? {} : { fallback: match[2] }) };
}
