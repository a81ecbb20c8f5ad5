/** The few questions that are asked of JSON everywhere. Names such as `__proto__` are data in all of them. */
import type { Json, JsonObject } from './model.ts';

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value under a name of the object's own; never what its prototype has. */
export function ownValue(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** An object of the entries, in their order. */
export function jsonObject(entries: Iterable<readonly [string, Json]>): JsonObject {
  const result: Record<string, Json> = {};
  for (const [name, value] of entries)
    Object.defineProperty(result, name, { value, enumerable: true, writable: true, configurable: true });
  return result;
}
