/**
 * Writes the weights that `mochi-tune.py` trained as the source file the product ships: `node test/bench/mochi-weights.ts`.
 * Sixteen bits each, those of gates eight; traits in few steps and deflated, for most of them say next to nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { denseCount, traitsFrom, weightCount } from '../../src/mochi/engine/ranker.ts';
import { root } from './mochi-corpus.ts';

/** The size of a step of the traits' weights: half of it changes nothing that can be measured. */
const traitStep = 0.1;

/** Whole numbers for weights, with the size of one. */
function whole(weights: Float32Array, most: number): { scale: number; rounded: readonly number[] } {
  const largest = weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 1e-6);
  const scale = largest / most;
  return { scale, rounded: Array.from(weights, (weight) => Math.round(weight / scale)) };
}

function exportWeights(weights: Float32Array): string {
  const dense = whole(weights.subarray(0, denseCount), 32_767);
  const gates = whole(weights.subarray(denseCount, traitsFrom), 127);
  const traits = Int8Array.from(weights.subarray(traitsFrom), (weight) => Math.round(weight / traitStep));
  const text = Buffer.from(Int16Array.from(dense.rounded).buffer).toString('base64');
  const gateText = Buffer.from(Int8Array.from(gates.rounded).buffer).toString('base64');
  const traitText = deflateRawSync(traits, { level: 9 }).toString('base64');
  return `/**
 * The ranker's weights: made by \`test/bench/mochi-tune.py\` from training files of the completion benchmark (TypeScript
 * sources of MIT and Apache-2.0 packages), never from its test files. They weigh evidence and contain no code.
 */
import { inflateRawSync } from 'node:zlib';
import { denseCount, traitsFrom, weightCount } from './ranker.ts';

const scale = ${dense.scale};
const encoded =
  '${text}';
const gateScale = ${gates.scale};
const encodedGates =
  '${gateText}';
const traitScale = ${traitStep};
const encodedTraits =
  '${traitText}';

/** A fresh copy. Sixteen bits each, lowest byte first; those of gates and traits have eight, the latter deflated. */
export function rankerWeights(): Float32Array {
  const bytes = Buffer.from(encoded, 'base64');
  const gates = Buffer.from(encodedGates, 'base64');
  const traits = inflateRawSync(Buffer.from(encodedTraits, 'base64'));
  const weights = new Float32Array(weightCount);
  for (let at = 0; at < denseCount; at += 1) weights[at] = bytes.readInt16LE(at * 2) * scale;
  for (let at = denseCount; at < traitsFrom; at += 1) weights[at] = gates.readInt8(at - denseCount) * gateScale;
  for (let at = traitsFrom; at < weightCount; at += 1) weights[at] = traits.readInt8(at - traitsFrom) * traitScale;
  return weights;
}
`;
}

const trained = new Float32Array(new Uint8Array(readFileSync(process.argv[2] ?? `${root}.bench/weights.bin`)).buffer);
if (trained.length !== weightCount) throw new Error(`${trained.length} weights are not the ranker's ${weightCount}`);
writeFileSync(`${root}src/mochi/engine/weights.ts`, exportWeights(trained));
