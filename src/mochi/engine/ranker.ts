/**
 * A small network with one hidden layer that turns the rows of candidates into probabilities. Its weights are a constant
 * of the product; training is for the benchmark that made them.
 */
import { type Candidates, traitCount, traits, width } from './candidates.ts';

export const hidden = 24;
/** How many weights a ranker has. */
export const weightCount: number = hidden * width + hidden + width + traits;
/** Where the weights of the traits begin. */
const traitsFrom = hidden * width + hidden + width;

export class Ranker {
  readonly weights: Float32Array;
  readonly #active = new Float32Array(64 * hidden);
  readonly probabilities = new Float64Array(64);

  constructor(weights: Float32Array) {
    this.weights = weights;
  }

  /** Fills `probabilities`, the first being "none of these". */
  rank(candidates: Candidates): void {
    const { rows, count } = candidates;
    const w = this.weights;
    const direct = hidden * width + hidden;
    let top = -Infinity;
    for (let at = 0; at < count; at += 1) {
      const row = at * width;
      let score = 0;
      for (let i = 0; i < width; i += 1) score += (w[direct + i] ?? 0) * (rows[row + i] ?? 0);
      for (let unit = 0; unit < hidden; unit += 1) {
        let sum = 0;
        const from = unit * width;
        for (let i = 0; i < width; i += 1) sum += (w[from + i] ?? 0) * (rows[row + i] ?? 0);
        const active = sum > 0 ? sum : 0.01 * sum;
        this.#active[at * hidden + unit] = active;
        score += (w[hidden * width + unit] ?? 0) * active;
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
    const { rows, count } = candidates;
    const w = this.weights;
    const direct = hidden * width + hidden;
    for (let at = 0; at < count; at += 1) {
      const error = (this.probabilities[at] ?? 0) - (at === truth ? 1 : 0);
      if (Math.abs(error) < 1e-3) continue;
      const row = at * width;
      for (let i = 0; i < width; i += 1) into[direct + i] = (into[direct + i] ?? 0) + error * (rows[row + i] ?? 0);
      for (let unit = 0; unit < hidden; unit += 1) {
        const active = this.#active[at * hidden + unit] ?? 0;
        const out = hidden * width + unit;
        into[out] = (into[out] ?? 0) + error * active;
        const back = error * (w[out] ?? 0) * (active > 0 ? 1 : 0.01);
        const from = unit * width;
        for (let i = 0; i < width; i += 1) into[from + i] = (into[from + i] ?? 0) + back * (rows[row + i] ?? 0);
      }
      for (let i = 0; at > 0 && i < traitCount; i += 1) {
        const trait = traitsFrom + (candidates.traits[at * traitCount + i] ?? 0);
        into[trait] = (into[trait] ?? 0) + error;
      }
    }
  }
}
