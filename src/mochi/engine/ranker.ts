/**
 * A small network with one hidden layer that turns the rows of candidates into probabilities. Its weights are a constant
 * of the product; it does not learn.
 */
import { type Candidates, gates, sharedWidth, width } from './candidates.ts';
import { traitCount, traits } from './traits.ts';

export const hidden = 64;
const slope = 0.01;
/**
 * Where the weights lie: of what candidates share, of candidates by hidden unit, past the hidden layer, out of it, past it
 * once more by the syntax before the cursor, of traits.
 */
const ownFrom = sharedWidth * hidden;
const directFrom: number = ownFrom + width * hidden;
const outFrom: number = directFrom + width;
const gatesFrom: number = outFrom + hidden;
export const traitsFrom: number = gatesFrom + gates * width;
/** How many weights a ranker has, and how many of them are not those of gates and traits, of which each is rarely used. */
export const weightCount: number = traitsFrom + traits;
export const denseCount: number = gatesFrom;

export class Ranker {
  readonly weights: Float32Array;
  /** Those of candidates by hidden unit, as they are multiplied. */
  readonly #own: Float64Array;
  readonly #base = new Float64Array(hidden);
  readonly #sums = new Float64Array(hidden);
  readonly #direct = new Float64Array(width);
  readonly probabilities = new Float64Array(64);

  constructor(weights: Float32Array) {
    this.weights = weights;
    this.#own = Float64Array.from(weights.subarray(ownFrom, directFrom));
  }

  /** Fills `probabilities`, the first being "none of these". */
  rank(candidates: Candidates): void {
    const { rows, shared, count } = candidates;
    const w = this.weights;
    const sums = this.#sums;
    const own = this.#own;
    const base = this.#base;
    base.fill(0);
    for (let i = 0; i < sharedWidth; i += 1) {
      const value = shared[i] ?? 0;
      if (value === 0) continue;
      for (let unit = 0; unit < hidden; unit += 1) base[unit] = (base[unit] ?? 0) + value * (w[i * hidden + unit] ?? 0);
    }
    const direct = this.#direct;
    const gateFrom = gatesFrom + candidates.gate * width;
    for (let i = 0; i < width; i += 1) direct[i] = (w[directFrom + i] ?? 0) + (w[gateFrom + i] ?? 0);
    let top = -Infinity;
    for (let at = 0; at < count; at += 1) {
      const row = at * width;
      let score = 0;
      sums.set(base);
      for (let i = 0; i < width; i += 1) {
        const value = rows[row + i] ?? 0;
        if (value === 0) continue;
        score += value * (direct[i] ?? 0);
        const from = i * hidden;
        // Four at once: the one loop where that shows.
        for (let unit = 0; unit < hidden; unit += 4) {
          const at = from + unit;
          sums[unit] = (sums[unit] ?? 0) + value * (own[at] ?? 0);
          sums[unit + 1] = (sums[unit + 1] ?? 0) + value * (own[at + 1] ?? 0);
          sums[unit + 2] = (sums[unit + 2] ?? 0) + value * (own[at + 2] ?? 0);
          sums[unit + 3] = (sums[unit + 3] ?? 0) + value * (own[at + 3] ?? 0);
        }
      }
      for (let unit = 0; unit < hidden; unit += 1) {
        const sum = sums[unit] ?? 0;
        const active = sum > 0 ? sum : slope * sum;
        score += (w[outFrom + unit] ?? 0) * active;
      }
      for (let i = 0; at > 0 && i < traitCount; i += 1) {
        score += w[traitsFrom + (candidates.traits[at * traitCount + i] ?? 0)] ?? 0;
      }
      score -= candidates.doubts[at] ?? 0;
      this.probabilities[at] = score;
      if (score > top) top = score;
    }
    let total = 0;
    for (let at = 0; at < count; at += 1) {
      const raised = Math.exp((this.probabilities[at] ?? 0) - top);
      this.probabilities[at] = raised;
      total += raised;
    }
    for (let at = 0; at < count; at += 1) this.probabilities[at] = (this.probabilities[at] ?? 0) / total;
  }
}
