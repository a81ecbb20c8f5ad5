/**
 * Knows whether nearly the same code was seen before: a sketch of its runs of tokens, compared with those that share a
 * part of it. It keeps sketches, never code.
 */

/** Numbers in a sketch; in bands of four, of which one must be alike for two sketches to be compared. */
const NUMBERS = 64;
const BAND = 4;
/** Tokens of a run. */
const RUN = 5;
/** Part of the numbers that are alike where two texts count as nearly the same. */
const ALIKE = 0.8;

const seeds = Uint32Array.from({ length: NUMBERS }, (_, at) => Math.imul(at + 1, 0x9e37_79b1));

export class NearDuplicates {
  readonly #bands = new Map<string, Uint32Array[]>();

  /** Whether something alike was seen; if not, it is from now on. */
  isKnown(tokens: Int32Array): boolean {
    const sketch = sketchOf(tokens);
    const keys: string[] = [];
    for (let at = 0; at < NUMBERS; at += BAND) keys.push(`${at}:${sketch.subarray(at, at + BAND).join(',')}`);
    for (const key of keys)
      if (this.#bands.get(key)?.some((other) => likeness(sketch, other) >= ALIKE) === true) return true;
    for (const key of keys) {
      const same = this.#bands.get(key);
      if (same === undefined) this.#bands.set(key, [sketch]);
      else same.push(sketch);
    }
    return false;
  }
}

function sketchOf(tokens: Int32Array): Uint32Array {
  const sketch = new Uint32Array(NUMBERS).fill(0xffff_ffff);
  const last = Math.max(1, tokens.length - RUN + 1);
  for (let from = 0; from < last; from += 1) {
    let hash = 0x811c_9dc5;
    for (let at = from; at < Math.min(from + RUN, tokens.length); at += 1)
      hash = Math.imul(hash ^ (tokens[at] ?? 0), 0x0100_0193) >>> 0;
    for (let at = 0; at < NUMBERS; at += 1) {
      let mixed = Math.imul(hash ^ (seeds[at] ?? 0), 0x85eb_ca6b);
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
      mixed = (mixed ^ (mixed >>> 16)) >>> 0;
      if (mixed < (sketch[at] ?? 0)) sketch[at] = mixed;
    }
  }
  return sketch;
}

function likeness(one: Uint32Array, two: Uint32Array): number {
  let alike = 0;
  for (let at = 0; at < NUMBERS; at += 1) if (one[at] === two[at]) alike += 1;
  return alike / NUMBERS;
}
