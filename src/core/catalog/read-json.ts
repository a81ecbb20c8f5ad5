/**
 * Guards between values of unknown origin and {@link Json}: what is plain data, how deep and how large it is,
 * and one spelling of it for hashes. It changes no value; what passes a guard is the very object that came in.
 */
import type { Json, JsonObject } from '../model.ts';

/** What a value from outside turned out to be. `foreign` holds something that JSON cannot say, for example NaN. */
export type JsonVerdict = 'ok' | 'too-deep' | 'too-large' | 'foreign';

export interface JsonLimits {
  /** Levels of nesting; a scalar is level 1. */
  readonly depth: number;
  /** Bytes of UTF-8 that the value would take, without white space; aliases count each time. */
  readonly bytes: number;
}

/** True for a value with keys, whatever its prototype; false for arrays and null. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A property of the object itself, so that `constructor` and `__proto__` are found only where someone wrote them. */
export function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Walks without recursion, so that neither deep nor cyclic values can exhaust the stack or time. */
export function judgeJson(value: unknown, limits: JsonLimits): JsonVerdict {
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  let bytes = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.depth > limits.depth) return 'too-deep';
    const children = childrenOf(next.value);
    if (children === undefined) {
      const size = scalarBytes(next.value);
      if (size === undefined) return 'foreign';
      bytes += size;
    } else {
      bytes += 2 + children.bytes;
      if (bytes <= limits.bytes) {
        for (const child of children.values) stack.push({ value: child, depth: next.depth + 1 });
      }
    }
    if (bytes > limits.bytes) return 'too-large';
  }
  return 'ok';
}

/** {@link judgeJson} as a type guard. */
export function isJsonObject(value: unknown, limits: JsonLimits): value is JsonObject {
  return isRecord(value) && judgeJson(value, limits) === 'ok';
}

/** The one spelling of a value: keys sorted by UTF-16 units, no white space. For hashes, never for people. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0));
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`).join(',')}}`;
}

function childrenOf(value: unknown): { readonly values: readonly unknown[]; readonly bytes: number } | undefined {
  if (Array.isArray(value)) return { values: value, bytes: value.length };
  if (!isRecord(value) || value instanceof Date || value instanceof Map || value instanceof Set) return undefined;
  const values: unknown[] = [];
  let bytes = 0;
  for (const [key, child] of Object.entries(value)) {
    if (child === undefined) continue;
    values.push(child);
    bytes += utf8Bytes(key) + 4;
  }
  return { values, bytes };
}

function scalarBytes(value: unknown): number | undefined {
  if (typeof value === 'string') return utf8Bytes(value) + 2;
  if (typeof value === 'number') return Number.isFinite(value) ? String(value).length : undefined;
  if (typeof value === 'boolean' || value === null) return 4;
  return undefined;
}

function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    // Each half of a surrogate pair counts two, the pair four.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
