/** Finds the names that a misspelt word could have meant. Pure. */

/** Edit distance of two words, case folded. */
function distance(a: string, b: string): number {
  const left = a.toLowerCase();
  const right = b.toLowerCase();
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}

/** The up to three names nearest to a word, nearest first; only those that could be meant. */
export function closest(word: string, names: readonly string[]): readonly string[] {
  const short = word.slice(0, 100);
  return names
    .map((name) => ({
      name,
      score: name.includes(short) && short.length > 2 ? 1 : distance(short, name.slice(0, 100)),
    }))
    .filter(({ name, score }) => score <= Math.max(2, Math.floor(Math.min(short.length, name.length) / 2)))
    .sort((a, b) => a.score - b.score)
    .slice(0, 3)
    .map(({ name }) => name);
}
