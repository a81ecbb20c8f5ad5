/**
 * Negative numbers after an option: the runtime's parser takes what begins with a dash for another option and calls it
 * ambiguous, though no option here begins with a digit. What a number may be, others say.
 */

/** `--port -1` as `--port=-1`; everything else, and whatever follows `--`, stays as it is. */
export function joinNegatives(argv: readonly string[]): readonly string[] {
  const joined: string[] = [];
  for (const [at, word] of argv.entries()) {
    if (word === '--') return [...joined, ...argv.slice(at)];
    const last = joined.at(-1);
    if (/^-\.?\d/.test(word) && last !== undefined && /^--[^=]+$/.test(last)) joined[joined.length - 1] += `=${word}`;
    else joined.push(word);
  }
  return joined;
}
