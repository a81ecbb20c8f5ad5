/**
 * JSON that keeps integers exact. JavaScript numbers lose digits beyond 2^53, so such literals travel inside the
 * program as marked strings and are written back as the digits they were.
 */

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

const MARK = '\uE000int:';
const END = '\uE000';
const MARKED = /"\uE000int:(-?[0-9]+)\uE000"/g;
const LONG_DIGITS = /[0-9]{16}/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/gs;

/** Whether a value is a JSON object (not an array, not null). */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value parsed from JSON, as an object; undefined for anything else. */
export function asJsonObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Parse wall: whatever `parseJson` gave is JSON, so an object is a JSON object. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** Own property of an object, never one of the prototype. */
export function own(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Own property that is a string. */
export function ownString(value: unknown, key: string): string | undefined {
  const found = own(value, key);
  return typeof found === 'string' ? found : undefined;
}

/** JSON text with integers beyond 2^53 turned into marked strings. Text outside of JSON strings must be JSON. */
export function markIntegers(text: string): string {
  if (!LONG_DIGITS.test(text)) return text;
  return text.replace(TOKEN, (token) =>
    /^-?[0-9]+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK}${token}${END}"` : token,
  );
}

/** Parses JSON and keeps integers exact. Throws SyntaxError. */
export function parseJson(text: string): JsonValue {
  const value: JsonValue = JSON.parse(markIntegers(text));
  return value;
}

/** Serialises; marked integers become digits again. */
export function writeJson(value: unknown, indent?: number): string {
  return unmarkIntegers(JSON.stringify(value, undefined, indent) ?? 'null');
}

/** Serialised JSON with the marks taken out. */
export function unmarkIntegers(text: string): string {
  return text.includes(MARK) ? text.replace(MARKED, '$1') : text;
}

/** The digits of a marked integer, undefined for any other value. */
export function exactInteger(value: unknown): string | undefined {
  return typeof value === 'string' && value.startsWith(MARK) && value.endsWith(END)
    ? value.slice(MARK.length, -END.length)
    : undefined;
}

/** Equality of JSON values, whatever the order of keys. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}
