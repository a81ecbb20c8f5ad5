/**
 * Which other completions are worth a person's look beside the first one. What differs by white space alone, what is
 * written by accepting less of another, what stands behind the cursor already, and what is hardly ever meant is left out.
 */

/** A completion and the chance that it is exactly what would be written. */
export interface Offer {
  readonly text: string;
  readonly probability: number;
}

/**
 * Part of the first one's chance below which another is noise. At 958 cursors in files of this repository that were held
 * out, one in fifteen of those with half the first one's chance or more was right, one in forty of those from a tenth to a
 * half, and one in 180 of those below; of beginnings of the first one, one in 400.
 */
const LEAST_SHARE = 0.1;
/** Where the first one is hardly likely itself, a share of it says nothing. */
const LEAST_CHANCE = 0.01;

/** `others` likeliest first; at most `most` of them, none like `first` or like one before. */
export function alternativesTo(
  first: Offer,
  others: readonly Offer[],
  suffix: string | undefined,
  most: number,
): readonly string[] {
  const [rest = '', ...below] = (suffix ?? '').split('\n', 3).map(bare);
  const shown = [bare(first.text)];
  const found: string[] = [];
  for (const { text, probability } of others) {
    if (found.length >= most) break;
    const own = bare(text);
    if (own === '' || probability < Math.max(LEAST_CHANCE, LEAST_SHARE * first.probability)) continue;
    if (shown.some((one) => one.startsWith(own))) continue;
    // Goes on along another alternative; only the first one may be continued.
    if (shown.slice(1).some((one) => own.startsWith(one))) continue;
    if (rest === '' ? below[0] === own : own.endsWith(rest) || rest.startsWith(own)) continue;
    shown.push(own);
    found.push(text);
  }
  return found;
}

/** Without white space, which is a matter of style. */
const bare = (text: string): string => text.replace(/\s+/g, '');
