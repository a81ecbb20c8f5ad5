/** Writes trained weights as the source file the product ships: sixteen bits each, in base64. */
export function exportWeights(weights: Float32Array): string {
  const largest = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 1e-6);
  const scale = largest / 32_767;
  const whole = Int16Array.from(weights, (weight) => Math.round(weight / scale));
  const text = Buffer.from(whole.buffer).toString('base64');
  return `/**
 * The ranker's weights: made by \`test/bench/mochi-tune.ts\` from training files of the completion benchmark (TypeScript
 * sources of MIT and Apache-2.0 packages), never from its test files. They weigh evidence and contain no code.
 */
import { weightCount } from './ranker.ts';

const scale = ${scale};
const encoded =
  '${text}';

/** A fresh copy. Sixteen bits each, lowest byte first. */
export function rankerWeights(): Float32Array {
  const bytes = Buffer.from(encoded, 'base64');
  const weights = new Float32Array(weightCount);
  for (let at = 0; at < weightCount; at += 1) weights[at] = bytes.readInt16LE(at * 2) * scale;
  return weights;
}
`;
}
