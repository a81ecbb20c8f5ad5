/**
 * A small network with one hidden layer that turns the rows of candidates into probabilities. Its weights are a constant
 * of the product; training is for the benchmark that made them.
 */
import { type Candidates, sharedWidth, width } from './candidates.ts';
import { traitCount, traits } from './traits.ts';

export const hidden = 32;
const slope = 0.01;
/** Where the weights lie: of what candidates share, of candidates by hidden unit, past the hidden layer, out of it, of traits. */
const ownFrom = sharedWidth * hidden;
const directFrom: number = ownFrom + width * hidden;
const outFrom: number = directFrom + width;
const traitsFrom: number = outFrom + hidden;
/** How many weights a ranker has. */
export const weightCount: number = traitsFrom + traits;

export class Ranker {
  readonly weights: Float32Array;
  readonly #active = new Float64Array(64 * hidden);
  readonly #base = new Float64Array(hidden);
  readonly #sums = new Float64Array(hidden);
  readonly probabilities = new Float64Array(64);

  constructor(weights: Float32Array) {
    this.weights = weights;
  }

  /** Fills `probabilities`, the first being "none of these". */
  rank(candidates: Candidates): void {
    const { rows, shared, count } = candidates;
    const w = this.weights;
    const sums = this.#sums;
    const base = this.#base;
    base.fill(0);
    for (let i = 0; i < sharedWidth; i += 1) {
      const value = shared[i] ?? 0;
      if (value === 0) continue;
      for (let unit = 0; unit < hidden; unit += 1) base[unit] = (base[unit] ?? 0) + value * (w[i * hidden + unit] ?? 0);
    }
    let top = -Infinity;
    for (let at = 0; at < count; at += 1) {
      const row = at * width;
      let score = 0;
      sums.set(base);
      for (let i = 0; i < width; i += 1) {
        const value = rows[row + i] ?? 0;
        if (value === 0) continue;
        score += value * (w[directFrom + i] ?? 0);
        const from = ownFrom + i * hidden;
        for (let unit = 0; unit < hidden; unit += 1) sums[unit] = (sums[unit] ?? 0) + value * (w[from + unit] ?? 0);
      }
      for (let unit = 0; unit < hidden; unit += 1) {
        const sum = sums[unit] ?? 0;
        const active = sum > 0 ? sum : slope * sum;
        this.#active[at * hidden + unit] = active;
        score += (w[outFrom + unit] ?? 0) * active;
      }
      for (let i = 0; at > 0 && i < traitCount; i += 1) {
        score += w[traitsFrom + (candidates.traits[at * traitCount + i] ?? 0)] ?? 0;
      }
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

  /** The gradient of the log loss for the true candidate (0: none of these), added to `into`. After `rank`. */
  learn(candidates: Candidates, truth: number, into: Float32Array): void {
    const { rows, shared, count } = candidates;
    const w = this.weights;
    const back = this.#sums;
    const all = this.#base;
    all.fill(0);
    for (let at = 0; at < count; at += 1) {
      const error = (this.probabilities[at] ?? 0) - (at === truth ? 1 : 0);
      if (Math.abs(error) < 1e-3) continue;
      for (let unit = 0; unit < hidden; unit += 1) {
        const active = this.#active[at * hidden + unit] ?? 0;
        const out = outFrom + unit;
        into[out] = (into[out] ?? 0) + error * active;
        const bent = error * (w[out] ?? 0) * (active > 0 ? 1 : slope);
        back[unit] = bent;
        all[unit] = (all[unit] ?? 0) + bent;
      }
      const row = at * width;
      for (let i = 0; i < width; i += 1) {
        const value = rows[row + i] ?? 0;
        if (value === 0) continue;
        into[directFrom + i] = (into[directFrom + i] ?? 0) + error * value;
        const from = ownFrom + i * hidden;
        for (let unit = 0; unit < hidden; unit += 1)
          into[from + unit] = (into[from + unit] ?? 0) + value * (back[unit] ?? 0);
      }
      for (let i = 0; at > 0 && i < traitCount; i += 1) {
        const trait = traitsFrom + (candidates.traits[at * traitCount + i] ?? 0);
        into[trait] = (into[trait] ?? 0) + error;
      }
    }
    for (let i = 0; i < sharedWidth; i += 1) {
      const value = shared[i] ?? 0;
      if (value === 0) continue;
      for (let unit = 0; unit < hidden; unit += 1)
        into[i * hidden + unit] = (into[i * hidden + unit] ?? 0) + value * (all[unit] ?? 0);
    }
  }
}
