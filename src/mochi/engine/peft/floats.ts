/**
 * Between 32-bit floats and the two 16-bit forms that weights are stored in. Rounds to nearest, ties to even; works in
 * bulk and needs no float types newer than those of the oldest Node.
 */

/** Largest magnitude that still rounds to a finite half: the next one becomes infinite. */
const INFINITE_HALF = 0x7c00;

let halves: Float32Array | undefined;

/** Every half as a float, by its bits. */
function halfTable(): Float32Array {
  if (halves !== undefined) return halves;
  const table = new Float32Array(65_536);
  for (let bits = 0; bits < table.length; bits += 1) {
    const sign = (bits & 0x8000) === 0 ? 1 : -1;
    const exponent = (bits >>> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0) table[bits] = sign * fraction * 2 ** -24;
    else if (exponent === 31) table[bits] = fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
    else table[bits] = sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
  }
  halves = table;
  return table;
}

export function halvesToFloats(source: Uint16Array): Float32Array {
  const table = halfTable();
  const floats = new Float32Array(source.length);
  for (let at = 0; at < source.length; at += 1) floats[at] = table[source[at] ?? 0] ?? 0;
  return floats;
}

/** bfloat16 is the upper half of a float. */
export function brainFloatsToFloats(source: Uint16Array): Float32Array {
  const bits = new Uint32Array(source.length);
  for (let at = 0; at < source.length; at += 1) bits[at] = (source[at] ?? 0) << 16;
  return new Float32Array(bits.buffer);
}

function halfOf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fff_ffff;
  if (magnitude >= 0x4780_0000) return sign | (magnitude > 0x7f80_0000 ? 0x7e00 : INFINITE_HALF);
  if (magnitude >= 0x3880_0000) {
    // The carry of the rounding may reach the exponent, which is then right too.
    return sign | ((magnitude - 0x3800_0000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
  }
  if (magnitude < 0x3300_0000) return sign;
  const shift = 126 - (magnitude >>> 23);
  const fraction = (magnitude & 0x7f_ffff) | 0x80_0000;
  const kept = fraction >>> shift;
  const rest = fraction & ((1 << shift) - 1);
  const tie = 1 << (shift - 1);
  return sign | (kept + (rest > tie || (rest === tie && (kept & 1) === 1) ? 1 : 0));
}

/** The halves of finite floats; undefined where one is too large for a half. */
export function floatsToHalves(source: Float32Array): Uint16Array | undefined {
  const bits = new Uint32Array(source.buffer, source.byteOffset, source.length);
  const result = new Uint16Array(source.length);
  for (let at = 0; at < bits.length; at += 1) {
    const half = halfOf(bits[at] ?? 0);
    if ((half & 0x7fff) >= INFINITE_HALF) return undefined;
    result[at] = half;
  }
  return result;
}

/** The place of the first value that is not finite, or -1. */
export function firstNotFinite(values: Float32Array): number {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let at = 0; at < bits.length; at += 1) if (((bits[at] ?? 0) & 0x7f80_0000) === 0x7f80_0000) return at;
  return -1;
}
