/** Safetensors files: what was saved is read, in any kind and piece by piece, and broken files are refused. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperationError } from '../../../../../src/core/problem.ts';
import { openSafetensors } from '../../../../../src/mochi/engine/peft/safetensors.ts';
import { createRandom, safetensorsOf } from '../../../../support/tiny-models.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mochi-safetensors-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function opened<T>(bytes: Uint8Array, work: (file: Awaited<ReturnType<typeof openSafetensors>>) => Promise<T>) {
  const file = join(folder, 'weights.safetensors');
  await writeFile(file, bytes);
  const weights = await openSafetensors(file);
  try {
    return await work(weights);
  } finally {
    await weights.close();
  }
}

/** A file with any header over so many bytes of content. */
function file(header: unknown, content = 0): Uint8Array {
  const text = typeof header === 'string' ? header : JSON.stringify(header);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(text)));
  return new Uint8Array(Buffer.concat([length, Buffer.from(text), Buffer.alloc(content)]));
}

const entry = (from: number, to: number, shape: readonly number[] = [(to - from) / 4], dtype = 'F32') => ({
  dtype,
  shape,
  data_offsets: [from, to],
});

describe('reading', () => {
  it.each([
    ['F32', 0],
    ['F16', 2 ** -11],
    ['BF16', 2 ** -7],
  ] as const)('gives back %s values, whole and in pieces, for many random files', async (weights, precision) => {
    const random = createRandom(5);
    for (let turn = 0; turn < 15; turn += 1) {
      const tensors = Array.from({ length: 1 + (turn % 4) }, (_, place) => {
        const [rows, columns] = [1 + ((turn * 7 + place) % 5), 1 + ((turn + 3 * place) % 9)];
        const values = Float32Array.from({ length: rows * columns }, random);
        return { name: place === 0 ? '__proto__' : `tensor.${place}`, matrix: { rows, columns, values } };
      });
      await opened(safetensorsOf(tensors, weights), async (found) => {
        expect([...found.tensors.keys()]).toEqual(tensors.map(({ name }) => name));
        for (const { name, matrix } of tensors) {
          const tensor = found.tensors.get(name);
          if (tensor === undefined) throw new Error(`no ${name}`);
          expect(tensor.shape).toEqual([matrix.rows, matrix.columns]);
          const all = await found.read(tensor, 0, matrix.values.length);
          for (const [place, value] of matrix.values.entries())
            expect(Math.abs((all[place] ?? 0) - value)).toBeLessThanOrEqual(
              Math.abs(value) * precision + 1e-7 * precision,
            );
          const last = await found.read(tensor, matrix.values.length - 1, 1);
          expect(last[0]).toBe(all[matrix.values.length - 1]);
        }
      });
    }
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('refuses %d and says where it stands', async (odd) => {
    const matrix = { rows: 1, columns: 3, values: Float32Array.of(1, odd, 3) };
    const error = await opened(safetensorsOf([{ name: 'odd.one', matrix }]), async (found) => {
      const tensor = found.tensors.get('odd.one');
      return tensor === undefined ? undefined : found.read(tensor, 0, 3).catch((reason: unknown) => reason);
    });
    expect(error).toMatchObject({ kind: 'io', message: expect.stringContaining('value 1 of tensor odd.one') });
  });

  it('refuses values of a kind that is no float', async () => {
    const error = await opened(file({ whole: entry(0, 8, [2], 'I32') }, 8), async (found) => {
      const tensor = found.tensors.get('whole');
      return tensor === undefined ? undefined : found.read(tensor, 0, 2).catch((reason: unknown) => reason);
    });
    expect(error).toMatchObject({ kind: 'usage', message: expect.stringContaining('I32') });
  });
});

const broken: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ['that is empty', new Uint8Array(0), /too short/],
  ['whose header is larger than it', file({ a: entry(0, 8) }, 8).subarray(0, 20), /ends inside of its header/],
  ['that claims a huge header', new Uint8Array([255, 255, 255, 255, 255, 255, 255, 127, 0, 0]), /claims/],
  ['whose header is no JSON', file('{"a": ', 0), /no JSON object/],
  ['whose header is no UTF-8', new Uint8Array([2, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xfe]), /no JSON object/],
  ['whose header is a list', file([]), /no JSON object/],
  ['with an entry without offsets', file({ a: { dtype: 'F32', shape: [1] } }, 4), /"a" cannot be read/],
  ['with negative sizes', file({ a: { ...entry(0, 4), shape: [-1] } }, 4), /"a" cannot be read/],
  ['with an unknown kind', file({ a: entry(0, 4, [1], 'F99') }, 4), /unknown kind F99/],
  ['whose shape needs other bytes', file({ a: entry(0, 8, [3]) }, 8), /8 bytes where its shape needs 12/],
  ['whose shape overflows', file({ a: entry(0, 4, [2 ** 50, 2 ** 50]) }, 4), /its shape needs/],
  ['with a tensor beyond its end', file({ a: entry(0, 16) }, 8), /ends beyond it/],
  ['with tensors over each other', file({ a: entry(0, 8), b: entry(4, 12) }, 12), /"b" lies over another one/],
  ['with a gap', file({ a: entry(0, 4), b: entry(8, 12) }, 12), /gap before tensor "b"/],
  ['with bytes of no tensor', file({ a: entry(0, 4) }, 12), /8 bytes at its end/],
];

describe('a file', () => {
  it.each(broken)('%s is refused', async (_what, bytes, says) => {
    const error = await opened(bytes, async () => undefined).catch((reason: unknown) => reason);
    expect(OperationError.is(error, 'io')).toBe(true);
    expect(error).toMatchObject({ message: expect.stringMatching(says), remedy: expect.any(String) });
  });

  it('that is not there is named', async () => {
    await expect(openSafetensors(join(folder, 'none'))).rejects.toMatchObject({ kind: 'not-found' });
  });
});
