/** GGUF files: what is written is read back, byte for byte where the format says which, and broken ones are refused. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperationError } from '../../../../../src/core/problem.ts';
import { type GgufContent, type GgufValue, headerOf, writeGguf } from '../../../../../src/mochi/engine/peft/gguf.ts';
import { readGgufHeader } from '../../../../../src/mochi/engine/peft/gguf-header.ts';
import { createRandom, writeTinyModel } from '../../../../support/tiny-models.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mochi-gguf-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const small: GgufContent = {
  metadata: new Map<string, GgufValue>([['a', { kind: 'u32', value: 7 }]]),
  tensors: [
    { name: 't', sizes: [2, 1], kind: 'f32', pieces: () => [new Uint8Array([0, 0, 128, 63]), new Uint8Array(4)] },
  ],
};

describe('writing', () => {
  it('lays out every byte as the format has it', async () => {
    const file = join(folder, 'small.gguf');
    await writeGguf(file, small);
    const u64 = (value: number): number[] => [value, 0, 0, 0, 0, 0, 0, 0];
    const header = [
      ...[0x47, 0x47, 0x55, 0x46, 3, 0, 0, 0, ...u64(1), ...u64(1)],
      ...[...u64(1), 0x61, 4, 0, 0, 0, 7, 0, 0, 0],
      ...[...u64(1), 0x74, 2, 0, 0, 0, ...u64(2), ...u64(1), 0, 0, 0, 0, ...u64(0)],
    ];
    expect(header).toHaveLength(82);
    const padded = [...header, ...new Array(96 - 82).fill(0), 0, 0, 128, 63, 0, 0, 0, 0, ...new Array(24).fill(0)];
    expect([...(await readFile(file))]).toEqual(padded);
  });

  it('leaves nothing behind when a tensor is not as long as announced, or it is cancelled', async () => {
    const own = await mkdtemp(join(folder, 'own-'));
    const short: GgufContent = {
      ...small,
      tensors: [{ name: 't', sizes: [3], kind: 'f32', pieces: () => [new Uint8Array(4)] }],
    };
    await expect(writeGguf(join(own, 'x.gguf'), short)).rejects.toThrow('4 bytes where 12');
    await expect(writeGguf(join(own, 'x.gguf'), small, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    expect(await readdir(own)).toEqual([]);
  });

  it('replaces an earlier file only when the new one is whole', async () => {
    const file = join(folder, 'twice.gguf');
    await writeGguf(file, small);
    const before = await readFile(file);
    const failing: GgufContent = {
      ...small,
      tensors: [
        {
          name: 't',
          sizes: [2],
          kind: 'f32',
          pieces: () => {
            throw new Error('no weights');
          },
        },
      ],
    };
    await expect(writeGguf(file, failing)).rejects.toThrow('no weights');
    expect(await readFile(file)).toEqual(before);
  });
});

describe('reading', () => {
  it('gives back metadata and tensors of any kind, for many random contents', async () => {
    const random = createRandom(11);
    const file = join(folder, 'random.gguf');
    for (let turn = 0; turn < 40; turn += 1) {
      const content = randomContent(random);
      await writeGguf(file, content);
      const header = await readGgufHeader(file, { longestArray: 1000 });
      expect(header.start).toBe(headerOf(content).length);
      const read = [...header.metadata].map(([key, value]) => {
        if (value.kind !== 'array') return [key, value];
        return [key, { kind: 'array', of: value.of, values: value.values }];
      });
      expect(read).toEqual([...content.metadata]);
      const tensors = [...header.tensors.values()];
      expect(tensors.map(({ name, sizes }) => [name, sizes])).toEqual(
        content.tensors.map(({ name, sizes }) => [name, sizes]),
      );
      const bytes = await readFile(file);
      for (const [place, { start }] of tensors.entries()) expect(bytes[start]).toBe(place + 1);
    }
  });

  it('counts long arrays without keeping them', async () => {
    const file = join(folder, 'model.gguf');
    await writeTinyModel(file);
    const { metadata, tensors } = await readGgufHeader(file);
    expect(metadata.get('tokenizer.ggml.tokens')).toEqual({ kind: 'array', of: 'string', length: 265 });
    expect(tensors.get('blk.1.ffn_down.weight')?.sizes).toEqual([96, 64]);
  });

  it('reads a header longer than the first look', async () => {
    const file = join(folder, 'long.gguf');
    const values = Array.from({ length: 40_000 }, (_, place) => `token ${place}`);
    await writeGguf(file, { metadata: new Map([['words', { kind: 'array', of: 'string', values }]]), tensors: [] });
    expect((await readGgufHeader(file)).metadata.get('words')).toMatchObject({ length: 40_000 });
  });
});

interface Broken {
  readonly what: string;
  readonly change: (bytes: Buffer) => Buffer;
  readonly says: RegExp;
}

const broken: readonly Broken[] = [
  { what: 'that is empty', change: () => Buffer.alloc(0), says: /too short/ },
  {
    what: 'of another kind',
    change: (bytes) => Buffer.concat([Buffer.from('PK'), bytes]),
    says: /does not begin as one/,
  },
  { what: 'of an unknown version', change: (bytes) => put32(bytes, 4, 9), says: /version 9/ },
  { what: 'of the other byte order', change: (bytes) => put32(bytes, 4, 0x0300_0000), says: /byte order/ },
  { what: 'cut in its header', change: (bytes) => bytes.subarray(0, 60), says: /ends inside of its header/ },
  { what: 'cut in its weights', change: (bytes) => bytes.subarray(0, 98), says: /"t" ends beyond it/ },
  {
    what: 'that claims endless tensors',
    change: (bytes) => put64(bytes, 8, 2n ** 60n),
    says: /claims 1152921504606846976/,
  },
  { what: 'that claims endless values', change: (bytes) => put64(bytes, 16, 2n ** 40n), says: /claims 1099511627776/ },
  { what: 'with an endless name', change: (bytes) => put64(bytes, 24, 2n ** 62n), says: /claims/ },
  { what: 'with an unknown kind of value', change: (bytes) => put32(bytes, 33, 99), says: /unknown kind 99/ },
  { what: 'with a tensor at an odd place', change: (bytes) => put64(bytes, 74, 3n), says: /odd place/ },
  { what: 'with a tensor beyond the end', change: (bytes) => put64(bytes, 74, 1n << 32n), says: /ends beyond it/ },
  { what: 'with a tensor of five dimensions', change: (bytes) => put32(bytes, 50, 5), says: /5 dimensions/ },
  { what: 'with a tensor of endless size', change: (bytes) => put64(bytes, 54, 1n << 39n), says: /ends beyond it/ },
];

describe('a file', () => {
  it.each(broken)('$what is refused', async ({ change, says }) => {
    const file = join(folder, 'broken.gguf');
    await writeGguf(file, small);
    await writeFile(file, change(await readFile(file)));
    const error = await readGgufHeader(file).catch((reason: unknown) => reason);
    expect(OperationError.is(error, 'io')).toBe(true);
    expect(error).toMatchObject({ message: expect.stringMatching(says), remedy: expect.any(String) });
  });

  it('that is not there is named', async () => {
    await expect(readGgufHeader(join(folder, 'none.gguf'))).rejects.toMatchObject({ kind: 'not-found' });
  });
});

function put32(bytes: Buffer, at: number, value: number): Buffer {
  bytes.writeUInt32LE(value, at);
  return bytes;
}

function put64(bytes: Buffer, at: number, value: bigint): Buffer {
  bytes.writeBigUInt64LE(value, at);
  return bytes;
}

function randomContent(random: () => number): GgufContent {
  const whole = (most: number): number => Math.min(most - 1, Math.floor(Math.abs(random()) * (most / 3)));
  const value = (): GgufValue => {
    const kinds: GgufValue[] = [
      { kind: 'u8', value: whole(255) },
      { kind: 'i8', value: -whole(100) },
      { kind: 'u16', value: whole(65_000) },
      { kind: 'i16', value: -whole(30_000) },
      { kind: 'i32', value: -whole(2e9) },
      { kind: 'f32', value: Math.fround(random()) },
      { kind: 'f64', value: random() },
      { kind: 'bool', value: random() > 0 },
      { kind: 'string', value: `word \u{1F361} ${whole(1000)}` },
      { kind: 'u64', value: 2n ** 63n + BigInt(whole(1000)) },
      { kind: 'i64', value: -whole(1e9) },
      { kind: 'array', of: 'string', values: Array.from({ length: whole(9) }, (_, place) => 'x'.repeat(place)) },
      { kind: 'array', of: 'f32', values: [0.5, -2] },
    ];
    return kinds[whole(kinds.length)] ?? { kind: 'u32', value: 1 };
  };
  const tensors = Array.from({ length: whole(6) }, (_, place) => {
    const sizes = Array.from({ length: 1 + whole(3) }, () => 1 + whole(7));
    const bytes = 4 * sizes.reduce((product, size) => product * size, 1);
    return {
      name: `tensor ${place}`,
      sizes,
      kind: 'f32' as const,
      pieces: () => [new Uint8Array(bytes).fill(place + 1)],
    };
  });
  return {
    metadata: new Map(Array.from({ length: whole(12) }, (_, place) => [`key.${place}`, value()])),
    tensors,
  };
}
