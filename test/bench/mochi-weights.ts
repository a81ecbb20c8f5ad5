import { traits } from '../../src/mochi/engine/traits.ts';

/** Whole numbers for weights, with the size of one. */
function whole(weights: Float32Array, most: number): { scale: number; rounded: readonly number[] } {
  const largest = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 1e-6);
  const scale = largest / most;
  return { scale, rounded: Array.from(weights, (weight) => Math.round(weight / scale)) };
}

/** Writes trained weights as the source file the product ships: sixteen bits each, those of traits eight, in base64. */
export function exportWeights(weights: Float32Array): string {
  const dense = whole(weights.subarray(0, weights.length - traits), 32_767);
  const hashed = whole(weights.subarray(weights.length - traits), 127);
  const text = Buffer.from(Int16Array.from(dense.rounded).buffer).toString('base64');
  const rest = Buffer.from(Int8Array.from(hashed.rounded).buffer).toString('base64');
  return `/**
 * The ranker's weights: made by \`test/bench/mochi-tune.ts\` from training files of the completion benchmark (TypeScript
 * sources of MIT and Apache-2.0 packages), never from its test files. They weigh evidence and contain no code.
 */
import { weightCount } from './ranker.ts';
import { traits } from './traits.ts';

const scale = ${dense.scale};
const encoded =
  '${text}';
const traitScale = ${hashed.scale};
const encodedTraits =
  '${rest}';

/** A fresh copy. Sixteen bits each, lowest byte first; the traits, which come last, have eight. */
export function rankerWeights(): Float32Array {
  const bytes = Buffer.from(encoded, 'base64');
  const hashed = Buffer.from(encodedTraits, 'base64');
  const weights = new Float32Array(weightCount);
  const dense = weightCount - traits;
  for (let at = 0; at < dense; at += 1) weights[at] = bytes.readInt16LE(at * 2) * scale;
  for (let at = 0; at < traits; at += 1) weights[dense + at] = hashed.readInt8(at) * traitScale;
  return weights;
}
`;
}
