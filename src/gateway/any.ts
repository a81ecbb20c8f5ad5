/** Schemas that take what comes and objects of it: whoever uses a value looks at it. */
import type { Result, StandardSchemaV1 } from '@modelcontextprotocol/server';
import { isRecord } from '#core/catalog/read-json.ts';
import type { JsonObject } from '#core/model.ts';

/** It came out of JSON, so that being an object is all there is to ask. */
export function isParams(value: unknown): value is JsonObject {
  return isRecord(value);
}

export const ANY_PARAMS: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': { version: 1, vendor: 'mochi', validate: (value) => ({ value: objectOf(value) }) },
};

export const ANY_RESULT: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'mochi', validate: (value) => ({ value }) },
};

/** The value itself where it is an object, else an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isParams(value) ? value : {};
}

/** A result goes out as its server sent it. */
function isResult(_value: JsonObject): _value is JsonObject & Result {
  return true;
}

export function passOn(value: JsonObject): Result {
  return isResult(value) ? value : {};
}
